//! The arrays of a run, and this block's copy of its distribution.

use core::marker::PhantomData;

use warpswarm_core::launch::{
    CmaEsArgs, CmaEsLayout, Control, DistributionLayout, OwnRun, head, slots_len,
};
use warpswarm_core::order::Candidate;
use warpswarm_core::random::RunKey;
use warpswarm_core::restart::RestartState;
use warpswarm_device::grid::Exchange;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread};

use super::restart::Leg;
use super::run_barrier::RunBarrier;
use crate::run::{bounds_of_run, of_run};

/// The memory in which a block keeps its matrices.
pub trait Holds<R: DeviceReal>: Copy {
    /// Whether it is shared memory.
    const HELD: bool;
    /// Matrix `number` of the block at `place` (run, block of the run), with `len` numbers.
    fn matrix(args: &CmaEsArgs<R>, place: (usize, u32), number: u32, len: u32) -> Self;
    /// Element `i`.
    fn at(&self, i: u32) -> R;
    /// Elements `i` to `i + 3`; `i` is a multiple of four.
    fn at4(&self, i: u32) -> [R; 4];
    /// Sets element `i`.
    fn put(&self, i: u32, number: R);
}

impl<R: DeviceReal> Holds<R> for SharedArray<R> {
    const HELD: bool = true;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn matrix(args: &CmaEsArgs<R>, _: (usize, u32), number: u32, len: u32) -> Self {
        let layout = CmaEsLayout::new::<R>(args.dimensions, true);
        // SAFETY: the host gives a block as much shared memory as the layout has.
        unsafe { SharedArray::new(layout.matrices[number as usize] * R::BYTES, len) }
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn at(&self, i: u32) -> R {
        self.get(i)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn at4(&self, i: u32) -> [R; 4] {
        self.get4(i)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put(&self, i: u32, number: R) {
        self.set(i, number);
    }
}

impl<R: DeviceReal> Holds<R> for View<R> {
    const HELD: bool = false;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn matrix(args: &CmaEsArgs<R>, (run, part): (usize, u32), number: u32, len: u32) -> Self {
        let len = len as usize;
        let own = of_run(args.own, args.runs, run, args.blocks_per_run as usize * 2 * len);
        own.part((2 * part as usize + number as usize) * len, len)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn at(&self, i: u32) -> R {
        self.get(i as usize)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn at4(&self, i: u32) -> [R; 4] {
        self.get4(i as usize)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put(&self, i: u32, number: R) {
        self.set(i as usize, number);
    }
}

/// This thread's index in its block, its lane, its warp; the block's threads and warps. All are opaque to the compiler:
/// see [`Search::anew`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn index() -> u32 {
    thread::opaque(thread::index())
}
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn lane() -> u32 {
    thread::opaque(thread::lane())
}
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn warp_index() -> u32 {
    thread::opaque(thread::warp())
}
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn threads() -> u32 {
    thread::opaque(thread::block_dim())
}
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn warps() -> u32 {
    // Never zero, but the compiler cannot know that.
    (threads() / 32).max(1)
}

/// One run's arrays, and this block's place in the run.
pub(crate) struct Search<'a, R, M> {
    pub(crate) args: &'a CmaEsArgs<R>,
    /// The run's index in the launch.
    pub(crate) number: usize,
    /// This block's index among the run's blocks.
    pub(crate) part: u32,
    /// Coordinates, and the length of a row.
    pub(super) n: u32,
    pub(super) stride: u32,
    held: PhantomData<(R, M)>,
}

/// The matrices of a block. Only their lower halves are used.
#[derive(Clone, Copy)]
pub(crate) struct Matrices<M> {
    /// The factor, `[column][row]`
    pub(super) factor: M,
    /// The learned matrix, in the coordinates of the factor, `[column][row]`
    pub(super) learned: M,
}

impl<'a, R: DeviceReal, M: Holds<R>> Search<'a, R, M> {
    /// The run that this block works on.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn of_block(args: &'a CmaEsArgs<R>) -> Self {
        let (run, part) = thread::run_and_part(args.runs, args.blocks_per_run);
        let number = run as usize;
        // Never zero, but the compiler cannot know that.
        let (n, stride) = (args.dimensions.max(1), args.stride.max(1));
        Search { args, number, part, n, stride, held: PhantomData }
    }

    /// The same search, opaque to the compiler, for the next stage of a generation. Each stage computes its addresses
    /// again, because the registers do not suffice to keep those of all stages.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn anew(&self) -> Self {
        let [n, stride] = [self.n, self.stride].map(|number| thread::opaque(number).max(1));
        let number = thread::opaque(self.number as u32) as usize;
        Search { number, n, stride, ..*self }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn control(&self) -> View<Control> {
        self.own(self.args.control, 1)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn legs(&self) -> View<RestartState> {
        self.own(self.args.legs, 1)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn global(&self) -> View<Candidate<R>> {
        self.own(self.args.global, 1)
    }

    /// The block's matrices.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn matrices(&self) -> Matrices<M> {
        let place = (self.number, self.part);
        let matrix = |k| M::matrix(self.args, place, k, self.n * self.stride);
        Matrices { factor: matrix(0), learned: matrix(1) }
    }

    /// The run's own settings: seed and stop rule.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn own_run(&self) -> OwnRun<R> {
        self.own(self.args.own_runs, 1).get(0)
    }

    /// The key of the run's draws.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn key(&self) -> RunKey {
        RunKey::new(self.own_run().seed, self.args.first_run + self.number as u64)
    }

    /// Coordinate `i` of the given start of a sample; NaN if it is not given.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn given(&self, sample: u32, i: u32) -> R {
        crate::run::given(&self.args.start, (self.number, sample, i), self.stride)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn barrier(&self) -> RunBarrier {
        let blocks = self.args.blocks_per_run;
        let words = slots_len::<f32>(false, 1, u64::from(blocks)) as usize;
        let slots = if blocks > 1 {
            of_run(self.args.slots, self.args.runs, self.number, words)
        } else {
            View::EMPTY
        };
        let exchange = Exchange::new(slots, blocks, 1);
        RunBarrier { exchange, blocks, part: self.part, tag: self.args.tag }
    }

    /// Blocks that share the run.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn blocks(&self) -> u32 {
        self.args.blocks_per_run.max(1)
    }

    /// The samples of block `part` out of `individuals`: the first one, and the one after the last.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn own_samples(&self, individuals: u32, part: u32) -> (u32, u32) {
        let share = individuals.div_ceil(self.blocks());
        let first = (part * share).min(individuals);
        (first, (first + share).min(individuals))
    }

    /// The threads of the block stride over `0..count` and call `work`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn each(count: u32, mut work: impl FnMut(u32)) {
        let mut i = index();
        while i < count {
            work(i);
            i += threads();
        }
    }

    /// The warps of the block stride over `0..count` and call `work`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn each_warp(count: u32, mut work: impl FnMut(u32)) {
        let mut k = warp_index();
        while k < count {
            work(k);
            k += warps();
        }
    }

    /// The lanes of the warp stride over `first..end` and call `work`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn each_lane(first: u32, end: u32, mut work: impl FnMut(u32)) {
        let mut i = first + lane();
        while i < end {
            work(i);
            i += 32;
        }
    }

    /// The sum of `count` products, in sequence. Four pairs of factors are loaded before the first is used.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn chain(count: u32, term: impl Fn(u32) -> (R, R)) -> R {
        let (mut sum, mut k) = (R::ZERO, 0);
        while k + 4 <= count {
            let terms = [term(k), term(k + 1), term(k + 2), term(k + 3)];
            let mut t = 0;
            while t < 4 {
                sum = terms[t].0.fused(terms[t].1, sum);
                t += 1;
            }
            k += 4;
        }
        while k < count {
            let (a, b) = term(k);
            sum = a.fused(b, sum);
            k += 1;
        }
        sum
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn bounds(&self, i: u32) -> (R, R) {
        let Search { args, number, stride, .. } = self;
        let side = |ptr| bounds_of_run::<R>(ptr, args.bounds_runs, *number, *stride as usize);
        (side(args.lower).get(i as usize), side(args.upper).get(i as usize))
    }

    /// Loads the distribution that the last launch stored.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn load(&self, matrices: &Matrices<M>) {
        let at = DistributionLayout::new(self.n, 0);
        let from = self.distribution();
        let (head, mean, path, wide) = (self.head(), self.mean(), self.path(), self.wide());
        Self::each(head::LEN as u32, |i| head.set(i, from.get(i as usize)));
        Self::each(self.stride, |i| {
            mean.set(i, from.get((at.mean + i) as usize));
            path.set(i, from.get((at.path + i) as usize));
            wide.set(i, from.get((at.wide + i) as usize));
        });
        Self::each(self.n * self.stride, |i| {
            matrices.factor.put(i, from.get((at.factor + i) as usize));
            matrices.learned.put(i, from.get((at.learned + i) as usize));
        });
        block::sync();
    }

    /// Stores the leg's state for the next launch. Stores the distribution too, if this block has it (`is_here`), and
    /// the samples, if some were drawn (`is_drawn`).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn save(
        &self,
        leg: &Leg,
        matrices: &Matrices<M>,
        (is_here, is_drawn): (bool, bool),
    ) {
        block::sync();
        if index() == 0 {
            self.legs().set(0, self.legs_of(leg));
        }
        if !is_here {
            return;
        }
        let at = DistributionLayout::new(self.n, 0);
        let to = self.distribution();
        if is_drawn {
            self.save_samples(self.head().get(head::SAMPLES as u32).to_f64() as u32);
        }
        let (head, mean, path, wide) = (self.head(), self.mean(), self.path(), self.wide());
        Self::each(head::LEN as u32, |i| to.set(i as usize, head.get(i)));
        Self::each(self.stride, |i| {
            to.set((at.mean + i) as usize, mean.get(i));
            to.set((at.path + i) as usize, path.get(i));
            to.set((at.wide + i) as usize, wide.get(i));
        });
        Self::each_warp(self.n, |k| {
            Self::each_lane(k, self.n, |i| {
                let place = k * self.stride + i;
                to.set((at.factor + place) as usize, matrices.factor.at(place));
                to.set((at.learned + place) as usize, matrices.learned.at(place));
            });
        });
    }

    /// Stores a point as the best of the run so far.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn keep(&self, from: View<R>) {
        if self.part != 0 {
            return;
        }
        let to = self.own(self.args.global_positions, self.stride as usize);
        // Places beyond the dimensions stay zero.
        Self::each(self.n, |i| to.set(i as usize, from.get(i as usize)));
    }

    /// Copies the samples of the last generation from shared memory to their arrays.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn save_samples(&self, samples: u32) {
        if !M::HELD || !self.is_near() {
            return;
        }
        let (room, stride) = (self.args.room as usize, self.stride as usize);
        let (points, fitness) =
            (self.own(self.args.points, room * stride), self.own(self.args.fitness, room));
        Self::each_warp(samples, |sample| {
            let row = self.point(sample);
            Self::each_lane(0, self.n, |i| {
                points.set(sample as usize * stride + i as usize, row.get(i as usize));
            });
        });
        Self::each(samples, |k| fitness.set(k as usize, self.fitness().get(k as usize)));
    }
}
