//! Ranks that are processes, over MPI.

use mpi::Threading;
use mpi::datatype::PartitionMut;
use mpi::environment::Universe;
use mpi::request::WaitGuard;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, CommunicatorCollectives, Destination, Source};
use warpswarm::{Communicator, Error, Result};

use super::unreachable;

/// The communicator of a process that was started by `mpirun`: see [`initialise`].
///
/// ```
/// use warpswarm::Communicator;
/// fn greet(others: &warpswarm_islands::Mpi) -> String {
///     let (local, of) = others.local();
///     format!("rank {} of {}: number {local} of {of} on {}", others.rank(), others.size(), others.host())
/// }
/// ```
pub struct Mpi {
    world: SimpleCommunicator,
    local: (u32, u32),
    host: String,
    // Finalises MPI when it is dropped, after all other fields.
    _universe: Universe,
}

impl std::fmt::Debug for Mpi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = (self.rank(), self.size());
        f.debug_struct("Mpi").field("rank_and_size", &place).field("host", &self.host).finish()
    }
}

/// Initialises MPI, once in a process. MPI is finalised when the returned value is dropped. A process that was started
/// without `mpirun` is the only rank.
///
/// ```
/// use warpswarm::Communicator;
/// let others = warpswarm_islands::initialise()?;
/// assert!(others.rank() < others.size() && others.local().0 < others.local().1);
/// # Ok::<(), warpswarm::Error>(())
/// ```
///
/// # Errors
///
/// If MPI was initialised before.
pub fn initialise() -> Result<Mpi> {
    // Only this thread communicates with other ranks.
    let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)
        .ok_or_else(|| unreachable("MPI was begun before in this process".into()))?;
    let world = universe.world();
    let node = world.split_shared(world.rank());
    let local = (node.rank() as u32, node.size() as u32);
    let host = mpi::environment::processor_name().unwrap_or_else(|_| "a machine".into());
    Ok(Mpi { world, local, host, _universe: universe })
}

impl Mpi {
    /// The number of this rank among those of its machine, from 0, and how many these are. The rank uses the GPU of
    /// that number.
    pub fn local(&self) -> (u32, u32) {
        self.local
    }

    /// Ends the processes of all ranks at once, with this exit code.
    pub fn abort(&self, code: u8) -> ! {
        self.world.abort(code.into())
    }
}

/// MPI uses 32-bit counts.
fn counted(bytes: usize) -> Result<i32> {
    i32::try_from(bytes).map_err(|_| {
        unreachable(format!("a message of {bytes} bytes is too long for MPI; allowed: 2147483647"))
    })
}

impl Communicator for Mpi {
    fn rank(&self) -> u32 {
        self.world.rank() as u32
    }

    fn size(&self) -> u32 {
        self.world.size() as u32
    }

    fn host(&self) -> String {
        self.host.clone()
    }

    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut lengths = vec![0_u64; self.size() as usize];
        self.world.all_gather_into(&(bytes.len() as u64), &mut lengths[..]);
        // The sum is equal on all ranks, so that all fail or none.
        let total: u64 = lengths.iter().sum();
        counted(total as usize)?;
        let counts: Vec<i32> = lengths.iter().map(|len| *len as i32).collect();
        let ends = counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        let begins: Vec<i32> = ends.zip(&counts).map(|(end, count)| end - count).collect();
        let mut all = vec![0_u8; total as usize];
        let mut parts = PartitionMut::new(&mut all[..], &counts[..], &begins[..]);
        self.world.all_gather_varcount_into(bytes, &mut parts);
        let mut rest = &all[..];
        let part = |len: &u64| {
            let (part, others) = rest.split_at(*len as usize);
            rest = others;
            part.to_vec()
        };
        Ok(lengths.iter().map(part).collect())
    }

    fn exchange(
        &self,
        sent: &[(u32, Vec<u8>)],
        expected: &[(u32, usize)],
        work: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<Vec<u8>>> {
        sent.iter().try_for_each(|(_, bytes)| counted(bytes.len()).map(|_| ()))?;
        let mut received: Vec<Vec<u8>> = expected.iter().map(|(_, len)| vec![0; *len]).collect();
        let done: Result<(), Error> = mpi::request::scope(|scope| {
            // Receives are posted first, so that arriving messages have a buffer.
            let receives = expected.iter().zip(&mut received).map(|((from, _), bytes)| {
                let from = self.world.process_at_rank(*from as i32);
                WaitGuard::from(from.immediate_receive_into(scope, &mut bytes[..]))
            });
            let receives: Vec<_> = receives.collect();
            let sends = sent.iter().map(|(to, bytes)| {
                let to = self.world.process_at_rank(*to as i32);
                WaitGuard::from(to.immediate_send(scope, &bytes[..]))
            });
            let sends: Vec<_> = sends.collect();
            let done = work();
            // A guard waits until its message has been received or sent.
            drop((sends, receives));
            done
        });
        done.map(|()| received)
    }
}
