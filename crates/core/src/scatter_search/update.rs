//! Which points the diverse set takes over.

/// Which points the diverse set takes over.
///
/// ```
/// use warpswarm_core::scatter_search::Update;
/// let default = Update::ALL.into_iter().find(|(_, update)| *update == Update::default());
/// assert_eq!(default, Some(("diverse", Update::Diverse)));
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Update {
    /// The best points after those of the best set.
    Best = 0,
    /// The points farthest from the best set.
    #[default]
    Diverse = 1,
}

impl Update {
    /// Every update with the name that users give it.
    pub const ALL: [(&'static str, Update); 2] =
        [("best", Update::Best), ("diverse", Update::Diverse)];
}
crate::words!(enum Update);
