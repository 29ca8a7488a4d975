//! Objectives with known optima, for use by type and by name.
//!
//! By type they are [`warpswarm_core::problems`]; by name they come from [`all`], with what is known
//! of them and a constructor that does not need the type.

use std::any::Any;
use std::fmt;
use std::mem::offset_of;

use warpswarm_core::{Objective, Real};

pub use warpswarm_core::problems::*;

use crate::algorithms::Algorithm;
use crate::bounds::Bounds;
use crate::choices::Precision;
use crate::error::{Error, Result, nearest};
use crate::optimiser::Optimiser;
use crate::settings::Settings;

/// A number type that runs can be carried out in: `f32` or `f64`.
pub trait Precise: Real {
    /// Its name as a choice.
    const PRECISION: Precision;
    #[doc(hidden)]
    fn make(problem: &ProblemInfo) -> Make<Self>;
}

impl Precise for f32 {
    const PRECISION: Precision = Precision::F32;
    fn make(problem: &ProblemInfo) -> Make<f32> {
        problem.make_f32
    }
}

impl Precise for f64 {
    const PRECISION: Precision = Precision::F64;
    fn make(problem: &ProblemInfo) -> Make<f64> {
        problem.make_f64
    }
}

#[doc(hidden)]
pub type Make<R> = fn(R, &Bounds, &Algorithm, &Settings) -> Result<Optimiser<R>>;

/// What is known of a problem, and how to optimise it.
#[derive(Clone, Copy)]
pub struct ProblemInfo {
    /// The name by which users call it.
    pub id: &'static str,
    /// The name of its type, as in the names of kernels.
    pub type_name: &'static str,
    /// The formula, in plain text.
    pub formula: &'static str,
    /// Where formula and optimum come from.
    pub source: &'static str,
    /// The smallest number of dimensions for which it is defined.
    pub min_dimensions: usize,
    /// The usual bounds, the same in every dimension.
    pub bounds: (f64, f64),
    optimum_position: fn(usize, usize) -> f64,
    optimum_value: fn(usize) -> f64,
    make_f32: Make<f32>,
    make_f64: Make<f64>,
}

impl fmt::Debug for ProblemInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProblemInfo").field(&self.id).finish()
    }
}

impl ProblemInfo {
    fn of<F>(type_name: &'static str) -> Self
    where
        F: Problem + Objective<f32> + Objective<f64>,
    {
        fn make<R: Real, F: Objective<R> + Default>(
            shift: R,
            bounds: &Bounds,
            algorithm: &Algorithm,
            settings: &Settings,
        ) -> Result<Optimiser<R>> {
            let objective = Shifted { shift, problem: F::default() };
            Optimiser::new(&objective, bounds, algorithm, settings)
        }
        ProblemInfo {
            id: F::ID,
            type_name,
            formula: F::FORMULA,
            source: F::SOURCE,
            min_dimensions: F::MIN_DIMENSIONS,
            bounds: F::bounds(),
            optimum_position: F::optimum_position,
            optimum_value: F::optimum_value,
            make_f32: make::<f32, F>,
            make_f64: make::<f64, F>,
        }
    }

    /// The optimum in so many dimensions, not shifted.
    pub fn optimum_position(&self, dimensions: usize) -> Vec<f64> {
        (0..dimensions).map(|i| (self.optimum_position)(dimensions, i)).collect()
    }

    /// The value at the optimum in so many dimensions.
    pub fn optimum_value(&self, dimensions: usize) -> f64 {
        (self.optimum_value)(dimensions)
    }

    /// An optimiser of the problem with its optimum moved by `shift` in every coordinate.
    ///
    /// # Errors
    ///
    /// As [`Optimiser::new`], and where the shift is not finite in `R`.
    pub fn optimiser<R: Precise>(
        &self,
        shift: f64,
        bounds: &Bounds,
        algorithm: &Algorithm,
        settings: &Settings,
    ) -> Result<Optimiser<R>> {
        let rounded = R::from_f64(shift);
        if !rounded.is_finite() {
            return Err(Error::Setting {
                field: "shift",
                value: shift.to_string(),
                allowed: format!("a number that is finite in {}", R::NAME),
            });
        }
        R::make(self)(rounded, bounds, algorithm, settings)
    }
}

/// Every problem.
pub fn all() -> &'static [ProblemInfo] {
    static ALL: std::sync::OnceLock<Vec<ProblemInfo>> = std::sync::OnceLock::new();
    macro_rules! rows {
        (() $($problem:ident),*) => { vec![$(ProblemInfo::of::<$problem>(stringify!($problem))),*] };
    }
    ALL.get_or_init(|| warpswarm_core::for_each_problem!(rows))
}

/// The problem of that name.
///
/// # Errors
///
/// Where there is none, with the nearest names.
pub fn find(id: &str) -> Result<&'static ProblemInfo> {
    all().iter().find(|info| info.id == id).ok_or_else(|| {
        let known: Vec<_> = all().iter().map(|info| info.id).collect();
        Error::NoSuch { what: "problem", name: id.into(), nearest: nearest(id, &known) }
    })
}

/// A built-in problem behind an objective: what the kernels need of it.
#[derive(Clone, Debug)]
pub(crate) struct BuiltIn {
    /// The name by which users call it.
    id: &'static str,
    /// The name of its type in the names of kernels.
    pub(crate) type_name: &'static str,
    /// The `Shifted` struct as a kernel takes it.
    pub(crate) bytes: Vec<u8>,
    /// That struct's alignment.
    pub(crate) align: usize,
    /// The smallest number of dimensions.
    min_dimensions: usize,
}

impl BuiltIn {
    /// Whether the problem is defined in so many dimensions.
    pub(crate) fn check_dimensions(&self, dimensions: usize) -> Result<()> {
        if dimensions >= self.min_dimensions {
            return Ok(());
        }
        Err(Error::Setting {
            field: "dimensions",
            value: dimensions.to_string(),
            allowed: format!("at least {} for {}", self.min_dimensions, self.id),
        })
    }
}

/// The built-in problem that `objective` is, if it is one: `F` itself, or `Shifted<R, F>`.
pub(crate) fn built_in<R: Real, O: Objective<R>>(objective: &O) -> Option<BuiltIn> {
    macro_rules! look {
        (() $($problem:ident),*) => { $(
            if let Some(found) = as_problem::<R, $problem>(objective, stringify!($problem)) {
                return Some(found);
            }
        )* };
    }
    warpswarm_core::for_each_problem!(look);
    None
}

fn as_problem<R: Real, F: Problem + 'static>(
    objective: &dyn Any,
    type_name: &'static str,
) -> Option<BuiltIn> {
    // Kernels take the struct by value; a problem with fields needs a line here that writes them.
    const { assert!(size_of::<F>() == 0) };
    let plain = objective.downcast_ref::<F>();
    let plain = plain.map(|&problem| Shifted { shift: R::ZERO, problem });
    let shifted = plain.or_else(|| objective.downcast_ref::<Shifted<R, F>>().copied())?;
    let mut bytes = vec![0; size_of::<Shifted<R, F>>()];
    let at = offset_of!(Shifted<R, F>, shift);
    bytes[at..][..size_of::<R>()]
        .copy_from_slice(&shifted.shift.to_bits64().to_le_bytes()[..size_of::<R>()]);
    let align = align_of::<Shifted<R, F>>();
    Some(BuiltIn { id: F::ID, type_name, bytes, align, min_dimensions: F::MIN_DIMENSIONS })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_found_by_name_and_by_type() {
        for info in all() {
            assert_eq!(find(info.id).unwrap().type_name, info.type_name);
        }
        let plain = built_in::<f32, _>(&Sphere).unwrap();
        assert_eq!((plain.type_name, plain.bytes), ("Sphere", vec![0; 4]));
        let shifted = built_in::<f64, _>(&Shifted { shift: -1.5, problem: Rastrigin }).unwrap();
        assert_eq!(shifted.type_name, "Rastrigin");
        assert_eq!(shifted.bytes, (-1.5_f64).to_le_bytes());
        let error = find("rastrgin").unwrap_err();
        assert!(
            error.to_string().starts_with("unknown problem `rastrgin`; did you mean rastrigin")
        );
    }

    #[test]
    fn an_objective_of_ones_own_is_no_built_in_one() {
        #[derive(Clone, Copy)]
        struct Mine;
        impl Objective<f32> for Mine {
            fn value<P: warpswarm_core::Point<f32>>(&self, x: &P) -> f32 {
                x.get(0)
            }
        }
        assert!(built_in::<f32, _>(&Mine).is_none());
    }
}
