//! Work that is done with a method of a type that is known when it is compiled.

/// A function that is generic over a method.
pub trait With<M> {
    /// The type of the result.
    type Output;
    /// Calls the function; implement it as `#[inline(always)]`.
    fn with(self, method: M) -> Self::Output;
}
