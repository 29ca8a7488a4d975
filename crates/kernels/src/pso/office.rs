//! Where the blocks of an island report to the host, hear what follows, and find the letters that come from other islands.

use warpswarm_core::launch::{EpochsArgs, LETTERS_KEPT, OfficeLayout, slot_words};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::grid::{self, Board, Tagged};
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{block, thread, warp};

use super::meeting::NEVER;
use crate::run::of_run;

/// The most words before an answer's row: an iteration, a particle, violation and value.
const MOST: usize = 6;

/// The office of a launch: see [`OfficeLayout`].
#[derive(Clone, Copy)]
pub(super) struct Office<R> {
    layout: OfficeLayout,
    /// What the host hears, and what it says.
    heard: View<u64>,
    said: View<u64>,
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

impl<R: DeviceReal> Office<R> {
    /// This block's; `near` has a report's words a warp.
    #[inline(always)]
    pub(super) fn new<const CONSTRAINED: bool>(
        args: &EpochsArgs<R>,
        near: SharedArray<u32>,
    ) -> Self {
        let (blocks, stride) = (args.swarm.blocks_per_run, args.swarm.stride);
        let layout = OfficeLayout::new::<R>(CONSTRAINED, blocks, stride);
        let (_, part) = thread::run_and_part(args.swarm.runs, blocks);
        let heard = of_run(args.reports, 1, 0, layout.heard as usize);
        let said = of_run(args.answers, 1, 0, layout.answers as usize + 1);
        let keys = slot_words::<R>(CONSTRAINED);
        Office {
            layout,
            heard,
            said,
            near,
            blocks,
            part,
            stride,
            keys,
            number: core::marker::PhantomData,
        }
    }

    /// Makes the block's report of this number: the first iteration in which one of its particles has improved on the leader,
    /// and the worst of them; of each thread its own, if it has one. Collective in the block.
    #[inline(always)]
    pub(super) fn report<const CONSTRAINED: bool>(
        &self,
        number: u32,
        first: u32,
        mine: Option<(Fitness<R>, u32)>,
    ) {
        let (mut keys, mut index) = ((u64::MAX, u64::MAX), u32::MAX);
        if let Some((fitness, particle)) = mine {
            let (violation, value) = fitness.ordered();
            // The least of what is turned is the greatest.
            (keys, index) = ((!violation, !value), !particle);
        }
        let (lane, warp) = (thread::lane(), thread::index() / 32);
        let (words, warps) = (self.layout.report, thread::block_dim() / 32);
        let own = self.least::<CONSTRAINED>(first, keys, index);
        // The first warp has read what they have shown each other before.
        block::sync();
        if lane < words {
            self.near.set(warp * words + lane, own);
        }
        block::sync();
        if warp > 0 {
            return;
        }
        let of_warp = |word: u32| {
            if lane < warps { self.near.get(lane * words + word) } else { u32::MAX }
        };
        let mut theirs = [u32::MAX; 4];
        let mut k = 0;
        while k < 4 {
            if (k as u32) < self.keys {
                theirs[k] = of_warp(1 + k as u32);
            }
            k += 1;
        }
        let keys = self.keys_of::<CONSTRAINED>(theirs);
        let all = self.least::<CONSTRAINED>(of_warp(0), keys, of_warp(words - 1));
        if lane < words {
            let reporter = (number & 1) * self.blocks + self.part;
            self.show(number, reporter * self.layout.pitch + lane, all);
        }
    }

    /// The least iteration, and the least of keys and index, of a warp: lane after lane the words of a report.
    #[inline(always)]
    fn least<const CONSTRAINED: bool>(&self, first: u32, keys: (u64, u64), index: u32) -> u32 {
        let (keys, index) = warp::least::<R>(keys, index, CONSTRAINED);
        let least = self.words_of(keys);
        let first = warp::min(first);
        let lane = thread::lane();
        let mut word = if lane == 0 { first } else { index };
        let mut k = 0;
        while k < 4 {
            if lane == 1 + k as u32 && (k as u32) < self.keys {
                word = least[k];
            }
            k += 1;
        }
        word
    }

    /// Violation and value whose words these are.
    #[inline(always)]
    fn keys_of<const CONSTRAINED: bool>(&self, words: [u32; 4]) -> (u64, u64) {
        let key = |first: usize| {
            if R::WORDS == 2 {
                u64::from(words[first]) << 32 | u64::from(words[first + 1])
            } else {
                u64::from(words[first])
            }
        };
        if CONSTRAINED { (key(0), key(R::WORDS)) } else { (0, key(0)) }
    }

    /// Shows the host a word.
    #[inline(always)]
    fn show(&self, number: u32, place: u32, word: u32) {
        self.heard.show_host(place as usize, u64::from(number) << 32 | u64::from(word));
    }

    #[inline(always)]
    fn answer(&self, epoch: u32) -> u32 {
        ((epoch - 1) & (LETTERS_KEPT - 1)) * self.layout.answer
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
            let words = self.said.see(places);
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
            if self.said.load_relaxed(self.layout.answers as usize) != 0 {
                return Answer::Closed;
            }
            grid::spin();
        }
    }

    /// The letter that has come at the end of epoch `epoch`, which has been heard of.
    #[inline(always)]
    pub(super) fn heard<const CONSTRAINED: bool>(&self, epoch: u32) -> Letter<R> {
        self.read::<CONSTRAINED>(epoch, self.said.see(self.places(epoch)))
    }

    #[inline(always)]
    fn read<const CONSTRAINED: bool>(&self, epoch: u32, words: [u64; MOST]) -> Letter<R> {
        let keys = [words[2], words[3], words[4], words[5]].map(|word| word as u32);
        let (violation, value) = self.keys_of::<CONSTRAINED>(keys);
        let violation = if CONSTRAINED { R::from_ordered(violation) } else { R::ZERO };
        let fitness = Fitness { violation, value: R::from_ordered(value) };
        Letter { epoch, to: words[1] as u32, fitness }
    }

    /// Coordinate `i` in the letter that has come at the end of epoch `epoch`.
    #[inline(always)]
    pub(super) fn coordinate(&self, epoch: u32, i: u32) -> R {
        let (first, words) = (self.answer(epoch) + 2 + self.keys, self.stride * R::WORDS as u32);
        Tagged::new(self.said.places(first, words)).kept_number(epoch, 0, i)
    }

    /// Sends a fitness off with the report of this number. By one thread.
    #[inline(always)]
    pub(super) fn send_fitness(&self, report: u32, fitness: Fitness<R>) {
        let words = self.words_of(fitness.ordered());
        let mut word = 0;
        while word < 4 {
            if (word as u32) < self.keys {
                self.show(report, self.layout.reports + word as u32, words[word]);
            }
            word += 1;
        }
    }

    /// Sends coordinate `i` off with it. By one thread.
    #[inline(always)]
    pub(super) fn send_coordinate(&self, report: u32, i: u32, x: R) {
        let bits = x.to_bits64();
        let place = self.layout.reports + self.keys + R::WORDS as u32 * i;
        self.show(report, place, bits as u32);
        if R::WORDS == 2 {
            self.show(report, place + 1, (bits >> 32) as u32);
        }
    }

    /// The words of keys.
    #[inline(always)]
    fn words_of(&self, (violation, value): (u64, u64)) -> [u32; 4] {
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
