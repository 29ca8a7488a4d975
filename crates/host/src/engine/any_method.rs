//! Methods as trait objects, in the form that backends use.

use std::mem::offset_of;

use warpswarm_core::Float;
use warpswarm_core::launch::{GenerationArgs, MethodArgs};
use warpswarm_core::method::{Lessons, Method};
use warpswarm_cpu_ref::generation::{self, Work};
use warpswarm_cpu_ref::population_reduction::{self, PopulationReduction};
use warpswarm_cpu_ref::restarts::{self, Span};
use warpswarm_cpu_ref::{ProposeAccept, RunId, Swarm, Threads};

use super::planner::generation::Moves;
use crate::machine::Parameter;

/// A [`Method`] as a trait object: the operations that backends need.
pub(crate) trait AnyMethod<R>: Send + Sync {
    /// The number of own rows, and of numbers, of an individual.
    fn keeps(&self) -> (usize, usize);
    /// The memory of a run at the start.
    fn first_memory(&self) -> Vec<R>;
    /// The contributions of individuals with these numbers to the sums from which a run learns, `[group]`.
    fn lessons(&self, numbers: &[R]) -> Vec<Lessons<R>>;
    /// The properties that its layout on a device depends on.
    fn moves(&self) -> Moves;
    /// See [`Method::attempts`].
    fn attempts(&self, iteration: u64, index: u32) -> u32;
    /// Whether each of `individuals` individuals makes all its attempts in an iteration.
    fn makes_all_attempts(&self, iteration: u64, individuals: u32) -> bool;
    /// See [`Method::evaluations`].
    fn evaluations(&self, individuals: u32, iterations: u64) -> u64;
    /// See [`Method::noticed`].
    fn noticed(&self, iteration: u64) -> u64;
    /// See [`Method::nearest`].
    fn nearest(&self) -> bool;
    /// See [`generation::start`].
    fn start(&self, work: &Work<'_, R>, individuals: u32, id: RunId, threads: Threads) -> Swarm<R>;
    /// See [`generation::run`].
    fn run(&self, swarm: &mut Swarm<R>, work: &Work<'_, R>, iterations: u64, threads: Threads);
    /// See [`population_reduction::run`].
    fn run_with_reduction(
        &self,
        swarm: &mut Swarm<R>,
        reduction: &PopulationReduction,
        work: &Work<'_, R>,
        iterations: u64,
        threads: Threads,
    );
    /// See [`restarts::run`].
    fn run_anew(&self, swarm: &mut Swarm<R>, work: &Work<'_, R>, span: Span, threads: Threads);
    /// See [`generation::Moving`].
    fn propose_accept(&self) -> Box<dyn ProposeAccept<R>>;
    /// A kernel's parameter without the objective.
    fn parameter(&self, args: GenerationArgs<R>) -> Parameter;
    /// Its words in a kernel's parameter, with their byte offsets: see [`Method::words`].
    fn words(&self) -> Vec<(u32, u32)>;
}

impl<R: Float, M: Method<R>> AnyMethod<R> for M {
    fn keeps(&self) -> (usize, usize) {
        (M::OWN, M::NUMBERS)
    }
    fn first_memory(&self) -> Vec<R> {
        (0..Method::memory(self)).map(|k| self.first_remembered(k)).collect()
    }
    fn lessons(&self, numbers: &[R]) -> Vec<Lessons<R>> {
        generation::common::lessons(self, numbers)
    }
    fn moves(&self) -> Moves {
        Moves {
            shares: M::SHARES,
            attempts: self.most_attempts(),
            observes_far: self.observes_far(),
            rows: M::OWN + M::OTHERS,
            frugal: M::FRUGAL,
            most_threads: M::MOST_THREADS[R::WORDS - 1],
            has_steps: false,
        }
    }
    fn attempts(&self, iteration: u64, index: u32) -> u32 {
        Method::attempts(self, iteration, index)
    }
    fn makes_all_attempts(&self, iteration: u64, individuals: u32) -> bool {
        let most = self.most_attempts();
        (0..individuals).all(|index| Method::attempts(self, iteration, index) == most)
    }
    fn evaluations(&self, individuals: u32, iterations: u64) -> u64 {
        Method::evaluations(self, individuals, iterations)
    }
    fn noticed(&self, iteration: u64) -> u64 {
        Method::noticed(self, iteration)
    }
    fn nearest(&self) -> bool {
        Method::nearest(self)
    }
    fn start(&self, work: &Work<'_, R>, individuals: u32, id: RunId, threads: Threads) -> Swarm<R> {
        generation::start(self, work, individuals, id, threads)
    }
    fn run(&self, swarm: &mut Swarm<R>, work: &Work<'_, R>, iterations: u64, threads: Threads) {
        generation::run(swarm, self, work, iterations, threads);
    }
    fn run_with_reduction(
        &self,
        swarm: &mut Swarm<R>,
        reduction: &PopulationReduction,
        work: &Work<'_, R>,
        iterations: u64,
        threads: Threads,
    ) {
        population_reduction::run(swarm, (self, reduction), work, iterations, threads);
    }
    fn run_anew(&self, swarm: &mut Swarm<R>, work: &Work<'_, R>, span: Span, threads: Threads) {
        restarts::run(swarm, self, work, span, threads);
    }
    fn propose_accept(&self) -> Box<dyn ProposeAccept<R>> {
        Box::new(generation::Moving::new(*self))
    }
    fn parameter(&self, args: GenerationArgs<R>) -> Parameter {
        Parameter::of(MethodArgs { args, method: *self })
    }
    fn words(&self) -> Vec<(u32, u32)> {
        let mut words = Vec::new();
        let note = &mut |place, word| words.push((place as u32, word));
        Method::words(self, offset_of!(MethodArgs<R, M>, method), note);
        words
    }
}
