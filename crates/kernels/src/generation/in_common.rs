//! What the individuals of a run share: see [`Method::learn`] and [`Method::leaves`].

use warpswarm_core::method::{GROUP, LESSONS, Lessons, Memory, Method};
use warpswarm_core::sum::{Operator, Sum};
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread, warp};

use super::population::{Generation, Parity};
use crate::run::of_run;

/// Numbers of shared memory through which a block's warps combine their [sums](Generation::learn).
pub(super) const STAGE: u32 = GROUP * LESSONS as u32;

/// The shared memory for these sums: the scratch of a candidate for each thread, if it is large enough.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn stage<R: DeviceReal>() -> Option<SharedArray<R>> {
    // SAFETY: every block that runs a method has a candidate for each thread at the beginning of its shared memory. A
    // candidate takes at least two numbers.
    (2 * thread::block_dim() >= STAGE).then(|| unsafe { SharedArray::new(0, STAGE) })
}

/// A memory that only this block writes. Each lane of one warp holds one of the first 32 numbers; the rest is in global
/// memory.
struct Remembered<R> {
    /// This lane's number.
    mine: R,
    all: View<R>,
}

impl<R: DeviceReal> Memory<R> for Remembered<R> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn get(&self, k: u32) -> R {
        if k < 32 { warp::shuffle(self.mine, k) } else { self.all.get(k as usize) }
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn set(&mut self, k: u32, number: R) {
        if thread::lane() == k {
            self.mine = number;
        }
        if k >= 32 {
            // After this barrier all lanes have read the old number.
            warp::sync();
            if thread::lane() == 0 {
                self.all.set(k as usize, number);
            }
            warp::sync();
        }
    }
}

/// The sums over groups of `lanes` neighbouring lanes, in all of them; `lanes` is a power of two.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn joined_by<R: DeviceReal>(lanes: u32, of: Lessons<R>) -> Lessons<R> {
    let (mut sums, mut apart) = (of, 1);
    while apart < lanes {
        let mut k = 0;
        while k < LESSONS {
            sums[k] = Sum::combine(sums[k], warp::shuffle_xor(sums[k], apart));
            k += 1;
        }
        apart *= 2;
    }
    sums
}

/// The sums over the lanes of a warp, in all of them.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn joined<R: DeviceReal>(of: Lessons<R>) -> Lessons<R> {
    let mut sums = [R::ZERO; LESSONS];
    let mut k = 0;
    while k < LESSONS {
        sums[k] = warp::join::<R, Sum, 32>(of[k]);
        k += 1;
    }
    sums
}

/// The sum of this number. Selected by a comparison, because an index would move the sums out of registers.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn chosen<R: DeviceReal>(of: Lessons<R>, number: u32) -> R {
    match number {
        0 => of[0],
        1 => of[1],
        2 => of[2],
        _ => of[3],
    }
}

impl<R: DeviceReal> Generation<'_, R> {
    /// The memory that an iteration uses.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn memory(&self, iteration: u64) -> View<R> {
        let (args, numbers) = (self.args, self.args.common.numbers as usize);
        let both = of_run(args.common.memory, args.runs, self.number, 2 * numbers);
        both.part((iteration & 1) as usize * numbers, numbers)
    }

    /// This block's copy of the memory.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn own_memory(&self) -> View<R> {
        let (args, numbers) = (self.args, self.args.common.numbers as usize);
        let blocks = args.blocks_per_run as usize;
        let all = of_run(args.common.own_memory, args.runs, self.number, blocks * numbers);
        all.part(self.part as usize * numbers, numbers)
    }

    /// Groups of a piece.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn piece(&self) -> u32 {
        // Never zero; `max` removes the check for a division by zero.
        self.args.common.piece.max(1)
    }

    /// The sums of the pieces after an iteration.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn lessons(&self, iteration: u64) -> View<Lessons<R>> {
        let args = self.args;
        let groups = args.individuals.div_ceil(GROUP) as usize;
        let both = of_run(args.common.lessons, args.runs, self.number, 2 * groups);
        both.part((iteration & 1) as usize * groups, groups)
    }

    /// The row of a place of the archive: first the first places of all individuals, then the second places.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn left(&self, place: u32) -> View<R> {
        let args = self.args;
        let (n, stride) = (args.individuals as usize, args.stride as usize);
        let all = of_run(args.common.archive, args.runs, self.number, 2 * n * stride);
        all.part(place as usize * stride, stride)
    }

    /// The row of an individual's first or second place of the archive.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn left_by(&self, place: u32, individual: u32) -> View<R> {
        self.left(place * self.args.individuals + individual)
    }

    /// The public point of an individual; for a larger index, a place of the archive.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn other<M: Method<R>>(&self, before: Parity<R>, individual: u32) -> View<R> {
        if M::SHARES && individual >= self.args.individuals {
            return self.left(individual - self.args.individuals);
        }
        before.row(individual)
    }

    /// The place of the archive for the old point of an individual with these numbers, if it leaves one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn leaves<M: Method<R>>(
        &self,
        method: &M,
        index: u32,
        numbers: &warpswarm_core::method::Numbers<R>,
    ) -> Option<View<R>> {
        if !M::SHARES {
            return None;
        }
        match method.leaves(numbers) {
            0 => None,
            place => Some(self.left_by(place - 1, index)),
        }
    }

    /// Initialises the memory and clears the archive at the start of a leg. By the whole block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn renew<M: Method<R>>(&self, method: &M) {
        if !M::SHARES || self.part != 0 {
            return;
        }
        let (args, threads) = (self.args, thread::block_dim());
        let numbers = args.common.numbers;
        let both = of_run(args.common.memory, args.runs, self.number, 2 * numbers as usize);
        let mut k = thread::index();
        while k < numbers {
            let first = method.first_remembered(k);
            both.set(k as usize, first);
            both.set((numbers + k) as usize, first);
            k += threads;
        }
        let places = 2 * args.individuals * args.stride;
        let all = of_run(args.common.archive, args.runs, self.number, places as usize);
        let mut i = thread::index();
        while i < places {
            all.set(i as usize, R::ZERO);
            i += threads;
        }
    }

    /// The sums of 32 neighbouring pieces from `first` on, in all lanes; by a warp. `pieces` is the number of all
    /// pieces.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn sums_of_pieces(lessons: View<Lessons<R>>, first: u32, pieces: u32) -> Lessons<R> {
        let piece = first + thread::lane();
        let of = if piece < pieces { lessons.get(piece as usize) } else { [R::ZERO; LESSONS] };
        joined(of)
    }

    /// The sums of 32 such parts from `first` on, one in each lane of the first warp. By the whole block; its warps
    /// divide the work if there is a `stage` of [`STAGE`] numbers.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn sums_of_parts(
        lessons: View<Lessons<R>>,
        first: u32,
        pieces: u32,
        stage: Option<SharedArray<R>>,
    ) -> Lessons<R> {
        let (lane, warp, mut mine) = (thread::lane(), thread::warp(), [R::ZERO; LESSONS]);
        let Some(stage) = stage else {
            let mut part = 0;
            while warp == 0 && part < GROUP && first + part * GROUP < pieces {
                let of = Self::sums_of_pieces(lessons, first + part * GROUP, pieces);
                mine = if lane == part { of } else { mine };
                part += 1;
            }
            return mine;
        };
        // After this barrier no thread still reads the old numbers.
        block::sync();
        let mut part = warp;
        while part < GROUP && first + part * GROUP < pieces {
            let of = Self::sums_of_pieces(lessons, first + part * GROUP, pieces);
            if lane < LESSONS as u32 {
                stage.set(part * LESSONS as u32 + lane, chosen(of, lane));
            }
            part += thread::block_dim() / 32;
        }
        block::sync();
        if warp == 0 && first + lane * GROUP < pieces { staged(stage) } else { mine }
    }

    /// The sums from which a run learns, in the order of [`sum_of_groups`](warpswarm_core::method::sum_of_groups). The
    /// result is in the first warp. By the whole block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn sums(&self, iteration: u64, stage: Option<SharedArray<R>>) -> Lessons<R> {
        let piece = self.piece();
        let pieces = self.args.individuals.div_ceil(GROUP).div_ceil(piece);
        let (lessons, mut sums, mut first) = (self.lessons(!iteration), [R::ZERO; LESSONS], 0);
        if pieces <= GROUP {
            let of_first = thread::warp() == 0;
            return if of_first { Self::sums_of_pieces(lessons, 0, pieces) } else { sums };
        }
        // Parts of `GROUP * GROUP` groups, whose sums are added in sequence.
        let of_one = GROUP / piece;
        while first < pieces {
            let of = joined_by(of_one, Self::sums_of_parts(lessons, first, pieces, stage));
            let mut part = 0;
            while part < GROUP && first + part * GROUP < pieces {
                let mut k = 0;
                while k < LESSONS {
                    sums[k] += warp::shuffle(of[k], part);
                    k += 1;
                }
                part += of_one;
            }
            first += GROUP * GROUP;
        }
        sums
    }

    /// Updates the memory before an iteration, if the method has one. By the whole block, after a barrier of all blocks
    /// of the run. `stage` is shared memory that is free during the call, if there is any.
    ///
    /// Every block does the same work, which takes less time than waiting for one block that does it for all.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn learn<M: Method<R>>(
        &self,
        method: &M,
        iteration: u64,
        stage: Option<SharedArray<R>>,
    ) {
        if !M::SHARES || iteration == 0 {
            return;
        }
        let sums = self.sums(iteration, stage);
        if thread::warp() == 0 {
            let (before, own) = (self.memory(!iteration), self.own_memory());
            let (lane, numbers) = (thread::lane(), self.args.common.numbers);
            let mine = if lane < numbers { before.get(lane as usize) } else { R::ZERO };
            let mut k = lane + 32;
            while k < numbers {
                own.set(k as usize, before.get(k as usize));
                k += 32;
            }
            warp::sync();
            let mut memory = Remembered { mine, all: own };
            method.learn(sums, &mut memory);
            let after = self.memory(iteration);
            k = lane;
            while k < numbers {
                let number = if k < 32 { memory.mine } else { own.get(k as usize) };
                if k < 32 {
                    own.set(k as usize, number);
                }
                if self.part == 0 {
                    after.set(k as usize, number);
                }
                k += 32;
            }
        }
        block::sync();
    }

    /// Sums the contributions of this block's individuals after an iteration, if the method learns. By the whole block.
    /// `stage` is free shared memory; without it a piece is a group.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn teach<M: Method<R>>(
        &self,
        method: &M,
        iteration: u64,
        stage: Option<SharedArray<R>>,
    ) {
        if !M::SHARES {
            return;
        }
        // After this barrier the numbers of all individuals are stored.
        block::sync();
        let (after, lessons) = (self.written_by(iteration), self.lessons(iteration));
        let (piece, (first, end)) = (self.piece(), self.of_this_block());
        let (lane, warps) = (thread::lane(), thread::block_dim() / 32);
        let of_group = |group: u32| {
            let i = group * GROUP + lane;
            joined(if i < end { method.lesson(&after.numbers(i)) } else { [R::ZERO; LESSONS] })
        };
        let mut start = first / GROUP;
        let Some(stage) = stage.filter(|_| piece > 1) else {
            let mut group = start + thread::warp();
            while group * GROUP < end {
                let sums = of_group(group);
                if lane == 0 {
                    lessons.set(group as usize, sums);
                }
                group += warps;
            }
            return;
        };
        while start * GROUP < end {
            let mut k = thread::warp();
            while k < GROUP && (start + k) * GROUP < end {
                let sums = of_group(start + k);
                if lane < LESSONS as u32 {
                    stage.set(k * LESSONS as u32 + lane, chosen(sums, lane));
                }
                k += warps;
            }
            block::sync();
            if thread::warp() == 0 {
                let is_there = (start + lane) * GROUP < end;
                let own = if is_there { staged(stage) } else { [R::ZERO; LESSONS] };
                let sums = joined_by(piece, own);
                if is_there && lane & (piece - 1) == 0 {
                    lessons.set(((start + lane) / piece) as usize, sums);
                }
            }
            block::sync();
            start += GROUP;
        }
    }
}

/// This lane's sums among those that the warps have stored in `stage`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn staged<R: DeviceReal>(stage: SharedArray<R>) -> Lessons<R> {
    let (mut mine, mut k) = ([R::ZERO; LESSONS], 0);
    while k < LESSONS {
        mine[k] = stage.get(thread::lane() * LESSONS as u32 + k as u32);
        k += 1;
    }
    mine
}
