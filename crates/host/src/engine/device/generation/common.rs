//! The shared memory of a run's individuals (such as success histories and archives), on a device.

use warpswarm_core::Float;
use warpswarm_core::launch::{CommonArgs, Ptr};
use warpswarm_core::method::{GROUP, LESSONS, sum_of_group};
use warpswarm_cpu_ref::Swarm;

use super::super::memory::Transfer;
use crate::engine::{Job, Procedure};
use crate::error::Result;
use crate::machine::Machine;

/// The addresses of the arrays in `CommonArgs`; unused if a method has no shared memory.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct InCommon {
    memory: u64,
    own_memory: u64,
    lessons: u64,
    archive: u64,
}

/// For a run: the counts of numbers in its memory, of groups, and of numbers in its archive; `None` if the method has
/// no shared memory.
fn sizes<R: Float>(job: &Job<R>) -> Option<[u64; 3]> {
    let numbers = job.procedure.memory()?;
    let archive = 2 * u64::from(job.individuals) * u64::from(job.stride());
    Some([u64::from(numbers), u64::from(job.individuals.div_ceil(GROUP)), archive])
}

impl InCommon {
    /// Allocates the arrays for this many blocks in a launch.
    pub(in super::super) fn allocate<R: Float, M: Machine>(
        job: &Job<R>,
        blocks: u64,
        machine: &mut M,
    ) -> Result<Self> {
        let Some(sizes) = sizes(job) else {
            return Ok(InCommon::default());
        };
        let [numbers, groups, archive] = sizes.map(|size| size * u64::from(job.runs));
        let number = size_of::<R>() as u64;
        let arrays = InCommon {
            memory: machine.allocate(2 * numbers * number)?,
            own_memory: machine.allocate(blocks * sizes[0] * number)?,
            lessons: machine.allocate(2 * groups * LESSONS as u64 * number)?,
            archive: machine.allocate(archive * number)?,
        };
        Ok(arrays)
    }

    /// Swaps the archive with another array.
    pub(super) fn swap_archive(&mut self, other: &mut u64) {
        std::mem::swap(&mut self.archive, other);
    }

    /// The arguments of a launch of runs from `first` on, with `piece` groups in a piece.
    pub(in super::super) fn args<R: Float>(
        &self,
        job: &Job<R>,
        (first, piece): (u32, u32),
    ) -> CommonArgs<R> {
        let all = sizes(job).unwrap_or_default();
        let [numbers, groups, archive] = all.map(|size| size * u64::from(first));
        let number = size_of::<R>() as u64;
        CommonArgs {
            memory: Ptr::at(self.memory + 2 * numbers * number),
            own_memory: Ptr::at(self.own_memory),
            lessons: Ptr::at(self.lessons + 2 * groups * LESSONS as u64 * number),
            archive: Ptr::at(self.archive + archive * number),
            numbers: all[0] as u32,
            piece,
        }
    }

    /// The memory with which a run has done its last iteration.
    pub(in super::super) fn memory<R: Float>(
        &self,
        job: &Job<R>,
        machine: &mut impl Machine,
        (run, iteration): (u32, u64),
    ) -> Result<Vec<R>> {
        let [numbers, ..] = sizes(job).unwrap_or_default();
        let written = 2 * u64::from(run) + (iteration & 1);
        machine.fetch_numbers(self.memory, written * numbers, numbers)
    }

    pub(in super::super) fn archive<R: Float>(
        &self,
        job: &Job<R>,
        machine: &mut impl Machine,
        run: u32,
    ) -> Result<Vec<R>> {
        let [.., archive] = sizes(job).unwrap_or_default();
        machine.fetch_numbers(self.archive, u64::from(run) * archive, archive)
    }

    /// Writes the memory of a state, with `piece` groups in a piece.
    pub(super) fn restore<R: Float>(
        &self,
        job: &Job<R>,
        machine: &mut impl Machine,
        (swarms, piece): (&[Swarm<R>], u32),
    ) -> Result<()> {
        (0..).zip(swarms).try_for_each(|each| self.restore_run(job, machine, each, piece))
    }

    /// Writes the memory of one run.
    pub(in super::super) fn restore_run<R: Float>(
        &self,
        job: &Job<R>,
        machine: &mut impl Machine,
        (run, swarm): (u32, &Swarm<R>),
        piece: u32,
    ) -> Result<()> {
        let (Some([numbers, groups, archive]), Procedure::Method(named)) =
            (sizes(job), &job.procedure)
        else {
            return Ok(());
        };
        let run = u64::from(run);
        let written = 2 * run + (swarm.age() & 1);
        machine.store_numbers(self.memory, written * numbers, &swarm.memory)?;
        machine.store_numbers(self.archive, run * archive, &swarm.archive)?;
        let of_groups = named.method.lessons(&swarm.numbers);
        let of_pieces = of_groups.chunks(piece as usize).map(|groups| {
            sum_of_group(|i| groups.get(i as usize).copied().unwrap_or([R::ZERO; LESSONS]))
        });
        let lessons = of_pieces.collect::<Vec<_>>().concat();
        machine.store_numbers(self.lessons, written * groups * LESSONS as u64, &lessons)
    }
}
