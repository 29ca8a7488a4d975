//! The box that is searched.

use warpswarm_core::Real;

use crate::error::{Error, Result};

/// The box that is searched: a lower and an upper bound per coordinate, checked.
///
/// Every bound is finite and every lower bound at most its upper bound; where the two are equal the
/// coordinate is frozen.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// `[run][coordinate]`, of one run where all have the same.
    lower: Vec<f64>,
    upper: Vec<f64>,
    dimensions: usize,
}

impl Bounds {
    /// Bounds that differ from coordinate to coordinate.
    ///
    /// # Errors
    ///
    /// Where the lengths differ or are zero, or a bound is not finite or above its partner.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self> {
        if lower.len() != upper.len() {
            return Err(Error::BoundLengths { lower: lower.len(), upper: upper.len() });
        }
        check_dimensions(lower.len())?;
        for (index, (&lower, &upper)) in lower.iter().zip(&upper).enumerate() {
            for (side, value) in [("lower", lower), ("upper", upper)] {
                if !value.is_finite() {
                    return Err(Error::BoundNotFinite { side, index, value });
                }
            }
            if lower > upper {
                return Err(Error::BoundOrder { index, lower, upper });
            }
        }
        Ok(Bounds { dimensions: lower.len(), lower, upper })
    }

    /// The same bounds in each of `dimensions` coordinates.
    ///
    /// # Errors
    ///
    /// As [`new`](Bounds::new).
    pub fn uniform(dimensions: usize, lower: f64, upper: f64) -> Result<Self> {
        check_dimensions(dimensions)?;
        Bounds::new(vec![lower; dimensions], vec![upper; dimensions])
    }

    /// The bounds of each run of a batch, in their order; where these are bounds of runs themselves, of the first.
    ///
    /// # Errors
    ///
    /// Where there are none, or they are not all of as many coordinates.
    pub fn of_runs(runs: impl IntoIterator<Item = Bounds>) -> Result<Self> {
        let mut runs = runs.into_iter();
        let none = || Error::Runs { what: "bounds", given: 0, runs: 1 };
        let Bounds { lower, upper, dimensions } = runs.next().ok_or_else(none)?;
        let mut all = Bounds { lower, upper, dimensions };
        all.lower.truncate(dimensions);
        all.upper.truncate(dimensions);
        for bounds in runs {
            if bounds.dimensions != dimensions {
                return Err(Error::BoundLengths { lower: dimensions, upper: bounds.dimensions });
            }
            all.lower.extend_from_slice(bounds.lower());
            all.upper.extend_from_slice(bounds.upper());
        }
        Ok(all)
    }

    /// The number of coordinates, at least 1.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The lower bounds; those of the first run where each has its own.
    pub fn lower(&self) -> &[f64] {
        &self.lower[..self.dimensions]
    }

    /// The upper bounds; those of the first run where each has its own.
    pub fn upper(&self) -> &[f64] {
        &self.upper[..self.dimensions]
    }

    /// Whether these are the bounds of so many runs, or of all.
    pub(crate) fn check_runs(&self, runs: u64) -> Result<()> {
        let given = (self.lower.len() / self.dimensions) as u64;
        if given == 1 || given == runs {
            return Ok(());
        }
        Err(Error::Runs { what: "bounds", given, runs })
    }

    /// The bounds in the run's number type, `[run][coordinate]`.
    pub(crate) fn rounded<R: Real>(&self) -> Result<(Vec<R>, Vec<R>)> {
        for (index, (&lower, &upper)) in self.lower.iter().zip(&self.upper).enumerate() {
            let index = index % self.dimensions;
            let (l, u) = (R::from_f64(lower), R::from_f64(upper));
            if !(l.is_finite() && u.is_finite() && (u - l).is_finite()) {
                return Err(Error::BoundRange { index, lower, upper, precision: R::NAME });
            }
        }
        // Plus zero, which makes +0 of -0: a bound is never -0.
        let round = |bounds: &[f64]| bounds.iter().map(|&x| R::from_f64(x) + R::ZERO).collect();
        Ok((round(&self.lower), round(&self.upper)))
    }
}

/// The most coordinates: as many as a sum in registers has room for.
pub const MAX_DIMENSIONS: usize = warpswarm_core::sum::MAX_TERMS;

fn check_dimensions(dimensions: usize) -> Result<()> {
    if (1..=MAX_DIMENSIONS).contains(&dimensions) {
        return Ok(());
    }
    Err(Error::Setting {
        field: "dimensions",
        value: dimensions.to_string(),
        allowed: format!("1 to {MAX_DIMENSIONS}"),
    })
}
