//! Several epochs of an island in one launch: arguments, and where islands and host exchange letters.

use super::{PsoArgs, Ptr, slot_words};
use crate::real::Real;

/// Tags of the resident blocks' exchange that an iteration uses at most: how far the blocks can go, who leads from there,
/// and whether an immigrant that is as good as the leader comes.
pub const EPOCHS_TAGS: u32 = 3;

/// Epochs of which letters are kept, a power of two: those that blocks may have to go through once more.
pub const LETTERS_KEPT: u32 = 256;

/// The most iterations that blocks go through before they write down where they are.
pub const LONGEST_SPAN: u32 = 64;

/// The arguments of [`EPOCHS_GRID`](super::pso_kernels::EPOCHS_GRID).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EpochsArgs<R> {
    /// One run that never stops by itself, and its iterations, whole epochs.
    pub swarm: PsoArgs<R>,
    /// As [`OfficeLayout`] says; zero before a launch.
    pub office: Ptr<u64>,
    /// Iterations of an epoch, at least 1.
    pub every: u32,
    /// Zero.
    pub reserved: u32,
}

/// How words lie in the memory through which blocks and host speak. Each word has a tag in its upper half.
///
/// A letter is a migrant: its fitness' [keys](crate::order::Fitness::ordered), violation before value and only where there
/// are constraints, then its row. Of a number of 64 bits a key has its upper half first, a row its lower half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfficeLayout {
    /// Words of a letter.
    pub letter: u32,
    /// Words of a report: the first iteration in which the block has a better leader, and the place of the worst of its
    /// particles, all bits turned.
    pub report_words: u32,
    /// Where reports begin, `[parity][word][block]`, each under its number.
    pub reports: u32,
    /// The letter with the leader, under the number of the report that it goes with.
    pub outbox: u32,
    /// The host's answers, `[epoch mod LETTERS_KEPT]` with `answer_words`: the soonest of the iterations and the worst particle,
    /// under the number of the report; then the letter that has come, under the number of the epoch, from 1 on.
    pub answers: u32,
    /// Words of an answer.
    pub answer_words: u32,
    /// Not zero where no answer comes any more.
    pub closed: u32,
    /// Words in all.
    pub words: u32,
}

impl OfficeLayout {
    /// For a run over so many blocks, with rows of so many places.
    ///
    /// ```
    /// use warpswarm_core::launch::OfficeLayout;
    /// let layout = OfficeLayout::new::<f32>(false, 10, 32);
    /// assert_eq!((layout.letter, layout.report_words, layout.outbox), (33, 3, 60));
    /// ```
    #[inline(always)]
    pub const fn new<R: Real>(constrained: bool, blocks: u32, stride: u32) -> Self {
        let keys = slot_words::<R>(constrained);
        let letter = keys + stride * R::WORDS as u32;
        let report_words = keys + 2;
        let outbox = 2 * report_words * blocks;
        let answers = outbox + letter;
        let answer_words = 2 + letter;
        let closed = answers + LETTERS_KEPT * answer_words;
        OfficeLayout {
            letter,
            report_words,
            reports: 0,
            outbox,
            answers,
            answer_words,
            closed,
            words: closed + 1,
        }
    }
}
