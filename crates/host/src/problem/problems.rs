//! Objectives with known optima, by type and by name.
//!
//! The types are in [`warpswarm_core::problems`]. [`all`] lists them with their properties and a constructor that does
//! not need the type.

use std::fmt;

use warpswarm_core::Float;
use warpswarm_core::dual::Differentiable;
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::order::Fitness;

pub use warpswarm_core::problems::*;

pub use crate::settings::precise::Precise;

use crate::algorithms::Algorithm;
use crate::check::{self, CheckReport};
use crate::error::{Error, Result, nearest};
use crate::objective::any_objective::fitness;
use crate::objective::bounds::Bounds;
use crate::objective::target::check_dimensions;
use crate::run::optimiser::Optimiser;
use crate::settings::Settings;
use crate::settings::precise::InBoth;

/// The functions of a problem's type, without the type.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Functions<R: Float> {
    make: fn(R, &Bounds, &Algorithm, &Settings) -> Result<Optimiser<R>>,
    evaluate: fn(&[R]) -> Evaluation<R>,
}

impl<R: Float> Functions<R> {
    fn of<F: Problem + Differentiable<R>>() -> Self {
        Functions {
            make: |shift, bounds, algorithm, settings| {
                let objective = Shifted { shift, problem: F::default() };
                Optimiser::new(&objective, bounds, algorithm, settings)
            },
            evaluate: |x| {
                let point = SlicePoint(x);
                let mut constraints = Vec::with_capacity(F::CONSTRAINTS.len());
                F::constraints(&point, |g| constraints.push(g));
                let objective = Shifted { shift: R::ZERO, problem: F::default() };
                Evaluation { fitness: fitness(objective, x), constraints }
            },
        }
    }
}

impl InBoth for &ProblemInfo {
    type Of<R: Precise> = Functions<R>;
    fn single(self) -> Functions<f32> {
        self.single
    }
    fn double(self) -> Functions<f64> {
        self.double
    }
}

/// The evaluation of a problem at a point.
///
/// ```
/// let truss = warpswarm::problems::find("three-bar-truss")?;
/// let thin = truss.evaluate(&[0.5_f64, 0.5])?;
/// // The first constraint is not met: the outer bars would tear.
/// assert!(thin.constraints[0] > 0.0);
/// assert_eq!(thin.fitness.violation, thin.constraints.iter().map(|g| g.max(0.0)).sum());
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation<R> {
    /// The value, and the total violation of the constraints.
    pub fitness: Fitness<R>,
    /// Each constraint's value, at most zero if it is satisfied, in the order of [`ProblemInfo::constraints`].
    pub constraints: Vec<R>,
}

/// The properties of a problem, and functions to optimise it.
///
/// ```
/// let schwefel = warpswarm::problems::find("schwefel-2.26")?;
/// assert_eq!(schwefel.formula, "sum -x_i sin(sqrt|x_i|)");
/// assert_eq!(schwefel.bounds(2)?.upper(), [500.0, 500.0]);
/// let best = schwefel.optimum_position(2).expect("it is known");
/// let value = schwefel.evaluate(&best)?.fitness.value;
/// assert!((value - schwefel.optimum_value(2).expect("it is known")).abs() < 1e-9);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct ProblemInfo {
    /// Its name in commands and errors.
    pub id: &'static str,
    /// The name of its type, as in the names of kernels.
    pub type_name: &'static str,
    /// The formula, in plain text.
    pub formula: &'static str,
    /// The source of formula and optimum.
    pub source: &'static str,
    /// The numbers of dimensions in which it is defined.
    pub dimensions: Dimensions,
    /// The names of the coordinates; empty if they have none.
    pub coordinates: &'static [&'static str],
    /// The constraints; empty if there are none.
    pub constraints: &'static [Constraint],
    bounds: fn(usize) -> (f64, f64),
    optimum_position: fn(usize, usize) -> Option<f64>,
    optimum_value: fn(usize) -> Option<f64>,
    single: Functions<f32>,
    double: Functions<f64>,
}

impl fmt::Debug for ProblemInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProblemInfo").field(&self.id).finish()
    }
}

impl ProblemInfo {
    fn of<F>(type_name: &'static str) -> Self
    where
        F: Problem + Differentiable<f32> + Differentiable<f64>,
    {
        ProblemInfo {
            id: F::ID,
            type_name,
            formula: F::FORMULA,
            source: F::SOURCE,
            dimensions: F::DIMENSIONS,
            coordinates: F::COORDINATES,
            constraints: F::CONSTRAINTS,
            bounds: F::bounds,
            optimum_position: F::optimum_position,
            optimum_value: F::optimum_value,
            single: Functions::of::<F>(),
            double: Functions::of::<F>(),
        }
    }

    /// Checks that the problem is defined in this number of dimensions.
    ///
    /// ```
    /// let truss = warpswarm::problems::find("three-bar-truss")?;
    /// let error = truss.check_dimensions(5).unwrap_err().to_string();
    /// assert_eq!(error, "dimensions is 5; allowed: exactly 2 for three-bar-truss");
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If it is not, with the numbers of dimensions that are allowed.
    pub fn check_dimensions(&self, dimensions: usize) -> Result<()> {
        check_dimensions(self.id, self.dimensions, dimensions)
    }

    /// The usual bounds in this number of dimensions.
    ///
    /// # Errors
    ///
    /// If the problem is not defined in this number of dimensions.
    pub fn bounds(&self, dimensions: usize) -> Result<Bounds> {
        self.check_dimensions(dimensions)?;
        let (lower, upper) = (0..dimensions).map(self.bounds).unzip();
        Bounds::new(lower, upper)
    }

    /// The best known point in this number of dimensions, not shifted, if one is known.
    pub fn optimum_position(&self, dimensions: usize) -> Option<Vec<f64>> {
        self.check_dimensions(dimensions).ok()?;
        (0..dimensions).map(|i| (self.optimum_position)(dimensions, i)).collect()
    }

    /// The best known value in this number of dimensions, if one is known.
    pub fn optimum_value(&self, dimensions: usize) -> Option<f64> {
        self.check_dimensions(dimensions).ok()?;
        (self.optimum_value)(dimensions)
    }

    /// Value, violation, and each constraint at `x`, `[coordinate]`, not shifted.
    ///
    /// # Errors
    ///
    /// If the problem is not defined in this number of dimensions.
    pub fn evaluate<R: Precise>(&self, x: &[R]) -> Result<Evaluation<R>> {
        self.check_dimensions(x.len())?;
        Ok((R::of(self).evaluate)(x))
    }

    /// An optimiser of the problem with its optimum moved by `shift` in every coordinate.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Settings, Stop, problems};
    /// let sphere = problems::find("sphere")?;
    /// let settings = Settings { individuals: 32, stop: Stop::iterations(100), ..Settings::default() };
    /// let mut optimiser = sphere.optimiser::<f64>(1.25, &sphere.bounds(2)?, &Algorithm::default(), &settings)?;
    /// assert!(optimiser.run()?.best().position.iter().all(|x| (x - 1.25).abs() < 1e-3));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Optimiser::new`], and if the shift is not finite in `R`, or not zero although the problem has a fixed
    /// number of dimensions: the coordinates of such a problem describe one object, and its optimum does not move with
    /// them.
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
        if shift != 0.0 && self.dimensions.is_fixed() {
            return Err(Error::Setting {
                field: "shift",
                value: shift.to_string(),
                allowed: format!("0 for {}, whose optimum cannot be moved", self.id),
            });
        }
        (R::of(self).make)(rounded, bounds, algorithm, settings)
    }

    /// Evaluates the problem on the CPU and on a device, and compares bits and time: see [`check`](fn@crate::check).
    ///
    /// # Errors
    ///
    /// As [`check`](fn@crate::check).
    pub fn check<R: Precise>(
        &self,
        bounds: &Bounds,
        settings: &Settings,
    ) -> Result<CheckReport<R>> {
        let checked = check::with(bounds, settings, &|bounds, algorithm, settings| {
            self.optimiser(0.0, bounds, algorithm, settings)
        })?;
        let coordinate = |i: usize| self.coordinates.get(i).map(|name| name.to_string());
        let constraint = |i: usize| self.constraints.get(i).map(|of| of.name.to_string());
        let derivatives = checked.derivatives.named(coordinate, constraint);
        Ok(CheckReport { derivatives, ..checked })
    }
}

/// Every problem.
///
/// ```
/// let problems = warpswarm::problems::all();
/// assert!(problems.iter().all(|problem| problem.check_dimensions(problem.dimensions.usual()).is_ok()));
/// let constrained: Vec<_> = problems.iter().filter(|problem| !problem.constraints.is_empty()).collect();
/// assert!(constrained.iter().any(|problem| problem.id == "welded-beam"));
/// ```
pub fn all() -> &'static [ProblemInfo] {
    static ALL: std::sync::OnceLock<Vec<ProblemInfo>> = std::sync::OnceLock::new();
    macro_rules! rows {
        (() $($problem:ident: $kernels:ident),*) => {
            vec![$(ProblemInfo::of::<$problem>(stringify!($problem))),*]
        };
    }
    ALL.get_or_init(|| warpswarm_core::for_each_problem!(rows))
}

/// The problem of this name.
///
/// ```
/// use warpswarm::problems;
/// assert_eq!(problems::find("levy")?.optimum_value(4), Some(0.0));
/// let error = problems::find("rosenbrok").unwrap_err().to_string();
/// assert!(error.starts_with("unknown problem `rosenbrok`; did you mean rosenbrock"));
/// # Ok::<(), warpswarm::Error>(())
/// ```
///
/// # Errors
///
/// If there is none; the error contains similar names.
pub fn find(id: &str) -> Result<&'static ProblemInfo> {
    all().iter().find(|info| info.id == id).ok_or_else(|| {
        let known: Vec<_> = all().iter().map(|info| info.id).collect();
        Error::NoSuch { what: "problem", name: id.into(), nearest: nearest(id, &known) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_found_by_name() {
        for info in all() {
            assert_eq!(find(info.id).unwrap().type_name, info.type_name);
        }
        let error = find("rastrgin").unwrap_err();
        assert!(
            error.to_string().starts_with("unknown problem `rastrgin`; did you mean rastrigin")
        );
    }
}
