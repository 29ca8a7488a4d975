//! Curves and surfaces of data.

use warpswarm_core::{Curve, Float, Surface};

use super::data::Data;
use super::grid::{Flaw, grid, line};
use crate::error::{Error, Result};

impl<R: Float> Data<R> {
    /// A curve that all runs share: what was measured, and where. The rows may be in any order.
    ///
    /// ```
    /// use warpswarm::{Curve, Data, Objective, OwnObjective, Point, Real};
    ///
    /// #[repr(C)]
    /// #[derive(Clone, Copy)]
    /// struct Power {
    ///     head: Curve,
    /// }
    /// impl<R: Real> Objective<R> for Power {
    ///     fn value<P: Point<R>>(&self, x: &P) -> R {
    ///         -x.get(0) * self.head.at(x, x.get(0))
    ///     }
    /// }
    ///
    /// let mut data = Data::<f64>::new();
    /// let head = data.curve(&[0.0, 20.0, 10.0], &[32.0, 28.0, 31.0])?;
    /// let power = OwnObjective::new("Power", Power { head }).with_data(data);
    /// let error = Data::<f64>::new().curve(&[1.0, 1.0], &[2.0, 3.0]).unwrap_err();
    /// assert_eq!(error.to_string(), "a table has two rows with 1; allowed: one");
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there are not as many places as values, or fewer than two; if a place is there twice, also after rounding to
    /// the precision; if a number is not finite in the precision; or if there are 2^32 numbers or more.
    pub fn curve(&mut self, places: &[f64], values: &[f64]) -> Result<Curve> {
        same_length(&[places, values])?;
        let rounded = [rounded::<R>(places)?, rounded::<R>(values)?];
        let [places, values] = line(&rounded[0], &rounded[1])
            .map_err(|place| table(format!("two rows with {place}"), "one"))?;
        two_or_more(&places)?;
        Ok(Curve::new(self.table(narrow(&places))?, self.table(narrow(&values))?))
    }

    /// A surface that all runs share: what was measured, and the places on two axes where. There is one row for each
    /// pair of places; the rows may be in any order, and the steps between places may differ.
    ///
    /// ```
    /// let mut data = warpswarm::Data::<f64>::new();
    /// let (speeds, torques) = ([1000.0, 2500.0, 1000.0, 2500.0], [10.0, 10.0, 60.0, 60.0]);
    /// let efficiency = data.surface(&speeds, &torques, &[0.70, 0.77, 0.78, 0.89])?;
    /// let error = data.surface(&speeds[1..], &torques[1..], &[0.77, 0.78, 0.89]).unwrap_err();
    /// assert_eq!(error.to_string(), "a table has no row with 1000 and 10; allowed: a row for each pair");
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`curve`](Data::curve), for each axis, and if a pair of places is missing.
    pub fn surface(&mut self, first: &[f64], second: &[f64], values: &[f64]) -> Result<Surface> {
        same_length(&[first, values])?;
        same_length(&[second, values])?;
        let rows = [rounded::<R>(first)?, rounded::<R>(second)?, rounded::<R>(values)?];
        let found = grid(&rows[0], &rows[1], &rows[2]).map_err(flawed)?;
        let [first, second] = found.axes;
        two_or_more(&first)?;
        two_or_more(&second)?;
        let values = self.matrix(narrow(&found.values), second.len())?;
        Ok(Surface::new(self.table(narrow(&first))?, self.table(narrow(&second))?, values))
    }
}

/// Numbers rounded to the precision of the run.
fn rounded<R: Float>(numbers: &[f64]) -> Result<Vec<f64>> {
    let all: Vec<f64> = numbers.iter().map(|&number| R::from_f64(number).to_f64() + 0.0).collect();
    match all.iter().position(|number| !number.is_finite()) {
        Some(at) => {
            Err(table(format!("{:?}", numbers[at]), "finite numbers in the run's precision"))
        }
        None => Ok(all),
    }
}

fn narrow<R: Float>(numbers: &[f64]) -> Vec<R> {
    numbers.iter().map(|&number| R::from_f64(number)).collect()
}

fn table(found: String, allowed: &'static str) -> Error {
    Error::Table { found, allowed }
}

fn same_length(columns: &[&[f64]; 2]) -> Result<()> {
    let [places, values] = columns.map(<[f64]>::len);
    if places == values {
        return Ok(());
    }
    Err(table(format!("{places} places and {values} values"), "as many of both"))
}

fn two_or_more(places: &[f64]) -> Result<()> {
    if places.len() >= 2 {
        return Ok(());
    }
    Err(table("one row, or the same number in all rows".into(), "two numbers or more"))
}

fn flawed(flaw: Flaw) -> Error {
    match flaw {
        Flaw::Twice([a, b]) => table(format!("two rows with {a} and {b}"), "one"),
        Flaw::Missing { pair: [a, b], alone } => {
            let alone: String =
                alone.iter().flatten().map(|x| format!(", and {x} in one row only")).collect();
            table(format!("no row with {a} and {b}{alone}"), "a row for each pair")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_table_is_said() {
        let curve = |places: &[f64], values: &[f64]| {
            Data::<f32>::new().curve(places, values).unwrap_err().to_string()
        };
        for (said, right) in [
            (
                curve(&[1.0], &[2.0, 3.0]),
                "a table has 1 places and 2 values; allowed: as many of both",
            ),
            (
                curve(&[1.0], &[2.0]),
                "a table has one row, or the same number in all rows; allowed: two numbers or more",
            ),
            (
                curve(&[], &[]),
                "a table has one row, or the same number in all rows; allowed: two numbers or more",
            ),
            (
                curve(&[1.0, f64::NAN], &[2.0, 3.0]),
                "a table has NaN; allowed: finite numbers in the run's precision",
            ),
            (
                curve(&[1.0, 2.0], &[1e39, 3.0]),
                "a table has 1e39; allowed: finite numbers in the run's precision",
            ),
            // Different in f64 only; and minus zero is zero.
            (curve(&[1.0, 1.0 + 1e-9], &[2.0, 3.0]), "a table has two rows with 1; allowed: one"),
            (curve(&[0.0, -0.0], &[2.0, 3.0]), "a table has two rows with 0; allowed: one"),
        ] {
            assert_eq!(said, right);
        }
        let surface = |first: &[f64], second: &[f64]| {
            Data::<f64>::new().surface(first, second, &[1.0, 2.0]).unwrap_err().to_string()
        };
        let pair = "allowed: a row for each pair";
        assert_eq!(
            surface(&[1.0, 1.0], &[5.0, 5.0]),
            "a table has two rows with 1 and 5; allowed: one"
        );
        assert_eq!(
            surface(&[1.0, 2.0], &[5.0, 6.0]),
            format!("a table has no row with 1 and 6; {pair}")
        );
        let (mistyped, three) =
            ([1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.5], [5.0, 6.0, 7.0, 5.0, 6.0, 7.0, 5.0]);
        assert_eq!(
            Data::<f32>::new().surface(&mistyped, &three, &[0.0; 7]).unwrap_err().to_string(),
            format!("a table has no row with 2.5 and 6, and 2.5 in one row only; {pair}")
        );
        assert_eq!(
            surface(&[1.0, 1.0], &[5.0, 6.0]),
            "a table has one row, or the same number in all rows; allowed: two numbers or more"
        );
    }
}
