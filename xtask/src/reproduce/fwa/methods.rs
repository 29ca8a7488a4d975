//! The three methods that the paper compares, as run by the program.

use anyhow::Result;
use rayon::prelude::*;

use super::paper::{DIMENSIONS, FIREWORKS};
use crate::reproduce::Options;
use crate::reproduce::program::{Program, Solved, words};

/// The number of programs that run at once on a GPU. The time of one of them is mostly set-up.
const AT_ONCE: usize = 8;

/// The number of programs that run at once on the chosen backend.
pub(crate) fn beside(options: &Options) -> usize {
    if options.backend == "gpu" { AT_ONCE } else { 1 }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    GpuFwa,
    Fwa,
    Pso,
}

impl Method {
    pub(crate) const ALL: [Method; 3] = [Method::GpuFwa, Method::Fwa, Method::Pso];
    /// The methods with which GPU-FWA is compared.
    pub(crate) const OTHERS: [Method; 2] = [Method::Fwa, Method::Pso];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Method::GpuFwa => "GPU-FWA",
            Method::Fwa => "FWA",
            Method::Pso => "PSO",
        }
    }

    /// The number of individuals that corresponds to this number of fireworks of GPU-FWA.
    pub(crate) fn individuals(self, fireworks: u64) -> u64 {
        match self {
            Method::GpuFwa => fireworks,
            Method::Fwa => 64 * fireworks / FIREWORKS,
            Method::Pso => 16 * fireworks,
        }
    }

    /// A number of evaluations that is sufficient for the initial individuals and two iterations.
    pub(crate) fn fewest_evaluations(self, fireworks: u64) -> u64 {
        2 * (64 + 640 + 64) * fireworks / FIREWORKS + 16 * fireworks
    }

    /// The algorithm with the paper's parameters, as options of the program.
    fn words(self, fireworks: u64) -> String {
        let algorithm = match self {
            Method::GpuFwa => "gpu-fwa --set preset=paper".into(),
            Method::Fwa => {
                let (sparks, gaussian) = (640 * fireworks / FIREWORKS, 64 * fireworks / FIREWORKS);
                // The minimum is two sparks, as with 640 sparks.
                let fewest = 2.0 / sparks as f64;
                format!(
                    "fwa --set preset=gpu-fwa-paper --set sparks={sparks} \
                     --set gaussian_sparks={gaussian} --set fewest={fewest}"
                )
            }
            Method::Pso => "pso --set preset=bratton-kennedy-2007".into(),
        };
        format!("--algorithm {algorithm} --individuals {}", self.individuals(fireworks))
    }
}

/// A run of a method.
#[derive(Clone, Debug)]
pub(crate) struct Question<'a> {
    pub(crate) method: Method,
    pub(crate) problem: &'a str,
    pub(crate) fireworks: u64,
    pub(crate) evaluations: u64,
    pub(crate) seed: u64,
    /// Further options: backend, precision, number of runs.
    pub(crate) more: &'a str,
}

impl Question<'_> {
    fn words(&self) -> String {
        let Question { method, problem, fireworks, evaluations, seed, more } = self;
        let algorithm = method.words(*fireworks);
        format!(
            "{problem} --dim {DIMENSIONS} {algorithm} --evaluations {evaluations} --seed {seed} {more}"
        )
    }

    pub(crate) fn ask(&self, program: &Program) -> Result<Solved> {
        program.solve(words(&self.words()))
    }
}

/// Runs all items and returns their results in order. On a GPU, several run at once, so their times are not meaningful.
pub(crate) fn at_once<T: Sync, F: Send>(
    options: &Options,
    all: &[T],
    find: impl Fn(&T) -> Result<F> + Send + Sync,
) -> Result<Vec<F>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(beside(options)).build()?;
    pool.install(|| all.par_iter().with_max_len(1).map(find).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_grow_together() {
        let individuals = |n| Method::ALL.map(|method| method.individuals(n));
        assert_eq!(individuals(48), [48, 64, 768]);
        assert_eq!(individuals(144), [144, 192, 2_304]);
        assert!(Method::Fwa.words(48).contains("sparks=640 --set gaussian_sparks=64"));
        assert!(Method::Fwa.words(48).contains("fewest=0.003125 --individuals 64"));
        assert!(Method::Fwa.words(144).contains("sparks=1920 --set gaussian_sparks=192"));
    }

    #[test]
    fn questions_in_words() {
        let question = Question {
            method: Method::Pso,
            problem: "sphere",
            fireworks: 72,
            evaluations: 9_000,
            seed: 2,
            more: "--precision f64",
        };
        let expected = "sphere --dim 30 --algorithm pso --set preset=bratton-kennedy-2007 \
                        --individuals 1152 --evaluations 9000 --seed 2 --precision f64";
        assert_eq!(question.words(), expected);
    }
}
