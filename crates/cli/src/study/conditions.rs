//! The conditions under which algorithms are compared.

use warpswarm::{Backend, Precision};

use crate::args::CommonArgs;

const RUNS: u64 = 25;
const EVALUATIONS: u64 = 100_000;

/// The settings with which each algorithm is run on each problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions {
    pub(crate) runs: u64,
    pub(crate) evaluations: u64,
    pub(crate) seed: u64,
    pub(crate) precision: Precision,
    pub(crate) backend: Backend,
    pub(crate) threads: Option<usize>,
}

impl Conditions {
    pub(crate) fn of(common: &CommonArgs) -> Conditions {
        Conditions {
            runs: common.runs.unwrap_or(RUNS),
            evaluations: common.evaluations.unwrap_or(EVALUATIONS),
            seed: common.seed.unwrap_or(0),
            precision: common.precision.unwrap_or(Precision::F64),
            backend: common.backend,
            threads: common.threads.map(|threads| threads as usize),
        }
    }
}
