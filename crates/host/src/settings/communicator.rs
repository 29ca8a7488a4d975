//! Communication between processes, or threads, that work together.

use crate::error::Result;

/// The communication between *ranks*: processes or threads that work together. All ranks make the same calls in the
/// same order.
///
/// The crate `warpswarm-islands` has three implementations: for a single rank, for threads, and for MPI.
///
/// ```
/// use warpswarm::{Communicator, Result};
/// /// A rank without others.
/// struct Hermit;
/// impl Communicator for Hermit {
///     fn rank(&self) -> u32 {
///         0
///     }
///     fn size(&self) -> u32 {
///         1
///     }
///     fn host(&self) -> String {
///         "cave".into()
///     }
///     fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
///         Ok(vec![bytes.to_vec()])
///     }
///     fn exchange(
///         &self,
///         _: &[(u32, Vec<u8>)],
///         _: &[(u32, usize)],
///         work: &mut dyn FnMut() -> Result<()>,
///     ) -> Result<Vec<Vec<u8>>> {
///         work().map(|()| Vec::new())
///     }
/// }
/// let others: &dyn Communicator = &Hermit;
/// assert_eq!(others.all_gather(b"hello")?, [b"hello"]);
/// # Ok::<(), warpswarm::Error>(())
/// ```
pub trait Communicator {
    /// The number of this rank, from 0.
    fn rank(&self) -> u32;

    /// The number of ranks, at least 1.
    fn size(&self) -> u32;

    /// The name of the machine that this rank runs on.
    fn host(&self) -> String;

    /// Collects the bytes of every rank, `[rank]`; returns when all ranks have called it.
    ///
    /// # Errors
    ///
    /// If a rank cannot be reached.
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>>;

    /// Does `work` while messages are in transit. `sent` contains the messages to other ranks, at most one for each.
    /// `expected` names the ranks from which a message comes, at most one from each, and its length in bytes. No
    /// message is waited for before the work is done. Returns the received messages in the order of `expected`.
    ///
    /// # Errors
    ///
    /// If the work fails, or a rank cannot be reached.
    fn exchange(
        &self,
        sent: &[(u32, Vec<u8>)],
        expected: &[(u32, usize)],
        work: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<Vec<u8>>>;
}
