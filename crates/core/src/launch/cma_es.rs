//! CMA-ES on a device: arguments and name of its kernel, and how a run's distribution lies in memory, on the CPU as well.

use super::{Control, GenerationArgs, OwnRun, Ptr, StartArgs, row_stride};
use crate::cma_es::{CHUNK, STRATEGY};
use crate::legs::{Legs, Succession};
use crate::order::{Candidate, Fitness};
use crate::real::Float;
use crate::shade::Shade;

/// The numbers at the beginning of a distribution.
pub mod head {
    /// The step size, as a part of the ranges.
    pub const SIGMA: usize = 0;
    /// The first one of the leg.
    pub const FIRST_SIGMA: usize = 1;
    /// Generations since the factor was found.
    pub const STALE: usize = 2;
    /// The best value of the leg; its violation and the generation in which it came follow.
    pub const BEST: usize = 3;
    /// The level at which these are judged: see [`Fitness::within`](crate::order::Fitness::within).
    pub const LEVEL: usize = 6;
    /// Samples of a generation.
    pub const SAMPLES: usize = 7;
    /// Where the rows begin.
    pub const LEN: usize = 8;
}

/// The most dimensions of a distribution, so that its numbers can be counted in 32 bits.
pub const MOST_DIMENSIONS: u32 = 1 << 15;

/// Where the parts of a distribution lie, in numbers from its beginning. Before them is its [`head`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DistributionLayout {
    /// The mean; as for the other rows, a place for each coordinate.
    pub mean: u32,
    /// The path of the step size.
    pub path: u32,
    /// The path of the matrix, in the coordinates of its factor.
    pub wide: u32,
    /// The factor, `[column][row]`
    pub factor: u32,
    /// What the matrix has learned since, in the coordinates of the factor, `[column][row]`, of which the lower half counts.
    pub learned: u32,
    /// Violations and values of the best of the last generations, in a ring.
    pub recent: u32,
    /// All numbers.
    pub len: u32,
}

impl DistributionLayout {
    /// Of so many dimensions, of which so many generations are [remembered](crate::cma_es::Strategy::remembered).
    #[inline(always)]
    pub const fn new(dimensions: u32, remembered: u32) -> Self {
        let stride = row_stride(dimensions);
        let mean = head::LEN as u32;
        let factor = mean + 3 * stride;
        let learned = factor + dimensions * stride;
        let recent = learned + dimensions * stride;
        DistributionLayout {
            mean,
            path: mean + stride,
            wide: mean + 2 * stride,
            factor,
            learned,
            recent,
            len: recent + 2 * remembered,
        }
    }
}

/// The arguments of [`CMA_ES`].
///
/// Arrays are row-major; a row of coordinates has `stride` places.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CmaEsArgs<R> {
    /// The samples of the last generation, `[run][sample][coordinate]`; of this and of what follows a run has `room` samples.
    pub points: Ptr<R>,
    /// Their fitness, `[run][sample]`
    pub fitness: Ptr<Fitness<R>>,
    /// Scratch: the standard normal numbers that they were made of, `[run][sample][coordinate]`
    pub normals: Ptr<R>,
    /// Scratch: the sums of their squares, `[run][sample]`
    pub squares: Ptr<R>,
    /// Scratch: what a sample of each rank weighs, and what it teaches, `[run][2][rank]`
    pub weights: Ptr<R>,
    /// Scratch: the samples as they are ranked, twice, `[run][2][rank]`
    pub ranked: Ptr<Candidate<R>>,
    /// Scratch: what chunks of ranks add up to, [`sums_len`] numbers each, `[run][chunk][number]`
    pub sums: Ptr<R>,
    /// The distributions, `[run][number]`: see [`DistributionLayout`].
    pub distribution: Ptr<R>,
    /// Scratch: a block's own, where they are not in shared memory, `[run][block][number]`
    pub own: Ptr<R>,
    /// Where the runs are among their legs, `[run]`
    pub legs: Ptr<Legs>,
    /// The best that there ever was, `[run]`
    pub global: Ptr<Candidate<R>>,
    /// `[run][coordinate]`
    pub global_positions: Ptr<R>,
    /// `[run][coordinate]`, of `bounds_runs`; -1 beyond the dimensions
    pub lower: Ptr<R>,
    /// `[run][coordinate]`, of `bounds_runs`; 1 beyond the dimensions
    pub upper: Ptr<R>,
    /// `[run]`
    pub control: Ptr<Control>,
    /// Seed and stop of each run, `[run]`
    pub own_runs: Ptr<OwnRun<R>>,
    /// Scratch of the meetings of blocks: see [`slot_words`](super::slot_words); zero at first.
    pub slots: Ptr<u64>,
    /// The number of the first run, which with the seed gives its key.
    pub first_run: u64,
    /// The iteration to which runs go that do not stop before.
    pub until: u64,
    /// The most evaluations of a run.
    pub evaluations: u64,
    /// Where the first samples of the runs are.
    pub start: StartArgs<R>,
    /// What comes when a search has converged.
    pub succession: Succession<R>,
    /// Runs in this launch.
    pub runs: u32,
    /// Samples for which a run has room; before a leg of more it waits.
    pub room: u32,
    /// Numbers of a distribution: those of the first leg, of which later ones need no more.
    pub numbers: u32,
    /// Coordinates of a sample.
    pub dimensions: u32,
    /// Places in a row: [`row_stride`] of the dimensions.
    pub stride: u32,
    /// Blocks that share one run.
    pub blocks_per_run: u32,
    /// The last used tag of the meetings; this launch uses any number after it.
    pub tag: u32,
    /// Runs that have bounds of their own: all of this launch, or 1 where they have the same.
    pub bounds_runs: u32,
    /// 1 where the runs are to be placed, at iteration 0; 0 elsewhere.
    pub places: u32,
    /// Where the samples of a run are in its block's shared memory while the kernel runs; [`NearLayout::NONE`] where they are not.
    pub near: NearLayout,
}

/// Where the samples of a run lie in the shared memory of its one block, in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearLayout {
    /// What [`CmaEsArgs`] calls so.
    pub points: u32,
    /// Likewise.
    pub fitness: u32,
    /// Likewise.
    pub normals: u32,
    /// Likewise.
    pub squares: u32,
    /// Likewise.
    pub weights: u32,
    /// Likewise.
    pub ranked: u32,
    /// Likewise.
    pub sums: u32,
    /// The end of all of it.
    pub bytes: u32,
}

impl NearLayout {
    /// Nowhere.
    pub const NONE: Self = NearLayout {
        points: 0,
        fitness: 0,
        normals: 0,
        squares: 0,
        weights: 0,
        ranked: 0,
        sums: 0,
        bytes: 0,
    };

    /// Of so many samples, behind the first bytes of a [`CmaEsLayout`] that holds the matrices; none where that is more than `most` bytes.
    pub const fn new<R: Float>(dimensions: u32, room: u32, most: u32) -> Self {
        const fn after(first: u64, items: u64, size: usize) -> u64 {
            (first + items * size as u64).next_multiple_of(16)
        }
        let number = 4 * R::WORDS;
        let (samples, stride) = (room as u64, row_stride(dimensions) as u64);
        let sums_of_all = chunks(room) as u64 * sums_len(dimensions) as u64;
        let points = after(CmaEsLayout::new::<R>(dimensions, true).bytes as u64, 0, 0);
        let fitness = after(points, samples * stride, number);
        let normals = after(fitness, samples, 2 * number);
        let squares = after(normals, samples * stride, number);
        let weights = after(squares, samples, number);
        let ranked = after(weights, 2 * samples, number);
        let sums = after(ranked, 2 * samples, 2 * number + 8);
        let bytes = after(sums, sums_of_all, number);
        if bytes > most as u64 {
            return NearLayout::NONE;
        }
        NearLayout {
            points: points as u32,
            fitness: fitness as u32,
            normals: normals as u32,
            squares: squares as u32,
            weights: weights as u32,
            ranked: ranked as u32,
            sums: sums as u32,
            bytes: bytes as u32,
        }
    }
}

/// CMA-ES with restarts: whole iterations of `blocks_per_run` blocks a run, in a cooperative launch where these are several. In
/// the names of entries the precision follows, and `held` where distributions are in shared memory. Evaluates, in the form `warp`.
pub const CMA_ES: &str = "cma_es";
/// Tags that an iteration of it, or of [`AUTO`], uses at most.
pub const CMA_ES_TAGS: u32 = 8;
/// The most threads of a block: a thread has the 128 registers that so many leave, in smaller blocks as well.
pub const CMA_ES_BLOCK: u32 = 512;

/// Which of two searches has its turn.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    /// Iterations of the present leg of the search that waits.
    pub age: u64,
    /// 1 where it is SHADE's turn, 0 where it is CMA-ES's.
    pub active: u32,
    /// Zero.
    pub reserved: u32,
}

/// The arguments of [`AUTO`]. What is a run's own both parts have.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AutoArgs<R> {
    /// CMA-ES.
    pub cma_es: CmaEsArgs<R>,
    /// SHADE's individuals.
    pub shade: GenerationArgs<R>,
    /// SHADE.
    pub method: Shade<R>,
    /// Where SHADE is among its legs, `[run]`
    pub legs: Ptr<Legs>,
    /// `[run]`
    pub turns: Ptr<Turns>,
}

/// CMA-ES and SHADE, which take turns: otherwise as [`CMA_ES`].
pub const AUTO: &str = "auto";

/// Numbers that a chunk of ranks adds up to: a row for the mean, and the columns of the matrix.
#[inline(always)]
pub const fn sums_len(dimensions: u32) -> u32 {
    (dimensions + 1) * row_stride(dimensions)
}

/// Chunks of so many samples.
#[inline(always)]
pub const fn chunks(samples: u32) -> u32 {
    samples.div_ceil(CHUNK as u32)
}

/// Numbers that the threads of a block tell each other.
pub const NUMBERS: u32 = 4;

/// How the shared memory of a block of [`CMA_ES`] lies: where its parts begin, in numbers, but for the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CmaEsLayout {
    /// The head.
    pub head: u32,
    /// Rows: the mean, the two paths, the step of the mean, the diagonal of a factor; four for what rows of the matrix are
    /// multiplied by; [`NUMBERS`] besides, and those of a [`Strategy`](crate::cma_es::Strategy).
    pub rows: [u32; 8],
    /// The factor and the matrix, where they are held.
    pub matrices: [u32; 2],
    /// All of it.
    pub bytes: u32,
}

impl CmaEsLayout {
    /// Of so many dimensions, with the matrices or without them.
    #[inline(always)]
    pub const fn new<R: Float>(dimensions: u32, holds: bool) -> Self {
        let stride = row_stride(dimensions);
        // Four numbers go together, so that they come first.
        let multiples = head::LEN as u32;
        let mean = multiples + 4 * stride;
        let numbers = mean + 5 * stride;
        let rows = [
            mean,
            mean + stride,
            mean + 2 * stride,
            mean + 3 * stride,
            mean + 4 * stride,
            multiples,
            numbers,
            numbers + NUMBERS,
        ];
        let first = (numbers + NUMBERS + STRATEGY as u32).next_multiple_of(4);
        let matrices = [first, first + dimensions * stride];
        // More than fits in any memory is not counted exactly.
        let held = if holds { (2 * dimensions).saturating_mul(stride) } else { 0 };
        let bytes = matrices[0].saturating_add(held).saturating_mul(4 * R::WORDS as u32);
        CmaEsLayout { head: 0, rows, matrices, bytes }
    }
}
