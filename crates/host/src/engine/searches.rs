//! Checks states of searches with restarts.

use warpswarm_core::Float;
use warpswarm_core::launch::Control;
use warpswarm_core::restart::{RestartState, regime};
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::portfolio::Portfolio;

use super::Job;
use crate::error::{Error, Result};
use crate::settings::MAX_ITERATIONS;

impl<R: Float> Job<R> {
    /// Checks the state of a run with restarts, alone or together with another search.
    pub(super) fn check_searches(
        &self,
        run: u32,
        swarm: &Swarm<R>,
        searches: &Portfolio<R>,
    ) -> Result<()> {
        let said = |holds: bool, what: &'static str, found: String| {
            if holds {
                return Ok(());
            }
            Err(Error::State { what, expected: "that of this algorithm".into(), found })
        };
        let check = |what, expected: u64, found: u64| {
            if expected == found {
                return Ok(());
            }
            let [expected, found] = [expected, found].map(|number| number.to_string());
            Err(Error::State { what, expected, found })
        };
        let (n, stride) = (self.dimensions, self.stride() as usize);
        check("dimensions", n as u64, swarm.dimensions as u64)?;
        check("stride", stride as u64, swarm.stride as u64)?;
        check("seed", self.run_id(run).seed, swarm.id.seed)?;
        check("run number", self.run_id(run).run, swarm.id.run)?;
        check("places of the global best", stride as u64, swarm.global_position.len() as u64)?;
        check("positions", 0, (swarm.positions.len() + swarm.velocities.len()) as u64)?;
        let Control { iterations, improved_at, .. } = swarm.control;
        said(iterations <= MAX_ITERATIONS, "iterations", iterations.to_string())?;
        said(improved_at <= iterations, "last improvement at iteration", improved_at.to_string())?;
        let is_shade = |legs: &RestartState| legs.regime == regime::SHADE;
        let others = swarm.parked.as_ref().map(|parked| &parked.legs);
        let pair = (is_shade(&swarm.legs), others.map(is_shade));
        let known = match searches.shade {
            Some(_) => [(true, Some(false)), (false, Some(true))].contains(&pair),
            None => pair == (false, None),
        };
        said(known, "searches", format!("{pair:?}"))?;
        let own =
            (&swarm.best_positions, &swarm.best, &swarm.numbers, &swarm.memory, &swarm.archive);
        let parked = swarm.parked.as_ref().map(|parked| {
            let arrays = (
                &parked.best_positions,
                &parked.best,
                &parked.numbers,
                &parked.memory,
                &parked.archive,
            );
            (parked.legs, parked.age, arrays)
        });
        let own = (swarm.legs, 0, own);
        for (legs, age, (points, best, numbers, memory, archive)) in [own].into_iter().chain(parked)
        {
            let admitted = searches.admits(&legs, iterations, stride) && age <= iterations;
            said(admitted, "search", format!("{legs:?}"))?;
            check("best positions", (best.len() * stride) as u64, points.len() as u64)?;
            if let Some(at) = points.iter().position(|x| x.is_nan()) {
                return said(false, "best position", format!("NaN (run {run}, place {at})"));
            }
            if legs.is_new {
                // The arrays are those of the previous leg, and nothing depends on them.
                continue;
            }
            let (each, remembered, places) = searches.keeps(n, &legs);
            check("individuals", u64::from(legs.individuals), best.len() as u64)?;
            check("numbers", (best.len() * each) as u64, numbers.len() as u64)?;
            check("numbers of the memory", remembered as u64, memory.len() as u64)?;
            check(
                "coordinates of the archive",
                (places * points.len()) as u64,
                archive.len() as u64,
            )?;
        }
        said(
            swarm.global_position.iter().all(|x| !x.is_nan()),
            "global best position",
            "NaN".into(),
        )
    }
}
