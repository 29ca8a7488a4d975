//! The crate's results.

use super::Error;

/// What [`Result`](std::result::Result) means in this crate.
///
/// ```
/// let square: warpswarm::Result<_> = warpswarm::Bounds::uniform(2, -1.0, 1.0);
/// assert_eq!(square?.dimensions(), 2);
/// # Ok::<(), warpswarm::Error>(())
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;
