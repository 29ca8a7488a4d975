//! Whole epochs of an island in one launch: the resident schedule of a swarm over a grid, whose best particle sets out for
//! another island at the end of each epoch while one from elsewhere arrives.
//!
//! No block waits for others there. Each *reports* to the host since when it has a better leader, if it has, and which of its
//! particles is the worst, and goes on; the first block shows the leader. If nobody has a better one, the host takes it to
//! other islands, and *answers* which particle is the worst, and with the letter that has come from elsewhere. At the end of
//! the next epoch all look at the answer: who has come is offered to the particle that was the worst when the epoch began.
//!
//! So particles go through a *span* of iterations, epochs and all, as if nobody improved on the leader. Where somebody
//! has, all go back to where the span began, which they have in memory, come as far as that iteration, letters included,
//! and agree on a new leader. Without islands it is the same ([`resident`](super::resident)) but for the letters.

mod letters;

use warpswarm_core::launch::{EpochsArgs, SPAN, stopped};
use warpswarm_device::entry::max_block;
use warpswarm_device::thread;
use warpswarm_device::view::DeviceReal;

use super::Swarm;
use super::blocks::Grid;
use super::flight::{Flight, Held, is_in_columns};
use super::meeting::{Leader, NEVER};
use super::office::Office;
use super::resident::window;
use crate::run::{count_not_finite, set_progress};

/// More iterations without an improvement than are counted.
const ENDLESS: u64 = 1 << 30;

/// Whether blocks look for an answer before the last move of an epoch, not behind it: where registers can hold it meanwhile.
#[inline(always)]
const fn looks_ahead<R: DeviceReal, const LANES: u32, const K: usize>() -> bool {
    is_in_columns::<LANES, K>() || (LANES > 1 && K * R::WORDS <= 8)
}

/// An island that is under way. Iterations are counted from the beginning of the launch.
struct Island<'a, R, const LANES: u32, const K: usize, const CONSTRAINED: bool> {
    args: &'a EpochsArgs<R>,
    flight: Flight<'a, R, Grid, LANES, K>,
    held: Held<R, LANES, K>,
    leader: Leader<R, K>,
    /// Iterations done before this launch.
    origin: u64,
    now: u32,
    /// Up to here nobody has improved on the leader; from here on nobody may have.
    sure: u32,
    /// The iteration that all go to once more, and in which somebody improves; or [`NEVER`].
    goal: u32,
    /// The first iteration in which this particle has improved on the leader.
    first: u32,
    /// When the leader was found, or 0 and before the launch by `idle` iterations.
    improved: u32,
    idle: u32,
    /// Whether memory has the particle as it was at `base`, when the epoch that was to end next was number `base_epoch`.
    written: bool,
    base: u32,
    base_epoch: u32,
    /// Evaluations that were not finite, since then.
    not_finite: u32,
    /// The number of the epoch that ends next, from 0 for the one that ended before the launch.
    epoch: u32,
    /// Epochs of which all is known.
    known: u32,
    /// Reports made, and those answered.
    reports: u32,
    answered: u32,
    /// What there was of the next answer before the last move, if it [looked](looks_ahead).
    glance: u64,
    /// The tag of the last meeting.
    tag: u32,
}

/// What blocks do at the end of an epoch.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    /// Go on.
    Fly,
    /// Go back to where the span began.
    Back,
    /// It was the last one.
    End,
    /// Nothing will arrive any more.
    Closed,
}

/// `args.swarm.iterations` iterations of one run that never stops by itself, whole epochs of `args.every`, with `LANES`
/// lanes a particle, `K` coordinates in each one's registers. Work and shared memory are those of
/// [`resident`](super::resident::resident).
#[inline(always)]
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
    island.office().open();
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
                // Perhaps an epoch ends there, too.
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
    #[inline(always)]
    fn new(args: &'a EpochsArgs<R>) -> Self {
        let swarm = &Swarm::of_block(&args.swarm);
        let control = swarm.control.get(0);
        let origin = control.iterations;
        let flight = Flight::new(&args.swarm);
        let held = flight.read::<CONSTRAINED>(origin);
        Island {
            args,
            flight,
            held,
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

    /// The run, found out anew: addresses hold no registers while particles move.
    #[inline(always)]
    fn swarm(&self) -> Swarm<'a, R> {
        Swarm::of_block(&self.args.swarm)
    }

    #[inline(always)]
    fn office(&self) -> Office<R> {
        Office::new::<CONSTRAINED>(self.args)
    }

    /// Agrees with all on the leader of the present iteration.
    #[inline(always)]
    fn agree(&mut self) {
        let mine = self.flight.offer(&self.held, self.first == self.now);
        let before = self.leader.best.fitness;
        self.tag = self.tag.wrapping_add(1);
        let (swarm, x) = (&self.swarm(), &self.held.it.x);
        let meeting = &self.flight.meeting;
        if meeting.agree::<CONSTRAINED>(swarm, self.tag, mine, x, &mut self.leader) {
            if self.leader.best.fitness.beats(before) {
                self.improved = self.now;
            }
            self.written = false;
        }
        self.sure = self.now;
        self.goal = NEVER;
        self.first = NEVER;
    }

    /// Asks all whether somebody has improved on the leader since all were sure of it; if so, goes back.
    #[inline(always)]
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
    #[inline(always)]
    fn soonest(&mut self, mine: u32) -> u32 {
        self.tag = self.tag.wrapping_add(1);
        self.flight.meeting.soonest::<CONSTRAINED>(&self.swarm(), self.tag, mine)
    }

    /// Goes back to where the span began, to come as far as `goal`.
    #[inline(always)]
    fn go_back(&mut self, goal: u32) {
        if self.answered != self.reports && goal <= self.known * self.args.every {
            // That report does not count; another one takes its place.
            let (office, epoch) = (self.office(), self.known + 1);
            office.hear::<CONSTRAINED>((self.reports, epoch), office.glance(epoch));
            self.answered = self.reports;
        }
        self.flight.back::<CONSTRAINED>(&mut self.held, self.origin + u64::from(self.base));
        self.now = self.base;
        self.epoch = self.base_epoch;
        self.goal = goal;
        self.first = NEVER;
        self.not_finite = 0;
    }

    /// Iterations since an improvement on the leader that all are sure of.
    #[inline(always)]
    fn since(&self) -> u32 {
        let before = if self.improved == 0 { self.idle } else { 0 };
        before + self.now - self.improved
    }

    /// Whether the span has been long enough: the longer nothing has happened, the longer it may be, since whoever goes back
    /// goes through half of it once more.
    #[inline(always)]
    fn is_long(&self) -> bool {
        self.now - self.base >= (self.since() / 2).clamp(SPAN[0], SPAN[1])
    }

    /// Moves on, to the end of the epoch or of what can be gone through without a word.
    #[inline(always)]
    fn fly(&mut self) {
        let end = self.epoch * self.args.every;
        let stop = if self.goal == NEVER {
            let length = window::<LANES, K>(self.since()).min(end - self.now);
            if self.sure == self.now && length == 1 {
                // Whether somebody improves then and nobody before is known without asking.
                self.goal = self.now + 1;
            } else if !self.written {
                self.write();
            }
            self.now + length
        } else {
            self.goal.min(end)
        };
        // What is looked for before the last iteration of the epoch is there when the particles have moved.
        let last = end - 1;
        loop {
            let looks = looks_ahead::<R, LANES, K>();
            let pause = if looks && self.now < last { stop.min(last) } else { stop };
            if looks && self.now == last {
                self.glance = self.office().glance(self.epoch);
            }
            while self.now < pause {
                self.now += 1;
                let now = self.origin + u64::from(self.now);
                let moved = self.flight.advance::<CONSTRAINED>(&mut self.held, &self.leader, now);
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

    /// Writes the particle to memory: a span begins.
    #[inline(always)]
    fn write(&mut self) {
        self.count();
        self.flight.save(&mut self.held);
        self.written = true;
        self.base = self.now;
        self.base_epoch = self.epoch;
    }

    #[inline(always)]
    fn count(&mut self) {
        if thread::lane().is_multiple_of(LANES) {
            count_not_finite(self.swarm().control, self.not_finite);
        }
        self.not_finite = 0;
    }

    /// Writes the whole state.
    #[inline(always)]
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
