//! What the individuals of a run have in common: see `warpswarm_core::method::Common`.

use warpswarm_core::method::{Common, Method};
use warpswarm_device::view::{DeviceReal, View};

use super::population::{Generation, Parity, optional_of_run};
use crate::run::of_run;

/// What a run's individuals have in common.
#[derive(Clone, Copy)]
pub(crate) struct InCommon<R> {
    /// `[number]`
    pub(super) memory: View<R>,
    /// `[place]`
    pub(super) elite: View<u32>,
    /// `[place][coordinate]`
    pub(super) archive: View<R>,
    /// `[individual]`
    pub(super) places: View<u32>,
    /// `[place]`
    pub(super) claims: View<u32>,
    /// One.
    pub(super) settled: View<u64>,
}

impl<R: DeviceReal> Generation<'_, R> {
    /// What the individuals have in common; where the method says that it is something.
    #[inline(always)]
    pub(crate) fn common(&self) -> InCommon<R> {
        let (args, runs, run) = (&self.args.common, self.args.runs, self.number);
        let Common { memory, elite, archive } = args.sizes;
        let [memory, elite, archive] = [memory as usize, elite as usize, archive as usize];
        let stride = self.args.stride as usize;
        InCommon {
            memory: of_run(args.memory, runs, run, memory + 1),
            elite: optional_of_run(args.elite, (runs, run), elite),
            archive: optional_of_run(args.archive, (runs, run), archive * stride),
            places: of_run(args.places, runs, run, self.args.individuals as usize),
            claims: optional_of_run(args.claims, (runs, run), archive),
            settled: of_run(args.settled, runs, run, 1),
        }
    }

    /// The public point of an individual, or, behind all of them, a point of the archive.
    #[inline(always)]
    pub(crate) fn other<M: Method<R>>(&self, before: Parity<R>, individual: u32) -> View<R> {
        if M::SHARES && individual >= self.args.individuals {
            let (place, stride) = (individual - self.args.individuals, self.args.stride as usize);
            return self.common().archive.part(place as usize * stride, stride);
        }
        before.row(individual)
    }
}
