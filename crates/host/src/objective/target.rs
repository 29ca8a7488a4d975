//! Objectives in the form that kernels use, and which built-in problem an objective is.

use std::any::Any;
use std::sync::Arc;

use warpswarm_core::problems::*;
use warpswarm_core::{Float, Objective};

use crate::error::{Error, Result};
use crate::machine::kernels::Kernels;
use crate::machine::program::Program;
use crate::machine::{Kernel, Parameter, Piece};
use crate::settings::choices::Backend;

/// The properties of an objective that launches depend on.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The name of its type in the names of kernels.
    pub(crate) name: String,
    /// The objective as a kernel's argument.
    pub(crate) objective: Parameter,
    /// Its kernels, unless they are built in.
    pub(crate) own: Option<Kernels>,
    /// The program from which it is built, if it is an expression.
    pub(crate) program: Option<Arc<Program>>,
    /// The name of a built-in problem, and the numbers of dimensions in which it is defined and has kernels.
    pub(crate) problem: Option<(&'static str, Dimensions)>,
    /// `Objective::CONSTRAINED`
    pub(crate) constrained: bool,
    /// `Objective::GATHERS`
    pub(crate) gathers: bool,
}

impl Target {
    /// The kernel whose name begins with `entry`, for points of this form. If it is `flavoured`, there are two such
    /// kernels, with and without constraints.
    pub(crate) fn kernel<R: Float>(
        &self,
        (entry, own): (String, Option<Kernels>),
        form: &str,
        flavoured: bool,
    ) -> Kernel {
        let suffix = if flavoured && self.constrained { "_constrained" } else { "" };
        let name = format!("objective_{}_{}_{form}", self.name, R::NAME);
        let objective = Some(Piece { name, own: self.own, program: self.program.clone() });
        Kernel { objective, ..Kernel::new(entry + suffix, own) }
    }

    /// Checks that there may be kernels for this number of dimensions.
    pub(crate) fn check_dimensions(&self, dimensions: usize) -> Result<()> {
        match self.problem {
            Some((id, allowed)) => check_dimensions(id, allowed, dimensions),
            None => Ok(()),
        }
    }

    /// Whether a backend has kernels for the objective.
    pub(crate) fn is_for(&self, backend: Backend) -> bool {
        self.own.is_none_or(|kernels| kernels.have_objectives_for(backend))
    }
}

pub(crate) fn check_dimensions(id: &str, allowed: Dimensions, dimensions: usize) -> Result<()> {
    if allowed.allows(dimensions) {
        return Ok(());
    }
    Err(Error::Setting {
        field: "dimensions",
        value: dimensions.to_string(),
        allowed: format!("{allowed} for {id}"),
    })
}

/// The built-in problem that `objective` is, if any: `F` itself, or `Shifted<R, F>`. The function is not generic over
/// the objective, otherwise all these comparisons would be compiled for each.
pub(crate) fn built_in<R: Float>(objective: &dyn Any) -> Option<Target> {
    macro_rules! look {
        (() $($problem:ident: $kernels:ident),*) => { $(
            if let Some(objective) = as_shifted::<R, $problem>(objective) {
                return Some(Target {
                    name: stringify!($problem).into(),
                    objective,
                    own: None,
                    program: None,
                    problem: Some(($problem::ID, $problem::DIMENSIONS)),
                    constrained: <$problem as Objective<R>>::CONSTRAINED,
                    gathers: <$problem as Objective<R>>::GATHERS,
                });
            }
        )* };
    }
    warpswarm_core::for_each_problem!(look);
    None
}

/// The problem's `Shifted` struct as a kernel's argument.
fn as_shifted<R: Float, F: Problem + 'static>(objective: &dyn Any) -> Option<Parameter> {
    let plain = objective.downcast_ref::<F>();
    let plain = plain.map(|&problem| Shifted { shift: R::ZERO, problem });
    let shifted = plain.or_else(|| objective.downcast_ref::<Shifted<R, F>>().copied())?;
    Some(Parameter::of(shifted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_problems_are_found_by_their_types() {
        let plain = built_in::<f32>(&Sphere).unwrap();
        assert_eq!((&*plain.name, plain.objective.bytes().len()), ("Sphere", 4));
        let shifted = built_in::<f64>(&Shifted { shift: -1.5, problem: Rastrigin }).unwrap();
        assert_eq!((&*shifted.name, shifted.objective.bytes().len()), ("Rastrigin", 8));
    }

    #[test]
    fn an_objective_of_ones_own_is_no_built_in_one() {
        #[derive(Clone, Copy)]
        struct Mine;
        impl<R: warpswarm_core::Real> Objective<R> for Mine {
            fn value<P: warpswarm_core::Point<R>>(&self, x: &P) -> R {
                x.get(0)
            }
        }
        assert!(built_in::<f32>(&Mine).is_none());
    }
}
