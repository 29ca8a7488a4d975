//! The algorithms that the paper builds upon each other, as the program runs them.

use anyhow::Result;

use super::paper::Form;
use crate::reproduce::Options;
use crate::reproduce::measure::Load;
use crate::reproduce::program::{Program, Solved, words};

/// 10 slaves of 40 particles, and the master's 10: the same number for all.
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

/// With the paper's values, in its precision.
pub(crate) const OF_THE_PAPER: [Method; 3] = [
    of_the_paper(
        "PSO",
        "pso --set preset=shi-eberhart-1999 --set cognitive=2.05 --set social=2.05 \
         --set velocity_limit=none --set boundary=reverse --set correction=0.22",
    ),
    of_the_paper("EPSO", "epso --set preset=cmepso-paper"),
    of_the_paper("CMEPSO", "cmepso --set preset=cmepso-paper"),
];

/// With the program's values.
pub(crate) const BY_DEFAULT: [Method; 3] =
    [by_default("PSO", "pso"), by_default("EPSO", "epso"), by_default("CMEPSO", "cmepso")];

impl Method {
    /// So many runs of so many iterations, from this seed on.
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
