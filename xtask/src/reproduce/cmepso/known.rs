//! The best known points, with their constraints.

use warpswarm_core::objective::{Objective, SlicePoint};
use warpswarm_core::problems::{
    Problem, SpeedReducer, SpeedReducerCmepso, SpeedReducerMezura, Spring, SpringCmepso,
    WeldedBeam, WeldedBeamCmepso,
};

/// A point of a problem, in f64.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Known {
    pub(crate) x: Vec<f64>,
    pub(crate) g: Vec<f64>,
    pub(crate) value: f64,
}

/// The best known point of the problem with this name.
pub(crate) fn best(problem: &str) -> Option<Known> {
    let all: [fn(&str) -> Option<Known>; 7] = [
        of::<Spring>,
        of::<SpringCmepso>,
        of::<WeldedBeam>,
        of::<WeldedBeamCmepso>,
        of::<SpeedReducer>,
        of::<SpeedReducerMezura>,
        of::<SpeedReducerCmepso>,
    ];
    all.iter().find_map(|known| known(problem))
}

fn of<F: Problem + Objective<f64>>(problem: &str) -> Option<Known> {
    if problem != F::ID {
        return None;
    }
    let dimensions = F::COORDINATES.len();
    let x = (0..dimensions).map(|i| F::optimum_position(dimensions, i));
    let x = x.collect::<Option<Vec<f64>>>()?;
    let mut g = Vec::new();
    F::constraints(&SlicePoint(&x), |constraint| g.push(constraint));
    Some(Known { x, g, value: F::optimum_value(dimensions)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::cmepso::paper::FORMS;

    #[test]
    fn every_form_has_one() {
        for form in &FORMS {
            let known = best(form.problem).unwrap();
            assert_eq!((known.x.len(), known.g.len()), (form.coordinates.len(), form.constraints));
            // 30,000 is the largest number in a constraint.
            assert!(known.g.iter().all(|g| *g <= 30_000.0 * 1e-12), "{}: {:?}", form.name, known.g);
        }
        assert_eq!(best("sphere"), None);
    }

    /// The columns of CMEPSO are the optima of our forms, to the printed digits.
    #[test]
    fn the_papers_optima_are_ours() {
        let mut compared = 0;
        for form in &FORMS {
            let Some(column) = form.columns.iter().find(|column| column.name == "CMEPSO") else {
                continue;
            };
            let known = best(form.problem).unwrap();
            let pairs = column.x.iter().zip(&known.x).chain([(&column.fitness, &known.value)]);
            for (printed, exact) in pairs {
                let printed: f64 = printed.parse().unwrap();
                // Half a unit in the last printed digit, plus the rounding error of f32.
                approx::assert_abs_diff_eq!(printed, exact, epsilon = 1e-6 + exact * 6e-8);
                compared += 1;
            }
        }
        assert_eq!(compared, 4 + 5 + 8);
    }
}
