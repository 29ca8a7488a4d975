//! Ranks that are threads of one process.

use std::sync::mpsc::{self, Receiver, Sender};

use warpswarm::{Communicator, Result};

use super::unreachable;

/// The communicator of a rank that is a thread: see [`threads`].
///
/// ```
/// use warpswarm::Communicator;
/// let alone = warpswarm_islands::threads(1).remove(0);
/// assert_eq!(alone.all_gather(b"me")?, [b"me"]);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Debug)]
pub struct Threads {
    rank: u32,
    /// One channel to each rank; messages arrive in the order in which they were sent.
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
}

/// The communicators for `size` threads, `[rank]`. If a thread drops its communicator, the others get an error when
/// they next wait for it.
///
/// ```
/// use warpswarm::Communicator;
/// let sizes: Vec<usize> = std::thread::scope(|scope| {
///     let ranks = warpswarm_islands::threads(3).into_iter();
///     let ranks: Vec<_> = ranks
///         .map(|others| scope.spawn(move || others.all_gather(&[others.rank() as u8]).map(|all| all.len())))
///         .collect();
///     ranks.into_iter().map(|rank| rank.join().unwrap().unwrap()).collect()
/// });
/// assert_eq!(sizes, [3, 3, 3]);
/// ```
pub fn threads(size: u32) -> Vec<Threads> {
    let mut ranks: Vec<_> =
        (0..size).map(|rank| Threads { rank, to: Vec::new(), from: Vec::new() }).collect();
    for from in 0..size as usize {
        for to in 0..size as usize {
            let (sender, receiver) = mpsc::channel();
            ranks[from].to.push(sender);
            ranks[to].from.push(receiver);
        }
    }
    ranks
}

impl Threads {
    fn send(&self, to: u32, bytes: &[u8]) {
        // A missing receiver is noticed when a message from it is expected.
        let _ = self.to[to as usize].send(bytes.to_vec());
    }

    fn receive(&self, from: u32) -> Result<Vec<u8>> {
        let gone = |_| unreachable(format!("rank {from} is gone"));
        self.from[from as usize].recv().map_err(gone)
    }
}

impl Communicator for Threads {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.to.len() as u32
    }

    fn host(&self) -> String {
        "this machine".into()
    }

    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        (0..self.size()).for_each(|to| self.send(to, bytes));
        (0..self.size()).map(|from| self.receive(from)).collect()
    }

    fn exchange(
        &self,
        sent: &[(u32, Vec<u8>)],
        expected: &[(u32, usize)],
        work: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<Vec<u8>>> {
        sent.iter().for_each(|(to, bytes)| self.send(*to, bytes));
        work()?;
        let receive = |&(from, len): &(u32, usize)| {
            let bytes = self.receive(from)?;
            match bytes.len() == len {
                true => Ok(bytes),
                false => Err(unreachable(format!(
                    "rank {from} has sent {} bytes, where {len} were expected",
                    bytes.len()
                ))),
            }
        };
        expected.iter().map(receive).collect()
    }
}

#[cfg(test)]
mod tests {
    use warpswarm::Error;

    use super::*;

    /// The results of a function on each rank.
    fn on<T: Send>(size: u32, rank: impl Fn(Threads) -> T + Sync) -> Vec<T> {
        std::thread::scope(|scope| {
            let rank = &rank;
            let all: Vec<_> =
                threads(size).into_iter().map(|others| scope.spawn(move || rank(others))).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        })
    }

    #[test]
    fn messages_go_where_they_should_while_work_is_done() {
        let all = on(4, |others| {
            let (rank, size) = (others.rank(), others.size());
            let next = (rank + 1) % size;
            let before = (rank + size - 1) % size;
            let mut worked = 0;
            let mut received = Vec::new();
            for round in 0..10_u8 {
                let sent = [(next, vec![rank as u8, round])];
                let work = &mut || {
                    worked += 1;
                    Ok(())
                };
                received.extend(others.exchange(&sent, &[(before, 2)], work).unwrap());
            }
            assert_eq!(worked, 10);
            (before, received)
        });
        for (before, received) in all {
            assert!(received.iter().zip(0..).all(|(bytes, round)| *bytes == [before as u8, round]));
        }
    }

    #[test]
    fn who_is_gone_is_said_instead_of_waiting() {
        let all = on(3, |others| match others.rank() {
            1 => Ok(Vec::new()),
            _ => others.all_gather(b"there?"),
        });
        for rank in [0, 2] {
            let error = all[rank].as_ref().unwrap_err();
            assert_eq!((error.to_string().as_str(), error.is_input()), ("rank 1 is gone", false));
        }
    }

    #[test]
    fn work_that_fails_is_the_failure() {
        let all = on(2, |others| {
            let other = 1 - others.rank();
            let work = &mut || match others.rank() {
                0 => Err(Error::NoDriver),
                _ => Ok(()),
            };
            others.exchange(&[(other, vec![1])], &[(other, 1)], work)
        });
        assert_eq!(all, [Err(Error::NoDriver), Ok(vec![vec![1]])]);
    }
}
