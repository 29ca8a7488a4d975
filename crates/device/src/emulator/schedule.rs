//! The threads' stacks, and whose turn it is.

use core::panic::AssertUnwindSafe;
use std::cell::{Cell, RefCell};
use std::panic::catch_unwind;

use corosensei::stack::{DefaultStack, Stack, StackPointer};
use corosensei::{Coroutine, CoroutineResult};

use super::collective::Doing;
use super::fault::{Fault, FaultKind};
use super::machine::{self, Launch};
use super::panics;
use super::state::State;
use super::{Entry, LaunchConfig};

/// Bytes of a thread's stack. Only touched pages take memory.
const STACK_BYTES: usize = 128 * 1024;

/// Rounds in which every thread only spun, nobody having stored, after which it is a deadlock.
const IDLE_ROUNDS: u32 = 1_000;
/// Rounds in which threads spun and stored, but none arrived anywhere, after which it is one too.
const RESTLESS_ROUNDS: u32 = 1_000_000;

/// How often a warp's lanes may meet before another warp has its turn.
const MEETINGS_AHEAD: u32 = 1_000;

/// A stack that begins a little below its memory's end, each at another distance: were all tops at
/// the same place in a page, they would push each other out of the first-level cache.
struct Coloured {
    memory: DefaultStack,
    base: StackPointer,
}

impl Coloured {
    fn new(number: usize) -> std::io::Result<Self> {
        let memory = DefaultStack::new(STACK_BYTES)?;
        let distance = number % 32 * 128;
        let base = StackPointer::new(memory.base().get() - distance)
            .expect("a stack does not lie at address zero");
        Ok(Coloured { memory, base })
    }
}

// SAFETY: the memory is DefaultStack's, with its guard page at the lower end; it is far larger than
// the distance that is left out at the upper end, a multiple of the alignment.
unsafe impl Stack for Coloured {
    #[inline]
    fn base(&self) -> StackPointer {
        self.base
    }
    #[inline]
    fn limit(&self) -> StackPointer {
        self.memory.limit()
    }
    #[cfg(windows)]
    fn teb_fields(&self) -> corosensei::stack::StackTebFields {
        self.memory.teb_fields()
    }
    #[cfg(windows)]
    fn update_teb_fields(&mut self, stack_limit: usize, guaranteed_stack_bytes: usize) {
        self.memory.update_teb_fields(stack_limit, guaranteed_stack_bytes);
    }
}

type Thread = Coroutine<(), (), (), Coloured>;

/// What launches leave behind for the next ones on the same operating-system thread.
#[derive(Default)]
struct Pool {
    stacks: Vec<Coloured>,
    stacks_made: usize,
    threads: Vec<Thread>,
    /// How many threads have not left the kernel.
    live: usize,
    round: Vec<u32>,
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
    config: &LaunchConfig,
    argument: &[u8],
) -> Result<(), Fault> {
    panics::install_hook();
    let mut pool = POOL.take();
    let mut state = core::mem::take(&mut pool.state);
    state.kernel = entry.name;
    state.block_dim = config.block;
    state.cooperative = config.cooperative;
    state.shuffle = config.shuffle_seed.map(super::state::Shuffle);
    state.fault = None;
    let launch = Launch {
        entry: *entry,
        config: *config,
        argument: argument.as_ptr(),
        current: Cell::new(super::state::Identity::NONE),
        running: Cell::new(false),
        state: RefCell::new(state),
    };
    let result = machine::enter(&launch, || pool.run_blocks(&launch));
    pool.state = launch.state.into_inner();
    POOL.set(pool);
    result
}

impl Pool {
    fn run_blocks(&mut self, launch: &Launch) -> Result<(), Fault> {
        let grid = launch.config.grid;
        if launch.config.cooperative {
            return self.run_together(launch, 0, grid);
        }
        let mut order: Vec<u32> = (0..grid).collect();
        if let Some(shuffle) = &mut launch.state.borrow_mut().shuffle {
            shuffle.permute(&mut order);
        }
        order.into_iter().try_for_each(|block| self.run_together(launch, block, 1))
    }

    /// Runs `blocks` blocks from number `first` on, all alive at once, to their end.
    fn run_together(&mut self, launch: &Launch, first: u32, blocks: u32) -> Result<(), Fault> {
        launch.state.borrow_mut().begin(first, blocks, launch.config.shared_bytes);
        let made = self.make_threads(launch, (blocks * launch.config.block) as usize);
        if made.is_ok() {
            self.run_to_end(launch);
        }
        for mut thread in self.threads.drain(..) {
            // Drops what a thread that has not finished holds on its stack.
            thread.force_unwind();
            self.stacks.push(thread.into_stack());
        }
        made?;
        launch.state.borrow_mut().fault.take().map_or(Ok(()), Err)
    }

    fn make_threads(&mut self, launch: &Launch, count: usize) -> Result<(), Fault> {
        for made in 0..count {
            let stack = match self.stacks.pop() {
                Some(stack) => stack,
                None => Coloured::new(self.stacks_made).map_err(|error| {
                    let message = format!("no memory for the stack of thread {made}: {error}");
                    Fault::of_launch(FaultKind::Launch, launch.entry.name, message)
                })?,
            };
            self.stacks_made += 1;
            self.threads.push(Coroutine::with_stack(stack, |yielder, ()| machine::start(yielder)));
        }
        Ok(())
    }

    /// Lets every thread that can run have its turn, round after round.
    fn run_to_end(&mut self, launch: &Launch) {
        self.live = self.threads.len();
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
            let nobody = nobody && state.ready.is_empty();
            if self.live > 0 && (nobody || idle > RESTLESS_ROUNDS) {
                return state.diagnose();
            }
        }
    }

    /// Lets a warp whose lanes have met run on from meeting to meeting, while its stacks are in the
    /// caches; but not for ever, others may have to tell it something. Whether all is well.
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

    /// Takes over the threads that became ready, in a random order if the launch wants one; then
    /// some of them may have to wait another round, so that no thread can rely on another's pace.
    fn next_round(&mut self, state: &mut State) {
        self.round.clear();
        core::mem::swap(&mut self.round, &mut state.ready);
        if let Some(mut shuffle) = state.shuffle {
            shuffle.permute(&mut self.round);
            let late = shuffle.below(self.round.len() / 2 + 1);
            state.ready.extend(self.round.drain(self.round.len() - late..));
            state.shuffle = Some(shuffle);
        }
    }

    /// Resumes a thread until it waits, spins, leaves or fails; whether all is well.
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
