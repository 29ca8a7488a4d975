//! How lanes divide planning.

/// How lanes that share an individual divide [planning](super::Method::plan). Lanes that plan alone send their plans to
/// the others through [`Method::mapped`](super::Method::mapped).
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
    /// All lanes compute the same plan.
    Together,
    /// Each lane plans another attempt of the individual; for methods whose plans do not change the numbers.
    AttemptEach,
    /// Each lane plans for another individual; for methods with one attempt that take over no other's point, and do not
    /// change the numbers until they [accept](super::Method::accept).
    IndividualEach,
}
