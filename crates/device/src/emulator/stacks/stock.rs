//! Things that are lent by number, and kept for later borrowers.

use std::io;
use std::sync::PoisonError;

use super::sync::{Condvar, Mutex, MutexGuard};

pub(super) struct Stock<T> {
    /// The most in use at the same time.
    most: usize,
    /// The most kept while they are not in use.
    kept: usize,
    state: Mutex<State<T>>,
    given_back: Condvar,
}

struct State<T> {
    idle: Vec<T>,
    in_use: usize,
}

impl<T> Stock<T> {
    pub(super) fn new(most: usize, kept: usize) -> Self {
        let state = Mutex::new(State { idle: Vec::new(), in_use: 0 });
        Stock { most, kept, state, given_back: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        // Nothing that can panic leaves the state half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lends `count` things, at most as many as there may be, as soon as that many are free. `make` makes those that do
    /// not exist yet, by their number.
    pub(super) fn lend(
        &self,
        count: usize,
        make: impl Fn(usize) -> io::Result<T>,
    ) -> io::Result<Loan<'_, T>> {
        debug_assert!(count <= self.most);
        let mut state = self.state();
        while self.most - state.in_use < count {
            state = self.given_back.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.in_use += count;
        let rest = state.idle.len().saturating_sub(count);
        let things = state.idle.split_off(rest);
        drop(state);
        let mut loan = Loan { things, count, stock: self };
        while loan.things.len() < count {
            loan.things.push(make(loan.things.len())?);
        }
        Ok(loan)
    }
}

/// A loan. When it is dropped, the things in it, and the right to as many as were lent, return to the stock.
pub(in super::super) struct Loan<'a, T> {
    pub(in super::super) things: Vec<T>,
    count: usize,
    stock: &'a Stock<T>,
}

impl<T> Drop for Loan<'_, T> {
    fn drop(&mut self) {
        let mut state = self.stock.state();
        state.in_use -= self.count;
        let room = self.stock.kept.saturating_sub(state.idle.len()).min(self.things.len());
        state.idle.extend(self.things.drain(..room));
        drop(state);
        self.stock.given_back.notify_all();
    }
}
