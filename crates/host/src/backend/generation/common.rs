//! What the individuals of runs have in common, on a device.

use warpswarm_core::Real;
use warpswarm_core::launch::{CommonArgs, Ptr, SETTLE_BLOCK};
use warpswarm_core::method::Common;
use warpswarm_cpu_ref::Swarm;

use super::super::machine::{Kernel, Machine, Shape};
use super::super::memory::Transfer;
use super::super::{Job, Procedure};
use super::{Generations, Way};
use crate::error::Result;
use crate::planner::Geometry;

/// The addresses of the arrays of `CommonArgs`; of no use where a method has nothing of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InCommon {
    memory: u64,
    elite: u64,
    archive: u64,
    places: u64,
    claims: u64,
    settled: u64,
}

/// Numbers of the memory of a run, places of its elite, places and numbers of its archive.
fn sizes<R: Real>(job: &Job<R>) -> Option<(Common, [u64; 4])> {
    let common = job.procedure.common(job.individuals)?;
    let archive = u64::from(common.archive);
    let numbers = u64::from(common.memory) + 1;
    let points = archive * u64::from(job.stride());
    Some((common, [numbers, u64::from(common.elite), archive, points]))
}

impl InCommon {
    pub(super) fn allocate<R: Real, M: Machine>(job: &Job<R>, machine: &mut M) -> Result<Self> {
        let (Some((_, sizes)), Procedure::Method(named)) = (sizes(job), &job.procedure) else {
            return Ok(InCommon::default());
        };
        let [numbers, elite, archive, points] = sizes.map(|size| size * u64::from(job.runs));
        let number = size_of::<R>() as u64;
        let individuals = u64::from(job.runs) * u64::from(job.individuals);
        let arrays = InCommon {
            memory: machine.allocate(numbers * number)?,
            elite: machine.allocate(4 * elite)?,
            archive: machine.allocate(points * number)?,
            places: machine.allocate(4 * individuals)?,
            claims: machine.allocate(4 * archive)?,
            settled: machine.allocate(8 * u64::from(job.runs))?,
        };
        let memory = named.method.first_memory(job.individuals);
        machine.store_numbers(arrays.memory, 0, &memory.repeat(job.runs as usize))?;
        Ok(arrays)
    }

    /// The arguments of a launch of runs from `first` on.
    pub(super) fn args<R: Real>(&self, job: &Job<R>, first: u32) -> CommonArgs<R> {
        let (common, sizes) = sizes(job).unwrap_or_default();
        let [numbers, elite, archive, points] = sizes.map(|size| size * u64::from(first));
        let number = size_of::<R>() as u64;
        CommonArgs {
            memory: Ptr::at(self.memory + numbers * number),
            elite: Ptr::at(self.elite + 4 * elite),
            archive: Ptr::at(self.archive + points * number),
            places: Ptr::at(self.places + 4 * u64::from(first) * u64::from(job.individuals)),
            claims: Ptr::at(self.claims + 4 * archive),
            settled: Ptr::at(self.settled + 8 * u64::from(first)),
            sizes: common,
            reserved: 0,
        }
    }

    pub(super) fn memory<R: Real>(
        &self,
        job: &Job<R>,
        machine: &mut impl Machine,
        run: u32,
    ) -> Result<Vec<R>> {
        let [numbers, ..] = sizes(job).unwrap_or_default().1;
        machine.fetch_numbers(self.memory, u64::from(run) * numbers, numbers)
    }

    pub(super) fn archive<R: Real>(
        &self,
        job: &Job<R>,
        machine: &mut impl Machine,
        run: u32,
    ) -> Result<Vec<R>> {
        let [.., points] = sizes(job).unwrap_or_default().1;
        machine.fetch_numbers(self.archive, u64::from(run) * points, points)
    }

    /// Goes on from elsewhere.
    pub(super) fn restore<R: Real>(
        &self,
        job: &Job<R>,
        machine: &mut impl Machine,
        swarms: &[Swarm<R>],
    ) -> Result<()> {
        let Some((_, [numbers, .., points])) = sizes(job) else {
            return Ok(());
        };
        for (run, swarm) in (0..).zip(swarms) {
            machine.store_numbers(self.memory, run * numbers, &swarm.memory)?;
            machine.store_numbers(self.archive, run * points, &swarm.archive)?;
            let ended = swarm.control.iterations;
            machine.upload(self.settled + 8 * run, &ended.to_le_bytes())?;
        }
        Ok(())
    }
}

impl<R: Real, M: Machine, W: Way> Generations<R, M, W> {
    /// The kernel that ends iterations, where individuals have something in common.
    fn settling(&mut self) -> Result<Option<Kernel>> {
        if !self.named.method.moves().shares {
            return Ok(None);
        }
        let name = format!("{}_{}_settle", self.named.name, R::NAME);
        let kernel = Kernel::new(name, self.named.kernels);
        self.machine.load(&kernel)?;
        Ok(Some(kernel))
    }

    /// Ends the iteration that a launch has done, or, if it has done none, lists the elite, where individuals have something
    /// in common.
    pub(super) fn settle(&mut self, iterations: u64) -> Result<()> {
        let Some(kernel) = self.settling()? else {
            return Ok(());
        };
        let block = self.job.individuals.next_multiple_of(32).min(SETTLE_BLOCK);
        for (first, runs) in self.layout.grid.waves(self.job.runs) {
            let parameter = self.named.method.parameter(self.args(first, runs, iterations));
            let grid = Geometry { block, blocks_per_run: 1, cluster: false, ..self.layout.grid };
            self.machine.launch(&kernel, Shape::of(grid, runs, 0, false), &parameter)?;
        }
        Ok(())
    }

    /// Lists the elite, where there is one, after individuals have been put in place.
    pub(super) fn list(&mut self) -> Result<()> {
        self.settle(0)
    }
}
