//! Emulated threads: each has a stack of its own, and one operating-system thread switches between them.
//!
//! Miri cannot switch stacks. Under Miri an emulated thread is a thread of the operating system that runs only while
//! the scheduler waits for it. This is slow, but the accesses to memory are the same ones, and are checked.

#[cfg(not(miri))]
pub(super) use corosensei::{Coroutine, CoroutineResult, Yielder};
#[cfg(miri)]
pub(super) use in_miri::{Coroutine, CoroutineResult, Yielder};

#[cfg(miri)]
mod in_miri {
    use core::marker::PhantomData;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
    use std::thread::{self, JoinHandle};

    pub(in super::super) use corosensei::CoroutineResult;

    use super::super::context;

    /// Which side may run.
    enum Turn {
        Scheduler,
        Fibre,
        /// The fibre may run, to drop what it holds.
        Unwinds,
        Ended(thread::Result<()>),
    }

    struct Baton {
        turn: Mutex<Turn>,
        changed: Condvar,
    }

    impl Baton {
        fn lock(&self) -> MutexGuard<'_, Turn> {
            self.turn.lock().unwrap_or_else(PoisonError::into_inner)
        }

        fn give(&self, turn: Turn) {
            *self.lock() = turn;
            self.changed.notify_all();
        }

        fn wait(&self, until: impl Fn(&Turn) -> bool) -> MutexGuard<'_, Turn> {
            let wait = self.changed.wait_while(self.lock(), |turn| !until(turn));
            wait.unwrap_or_else(PoisonError::into_inner)
        }

        /// Called in the fibre: waits until it may run.
        fn until_resumed(&self) {
            let turn = self.wait(|turn| matches!(turn, Turn::Fibre | Turn::Unwinds));
            if matches!(*turn, Turn::Unwinds) {
                drop(turn);
                resume_unwind(Box::new("unwinds"));
            }
        }
    }

    pub(in super::super) struct Yielder<I, Y>(Arc<Baton>, PhantomData<(I, Y)>);

    impl Yielder<(), ()> {
        pub(in super::super) fn suspend(&self, (): ()) {
            self.0.give(Turn::Scheduler);
            self.0.until_resumed();
        }
    }

    pub(in super::super) struct Coroutine<I, Y, R, S> {
        stack: S,
        baton: Arc<Baton>,
        thread: Option<JoinHandle<()>>,
        types: PhantomData<(I, Y, R)>,
    }

    impl<S> Coroutine<(), (), (), S> {
        pub(in super::super) fn with_stack(
            stack: S,
            run: impl FnOnce(&Yielder<(), ()>, ()) + Send + 'static,
        ) -> Self {
            let turn = Mutex::new(Turn::Scheduler);
            let baton = Arc::new(Baton { turn, changed: Condvar::new() });
            let (own, launch) = (Arc::clone(&baton), context::current());
            let thread = thread::spawn(move || {
                context::adopt(launch);
                let yielder = Yielder(own, PhantomData);
                let ended = catch_unwind(AssertUnwindSafe(|| {
                    yielder.0.until_resumed();
                    run(&yielder, ());
                }));
                yielder.0.give(Turn::Ended(ended));
            });
            Coroutine { stack, baton, thread: Some(thread), types: PhantomData }
        }

        pub(in super::super) fn resume(&mut self, (): ()) -> CoroutineResult<(), ()> {
            self.baton.give(Turn::Fibre);
            let mut turn = self.baton.wait(|turn| matches!(turn, Turn::Scheduler | Turn::Ended(_)));
            match core::mem::replace(&mut *turn, Turn::Scheduler) {
                Turn::Ended(ended) => {
                    drop(turn);
                    self.join();
                    ended.unwrap_or_else(|panic| resume_unwind(panic));
                    CoroutineResult::Return(())
                }
                _ => CoroutineResult::Yield(()),
            }
        }

        pub(in super::super) fn force_unwind(&mut self) {
            if self.thread.is_some() {
                self.baton.give(Turn::Unwinds);
                drop(self.baton.wait(|turn| matches!(turn, Turn::Ended(_))));
                self.join();
            }
        }

        pub(in super::super) fn into_stack(self) -> S {
            self.stack
        }

        fn join(&mut self) {
            if let Some(thread) = self.thread.take() {
                // The thread catches all panics.
                let _ = thread.join();
            }
        }
    }
}
