//! A run's objective within its bounds, in the form that a local search uses.

use warpswarm_core::Float;
use warpswarm_core::order::Fitness;
use warpswarm_core::polish::{Landscape, Smooth, Store};
use warpswarm_core::variable::Scale;
use warpswarm_cpu_ref::Bounds;

use crate::engine::Job;
use crate::objective::closure::HostObjective;
use crate::objective::slopes::Slopes;

/// The objective of a run.
pub(super) struct Place<'a, R> {
    objective: &'a HostObjective<R>,
    slopes: &'a dyn Slopes<R>,
    run: u32,
    bounds: Bounds<'a, R>,
    /// Whether each coordinate keeps its value.
    fixed: Vec<bool>,
    /// The number of known constraints.
    constraints: usize,
    /// Whether a point with a violation has no value: if the single constraints are unknown, derivatives do not lead
    /// back.
    walled: bool,
    /// Whether such a point was evaluated.
    met_wall: bool,
    /// Whether the time is over.
    is_over: &'a (dyn Fn() -> bool + Sync),
    /// The numbers of evaluations and gradients so far, and those after which the search ends.
    done: [u64; 2],
    until: Option<[u64; 2]>,
    /// The point that was evaluated last.
    x: Vec<R>,
}

impl<'a, R: Float> Place<'a, R> {
    pub(super) fn new(
        objective: &'a HostObjective<R>,
        known: Option<&'a dyn Slopes<R>>,
        job: &'a Job<R>,
        (run, x): (u32, &[R]),
        is_over: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        let whole = Scale::Integer.code::<R>();
        let fixed = (0..x.len()).map(|i| job.scales.codes().get(i) == Some(&whole)).collect();
        let slopes = known.unwrap_or(objective);
        let mut constraints = 0;
        slopes.constraints(run, x, &mut |_| constraints += 1);
        let (bounds, walled, x) = (job.bounds_of(run), known.is_none(), x.to_vec());
        Place {
            objective,
            slopes,
            run,
            bounds,
            fixed,
            constraints,
            walled,
            met_wall: false,
            is_over,
            done: [0; 2],
            until: None,
            x,
        }
    }

    /// Ends the search after these numbers of evaluations and gradients, as if no time were left.
    pub(super) fn end_after(&mut self, until: Option<[u64; 2]>) {
        self.until = until;
    }

    /// Whether each coordinate keeps its value.
    pub(super) fn fixed(&self) -> &[bool] {
        &self.fixed
    }

    /// Whether a point had no value because of its violation.
    pub(super) fn has_met_wall(&self) -> bool {
        self.met_wall
    }

    /// For a search that compares violations itself.
    pub(super) fn let_violations_pass(&mut self) {
        self.walled = false;
    }

    fn take(&mut self, x: impl Store<R>) {
        self.x.iter_mut().enumerate().for_each(|(i, place)| *place = x.get(i));
    }
}

impl<R: Float> Landscape<R> for Place<'_, R> {
    fn dimensions(&self) -> usize {
        self.x.len()
    }

    fn constraints(&self) -> usize {
        self.constraints
    }

    fn bounds(&self, i: usize) -> (R, R) {
        (self.bounds.lower[i], self.bounds.upper[i])
    }

    fn is_fixed(&self, i: usize) -> bool {
        self.fixed[i]
    }

    fn is_over(&self) -> bool {
        let [evaluations, gradients] = self.done;
        self.until.is_some_and(|until| evaluations >= until[0] && gradients >= until[1])
            || (self.is_over)()
    }

    fn evaluate(&mut self, x: impl Store<R>, mut constraint: impl FnMut(usize, R)) -> Fitness<R> {
        self.take(x);
        self.done[0] += 1;
        // For a problem file, finding that there are no constraints would cost an evaluation.
        if self.constraints > 0 {
            let mut number = 0;
            self.slopes.constraints(self.run, &self.x, &mut |value| {
                constraint(number, value);
                number += 1;
            });
        }
        let fitness = self.objective.at(self.run, &self.x);
        if self.walled && fitness.violation != R::ZERO {
            self.met_wall = true;
            return Fitness::WORST;
        }
        fitness
    }
}

impl<R: Float> Smooth<R> for Place<'_, R> {
    fn partials(&mut self, x: impl Store<R>, mut partial: impl FnMut(usize, usize, R)) {
        self.take(x);
        self.done[1] += 1;
        let constraints = self.constraints;
        self.slopes.partials(self.run, &self.x, &mut |number, i, slope| {
            // The value comes last, and is row 0.
            let row = if number == constraints { 0 } else { number + 1 };
            partial(row, i, slope);
        });
    }
}
