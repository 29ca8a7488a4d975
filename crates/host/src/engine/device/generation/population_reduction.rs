//! A method on a device with shrinking populations, as in [`population_reduction`] on the CPU.
//!
//! Populations shrink between launches: kernels select the worst individuals, and copy the others to arrays with a
//! smaller layout. The previous arrays are reused the next time.

use std::borrow::Cow;
use std::mem::swap;

use warpswarm_core::Float;
use warpswarm_core::launch::{
    PLACES, POPULATION_REDUCTION_BLOCK, PopulationReductionArgs, Ptr, RANK, REDUCE, stopped,
};
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::population_reduction;

use super::super::memory::begin_anew;
use super::{Generations, Way, population_bytes};
use crate::engine::State;
use crate::engine::planner::Geometry;
use crate::error::{Error, Result};
use crate::machine::{Kernel, Machine, Parameter, Shape};

/// The addresses of the arrays to which the remaining individuals are copied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spare {
    public: u64,
    fitness: u64,
    own: u64,
    numbers: u64,
    archive: u64,
    places: u64,
}

/// With more individuals the host removes the worst: on the device each individual is compared with all others.
const MOST: u32 = 1 << 18;

/// A kernel by its name in `warpswarm_core::launch`.
fn kernel<R: Float>(name: &str) -> Kernel {
    Kernel::new(format!("{name}_{}", R::NAME), None)
}

impl<R: Float, M: Machine, W: Way> Generations<R, M, W> {
    /// Removes the individuals that do not take part in the next iteration; returns how many iterations may follow
    /// before others leave.
    pub(super) fn reduce(&mut self) -> Result<u64> {
        let Some(reduction) = self.named.reduction.clone() else { return Ok(u64::MAX) };
        let controls = self.leg_controls()?;
        let mut going = controls.iter().filter(|control| control.stopped == stopped::NOT);
        let Some(control) = going.next() else { return Ok(u64::MAX) };
        let iterations = control.iterations;
        let fewer = reduction.individuals(iterations + 1);
        if fewer < self.job.individuals {
            // A run that has stopped keeps its individuals; the host ensures this.
            let mut all = controls.iter().zip(&self.apart);
            let are_apart =
                all.all(|(control, apart)| control.stopped == stopped::NOT || apart.is_some());
            if !(are_apart && self.fall_there(fewer)?) {
                let mut swarms = self.snapshot()?;
                let going = swarms.iter_mut().filter(|swarm| !swarm.has_stopped());
                going.for_each(|swarm| population_reduction::reduce_if_due(swarm, &reduction));
                self.restore(&swarms)?;
            }
        }
        Ok(reduction.until_next(iterations))
    }

    /// Removes the worst individuals on the device, so that `fewer` remain; returns whether this was possible.
    fn fall_there(&mut self, fewer: u32) -> Result<bool> {
        let spare = if self.job.individuals > MOST { None } else { self.spare()? };
        let Some(spare) = spare else { return Ok(false) };
        // Anything that fails must fail before the state changes.
        self.load_falling()?;
        let runs = self.job.runs;
        let from = self.args(0, runs, 1);
        let (own, numbers) = self.job.procedure.keeps();
        let learns = self.job.procedure.memory().is_some();
        let individuals = self.job.individuals;
        self.swap();
        self.job.individuals = fewer;
        self.layout = self.layout.of_fewer(fewer);
        let args = PopulationReductionArgs {
            from,
            to: self.args(0, runs, 1),
            places: Ptr::at(spare.places),
            own: own as u32,
            numbers: numbers as u32,
            archive: u32::from(learns),
        };
        // A thread for each individual, then a warp for each.
        let most = self.machine.multiprocessors().div_ceil(runs).max(1);
        let of_threads = individuals.div_ceil(POPULATION_REDUCTION_BLOCK);
        let of_warps = fewer.div_ceil(POPULATION_REDUCTION_BLOCK / 32);
        for (name, blocks, shared) in [
            (RANK, of_threads.min(8 * most), 0),
            (PLACES, 1, 8 * POPULATION_REDUCTION_BLOCK),
            (REDUCE, of_warps.min(8 * most), 0),
        ] {
            let kernel = kernel::<R>(name);
            let grid = Geometry {
                block: POPULATION_REDUCTION_BLOCK,
                blocks_per_run: blocks,
                runs_per_launch: runs,
                cluster: false,
            };
            let mut args = args;
            args.from.blocks_per_run = blocks;
            let shape = Shape::of(grid, runs, shared, false);
            self.machine.launch(&kernel, shape, &Parameter::of(args))?;
        }
        if learns {
            let kernel = self.teaching();
            let nothing = |_, _| unreachable!("it evaluates nothing");
            self.launch(&[(&kernel, self.layout.grid.blocks_per_run)], &nothing, 1, 1)?;
        }
        let slots = (self.arrays.slots, self.arrays.slots_bytes);
        begin_anew(&mut self.tag, &mut self.machine, slots)?;
        Ok(true)
    }

    /// The kernel that sums the individuals' contributions to the memory.
    fn teaching(&self) -> Kernel {
        Kernel::new(format!("{}_{}_teach", self.named.name, R::NAME), None)
    }

    /// Loads the kernels of shrinking populations.
    pub(super) fn load_falling(&mut self) -> Result<()> {
        if self.named.reduction.is_none() {
            return Ok(());
        }
        for kernel in [kernel::<R>(RANK), kernel::<R>(PLACES), kernel::<R>(REDUCE)] {
            self.machine.load(&kernel)?;
        }
        match self.job.procedure.memory() {
            Some(_) => self.machine.load(&self.teaching()),
            None => Ok(()),
        }
    }

    /// The arrays to copy to, allocated at first use; `None` if there is no memory for them.
    fn spare(&mut self) -> Result<Option<Spare>> {
        if self.spare.is_some() {
            return Ok(self.spare);
        }
        // Room for the initial number of individuals, because an early state may be restored.
        let Some(reduction) = &self.named.reduction else { return Ok(None) };
        let first = reduction.individuals(0);
        let [public, fitness, own, numbers] = population_bytes(&self.job, first);
        // Two archive entries for each individual, because its public point is stored twice.
        let archive = if self.job.procedure.memory().is_some() { public } else { 0 };
        let lists = 3 * u64::from(self.job.runs) * u64::from(first);
        let mut spare = Spare { public: 0, fitness: 0, own: 0, numbers: 0, archive: 0, places: 0 };
        let arrays = &mut [
            (&mut spare.public, public),
            (&mut spare.fitness, fitness),
            (&mut spare.own, own),
            (&mut spare.numbers, numbers),
            (&mut spare.archive, archive),
            (&mut spare.places, lists * size_of::<u32>() as u64),
        ];
        match self.machine.allocate_all(arrays) {
            Ok(()) => self.spare = Some(spare),
            Err(Error::OutOfMemory { .. }) => {}
            Err(error) => return Err(error),
        }
        Ok(self.spare)
    }

    /// Swaps the population's arrays with the spare ones.
    fn swap(&mut self) {
        let Some(spare) = &mut self.spare else { return };
        let at = &mut self.arrays;
        swap(&mut at.public, &mut spare.public);
        swap(&mut at.fitness, &mut spare.fitness);
        swap(&mut at.own, &mut spare.own);
        swap(&mut at.numbers, &mut spare.numbers);
        at.common.swap_archive(&mut spare.archive);
    }

    /// Allocates memory for states, and gives stopped runs as many individuals as the others, which is what the device
    /// needs. Their unchanged states are kept here.
    pub(super) fn make_room<'a>(&mut self, swarms: &'a [Swarm<R>]) -> Cow<'a, [Swarm<R>]> {
        if self.named.reduction.is_none() {
            return Cow::Borrowed(swarms);
        }
        let goes_on = |swarm: &&Swarm<R>| self.job.going_on(swarm).stopped == stopped::NOT;
        let going = swarms.iter().find(goes_on).or(swarms.first());
        let individuals = going.map_or(0, Swarm::individuals);
        self.job.individuals = individuals as u32;
        self.layout = self.layout.of_fewer(self.job.individuals);
        let other = |swarm: &Swarm<R>| {
            (swarm.individuals() != individuals).then(|| Box::new(swarm.clone()))
        };
        self.apart = swarms.iter().map(other).collect();
        if self.apart.iter().all(Option::is_none) {
            return Cow::Borrowed(swarms);
        }
        let of_that_size = |swarm: &Swarm<R>| {
            let mut swarm = swarm.clone();
            population_reduction::reduce(&mut swarm, individuals);
            population_reduction::fill(&mut swarm, individuals);
            swarm
        };
        swarms.iter().map(of_that_size).collect()
    }
}
