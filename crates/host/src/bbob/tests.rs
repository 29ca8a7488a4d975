//! The functions at their optima, and against COCO's values.

use super::*;

#[test]
fn the_optimum_has_the_least_value() {
    for function in all() {
        for (instance, dimensions) in [(1, 2), (2, 5), (7, 40), (15, 3)] {
            let problem = function.instance(instance, dimensions).unwrap_or_else(|error| panic!("{error}"));
            let found = problem.file().evaluate(problem.optimum_position()).unwrap().fitness;
            let error = (found.value - problem.optimum_value()).abs();
            assert!(error < 1e-9, "{} {instance} {dimensions}: {error}", function.id);
        }
    }
}
