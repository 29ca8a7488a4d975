//! The memory through which the blocks of an island report to the host, and read its answers and messages from other
//! islands.

use warpswarm_core::launch::{
    EpochsArgs, MESSAGES_KEPT, MailboxLayout, key_word, keyed_fitness, keys_of, slot_words,
};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_device::block::BlockBoard;
use warpswarm_device::grid::{self, Board, Tagged};
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::warp::Word;
use warpswarm_device::{thread, warp};

use super::leader_exchange::NEVER;
use crate::run::of_run;

/// The most words of a report: an iteration, violation and value, a particle.
const MOST: usize = 6;

/// The exchange with the host during a launch: see [`MailboxLayout`].
#[derive(Clone, Copy)]
pub(super) struct Mailbox<R> {
    layout: MailboxLayout,
    /// The words that the host reads, and those that it writes.
    heard: View<u64>,
    said: View<u64>,
    /// The board through which the block's warps combine their reports.
    near: BlockBoard,
    blocks: u32,
    part: u32,
    stride: u32,
    keys: u32,
    number: core::marker::PhantomData<R>,
}

/// A migrant from another island, and the particle to which it is offered.
#[derive(Clone, Copy)]
pub(super) struct Message<R> {
    /// The number of the epoch at whose end it arrives.
    pub(super) epoch: u32,
    pub(super) to: u32,
    pub(super) fitness: Fitness<R>,
}

impl<R: DeviceReal> Message<R> {
    /// The candidate that the receiving particle becomes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn candidate(&self) -> Candidate<R> {
        Candidate::new(self.fitness, self.to)
    }
}

/// The host's answer to a report.
#[derive(Clone, Copy)]
pub(super) enum Answer<R> {
    /// A particle has improved on the leader in this iteration.
    Back(u32),
    /// No particle has, and this message has come.
    Comes(Message<R>),
    /// There is no answer, and none will come.
    Closed,
}

impl<R: DeviceReal> Mailbox<R> {
    /// The mailbox of this block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn new<const CONSTRAINED: bool>(args: &EpochsArgs<R>) -> Self {
        let (blocks, stride) = (args.swarm.blocks_per_run, args.swarm.stride);
        let layout = MailboxLayout::new::<R>(CONSTRAINED, blocks, stride);
        let (_, part) = thread::run_and_part(args.swarm.runs, blocks);
        let heard = of_run(args.reports, 1, 0, layout.heard as usize);
        let said = of_run(args.answers, 1, 0, layout.answers as usize + 1);
        // SAFETY: the host gives this much shared memory after everything else, and says where it begins.
        let near = unsafe { SharedArray::new(args.near, layout.near(thread::block_dim())) };
        let keys = slot_words::<R>(CONSTRAINED);
        Mailbox {
            layout,
            heard,
            said,
            near: BlockBoard::new(near),
            blocks,
            part,
            stride,
            keys,
            number: core::marker::PhantomData,
        }
    }

    /// Clears the board before its first use. Collective in the block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn open(&self) {
        self.near.clear(self.layout.near(thread::block_dim()));
    }

    /// Makes the block's report of this number: the first iteration in which one of its particles improved on the
    /// leader, and its worst particle. Each thread passes its own iteration and, if it has one, its particle. The
    /// report before has been answered. Collective in the block; the first warp waits for the others, which wait for
    /// nothing.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn report<const CONSTRAINED: bool>(
        &self,
        number: u32,
        first: u32,
        mine: Option<(Fitness<R>, u32)>,
    ) {
        let (mut keys, mut index) = ((u64::MAX, u64::MAX), u32::MAX);
        if let Some((fitness, particle)) = mine {
            let (violation, value) = fitness.ordered();
            // The least complement is the complement of the greatest.
            (keys, index) = ((!violation, !value), !particle);
        }
        let (lane, warp) = (thread::lane(), thread::index() / 32);
        let (words, warps) = (self.layout.report, thread::block_dim() / 32);
        let own = self.least::<CONSTRAINED>(first, keys, index);
        let near = Tagged::new(self.near);
        if lane < words {
            near.keep(number, warp * words + lane, own);
        }
        if warp > 0 {
            return;
        }
        // For each warp the places of the iteration, the particle and the keys; beyond the last key, that one again.
        let mut places = [lane.min(warps - 1) * words; MOST];
        places[1] += words - 1;
        let mut k = 2;
        while k < MOST {
            places[k] += (k as u32 - 1).min(self.keys);
            k += 1;
        }
        let theirs = near.see_all(number, places);
        let keys = keys_of::<R>([theirs[2], theirs[3], theirs[4], theirs[5]], CONSTRAINED);
        let all = self.least::<CONSTRAINED>(theirs[0], keys, theirs[1]);
        if lane < words {
            let reporter = (number & 1) * self.blocks + self.part;
            self.show(number, reporter * self.layout.pitch + lane, all);
        }
    }

    /// The least iteration, and the least keys with their index, of a warp: each lane returns one word of the report.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn least<const CONSTRAINED: bool>(&self, first: u32, keys: (u64, u64), index: u32) -> u32 {
        let (keys, index) = warp::least::<R>(keys, index, CONSTRAINED);
        let first = warp::min(first);
        let lane = thread::lane();
        let mut word = if lane == 0 { first } else { index };
        let mut k = 0;
        while k < 4 {
            if lane == 1 + k && k < self.keys {
                word = key_word::<R>(keys, self.keys, k);
            }
            k += 1;
        }
        word
    }

    /// Writes a word for the host.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn show(&self, number: u32, place: u32, word: u32) {
        self.heard.show_host(place as usize, u64::from(number) << 32 | u64::from(word));
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn answer(&self, epoch: u32) -> u32 {
        ((epoch - 1) & (MESSAGES_KEPT - 1)) * self.layout.answer
    }

    /// The words, as far as they have arrived, of the answer for the end of epoch `epoch`. Each lane returns one of the
    /// words before a message's row, lanes beyond them the last one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn glance(&self, epoch: u32) -> u64 {
        let word = thread::lane().min(1 + self.keys);
        self.said.load_relaxed((self.answer(epoch) + word) as usize)
    }

    /// Waits for the answer to the report of this number, and for the message that arrives at the end of epoch `epoch`;
    /// `glance` is what an earlier [`glance`](Mailbox::glance) returned. Collective in the warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn hear<const CONSTRAINED: bool>(
        &self,
        (report, epoch): (u32, u32),
        glance: u64,
    ) -> Answer<R> {
        let (mut word, mut closed) = (glance, false);
        while !closed && (word >> 32) as u32 != report {
            closed = self.said.load_relaxed(self.layout.answers as usize) != 0;
            grid::spin();
            word = self.glance(epoch);
        }
        if warp::any(closed) {
            return Answer::Closed;
        }
        let soonest = (word as u32).shuffle(0);
        if soonest != NEVER {
            return Answer::Back(soonest);
        }
        Answer::Comes(self.message::<CONSTRAINED>(epoch, word))
    }

    /// The message of epoch `epoch`, whose answer has already been received. Collective in the warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn heard<const CONSTRAINED: bool>(&self, epoch: u32) -> Message<R> {
        self.message::<CONSTRAINED>(epoch, self.glance(epoch))
    }

    /// The message of an answer, of which each lane holds a word.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn message<const CONSTRAINED: bool>(&self, epoch: u32, word: u64) -> Message<R> {
        let word = word as u32;
        let mut keys = [0; 4];
        let mut k = 0;
        while k < 4 {
            if (k as u32) < self.keys {
                keys[k] = word.shuffle(2 + k as u32);
            }
            k += 1;
        }
        let fitness = keyed_fitness::<R>(keys_of::<R>(keys, CONSTRAINED), CONSTRAINED);
        Message { epoch, to: word.shuffle(1), fitness }
    }

    /// Coordinate `i` in the message of epoch `epoch`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn coordinate(&self, epoch: u32, i: u32) -> R {
        let (first, words) = (self.answer(epoch) + 2 + self.keys, self.stride * R::WORDS as u32);
        Tagged::new(self.said.places(first, words)).kept_number(epoch, 0, i)
    }

    /// Writes the leader's fitness with the report of this number. By one thread.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn send_fitness(&self, report: u32, fitness: Fitness<R>) {
        let mut word = 0;
        while word < self.keys {
            let key = key_word::<R>(fitness.keys(), self.keys, word);
            self.show(report, self.layout.reports + word, key);
            word += 1;
        }
    }

    /// Writes coordinate `i` of the leader with the report of this number. By one thread.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn send_coordinate(&self, report: u32, i: u32, x: R) {
        let bits = x.to_bits64();
        let place = self.layout.reports + self.keys + R::WORDS as u32 * i;
        self.show(report, place, bits as u32);
        if R::WORDS == 2 {
            self.show(report, place + 1, (bits >> 32) as u32);
        }
    }
}
