//! How scatter search renews its diverse set.

/// How the diverse set is renewed.
///
/// ```
/// use warpswarm_core::scatter_search::Update;
/// let default = Update::ALL.into_iter().find(|(_, update)| *update == Update::default());
/// assert_eq!(default, Some(("diverse", Update::Diverse)));
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Update {
    /// By the best that the best set has no room for.
    Best = 0,
    /// By the farthest from the best set.
    #[default]
    Diverse = 1,
}

impl Update {
    /// Every way with the name that users give it.
    pub const ALL: [(&'static str, Update); 2] =
        [("best", Update::Best), ("diverse", Update::Diverse)];
}
crate::words!(enum Update);
