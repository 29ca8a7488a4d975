//! Several epochs of an island in one launch: arguments, and where islands and host exchange letters.

use super::{PsoArgs, Ptr, slot_words};
use crate::real::Float;

/// Tags of the resident blocks' exchange that an iteration uses at most: how far the blocks can go, who leads from there,
/// and whether an immigrant that is as good as the leader comes.
pub const EPOCHS_TAGS: u32 = 3;

/// Epochs of which letters are kept, a power of two: those that blocks may have to go through once more.
pub const LETTERS_KEPT: u32 = 512;

/// The iterations that blocks go through at least, and at most but for an epoch, before they write down where they are. An
/// epoch that others follow in a span has two iterations or more, so that its letter is kept.
pub const SPAN: [u32; 2] = [64, 512];

/// The arguments of [`EPOCHS_GRID`](super::pso_kernels::EPOCHS_GRID).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EpochsArgs<R> {
    /// One run that never stops by itself, and its iterations, whole epochs.
    pub swarm: PsoArgs<R>,
    /// What the host hears, as [`OfficeLayout`] says; zero before a launch.
    pub reports: Ptr<u64>,
    /// What it says, likewise.
    pub answers: Ptr<u64>,
    /// Iterations of an epoch, at least 1.
    pub every: u32,
    /// Where the words are in a block's shared memory that its warps show each other, see [`OfficeLayout::near`]; a
    /// multiple of 8.
    pub near: u32,
}

/// How words lie in the memory through which blocks and host speak. Each word has a tag in its upper half.
///
/// A letter is a migrant: its fitness' [keys](crate::order::Fitness::ordered), violation before value and only where there
/// are constraints, then its row. Of a number of 64 bits a key has its upper half first, a row its lower half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfficeLayout {
    /// Words of a letter.
    pub letter: u32,
    /// Words of a report: the first iteration in which a block has a better leader, and the place of the worst of its
    /// particles, (violation, value, index), all bits turned.
    pub report: u32,
    /// From one report to the next.
    pub pitch: u32,
    /// Of what the host hears, words of reports, `[parity][block]`, each under its number; behind them is the letter with the
    /// leader, under the number of the report that it goes with.
    pub reports: u32,
    /// All of it.
    pub heard: u32,
    /// Words of an answer: the soonest of the iterations, the worst particle, and the keys of the letter that has come, under
    /// the number of the report; then its row, under the number of the epoch, from 1 on. Where somebody has improved, nothing
    /// has come: the keys are zero.
    pub answer: u32,
    /// Of what the host says, words of answers, `[epoch mod LETTERS_KEPT]`; behind them is one that is not zero where no
    /// answer comes any more.
    pub answers: u32,
}

impl OfficeLayout {
    /// For a run over so many blocks, with rows of so many places.
    ///
    /// ```
    /// use warpswarm_core::launch::OfficeLayout;
    /// let layout = OfficeLayout::new::<f32>(false, 10, 32);
    /// assert_eq!((layout.letter, layout.report, layout.reports, layout.answer), (33, 3, 80, 35));
    /// ```
    #[inline(always)]
    pub const fn new<R: Float>(constrained: bool, blocks: u32, stride: u32) -> Self {
        let keys = slot_words::<R>(constrained);
        let letter = keys + stride * R::WORDS as u32;
        let report = keys + 2;
        // A report is written at once.
        let pitch = report.next_power_of_two();
        let reports = 2 * blocks * pitch;
        let answer = 2 + letter;
        let answers = LETTERS_KEPT * answer;
        OfficeLayout { letter, report, pitch, reports, heard: reports + letter, answer, answers }
    }

    /// Words of shared memory in which a block's warps show each other their reports, `[warp][word]`.
    ///
    /// ```
    /// use warpswarm_core::launch::OfficeLayout;
    /// assert_eq!(OfficeLayout::new::<f32>(false, 10, 32).near(64), 2 * 3);
    /// ```
    #[inline(always)]
    pub const fn near(&self, block: u32) -> u32 {
        block.div_ceil(32) * self.report
    }
}
