//! The paper's algorithms, each an extension of the previous one, as run by the program.

use anyhow::Result;

use super::paper::Form;
use crate::reproduce::Options;
use crate::reproduce::measure::Load;
use crate::reproduce::program::{Program, Solved, words};

/// 10 slaves with 40 particles each, and 10 particles of the master. All algorithms have this number.
const INDIVIDUALS: u64 = 410;

/// An algorithm with its parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) words: &'static str,
    pub(crate) precision: &'static str,
}

const fn of_the_paper(name: &'static str, words: &'static str) -> Method {
    Method { name, words, precision: "f32" }
}

const fn by_default(name: &'static str, words: &'static str) -> Method {
    Method { name, words, precision: "f64" }
}

/// The algorithms with the paper's parameters, in the paper's precision.
pub(crate) const OF_THE_PAPER: [Method; 3] = [
    of_the_paper(
        "PSO",
        "pso --set preset=shi-eberhart-1999 --set cognitive=2.05 --set social=2.05 \
         --set velocity_limit=none --set boundary=reverse --set correction=0.22",
    ),
    of_the_paper("EPSO", "epso --set preset=cmepso-paper"),
    of_the_paper("CMEPSO", "cmepso --set preset=cmepso-paper"),
];

/// The algorithms with the program's default parameters.
pub(crate) const BY_DEFAULT: [Method; 3] =
    [by_default("PSO", "pso"), by_default("EPSO", "epso"), by_default("CMEPSO", "cmepso")];

impl Method {
    /// Runs this number of runs and iterations, starting with this seed.
    pub(crate) fn solve(
        &self,
        options: &Options,
        program: &Program,
        form: &Form,
        runs: u64,
        Load { work: iterations, seed }: Load,
    ) -> Result<Solved> {
        let Method { words: algorithm, precision, .. } = self;
        program.solve(words(&format!(
            "{} --algorithm {algorithm} --individuals {INDIVIDUALS} --iterations {iterations} \
             --precision {precision} --backend {} --runs {runs} --seed {seed}",
            form.problem, options.backend
        )))
    }
}
