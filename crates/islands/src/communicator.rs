//! With whom ranks speak, and how.

mod alone;
#[cfg(feature = "mpi")]
mod mpi;
mod threads;

use warpswarm::Error;

#[cfg(feature = "mpi")]
pub use self::mpi::{Mpi, initialise};
pub use alone::Alone;
pub use threads::{Threads, threads};

/// Ranks cannot reach each other.
fn unreachable(message: String) -> Error {
    Error::Ranks { message, input: false }
}
