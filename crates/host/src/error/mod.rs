//! Everything that can go wrong, with the names and values that a user needs to correct it.

pub(crate) mod faults;
mod input;
mod kinds;
mod nearest;
mod place;
mod result;

pub use kinds::Error;
#[cfg(feature = "problem-files")]
pub(crate) use nearest::meant;
pub(crate) use nearest::nearest;
pub use result::Result;
