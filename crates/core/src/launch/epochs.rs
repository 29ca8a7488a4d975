//! Several epochs of an island in one launch: arguments, and the memory through which islands and host exchange
//! messages.

use super::{PsoArgs, Ptr, slot_words};
use crate::real::Float;

/// The largest number of tags of the resident blocks' exchange that an iteration uses: how far the blocks can continue,
/// the new leader, and whether an immigrant arrives that is as good as the leader.
pub const EPOCHS_TAGS: u32 = 3;

/// The number of epochs whose messages are kept, a power of two: epochs that blocks may have to repeat.
pub const MESSAGES_KEPT: u32 = 512;

/// The smallest and the largest number of iterations between two points at which blocks store their state (a span); a
/// span can exceed the largest number by one epoch. An epoch that is followed by others in a span has at least two
/// iterations, so that its message is kept.
pub const SPAN: [u32; 2] = [64, 512];

/// The arguments of [`EPOCHS_GRID`](super::pso_kernels::EPOCHS_GRID).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EpochsArgs<R> {
    /// One run without a stop rule, and its iterations, a multiple of the epoch.
    pub swarm: PsoArgs<R>,
    /// The memory that the host reads, see [`MailboxLayout`]; zero before a launch.
    pub reports: Ptr<u64>,
    /// The memory that the host writes, likewise.
    pub answers: Ptr<u64>,
    /// Iterations of an epoch, at least 1.
    pub every: u32,
    /// Offset of the words in shared memory through which a block's warps exchange reports, see [`MailboxLayout::near`];
    /// a multiple of 8.
    pub near: u32,
}

/// The layout of the memory through which blocks and host communicate, as numbers of words. Each word has a tag in its
/// upper half.
///
/// A message is a migrant: the [keys](crate::order::Fitness::ordered) of its fitness, violation (only with constraints)
/// before value, then its row. Of a 64-bit number, keys have the upper half first, rows the lower half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MailboxLayout {
    /// The length of a message.
    pub message: u32,
    /// The length of a report: the first iteration in which a block has a better leader, and the place of the worst of
    /// its particles, (violation, value, index), with all bits inverted.
    pub report: u32,
    /// The distance between two reports.
    pub pitch: u32,
    /// The length of all reports, `[parity][block]`, each tagged with its number. After them is the message with the
    /// leader, tagged with the number of its report.
    pub reports: u32,
    /// The length of all that the host reads.
    pub heard: u32,
    /// The length of an answer. First the smallest of the iterations, the worst particle, and the keys of the message
    /// that has arrived, tagged with the number of the report; then its row, tagged with the number of the epoch, from
    /// 1 on. If a block has improved, no message arrives: the keys are zero.
    pub answer: u32,
    /// The length of all answers, `[epoch mod MESSAGES_KEPT]`. After them is a word that is nonzero once no further
    /// answer will come.
    pub answers: u32,
}

impl MailboxLayout {
    /// The layout for a run on this many blocks, with rows of `stride` places.
    ///
    /// ```
    /// use warpswarm_core::launch::MailboxLayout;
    /// let layout = MailboxLayout::new::<f32>(false, 10, 32);
    /// assert_eq!((layout.message, layout.report, layout.reports, layout.answer), (33, 3, 80, 35));
    /// ```
    #[inline(always)]
    pub const fn new<R: Float>(constrained: bool, blocks: u32, stride: u32) -> Self {
        let keys = slot_words::<R>(constrained);
        let message = keys + stride * R::WORDS as u32;
        let report = keys + 2;
        // A report is written by a single store.
        let pitch = report.next_power_of_two();
        let reports = 2 * blocks * pitch;
        let answer = 2 + message;
        let answers = MESSAGES_KEPT * answer;
        MailboxLayout { message, report, pitch, reports, heard: reports + message, answer, answers }
    }

    /// Words of shared memory in which a block's warps exchange their reports, `[warp][word]`.
    ///
    /// ```
    /// use warpswarm_core::launch::MailboxLayout;
    /// assert_eq!(MailboxLayout::new::<f32>(false, 10, 32).near(64), 2 * 3);
    /// ```
    #[inline(always)]
    pub const fn near(&self, block: u32) -> u32 {
        block.div_ceil(32) * self.report
    }
}
