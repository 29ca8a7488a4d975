//! Communication between ranks.

mod alone;
#[cfg(feature = "mpi")]
mod mpi;
mod threads;

use warpswarm::Error;

#[cfg(feature = "mpi")]
pub use self::mpi::{Mpi, initialise};
pub use alone::Alone;
pub use threads::{Threads, threads};

/// The error of ranks that cannot reach each other.
fn unreachable(message: String) -> Error {
    Error::Ranks { message, input: false }
}
