//! The box that is searched.

use warpswarm_core::Real;

use crate::error::{Error, Result};

/// The box that is searched: a lower and an upper bound per coordinate, checked.
///
/// Every bound is finite and every lower bound at most its upper bound; where the two are equal the
/// coordinate is frozen.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
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
        Ok(Bounds { lower, upper })
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

    /// The number of coordinates, at least 1.
    pub fn dimensions(&self) -> usize {
        self.lower.len()
    }

    /// The lower bounds.
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// The upper bounds.
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// The bounds in the run's number type.
    pub(crate) fn rounded<R: Real>(&self) -> Result<(Vec<R>, Vec<R>)> {
        for (index, (&lower, &upper)) in self.lower.iter().zip(&self.upper).enumerate() {
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
