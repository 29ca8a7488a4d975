//! A two-dimensional problem as the background of a picture.

use warpswarm_pictures::Plane;

use crate::problem::Problem;

/// A two-dimensional problem.
pub(crate) fn plane(problem: &Problem) -> Plane {
    let corner = |bounds: &[f64]| [bounds[0], bounds[1]];
    let value = |point: [f64; 2]| {
        let found = problem.fitness(&point);
        (found.value, found.violation == 0.0)
    };
    let (lower, upper) = (corner(problem.bounds().lower()), corner(problem.bounds().upper()));
    Plane::new([0, 1].map(|i| problem.labelled(i)), lower, upper, value)
}
