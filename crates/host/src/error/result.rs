//! The crate's result type.

use super::Error;

/// The crate's [`Result`](std::result::Result): its default error is [`Error`].
///
/// ```
/// let square: warpswarm::Result<_> = warpswarm::Bounds::uniform(2, -1.0, 1.0);
/// assert_eq!(square?.dimensions(), 2);
/// # Ok::<(), warpswarm::Error>(())
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;
