//! The numbers that fits return, in the order in which devices write them.

use warpswarm_core::Float;
use warpswarm_core::launch::triangle;

use crate::machine::plain;

/// The results of all fits, number after number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Found<R> {
    /// `[parameter][fit]`
    pub(crate) parameters: Vec<R>,
    /// The lower triangles of the covariances for known standard deviations, `[row][column][fit]`.
    pub(crate) covariance: Vec<R>,
    /// `[fit]`
    pub(crate) chi_squared: Vec<R>,
    /// The cost of the second best minimum that the search has found; NaN if there was none. `[fit]`, or empty if there
    /// was no search.
    pub(crate) other: Vec<R>,
    /// The words of an [`Outcome`](warpswarm_core::launch::Outcome). `[fit]`
    pub(crate) outcomes: Vec<[u32; 4]>,
}

impl<R> Found<R> {
    pub(crate) fn with_room(parameters: usize, fits: usize) -> Self {
        Found {
            parameters: Vec::with_capacity(parameters * fits),
            covariance: Vec::with_capacity(triangle(parameters) * fits),
            chi_squared: Vec::with_capacity(fits),
            other: Vec::with_capacity(fits),
            outcomes: Vec::with_capacity(fits),
        }
    }
}

impl<R: Float> Found<R> {
    /// Zeros, in memory that is not touched before it is written; no costs of other minima.
    pub(crate) fn zeros(parameters: usize, fits: usize) -> Self {
        let numbers = |count: usize| vec![R::ZERO; count * fits];
        Found {
            parameters: numbers(parameters),
            covariance: numbers(triangle(parameters)),
            chi_squared: numbers(1),
            other: Vec::new(),
            outcomes: vec![[0; 4]; fits],
        }
    }

    /// The bytes of the arrays that have the same layout on a device.
    pub(crate) fn bytes(&mut self) -> impl Iterator<Item = &mut [u8]> {
        let Found { parameters, covariance, chi_squared, outcomes, .. } = self;
        let numbers =
            [covariance, parameters, chi_squared].map(|numbers| plain::bytes_mut(numbers));
        numbers.into_iter().chain([plain::bytes_of_words(outcomes)]).flatten()
    }
}

impl<R: Copy> Found<R> {
    /// The parts joined in their order, with so many parameters.
    pub(crate) fn joined(mut parts: Vec<Self>, parameters: usize) -> Self {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let fits = parts.iter().map(|part| part.chi_squared.len()).sum();
        let mut all = Found::with_room(parameters, fits);
        let rows = |of: fn(&Self) -> &Vec<R>, count: usize, into: &mut Vec<R>| {
            for row in 0..count {
                for part in &parts {
                    let len = part.chi_squared.len();
                    into.extend_from_slice(&of(part)[row * len..][..len]);
                }
            }
        };
        rows(|part| &part.parameters, parameters, &mut all.parameters);
        rows(|part| &part.covariance, triangle(parameters), &mut all.covariance);
        rows(|part| &part.chi_squared, 1, &mut all.chi_squared);
        all.other = parts.iter().flat_map(|part| part.other.iter().copied()).collect();
        all.outcomes = parts.iter().flat_map(|part| part.outcomes.iter().copied()).collect();
        all
    }
}
