//! The order in which threads run.

use core::mem::MaybeUninit;
use core::panic::AssertUnwindSafe;
use std::cell::{Cell, RefCell};
use std::panic::catch_unwind;

use super::collective::Doing;
use super::context::{self, Launch};
use super::fault::{Fault, FaultKind};
use super::fibre::{Coroutine, CoroutineResult};
use super::panics;
use super::stacks::{self, Stack, Stacks};
use super::state::{Identity, Shuffle, State};
use super::{Entry, LaunchConfig, Linkable};

/// Rounds in which every thread only spun and none stored, after which the launch is a deadlock.
const IDLE_ROUNDS: u32 = 1_000;
/// Rounds in which threads spun and stored but none arrived anywhere, after which it is a deadlock too.
const RESTLESS_ROUNDS: u32 = 1_000_000;

/// How often a warp may complete operations before another warp runs.
const MEETINGS_AHEAD: u32 = 1_000;

/// The longest time for which a shuffled launch keeps threads from running.
const MOST_STALLED_ROUNDS: usize = 100;

/// Threads that are kept from running.
#[derive(Clone, Copy, Default)]
struct Stall {
    first: u32,
    size: u32,
    rounds: u32,
}

type Thread = Coroutine<(), (), (), Stack>;

/// Allocations that launches leave for later ones on the same operating-system thread.
#[derive(Default)]
struct Pool {
    threads: Vec<Thread>,
    /// The number of threads that have not left the kernel.
    live: usize,
    round: Vec<u32>,
    stall: Stall,
    state: State,
}

thread_local! {
    static POOL: RefCell<Pool> = RefCell::default();
}

/// Runs a whole launch whose sizes have been checked.
///
/// # Safety
/// As for [`launch`](super::launch).
pub(super) unsafe fn run(
    entry: &Entry,
    objective: Option<(Linkable, *const u8)>,
    config: &LaunchConfig,
    argument: &[MaybeUninit<u8>],
    meanwhile: &mut dyn FnMut() -> bool,
) -> Result<(), Fault> {
    panics::install_hook();
    let mut pool = POOL.take();
    let mut state = core::mem::take(&mut pool.state);
    state.kernel = entry.name;
    state.block_dim = config.block;
    state.together = config.together() > 1;
    state.shuffle = config.shuffle_seed.map(Shuffle);
    state.fault = None;
    state.global.begin();
    let launch = Launch {
        entry: *entry,
        objective,
        config: *config,
        argument: argument.as_ptr().cast(),
        current: Cell::new(Identity::NONE),
        running: Cell::new(false),
        state: RefCell::new(state),
    };
    let result = context::enter(&launch, || pool.run_blocks(&launch, meanwhile));
    pool.state = launch.state.into_inner();
    POOL.set(pool);
    result
}

impl Pool {
    fn run_blocks(
        &mut self,
        launch: &Launch,
        meanwhile: &mut dyn FnMut() -> bool,
    ) -> Result<(), Fault> {
        let LaunchConfig { grid, block, .. } = launch.config;
        let together = launch.config.together();
        let mut loan = stacks::lend((together * block) as usize).map_err(|error| {
            let message = format!("no stacks for the threads: {error}");
            Fault::of_launch(FaultKind::Launch, launch.entry.name, message)
        })?;
        let mut order: Vec<u32> = (0..grid).step_by(together as usize).collect();
        if let Some(shuffle) = &mut launch.state.borrow_mut().shuffle {
            shuffle.permute(&mut order);
        }
        let mut run = |first| self.run_together(launch, &mut loan, (first, together), meanwhile);
        order.into_iter().try_for_each(&mut run)
    }

    /// Runs `blocks` blocks from number `first` on, all alive at once, to their end.
    fn run_together(
        &mut self,
        launch: &Launch,
        loan: &mut Stacks,
        (first, blocks): (u32, u32),
        meanwhile: &mut dyn FnMut() -> bool,
    ) -> Result<(), Fault> {
        launch.state.borrow_mut().begin(first, blocks, launch.config.shared_bytes);
        // Thread 0 gets the last stack and returns it last, so that the next block finds the same order.
        let threads = loan
            .things
            .drain(..)
            .rev()
            .map(|stack| Coroutine::with_stack(stack, |yielder, ()| context::start(yielder)));
        self.threads.extend(threads);
        self.run_to_end(launch, meanwhile);
        for mut thread in self.threads.drain(..).rev() {
            // Drops what a thread that has not finished holds on its stack.
            thread.force_unwind();
            loan.things.push(thread.into_stack());
        }
        launch.state.borrow_mut().fault.take().map_or(Ok(()), Err)
    }

    /// Lets every thread that can run do so, round after round.
    fn run_to_end(&mut self, launch: &Launch, meanwhile: &mut dyn FnMut() -> bool) {
        self.live = self.threads.len();
        self.stall = Stall::default();
        let mut idle = 0;
        while self.live > 0 {
            self.next_round(&mut launch.state.borrow_mut());
            let nobody = self.round.is_empty();
            for turn in 0..self.round.len() {
                let slot = self.round[turn];
                if !self.turn(launch, slot) || !self.run_ahead(launch) {
                    return;
                }
            }
            let mut state = launch.state.borrow_mut();
            idle = match (state.arrived, state.stored) {
                (true, _) => 0,
                (false, true) => idle + 1,
                (false, false) => idle + RESTLESS_ROUNDS / IDLE_ROUNDS,
            };
            (state.arrived, state.stored) = (false, false);
            if idle > 0 && meanwhile() {
                idle = 0;
            }
            let nobody = nobody && state.ready.is_empty();
            if self.live > 0 && (nobody || idle > RESTLESS_ROUNDS) {
                return state.diagnose();
            }
        }
    }

    /// Lets a warp whose lanes have completed an operation run on from operation to operation, while its stacks are in
    /// the caches. This is limited, because it may wait for other threads. Returns whether there is no fault.
    #[inline]
    fn run_ahead(&mut self, launch: &Launch) -> bool {
        let mut meetings = 0;
        loop {
            let Some(first) = launch.state.borrow_mut().next_warp.take() else { return true };
            meetings += 1;
            if meetings > MEETINGS_AHEAD {
                launch.state.borrow_mut().ready.extend(first..first + 32);
                return true;
            }
            for slot in first..first + 32 {
                if !self.turn(launch, slot) {
                    return false;
                }
            }
        }
    }

    /// Takes over the threads that became ready. For a random order, shuffles them and makes some wait for another
    /// round, or for many: no thread may rely on another one's pace.
    fn next_round(&mut self, state: &mut State) {
        self.round.clear();
        core::mem::swap(&mut self.round, &mut state.ready);
        let Some(mut shuffle) = state.shuffle else { return };
        shuffle.permute(&mut self.round);
        let late = shuffle.below(self.round.len() / 2 + 1);
        state.ready.extend(self.round.drain(self.round.len() - late..));
        if self.stall.rounds == 0 && shuffle.below(4) == 0 {
            let size = [1, 32, state.block_dim][shuffle.below(3)];
            let first = shuffle.below(self.threads.len() / size as usize) as u32 * size;
            let rounds = 1 + shuffle.below(MOST_STALLED_ROUNDS) as u32;
            self.stall = Stall { first, size, rounds };
        }
        state.shuffle = Some(shuffle);
        let Stall { first, size, rounds } = self.stall;
        let stalled = |slot: &u32| rounds > 0 && (first..first + size).contains(slot);
        if self.round.iter().all(stalled) {
            self.stall.rounds = 0;
        } else {
            state.ready.extend(self.round.extract_if(.., |slot| stalled(slot)));
            self.stall.rounds = rounds.saturating_sub(1);
        }
    }

    /// Resumes a thread until it waits, spins, leaves or fails. Returns whether there is no fault.
    #[inline]
    fn turn(&mut self, launch: &Launch, slot: u32) -> bool {
        let thread = &mut self.threads[slot as usize];
        launch.current.set(launch.state.borrow().threads[slot as usize].identity);
        launch.running.set(true);
        let outcome = catch_unwind(AssertUnwindSafe(|| thread.resume(())));
        launch.running.set(false);
        match outcome {
            Ok(CoroutineResult::Yield(())) => {}
            Ok(CoroutineResult::Return(())) => {
                let mut state = launch.state.borrow_mut();
                state.threads[slot as usize].doing = Doing::Left;
                state.arrived = true;
                self.live -= 1;
            }
            Err(payload) => {
                let place = panics::take_place();
                let message = panics::message(&*payload);
                let me = launch.current.get();
                launch.state.borrow_mut().fail(me, FaultKind::Panic, place, message);
            }
        }
        launch.state.borrow().fault.is_none()
    }
}
