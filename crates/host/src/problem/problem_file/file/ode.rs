//! What a problem file says of a differential equation.

use super::{Given, Ordered};

/// `[ode]`
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::problem::problem_file) struct Ode {
    /// The name of the times at which its states are wanted.
    pub(in crate::problem::problem_file) times: String,
    /// When the states are what they are at first.
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

/// How it is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::problem::problem_file) enum Method {
    Rk4,
    #[default]
    Rk45,
}

/// A state of it.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::problem::problem_file) struct State {
    pub(in crate::problem::problem_file) initial: Given,
    pub(in crate::problem::problem_file) derivative: Given,
}
