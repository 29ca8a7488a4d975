//! A single rank.

use warpswarm::{Communicator, Result};

/// The communicator of a single rank.
///
/// ```
/// use warpswarm::Communicator;
/// use warpswarm_islands::Alone;
/// assert_eq!((Alone.rank(), Alone.size()), (0, 1));
/// assert_eq!(Alone.all_gather(b"me")?, [b"me"]);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Communicator for Alone {
    fn rank(&self) -> u32 {
        0
    }

    fn size(&self) -> u32 {
        1
    }

    fn host(&self) -> String {
        "this machine".into()
    }

    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        Ok(vec![bytes.to_vec()])
    }

    fn exchange(
        &self,
        _: &[(u32, Vec<u8>)],
        _: &[(u32, usize)],
        work: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<Vec<u8>>> {
        work().map(|()| Vec::new())
    }
}
