//! Where the blocks of an island report to the host, hear what follows, and find the letters that come from other islands.

use warpswarm_core::launch::{EpochsArgs, LETTERS_KEPT, OfficeLayout, slot_words};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::grid::{self, Board, Tagged};
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread, warp};

use super::meeting::{NEVER, unconstrained};
use crate::run::of_run;

/// The most words of a report: an iteration, violation and value, a particle.
const MOST: usize = 6;

/// The office of a launch: see [`OfficeLayout`].
#[derive(Clone, Copy)]
pub(super) struct Office<R> {
    layout: OfficeLayout,
    words: View<u64>,
    /// Where warps show each other their reports.
    near: SharedArray<u32>,
    blocks: u32,
    part: u32,
    stride: u32,
    keys: u32,
    number: core::marker::PhantomData<R>,
}

/// Who comes from another island, and to whose place.
#[derive(Clone, Copy)]
pub(super) struct Letter<R> {
    /// The number of the epoch at whose end it comes.
    pub(super) epoch: u32,
    pub(super) to: u32,
    pub(super) fitness: Fitness<R>,
}

impl<R: DeviceReal> Letter<R> {
    /// Who it makes of the particle that it is for.
    #[inline(always)]
    pub(super) fn candidate(&self) -> Candidate<R> {
        Candidate::new(self.fitness, self.to)
    }
}

/// What the host says to a report.
#[derive(Clone, Copy)]
pub(super) enum Answer<R> {
    /// Somebody has improved on the leader in this iteration.
    Back(u32),
    /// Nobody has, and this has come.
    Comes(Letter<R>),
    /// Nothing, nor will it ever.
    Closed,
}

/// What a thread has to report: the words of an iteration, of keys and of an index, of which those of all threads are
/// reduced to the least.
type Report = [u32; MOST];

impl<R: DeviceReal> Office<R> {
    /// This block's; `near` are [`near_words`] words of shared memory.
    #[inline(always)]
    pub(super) fn new<const CONSTRAINED: bool>(
        args: &EpochsArgs<R>,
        near: SharedArray<u32>,
    ) -> Self {
        let blocks = args.swarm.blocks_per_run;
        let stride = args.swarm.stride;
        let layout = OfficeLayout::new::<R>(CONSTRAINED, blocks, stride);
        let (_, part) = thread::run_and_part(args.swarm.runs, blocks);
        let words = of_run(args.office, 1, 0, layout.words as usize);
        let keys = slot_words::<R>(CONSTRAINED);
        Office {
            layout,
            words,
            near,
            blocks,
            part,
            stride,
            keys,
            number: core::marker::PhantomData,
        }
    }

    #[inline(always)]
    fn tagged(&self, first: u32, count: u32) -> Tagged {
        Tagged::new(self.words.part(first as usize, count as usize))
    }

    /// Makes the report of number `tag`: the first iteration in which a particle of this block has improved on the leader, and the worst of
    /// its particles: of each thread its own, if it has one. Collective in the block.
    #[inline(always)]
    pub(super) fn report<const CONSTRAINED: bool>(
        &self,
        tag: u32,
        first: u32,
        mine: Option<(Fitness<R>, u32)>,
    ) {
        let (mut keys, mut index) = ((u64::MAX, u64::MAX), u32::MAX);
        if let Some((fitness, particle)) = mine {
            let (violation, value) = fitness.ordered();
            // The least of what is turned is the greatest.
            (keys, index) = ((!violation, !value), !particle);
        }
        let own = self.least::<CONSTRAINED>(first, keys, index);
        let (lane, warps) = (thread::lane(), thread::block_dim() / 32);
        let warp = thread::index() / 32;
        let width = self.layout.report_words;
        // Whoever has still to read what warps have shown before has read it.
        block::sync();
        let mut word = 0;
        while word < MOST {
            if lane == 0 && (word as u32) < width {
                self.near.set(warp * width + word as u32, own[word]);
            }
            word += 1;
        }
        block::sync();
        if warp > 0 {
            return;
        }
        let mut theirs = [u32::MAX; MOST];
        let mut word = 0;
        while word < MOST {
            if lane < warps && (word as u32) < width {
                theirs[word] = self.near.get(lane * width + word as u32);
            }
            word += 1;
        }
        let all = self.least_of::<CONSTRAINED>(&theirs);
        let mut word = 0;
        while word < MOST {
            if lane == word as u32 && lane < width {
                self.tagged(self.layout.reports, self.layout.outbox).keep(
                    tag,
                    self.report_place(tag, lane, self.part),
                    all[word],
                );
            }
            word += 1;
        }
    }

    #[inline(always)]
    fn report_place(&self, tag: u32, word: u32, block: u32) -> u32 {
        ((tag & 1) * self.layout.report_words + word) * self.blocks + block
    }

    /// The least iteration, and the least of keys and index, of a warp, as the words of a report.
    #[inline(always)]
    fn least<const CONSTRAINED: bool>(&self, first: u32, keys: (u64, u64), index: u32) -> Report {
        let ((violation, value), index) = warp::least::<R>(keys, index, CONSTRAINED);
        let mut report = [u32::MAX; MOST];
        report[0] = warp::min(first);
        let mut word = 0;
        while word < 4 {
            if word < self.keys as usize {
                let of_value = word + R::WORDS >= self.keys as usize;
                let key = if of_value { value } else { violation };
                let high = R::WORDS == 2 && word.is_multiple_of(2);
                report[1 + word] = if high { (key >> 32) as u32 } else { key as u32 };
                report[2 + word] = index;
            }
            word += 1;
        }
        report
    }

    /// The least of a warp's reports.
    #[inline(always)]
    fn least_of<const CONSTRAINED: bool>(&self, report: &Report) -> Report {
        let key = |first: usize| {
            if R::WORDS == 2 {
                u64::from(report[first]) << 32 | u64::from(report[first + 1])
            } else {
                u64::from(report[first])
            }
        };
        if CONSTRAINED {
            let keys = (key(1), key(1 + R::WORDS));
            self.least::<CONSTRAINED>(report[0], keys, report[1 + 2 * R::WORDS])
        } else {
            self.least::<CONSTRAINED>(report[0], (0, key(1)), report[1 + R::WORDS])
        }
    }

    #[inline(always)]
    fn answer(&self, epoch: u32) -> u32 {
        self.layout.answers + ((epoch - 1) & (LETTERS_KEPT - 1)) * self.layout.answer_words
    }

    /// The places of an answer's first words: iteration, particle, and the keys of a fitness, the last of which again and
    /// again.
    #[inline(always)]
    fn places(&self, epoch: u32) -> [u32; MOST] {
        let first = self.answer(epoch);
        let mut places = [first; MOST];
        let mut word = 0;
        while word < MOST {
            places[word] += (word as u32).min(1 + self.keys);
            word += 1;
        }
        places
    }

    /// Waits for the answer to the report of this number, and for the letter that comes at the end of epoch `epoch`.
    #[inline(always)]
    pub(super) fn hear<const CONSTRAINED: bool>(&self, report: u32, epoch: u32) -> Answer<R> {
        let places = self.places(epoch);
        loop {
            let words = self.words.see(places);
            let is_under = |word: usize, tag: u32| (words[word] >> 32) as u32 == tag;
            if is_under(0, report) && is_under(1, report) {
                if words[0] as u32 != NEVER {
                    return Answer::Back(words[0] as u32);
                }
                if is_under(2, epoch) & is_under(3, epoch) & is_under(4, epoch) & is_under(5, epoch)
                {
                    return Answer::Comes(self.read::<CONSTRAINED>(epoch, words));
                }
            }
            if self.words.load_relaxed(self.layout.closed as usize) != 0 {
                return Answer::Closed;
            }
            grid::spin();
        }
    }

    /// The letter that has come at the end of epoch `epoch`, which has been heard of.
    #[inline(always)]
    pub(super) fn heard<const CONSTRAINED: bool>(&self, epoch: u32) -> Letter<R> {
        self.read::<CONSTRAINED>(epoch, self.words.see(self.places(epoch)))
    }

    #[inline(always)]
    fn read<const CONSTRAINED: bool>(&self, epoch: u32, words: [u64; MOST]) -> Letter<R> {
        let key = |first: usize| {
            if R::WORDS == 2 {
                words[first] << 32 | words[first + 1] & u64::from(u32::MAX)
            } else {
                words[first] & u64::from(u32::MAX)
            }
        };
        let value = R::from_ordered(key(if CONSTRAINED { 2 + R::WORDS } else { 2 }));
        let violation = if CONSTRAINED { R::from_ordered(key(2)) } else { R::ZERO };
        let fitness = unconstrained::<R, CONSTRAINED>(Fitness { violation, value });
        Letter { epoch, to: words[1] as u32, fitness }
    }

    /// Coordinate `i` in the letter that has come at the end of epoch `epoch`.
    #[inline(always)]
    pub(super) fn coordinate(&self, epoch: u32, i: u32) -> R {
        let row = self.answer(epoch) + 2 + self.keys;
        self.tagged(row, self.stride * R::WORDS as u32).kept_number(epoch, 0, i)
    }

    /// Sends a fitness off with the report of this number. By one thread.
    #[inline(always)]
    pub(super) fn send_fitness(&self, report: u32, fitness: Fitness<R>) {
        let outbox = self.tagged(self.layout.outbox, self.layout.letter);
        let words = self.words_of(fitness);
        let mut word = 0;
        while word < 4 {
            if (word as u32) < self.keys {
                outbox.keep(report, word as u32, words[word]);
            }
            word += 1;
        }
    }

    /// Sends coordinate `i` off with it. By one thread.
    #[inline(always)]
    pub(super) fn send_coordinate(&self, report: u32, i: u32, x: R) {
        let row = self.tagged(self.layout.outbox + self.keys, self.stride * R::WORDS as u32);
        row.keep_number(report, i, x);
    }

    /// The words of a fitness' keys.
    #[inline(always)]
    fn words_of(&self, fitness: Fitness<R>) -> [u32; 4] {
        let (violation, value) = fitness.ordered();
        let mut words = [0; 4];
        let mut word = 0;
        while word < 4 {
            let of_value = word + R::WORDS >= self.keys as usize;
            let key = if of_value { value } else { violation };
            let high = R::WORDS == 2 && word.is_multiple_of(2);
            words[word] = if high { (key >> 32) as u32 } else { key as u32 };
            word += 1;
        }
        words
    }
}
