//! CMA-ES on a device: arguments and names of its kernels, and the memory layout of a run's distribution, also on the
//! CPU.

use super::{Control, GenerationArgs, OwnRun, Ptr, StartArgs, row_stride};
use crate::cma_es::{CHUNK, STRATEGY};
use crate::order::{Candidate, Fitness};
use crate::real::Float;
use crate::restart::{RestartPolicy, RestartState};
use crate::shade::Shade;

/// The indices of the numbers at the beginning of a distribution.
pub mod head {
    /// The step size, as a fraction of the ranges.
    pub const SIGMA: usize = 0;
    /// The first step size of the leg.
    pub const FIRST_SIGMA: usize = 1;
    /// Generations since the last update of the factor.
    pub const STALE: usize = 2;
    /// The best value of the leg; then its violation, and the generation in which it was found.
    pub const BEST: usize = 3;
    /// The level at which value and violation are stored: see [`Fitness::within`](crate::order::Fitness::within).
    pub const LEVEL: usize = 6;
    /// Samples of a generation.
    pub const SAMPLES: usize = 7;
    /// The length of the head, after which the rows begin.
    pub const LEN: usize = 8;
}

/// The largest number of dimensions of a distribution, so that its numbers can be counted in 32 bits.
pub const MOST_DIMENSIONS: u32 = 1 << 15;

/// The layout of a distribution, as offsets in numbers. It begins with its [`head`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DistributionLayout {
    /// The mean; as all rows, with a place for each coordinate.
    pub mean: u32,
    /// The path p, which adapts the step size.
    pub path: u32,
    /// The path q, which adapts the matrix, in the coordinates of the factor.
    pub wide: u32,
    /// The factor, `[column][row]`
    pub factor: u32,
    /// The updates of the matrix since the factor's last update, in the coordinates of the factor, `[column][row]`;
    /// only the lower half is used.
    pub learned: u32,
    /// Violations and values of the best of the last generations, in a ring buffer.
    pub recent: u32,
    /// The number of all numbers.
    pub len: u32,
}

impl DistributionLayout {
    /// The layout for these dimensions, with this many [remembered](crate::cma_es::Strategy::remembered) generations.
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
    /// The samples of the last generation, `[run][sample][coordinate]`; this array and the next ones have room for
    /// `room` samples of each run.
    pub points: Ptr<R>,
    /// Their fitness, `[run][sample]`
    pub fitness: Ptr<Fitness<R>>,
    /// Scratch: the standard normal numbers from which the samples were made, `[run][sample][coordinate]`
    pub normals: Ptr<R>,
    /// Scratch: the sums of their squares, `[run][sample]`
    pub squares: Ptr<R>,
    /// Scratch: the weight of each rank, and its factor in the update of the matrix, `[run][2][rank]`
    pub weights: Ptr<R>,
    /// Scratch: the ranked samples, in two buffers, `[run][2][rank]`
    pub ranked: Ptr<Candidate<R>>,
    /// Scratch: the sums over chunks of ranks, [`sums_len`] numbers each, `[run][chunk][number]`
    pub sums: Ptr<R>,
    /// The distributions, `[run][number]`: see [`DistributionLayout`].
    pub distribution: Ptr<R>,
    /// Scratch: the numbers of each block, if they are not in shared memory, `[run][block][number]`
    pub own: Ptr<R>,
    /// The state of the runs' legs, `[run]`
    pub legs: Ptr<RestartState>,
    /// The best point found so far, `[run]`
    pub global: Ptr<Candidate<R>>,
    /// `[run][coordinate]`
    pub global_positions: Ptr<R>,
    /// `[run][coordinate]`, with `bounds_runs` runs; -1 after the dimensions
    pub lower: Ptr<R>,
    /// `[run][coordinate]`, with `bounds_runs` runs; 1 after the dimensions
    pub upper: Ptr<R>,
    /// `[run]`
    pub control: Ptr<Control>,
    /// Seed and stop rule of each run, `[run]`
    pub own_runs: Ptr<OwnRun<R>>,
    /// Scratch of the block barriers: see [`slot_words`](super::slot_words); zero at first.
    pub slots: Ptr<u64>,
    /// The number of the first run, from which, with the seed, its key follows.
    pub first_run: u64,
    /// The iteration at which runs end that have not stopped before.
    pub until: u64,
    /// The largest number of evaluations of a run.
    pub evaluations: u64,
    /// The initial points of the first samples.
    pub start: StartArgs<R>,
    /// What comes after a converged leg.
    pub restart_policy: RestartPolicy<R>,
    /// Runs in this launch.
    pub runs: u32,
    /// The number of samples for which a run has room; before a leg with more samples it waits.
    pub room: u32,
    /// The number of numbers in a distribution: those of the first leg, because later legs need no more.
    pub numbers: u32,
    /// Coordinates of a sample.
    pub dimensions: u32,
    /// Places in a row: [`row_stride`] of the dimensions.
    pub stride: u32,
    /// Blocks that share one run.
    pub blocks_per_run: u32,
    /// The last used tag of the barriers; this launch uses any number of further ones.
    pub tag: u32,
    /// The number of runs with separate bounds: all of this launch, or 1 if all runs share them.
    pub bounds_runs: u32,
    /// 1 to place the runs, at iteration 0; otherwise 0.
    pub places: u32,
    /// The layout of a run's samples in its block's shared memory; [`NearLayout::NONE`] if they are not there.
    pub near: NearLayout,
}

/// The layout of a run's samples in the shared memory of its one block, as offsets in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearLayout {
    /// The array of this name in [`CmaEsArgs`]; so are the next ones.
    pub points: u32,
    /// See [`CmaEsArgs`].
    pub fitness: u32,
    /// See [`CmaEsArgs`].
    pub normals: u32,
    /// See [`CmaEsArgs`].
    pub squares: u32,
    /// See [`CmaEsArgs`].
    pub weights: u32,
    /// See [`CmaEsArgs`].
    pub ranked: u32,
    /// See [`CmaEsArgs`].
    pub sums: u32,
    /// The end of the last part.
    pub bytes: u32,
}

impl NearLayout {
    /// No samples in shared memory.
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

    /// The layout for `room` samples, after a [`CmaEsLayout`] that holds the matrices; `NONE` if the end is above
    /// `most` bytes.
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

/// CMA-ES with restarts: whole iterations, with `blocks_per_run` blocks for each run, in a cooperative launch if there
/// are several. An entry's name ends with the precision, and `held` if distributions are in shared memory. Evaluates,
/// in the form `warp`.
pub const CMA_ES: &str = "cma_es";
/// The largest number of tags that an iteration of [`CMA_ES`] or [`AUTO`] uses.
pub const CMA_ES_TAGS: u32 = 8;
/// The largest number of threads in a block. With this number a thread has 128 registers; in smaller blocks it has no
/// more.
pub const CMA_ES_BLOCK: u32 = 512;

/// Which of the two searches runs now.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    /// Iterations of the present leg of the waiting search.
    pub age: u64,
    /// 1 if SHADE runs, 0 if CMA-ES runs.
    pub active: u32,
    /// Zero; makes the padding explicit.
    pub reserved: u32,
}

/// The arguments of [`AUTO`]. Both parts contain the arrays of a run.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AutoArgs<R> {
    /// CMA-ES.
    pub cma_es: CmaEsArgs<R>,
    /// SHADE's individuals.
    pub shade: GenerationArgs<R>,
    /// SHADE.
    pub method: Shade<R>,
    /// The state of SHADE's legs, `[run]`
    pub legs: Ptr<RestartState>,
    /// `[run]`
    pub turns: Ptr<Turns>,
}

/// CMA-ES and SHADE in turns; otherwise as [`CMA_ES`].
pub const AUTO: &str = "auto";

/// The number of sums over a chunk of ranks: a row for the mean, and the columns of the matrix.
#[inline(always)]
pub const fn sums_len(dimensions: u32) -> u32 {
    (dimensions + 1) * row_stride(dimensions)
}

/// The number of chunks of this many samples.
#[inline(always)]
pub const fn chunks(samples: u32) -> u32 {
    samples.div_ceil(CHUNK as u32)
}

/// The number of values that the threads of a block exchange.
pub const NUMBERS: u32 = 4;

/// The shared memory of a block of [`CMA_ES`], as offsets in numbers, except for `bytes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CmaEsLayout {
    /// The head.
    pub head: u32,
    /// Rows: the mean, the two paths, the step of the mean, the diagonal of a factor; four rows of factors for rows of
    /// the matrix; then [`NUMBERS`] numbers, and those of a [`Strategy`](crate::cma_es::Strategy).
    pub rows: [u32; 8],
    /// The factor and the matrix, if they are held.
    pub matrices: [u32; 2],
    /// The size of all parts.
    pub bytes: u32,
}

impl CmaEsLayout {
    /// The layout for these dimensions, with or without the matrices.
    #[inline(always)]
    pub const fn new<R: Float>(dimensions: u32, holds: bool) -> Self {
        let stride = row_stride(dimensions);
        // These are read four at a time, so they come first.
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
        // Saturates: sizes beyond any memory need not be exact.
        let held = if holds { (2 * dimensions).saturating_mul(stride) } else { 0 };
        let bytes = matrices[0].saturating_add(held).saturating_mul(4 * R::WORDS as u32);
        CmaEsLayout { head: 0, rows, matrices, bytes }
    }
}
