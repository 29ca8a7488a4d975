//! Several epochs of an island in one launch: the resident schedule over a grid. At the end of each epoch the best
//! particle is sent to another island, and a particle from another island arrives.
//!
//! No block waits for other blocks at the end of an epoch. Each block *reports* to the host the first iteration in
//! which one of its particles improved on the leader, if there is one, and its worst particle, and continues. The first
//! block also sends the leader. If no block has an improvement, the host takes the leader to other islands. It
//! *answers* with the worst particle of all and with the message that has come from another island. At the end of the
//! next epoch all blocks read the answer. The migrant is offered to the particle that was the worst when the epoch
//! began.
//!
//! Particles therefore compute a *span* of iterations, with the ends of epochs in it, as if no particle improved on the
//! leader. If one has, all blocks restore the state at the beginning of the span from memory, repeat the iterations up
//! to the improvement, messages included, and agree on a new leader. Apart from messages, [`resident`](super::resident)
//! does the same.

mod messages;

use warpswarm_core::launch::{EpochsArgs, SPAN, stopped};
use warpswarm_device::entry::max_block;
use warpswarm_device::thread;
use warpswarm_device::view::DeviceReal;

use super::Swarm;
use super::blocks::Grid;
use super::flight::{Flight, ParticleState, is_in_columns};
use super::leader_exchange::{Leader, NEVER};
use super::mailbox::Mailbox;
use super::resident::window;
use crate::run::{count_not_finite, set_progress};

/// Iterations without an improvement are not counted beyond this.
const ENDLESS: u64 = 1 << 30;

/// Whether blocks load the answer before the last move of an epoch instead of after it. They do if registers can hold
/// it during the move.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
const fn looks_ahead<R: DeviceReal, const LANES: u32, const K: usize>() -> bool {
    is_in_columns::<LANES, K>() || (LANES > 1 && K * R::WORDS <= 8)
}

/// An island during a launch. Iterations are counted from the beginning of the launch.
struct Island<'a, R, const LANES: u32, const K: usize, const CONSTRAINED: bool> {
    args: &'a EpochsArgs<R>,
    flight: Flight<'a, R, Grid, LANES, K>,
    state: ParticleState<R, LANES, K>,
    leader: Leader<R, K>,
    /// Iterations done before this launch.
    origin: u64,
    now: u32,
    /// Up to this iteration all blocks know that no particle has improved on the leader; later ones are not checked
    /// yet.
    sure: u32,
    /// The iteration up to which all blocks repeat, because a particle improves in it; or [`NEVER`].
    goal: u32,
    /// The first iteration in which this particle has improved on the leader.
    first: u32,
    /// The iteration in which the leader was found; 0 if that was `idle` iterations before the launch.
    improved: u32,
    idle: u32,
    /// Whether memory holds the particle as it was at `base`, when the epoch that was to end next had the number
    /// `base_epoch`.
    written: bool,
    base: u32,
    base_epoch: u32,
    /// Evaluations since `base` that were not finite.
    not_finite: u32,
    /// The number of the epoch that ends next, from 0 for the one that ended before the launch.
    epoch: u32,
    /// Epochs whose answers have been received.
    known: u32,
    /// Reports made, and the number of the last answered one.
    reports: u32,
    answered: u32,
    /// The words of the next answer that were present before the last move, if blocks [look ahead](looks_ahead).
    glance: u64,
    /// The tag of the last exchange.
    tag: u32,
}

/// What blocks do after the end of an epoch.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    /// Continue.
    Fly,
    /// Go back to the beginning of the span.
    Back,
    /// Stop: it was the last epoch.
    End,
    /// Stop: no answer will arrive any more.
    Closed,
}

/// Does `args.swarm.iterations` iterations of one run that never stops by itself: whole epochs of `args.every`
/// iterations.
///
/// **Mapping and arrays.** Those of [`resident`](super::resident::resident), with `LANES` lanes a particle and `K`
/// coordinates in the registers of each lane. [`MailboxLayout`](warpswarm_core::launch::MailboxLayout) describes
/// `reports` and `answers`.
///
/// **Launch.** A cooperative launch of `blocks_per_run` blocks of at most `BLOCK` threads, while the host reads reports
/// and answers them.
///
/// **Shared memory.** That of [`resident`](super::resident::resident), and from byte `args.near` on the words of
/// [`MailboxLayout::near`](warpswarm_core::launch::MailboxLayout::near).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn epochs<
    R: DeviceReal,
    const LANES: u32,
    const K: usize,
    const BLOCK: u32,
    const CONSTRAINED: bool,
>(
    args: &EpochsArgs<R>,
) {
    max_block::<BLOCK>();
    let mut island = Island::<R, LANES, K, CONSTRAINED>::new(args);
    island.mailbox().open();
    loop {
        if island.now == island.goal {
            island.agree();
        }
        if island.now == island.epoch * args.every {
            let next = island.end_epoch();
            if next == Next::Closed {
                return;
            }
            if next == Next::End {
                break;
            }
            if next == Next::Back {
                // An epoch may end at this iteration too.
                continue;
            }
        }
        island.fly();
    }
    island.write_all();
}

impl<'a, R: DeviceReal, const LANES: u32, const K: usize, const CONSTRAINED: bool>
    Island<'a, R, LANES, K, CONSTRAINED>
{
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn new(args: &'a EpochsArgs<R>) -> Self {
        let swarm = &Swarm::of_block(&args.swarm);
        let control = swarm.control.get(0);
        let origin = control.iterations;
        let flight = Flight::new(&args.swarm);
        let state = flight.read::<CONSTRAINED>(origin);
        Island {
            args,
            flight,
            state,
            leader: Leader::read::<LANES, CONSTRAINED>(swarm),
            origin,
            now: 0,
            sure: 0,
            goal: NEVER,
            first: NEVER,
            improved: 0,
            idle: (origin - control.improved_at).min(ENDLESS) as u32,
            written: true,
            base: 0,
            base_epoch: 1,
            not_finite: 0,
            epoch: 0,
            known: 0,
            reports: 0,
            answered: 0,
            glance: 0,
            tag: args.swarm.tag,
        }
    }

    /// The run, computed again, so that addresses take no registers while particles move.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn swarm(&self) -> Swarm<'a, R> {
        Swarm::of_block(&self.args.swarm)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn mailbox(&self) -> Mailbox<R> {
        Mailbox::new::<CONSTRAINED>(self.args)
    }

    /// Agrees with all blocks on the leader of the present iteration.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn agree(&mut self) {
        let mine = self.flight.offer(&self.state, self.first == self.now);
        let before = self.leader.best.fitness;
        self.tag = self.tag.wrapping_add(1);
        let (swarm, x) = (&self.swarm(), &self.state.it.x);
        let leader_exchange = &self.flight.leader_exchange;
        if leader_exchange.agree::<CONSTRAINED>(swarm, self.tag, mine, x, &mut self.leader) {
            if self.leader.best.fitness.beats(before) {
                self.improved = self.now;
            }
            self.written = false;
        }
        self.sure = self.now;
        self.goal = NEVER;
        self.first = NEVER;
    }

    /// Whether all threads know that no particle has improved on the leader since `sure`. If one has, goes back.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_sure(&mut self) -> bool {
        let soonest = self.soonest(self.first);
        if soonest != NEVER {
            self.go_back(soonest);
            return false;
        }
        self.sure = self.now;
        true
    }

    /// The least of all threads' numbers.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn soonest(&mut self, mine: u32) -> u32 {
        self.tag = self.tag.wrapping_add(1);
        self.flight.leader_exchange.soonest::<CONSTRAINED>(&self.swarm(), self.tag, mine)
    }

    /// Goes back to the beginning of the span, to repeat its iterations up to `goal`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn go_back(&mut self, goal: u32) {
        if self.answered != self.reports && goal <= self.known * self.args.every {
            // The answer to the last report is received and ignored; another report takes its place.
            let (mailbox, epoch) = (self.mailbox(), self.known + 1);
            mailbox.hear::<CONSTRAINED>((self.reports, epoch), mailbox.glance(epoch));
            self.answered = self.reports;
        }
        self.flight.back::<CONSTRAINED>(&mut self.state, self.origin + u64::from(self.base));
        self.now = self.base;
        self.epoch = self.base_epoch;
        self.goal = goal;
        self.first = NEVER;
        self.not_finite = 0;
    }

    /// Iterations since the last improvement on the leader that all blocks know of.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn since(&self) -> u32 {
        let before = if self.improved == 0 { self.idle } else { 0 };
        before + self.now - self.improved
    }

    /// Whether the span is long enough to end it. The longer no particle has improved, the longer it may be, because
    /// going back repeats half of it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_long(&self) -> bool {
        self.now - self.base >= (self.since() / 2).clamp(SPAN[0], SPAN[1])
    }

    /// Moves the particle to the end of the epoch or of the window.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fly(&mut self) {
        let end = self.epoch * self.args.every;
        let stop = if self.goal == NEVER {
            let length = window::<LANES, K>(self.since()).min(end - self.now);
            if self.sure == self.now && length == 1 {
                // An improvement can only be in this iteration, so that no exchange is needed to find the first one.
                self.goal = self.now + 1;
            } else if !self.written {
                self.write();
            }
            self.now + length
        } else {
            self.goal.min(end)
        };
        // What is loaded before the last iteration of the epoch has arrived when the particles have moved.
        let last = end - 1;
        loop {
            let looks = looks_ahead::<R, LANES, K>();
            let pause = if looks && self.now < last { stop.min(last) } else { stop };
            if looks && self.now == last {
                self.glance = self.mailbox().glance(self.epoch);
            }
            while self.now < pause {
                self.now += 1;
                let now = self.origin + u64::from(self.now);
                let moved = self.flight.advance::<CONSTRAINED>(&mut self.state, &self.leader, now);
                self.not_finite += u32::from(moved.not_finite);
                if moved.leads {
                    self.first = self.first.min(self.now);
                }
            }
            if self.now >= stop {
                break;
            }
        }
        if self.goal == NEVER && self.now < end && self.is_sure() && self.is_long() {
            self.written = false;
        }
    }

    /// Stores the particle in memory: a span begins.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write(&mut self) {
        self.count();
        self.flight.save(&mut self.state);
        self.written = true;
        self.base = self.now;
        self.base_epoch = self.epoch;
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count(&mut self) {
        if thread::lane().is_multiple_of(LANES) {
            count_not_finite(self.swarm().control, self.not_finite);
        }
        self.not_finite = 0;
    }

    /// Stores the whole state.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write_all(&mut self) {
        self.write();
        if self.flight.writes_leader(&self.leader) {
            let control = self.swarm().control;
            let improved_at = if self.improved == 0 {
                control.get(0).improved_at
            } else {
                self.origin + u64::from(self.improved)
            };
            set_progress(control, self.origin + u64::from(self.now), improved_at, stopped::NOT);
        }
    }
}
