//! The differential equation of a problem file, before it is checked.

use super::{Given, Ordered};

/// `[ode]`
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::problem::problem_file) struct Ode {
    /// The name of the times at which its states are computed.
    pub(in crate::problem::problem_file) times: String,
    /// The time of the initial values.
    pub(in crate::problem::problem_file) from: Option<Given>,
    #[serde(default)]
    pub(in crate::problem::problem_file) method: Method,
    pub(in crate::problem::problem_file) steps: Option<Given>,
    pub(in crate::problem::problem_file) tolerance: Option<Given>,
    pub(in crate::problem::problem_file) absolute: Option<Given>,
    pub(in crate::problem::problem_file) most_steps: Option<Given>,
    #[serde(default)]
    pub(in crate::problem::problem_file) r#let: Ordered<String>,
    pub(in crate::problem::problem_file) states: Ordered<State>,
}

/// The method of solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::problem::problem_file) enum Method {
    Rk4,
    #[default]
    Rk45,
}

/// A state.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::problem::problem_file) struct State {
    pub(in crate::problem::problem_file) initial: Given,
    pub(in crate::problem::problem_file) derivative: Given,
}
