//! The stock again, with the locks of loom, which explores every order in which threads can take them.

mod sync {
    pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};
}
#[allow(clippy::duplicate_mod, reason = "the same text as without loom")]
#[path = "stock.rs"]
mod stock;

use std::io;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use self::stock::Stock;

const MOST: usize = 2;
const KEPT: usize = 1;

/// Borrows `count` things; checks that never too many are lent at once.
fn borrow(stock: &Stock<usize>, count: usize, in_use: &AtomicUsize) {
    let loan = stock.lend(count, Ok).expect("they can be made");
    assert_eq!(loan.things.len(), count);
    let others = in_use.fetch_add(count, Ordering::Relaxed);
    assert!(others + count <= MOST, "{others} and {count}");
    in_use.fetch_sub(count, Ordering::Relaxed);
}

/// The use that a thread makes of the stock.
type Work = fn(&Stock<usize>, &AtomicUsize);

/// Lets one thread for each of `others`, and this one, use a stock, in every order in which at most two threads are
/// preempted. Afterwards everything is available again.
fn in_every_order<const N: usize>(others: [Work; N], mine: Work) {
    let mut orders = loom::model::Builder::new();
    orders.preemption_bound = Some(2);
    orders.check(move || {
        let shared = Arc::new((Stock::new(MOST, KEPT), AtomicUsize::new(0)));
        let threads = others.map(|work| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || work(&shared.0, &shared.1))
        });
        mine(&shared.0, &shared.1);
        for thread in threads {
            thread.join().expect("it does not panic");
        }
        borrow(&shared.0, MOST, &shared.1);
    });
}

#[test]
fn all_get_what_they_wait_for() {
    in_every_order([|s, n| borrow(s, 1, n), |s, n| borrow(s, 2, n)], |s, n| borrow(s, 1, n));
}

#[test]
fn what_could_not_be_made_is_not_missed() {
    let fails: Work = |stock, _| {
        let loan = stock.lend(2, |number| match number {
            0 => Ok(0),
            _ => Err(io::Error::other("no memory")),
        });
        assert!(loan.is_err());
    };
    in_every_order([fails], |s, n| borrow(s, 2, n));
}
