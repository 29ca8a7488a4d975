//! The state of one run of particle swarm optimisation.

use warpswarm_core::launch::{Control, StopRule, row_stride, stopped};
use warpswarm_core::order::{Candidate, Fitness, level_of};
use warpswarm_core::pso;
use warpswarm_core::random::{Purpose, RunKey, Stream};
use warpswarm_core::real::Float;
use warpswarm_core::restart::{RestartState, regime};

use crate::parked::Parked;
use crate::restarts::Earlier;
use crate::task::{Evaluate, Task};
use crate::threads::{Chunk, Outcome, Threads, spread};

/// The identity of a run, which determines all its draws.
///
/// ```
/// use warpswarm_cpu_ref::RunId;
/// // A draw depends on both.
/// let keys = [(1, 0), (1, 1), (2, 0)].map(|(seed, run)| RunId { seed, run }.key());
/// assert!(keys[0] != keys[1] && keys[0] != keys[2] && keys[1] != keys[2]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunId {
    /// The seed that the user gave.
    pub seed: u64,
    /// The run's number for this seed: run r of a batch has number r.
    pub run: u64,
}

impl RunId {
    /// The key of the run's draws.
    #[inline(always)]
    pub fn key(self) -> RunKey {
        RunKey::new(self.seed, self.run)
    }
}

/// The state of one run: all that the next iteration depends on.
///
/// The layout is that of the GPU: a row of coordinates has `stride` places, of which the last `stride - dimensions` are
/// zero.
///
/// ```
/// use warpswarm_cpu_ref::{RunId, Swarm};
/// let swarm = Swarm::<f32>::unplaced(5, 10, RunId { seed: 1, run: 0 });
/// assert_eq!((swarm.individuals(), swarm.dimensions, swarm.stride), (10, 5, 8));
/// assert_eq!((swarm.positions.len(), swarm.position(9).len()), (80, 5));
/// ```
#[derive(Debug, PartialEq)]
pub struct Swarm<R> {
    /// The identity of the run.
    pub id: RunId,
    /// Coordinates of a particle, at least 1.
    pub dimensions: usize,
    /// Places in a row: [`row_stride`] of the dimensions.
    pub stride: usize,
    /// The positions of the particles, `[individual][stride]`.
    pub positions: Vec<R>,
    /// The velocities of the particles, `[individual][stride]`.
    pub velocities: Vec<R>,
    /// The best position of each particle, `[individual][stride]`.
    pub best_positions: Vec<R>,
    /// The fitness at the best position, `[individual]`.
    pub best: Vec<Fitness<R>>,
    /// Further numbers of an individual, `[individual][number]`; empty for PSO.
    pub numbers: Vec<R>,
    /// The memory of the run in its last iteration, if [its method](warpswarm_core::method::Method::learn) learns.
    pub memory: Vec<R>,
    /// Replaced points, `[place][individual][stride]`, with two places for each individual, if the method [has an
    /// archive](warpswarm_core::method::Method::leaves).
    pub archive: Vec<R>,
    /// The best of all personal bests, with the index of its particle.
    pub global: Candidate<R>,
    /// The position of the global best, `[stride]`.
    pub global_position: Vec<R>,
    /// The progress of the run, and whether it has stopped.
    pub control: Control,
    /// The state of its legs, if it restarts after convergence.
    pub legs: RestartState,
    /// The results of the previous legs, if a method restarts.
    pub earlier: Option<Box<Earlier<R>>>,
    /// The waiting search of a run with two searches in turns.
    pub parked: Option<Box<Parked<R>>>,
}

impl<R: Clone> Clone for Swarm<R> {
    fn clone(&self) -> Self {
        Swarm {
            positions: self.positions.clone(),
            velocities: self.velocities.clone(),
            best_positions: self.best_positions.clone(),
            best: self.best.clone(),
            numbers: self.numbers.clone(),
            memory: self.memory.clone(),
            archive: self.archive.clone(),
            global: self.global.clone(),
            global_position: self.global_position.clone(),
            earlier: self.earlier.clone(),
            parked: self.parked.clone(),
            ..*self
        }
    }

    /// Reuses the existing memory.
    fn clone_from(&mut self, other: &Self) {
        (self.id, self.dimensions, self.stride) = (other.id, other.dimensions, other.stride);
        self.positions.clone_from(&other.positions);
        self.velocities.clone_from(&other.velocities);
        self.best_positions.clone_from(&other.best_positions);
        self.best.clone_from(&other.best);
        self.numbers.clone_from(&other.numbers);
        self.memory.clone_from(&other.memory);
        self.archive.clone_from(&other.archive);
        self.global = other.global.clone();
        self.global_position.clone_from(&other.global_position);
        (self.control, self.legs) = (other.control, other.legs);
        self.earlier.clone_from(&other.earlier);
        self.parked.clone_from(&other.parked);
    }
}

impl<R: Float> Swarm<R> {
    /// The swarm at iteration 0: placed, evaluated, and stopped if its best reaches the target.
    ///
    /// `individuals` is at least 1. Position and velocity are [`pso::initial`] of the draws of iteration 0.
    pub fn new<O: Evaluate<R>>(
        task: &Task<'_, R, O>,
        individuals: u32,
        id: RunId,
        threads: Threads,
    ) -> Self {
        let mut swarm = Swarm::unplaced(task.dimensions(), individuals, id);
        let key = id.key();
        let tasks = threads.tasks(swarm.stride, task.halt);
        let outcome = spread(swarm.chunk().0, tasks, &|chunk| place(chunk, task, key));
        swarm.begin(outcome, &task.stop);
        swarm
    }

    /// Takes the results of placing all individuals.
    pub(crate) fn begin(&mut self, outcome: Outcome<R>, stop: &StopRule<R>) {
        self.take(outcome);
        self.settle(stop);
    }

    /// Takes the results of the iteration that the run has reached.
    pub(crate) fn take(&mut self, outcome: Outcome<R>) {
        self.control.not_finite += outcome.not_finite;
        // There is no best if the placement was aborted before the first individual.
        if outcome.best.beats(self.global) {
            if outcome.best.fitness.beats(self.global.fitness) {
                self.control.improved_at = self.control.iterations;
            }
            self.global = outcome.best;
            self.global_position = self.best_position(outcome.best.index as usize).to_vec();
        }
    }

    /// A swarm of the right shape with every coordinate zero and every fitness the worst, to be filled from another
    /// backend's memory or from a file.
    pub fn unplaced(dimensions: usize, individuals: u32, id: RunId) -> Self {
        let stride = row_stride(dimensions as u32) as usize;
        let places = individuals as usize * stride;
        Swarm {
            id,
            dimensions,
            stride,
            positions: vec![R::ZERO; places],
            velocities: vec![R::ZERO; places],
            best_positions: vec![R::ZERO; places],
            best: vec![Fitness::WORST; individuals as usize],
            numbers: Vec::new(),
            memory: Vec::new(),
            archive: Vec::new(),
            global: Candidate::NONE,
            global_position: vec![R::ZERO; stride],
            control: Control::default(),
            legs: RestartState::default(),
            earlier: None,
            parked: None,
        }
    }

    /// Switches to the other of two searches.
    pub(crate) fn take_turns(&mut self) {
        let age = self.age();
        let Some(parked) = &mut self.parked else { return };
        std::mem::swap(&mut self.best_positions, &mut parked.best_positions);
        std::mem::swap(&mut self.best, &mut parked.best);
        std::mem::swap(&mut self.numbers, &mut parked.numbers);
        std::mem::swap(&mut self.memory, &mut parked.memory);
        std::mem::swap(&mut self.archive, &mut parked.archive);
        std::mem::swap(&mut self.legs, &mut parked.legs);
        self.legs.began = self.control.iterations - parked.age;
        parked.age = age;
    }

    /// The key of the draws of the present leg.
    pub fn key(&self) -> RunKey {
        self.id.key().of_leg(self.legs.number)
    }

    /// Iterations since the present leg was placed.
    pub fn age(&self) -> u64 {
        self.control.iterations - self.legs.began
    }

    /// The number of particles.
    pub fn individuals(&self) -> usize {
        self.best.len()
    }

    /// The position of particle `individual`, `[dimensions]`.
    ///
    /// # Panics
    ///
    /// Panics for methods whose individuals have no position besides their best one, such as differential evolution.
    pub fn position(&self, individual: usize) -> &[R] {
        &self.positions[individual * self.stride..][..self.dimensions]
    }

    /// The best point so far, `[dimensions]`.
    pub fn best_point(&self) -> &[R] {
        &self.global_position[..self.dimensions]
    }

    /// Whether the run has stopped; such a swarm does not move any more.
    pub fn has_stopped(&self) -> bool {
        self.control.stopped != stopped::NOT
    }

    /// Records whether the run stops at the iteration that it has reached.
    ///
    /// Every step does this. Callers need it only if a run continues with another stop rule.
    pub fn settle(&mut self, stop: &StopRule<R>) {
        let Control { iterations, improved_at, .. } = self.control;
        self.control.stopped = stop.check(self.global.fitness, iterations, improved_at);
    }

    /// Continues at another level, see [`Fitness::within`], which is applied to all stored fitnesses: the same one to
    /// all samples of CMA-ES, [their own](level_of) to individuals. For [stagnation](StopRule::stagnation) this counts
    /// as an improvement.
    pub fn set_level(&mut self, level: R) {
        judge_anew(&mut self.best, &self.legs, level);
        if let Some(parked) = &mut self.parked {
            judge_anew(&mut parked.best, &parked.legs, level);
        }
        // With two searches, the best may be from either of them.
        let is_individuals = self.legs.individuals == 0;
        let own = if is_individuals { level_of(level, self.global.index) } else { level };
        self.global.fitness = self.global.fitness.exact().within(own);
        let kept = (0..).zip(&self.best).map(|(index, kept)| Candidate::new(*kept, index));
        let best = kept.fold(Candidate::NONE, Candidate::better);
        if best.beats(self.global) {
            self.global = best;
            self.global_position = self.best_position(best.index as usize).to_vec();
        }
        self.control = self.control.at_level(level);
        self.control.improved_at = self.control.iterations;
    }

    /// The row of particle `individual`'s best position, `[stride]`.
    pub(crate) fn best_position(&self, individual: usize) -> &[R] {
        &self.best_positions[individual * self.stride..][..self.stride]
    }

    /// All particles, and the row of the global best, which they read.
    pub(crate) fn chunk(&mut self) -> (Chunk<'_, R>, &mut [R]) {
        let chunk = Chunk {
            first: 0,
            stride: self.stride,
            positions: &mut self.positions,
            velocities: &mut self.velocities,
            best_positions: &mut self.best_positions,
            best: &mut self.best,
        };
        (chunk, &mut self.global_position)
    }
}

/// Applies a level to the stored fitnesses of a search with these legs.
fn judge_anew<R: Float>(kept: &mut [Fitness<R>], legs: &RestartState, level: R) {
    let is_samples = legs.individuals > 0 && legs.regime != regime::SHADE;
    for (individual, fitness) in (0..).zip(kept) {
        let level = if is_samples { level } else { level_of(level, individual) };
        *fitness = fitness.exact().within(level);
    }
}

/// The level at which a run with relaxed constraints begins: the violation of the individual that is better than four
/// fifths of all, among those with finite violations; 0 if there is none.
///
/// ```
/// use warpswarm_core::Fitness;
/// use warpswarm_cpu_ref::swarm::first_level;
/// let kept = [9.0, 2.0, f64::NAN, 4.0, 7.0].map(|violation| Fitness { violation, value: 1.0 });
/// assert_eq!((first_level(&kept), first_level(&kept[..3])), (4.0, 2.0));
/// ```
pub fn first_level<R: Float>(kept: &[Fitness<R>]) -> R {
    let mut violations: Vec<R> = kept.iter().map(|kept| kept.exact().violation).collect();
    let Some(last) = violations.iter().filter(|x| x.is_finite()).count().checked_sub(1) else {
        return R::ZERO;
    };
    let place = (violations.len() / 5).min(last);
    *violations.select_nth_unstable_by_key(place, |violation| violation.ordered()).1
}

/// Places and evaluates the particles of a chunk.
fn place<R: Float, O: Evaluate<R>>(
    mut chunk: Chunk<'_, R>,
    task: &Task<'_, R, O>,
    key: RunKey,
) -> Outcome<R> {
    let dimensions = task.dimensions();
    let stride = chunk.stride;
    let mut outcome = Outcome::NONE;
    for particle in chunk.particles(stride) {
        let stream = Stream::new(key, Purpose::Move, 0, particle.index);
        for i in 0..dimensions {
            let given = task.start.of(particle.index, i, dimensions);
            let (x, v) = pso::initial(task.bounds.of(i), stream.draws_of(i as u32), given);
            particle.position[i] = x;
            particle.velocity[i] = v;
            particle.best_position[i] = x;
        }
        let fitness = task.objective.evaluate(&particle.position[..dimensions]);
        *particle.best = fitness;
        outcome.not_finite += u64::from(!fitness.is_finite());
        outcome.best = outcome.best.better(Candidate::new(fitness, particle.index));
    }
    outcome
}
