//! The end of an epoch: a migrant arrives, and the leader is sent out.

use warpswarm_device::view::DeviceReal;
use warpswarm_device::{thread, warp};

use super::super::leader_exchange::NEVER;
use super::super::mailbox::{Answer, Message};
use super::{Island, Next, looks_ahead};

impl<R: DeviceReal, const LANES: u32, const K: usize, const CONSTRAINED: bool>
    Island<'_, R, LANES, K, CONSTRAINED>
{
    /// Ends an epoch: a migrant arrives, and the block reports.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn end_epoch(&mut self) -> Next {
        let last = self.now == self.args.swarm.iterations as u32;
        if self.epoch > 0 {
            let next = self.arrive(last);
            if next != Next::Fly {
                return next;
            }
        }
        if last {
            return Next::End;
        }
        // In a repetition the report has already been made.
        if self.goal == NEVER {
            self.report();
        }
        self.epoch += 1;
        Next::Fly
    }

    /// Reports to the host.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn report(&mut self) {
        let mine = self.flight.active.then_some((self.state.best, self.flight.particle));
        let mailbox = self.mailbox();
        self.reports += 1;
        let number = self.reports;
        mailbox.report::<CONSTRAINED>(number, self.first, mine);
        if self.swarm().part == 0 && thread::index() < 32 {
            self.flight.tell(&self.leader, |i, x| mailbox.send_coordinate(number, i, x));
            if thread::lane() == 0 {
                mailbox.send_fitness(number, self.leader.best.fitness);
            }
        }
    }

    /// Reads the answer, and takes in the migrant that arrives at the end of the present epoch.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn arrive(&mut self, last: bool) -> Next {
        let mailbox = self.mailbox();
        let message = if self.known < self.epoch {
            let ahead = looks_ahead::<R, LANES, K>();
            let glance = if ahead { self.glance } else { mailbox.glance(self.epoch) };
            match mailbox.hear::<CONSTRAINED>((self.reports, self.epoch), glance) {
                Answer::Back(goal) => {
                    self.answered = self.reports;
                    self.go_back(goal);
                    return Next::Back;
                }
                Answer::Closed => return Next::Closed,
                Answer::Comes(message) => {
                    self.answered = self.reports;
                    self.known = self.epoch;
                    self.sure = self.sure.max(self.now - self.args.every);
                    message
                }
            }
        } else {
            mailbox.heard::<CONSTRAINED>(self.epoch)
        };
        if self.goal != NEVER {
            // A migrant that becomes the leader ends a span, so that none arrives in a repetition.
            self.take_in(&message);
            return Next::Fly;
        }
        let leads = message.candidate().beats(self.leader.best);
        if leads || last || (self.written && self.is_long()) {
            if self.sure != self.now && !self.is_sure() {
                return Next::Back;
            }
            self.written = false;
        }
        let comes = self.take_in(&message);
        if leads {
            self.follow(&message, comes);
        }
        Next::Fly
    }

    /// Lets this particle take over the migrant if the message is for it and better than its personal best. Returns
    /// whether it does.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn take_in(&mut self, message: &Message<R>) -> bool {
        let comes = self.flight.active
            && self.flight.particle == message.to
            && message.fitness.beats(self.state.best);
        if warp::any(comes) {
            let mailbox = self.mailbox();
            self.flight.learn(&mut self.state, comes, |i| mailbox.coordinate(message.epoch, i));
            if comes {
                self.state.best = message.fitness;
                self.state.kept = false;
            }
        }
        comes
    }

    /// Makes the migrant the leader if it is better than the present one, or equally good and its particle has taken it
    /// over.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn follow(&mut self, message: &Message<R>, comes: bool) {
        let better = message.fitness.beats(self.leader.best.fitness);
        if !better && self.soonest(if comes { 0 } else { NEVER }) == NEVER {
            return;
        }
        if better {
            self.improved = self.now;
        }
        let mailbox = self.mailbox();
        self.leader.best = message.candidate();
        self.flight.follow(&mut self.leader, |i| mailbox.coordinate(message.epoch, i));
    }
}
