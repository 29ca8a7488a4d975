//! Helpers that the tests share.

use warpswarm_core::boundary::Boundary;
use warpswarm_core::launch::StopRule;
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::order::Fitness;
use warpswarm_core::pso::Coefficients;
use warpswarm_core::{Float, Objective};
use warpswarm_cpu_ref::{Bounds, DynObjective, Halt, RunId, Start, Swarm, Task, difference};

pub(crate) const ID: RunId = RunId { seed: 7, run: 2 };

/// The default coefficients in any precision.
pub(crate) fn coefficients<R: Float>(boundary: Boundary) -> Coefficients<R> {
    Coefficients {
        inertia: R::from_f64(0.7298),
        cognitive: R::from_f64(1.4962),
        social: R::from_f64(1.4962),
        velocity_limit: R::ONE,
        correction: R::from_f64(0.22),
        boundary,
    }
}

/// The paper's coefficients, with which swarms diverge.
pub(crate) fn diverging<R: Float>(boundary: Boundary) -> Coefficients<R> {
    Coefficients {
        inertia: R::ONE,
        cognitive: R::TWO,
        social: R::TWO,
        velocity_limit: R::INFINITY,
        ..coefficients(boundary)
    }
}

/// Bounds in any number of dimensions, not symmetric.
pub(crate) struct Cube<R>(pub(crate) Vec<R>, pub(crate) Vec<R>);

impl<R: Float> Cube<R> {
    pub(crate) fn new(dimensions: usize, lower: f64, upper: f64) -> Self {
        Cube(vec![R::from_f64(lower); dimensions], vec![R::from_f64(upper); dimensions])
    }
    pub(crate) fn bounds(&self) -> Bounds<'_, R> {
        Bounds { lower: &self.0, upper: &self.1 }
    }

    /// The task of an objective without constraints. Loops for objectives of a known type would have to be compiled for
    /// each of them; a test of the values of seeds compares the two.
    pub(crate) fn task<O: Objective<R>>(
        &self,
        objective: O,
    ) -> Task<'_, R, DynObjective<'static, R, false>> {
        assert!(!O::CONSTRAINED);
        self.task_of(DynObjective(evaluation(objective)))
    }

    /// The task of an objective with constraints.
    pub(crate) fn constrained<O: Objective<R>>(
        &self,
        objective: O,
    ) -> Task<'_, R, DynObjective<'static, R, true>> {
        assert!(O::CONSTRAINED);
        self.task_of(DynObjective(evaluation(objective)))
    }

    pub(crate) fn task_of<O>(&self, objective: O) -> Task<'_, R, O> {
        Task {
            objective,
            bounds: self.bounds(),
            start: Start::default(),
            stop: StopRule::NEVER,
            halt: Halt::NEVER,
        }
    }
}

/// The evaluation of an objective, for the rest of the program.
fn evaluation<R: Float>(
    objective: impl Objective<R>,
) -> &'static (dyn Fn(&[R]) -> Fitness<R> + Sync) {
    Box::leak(Box::new(move |x: &[R]| objective.evaluate(&SlicePoint(x))))
}

/// Fails unless both swarms are the same by bits.
#[track_caller]
pub(crate) fn assert_same<R: Float>(left: &Swarm<R>, right: &Swarm<R>, what: &str) {
    if let Some(difference) = difference(left, right) {
        panic!("{what}: {difference}");
    }
}

/// Fails unless every position is in bounds, everything finite, and the padding zero.
#[track_caller]
pub(crate) fn assert_sound<R: Float>(swarm: &Swarm<R>, bounds: Bounds<'_, R>) {
    for rows in [&swarm.positions, &swarm.velocities, &swarm.best_positions] {
        assert_eq!(rows.len(), swarm.individuals() * swarm.stride);
        for row in rows.chunks(swarm.stride) {
            assert!(row.iter().all(|x| x.is_finite()), "{row:?}");
            assert!(row[swarm.dimensions..].iter().all(|x| x.to_bits64() == 0), "{row:?}");
        }
    }
    let points = swarm.positions.chunks(swarm.stride);
    for row in points.chain(swarm.best_positions.chunks(swarm.stride)) {
        for i in 0..swarm.dimensions {
            let (lower, upper) = bounds.of(i);
            assert!(row[i] >= lower && row[i] <= upper, "{} in [{lower}, {upper}]", row[i]);
        }
    }
}
