//! Values that a block keeps in shared memory while its individuals move, to save registers.

use warpswarm_core::launch::generation_stage;
use warpswarm_core::order::Candidate;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::thread;
use warpswarm_device::view::DeviceReal;

use super::seen::known;

/// The run's best, and the iteration of its last improvement. One thread sets them; all threads read them after a
/// barrier.
#[derive(Clone, Copy)]
pub(super) struct Remembered<R> {
    /// A candidate for each thread, and the best.
    candidates: SharedArray<Candidate<R>>,
    improved_at: SharedArray<u64>,
}

impl<R: DeviceReal> Remembered<R> {
    /// Those of the block.
    ///
    /// # Safety
    /// The host gives [`MethodTile::shared_bytes`](warpswarm_core::launch::MethodTile::shared_bytes): a candidate for
    /// each thread and two more, in whose place nothing else is stored.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn new() -> Self {
        let threads = thread::block_dim();
        // SAFETY: the caller upholds this; a block has a multiple of 32 threads.
        unsafe {
            Remembered {
                candidates: SharedArray::new(0, threads + 1),
                improved_at: SharedArray::new(generation_stage::<R>(threads - 1), 1),
            }
        }
    }

    /// The place of the best: opaque, so that its address is not kept in a register either.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn place(self) -> u32 {
        thread::opaque(thread::block_dim())
    }

    /// The run's best.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn best<const CONSTRAINED: bool>(self) -> Candidate<R> {
        let best = self.candidates.get(self.place());
        Candidate::new(known::<R, CONSTRAINED>(best.fitness), best.index)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn set_best(self, best: Candidate<R>) {
        self.candidates.set(self.place(), best);
    }

    /// The iteration of the best's last improvement.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn improved_at(self) -> u64 {
        self.improved_at.get(0)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn set_improved_at(self, iteration: u64) {
        self.improved_at.set(0, iteration);
    }
}
