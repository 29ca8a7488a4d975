//! Who plans.

/// How lanes that have an individual together share [planning](super::Method::plan): where each plans alone, they hand over what
/// they have decided by [`Method::handed`](super::Method::handed).
///
/// ```
/// use warpswarm_core::method::{Method, Planning};
/// use warpswarm_core::{de::De, epso::Epso, sa::Sa};
/// assert_eq!(<Sa<f32> as Method<f32>>::PLANNING, Planning::Together);
/// // A logarithm, a sine and a cosine for the weights of each attempt.
/// assert_eq!(<Epso<f32> as Method<f32>>::PLANNING, Planning::AttemptEach);
/// // In f64 there are no registers to plan ahead.
/// assert_eq!(<De<f32> as Method<f32>>::PLANNING, Planning::IndividualEach);
/// assert_eq!(<De<f64> as Method<f64>>::PLANNING, Planning::Together);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planning {
    /// All plan the same.
    Together,
    /// Each plans another attempt of the individual; for methods whose plans leave the numbers as they are.
    AttemptEach,
    /// Each plans for another individual. For methods of one attempt that take over no other's point, and leave the numbers as
    /// they are until they [accept](super::Method::accept).
    IndividualEach,
}
