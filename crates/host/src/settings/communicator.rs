//! Processes, or threads, that work on something together and speak to each other.

use crate::error::Result;

/// What one of several *ranks* speaks to the others with. All of them do the same calls in the same order.
///
/// The crate `warpswarm-islands` has three: one for a rank that is alone, one for threads, and one over MPI.
///
/// ```
/// use warpswarm::{Communicator, Result};
/// /// Somebody who speaks to nobody.
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
    /// Which rank this is, from 0.
    fn rank(&self) -> u32;

    /// How many ranks there are, at least 1.
    fn size(&self) -> u32;

    /// The name of the machine on which this rank is.
    fn host(&self) -> String;

    /// What every rank has given, `[rank]`, when all have.
    ///
    /// # Errors
    ///
    /// Where a rank cannot be reached.
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>>;

    /// Does `work` while messages are under way: those of `sent` to other ranks, at most one to each, and those that are
    /// `expected`, at most one of a rank, of so many bytes. Nothing is waited for before the work is done; then what was
    /// expected comes, in that order.
    ///
    /// # Errors
    ///
    /// Where the work fails, or a rank cannot be reached.
    fn exchange(
        &self,
        sent: &[(u32, Vec<u8>)],
        expected: &[(u32, usize)],
        work: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<Vec<u8>>>;
}
