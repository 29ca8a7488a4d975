//! Names, units and options of coordinates.

use warpswarm_core::Float;

use super::names::Options;
use super::problem::{Named, ProblemFile};
use crate::error::Error;
use crate::objective::bounds::Bounds;

/// The value of a coordinate whose variable has `values` or `choices`.
///
/// ```
/// use warpswarm::problem_file::{DiscreteValue, ProblemFile};
/// let text = "minimise = \"bolt\"\n[variables]\nbolt = { values = [2, 5] }\nmetal = { choices = [\"tin\", \"steel\"] }";
/// let problem = ProblemFile::parse(text)?;
/// let point = [2.0_f64, 1.0];
/// assert_eq!(problem.discrete_value(0, point[0]), Some(DiscreteValue::Value(5.0)));
/// assert_eq!(problem.discrete_value(1, point[1]), Some(DiscreteValue::Name("tin")));
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DiscreteValue<'a> {
    /// One of the values.
    Value(f64),
    /// One of the choices.
    Name(&'a str),
}

impl ProblemFile {
    /// The name of coordinate `i` (from 0): that of the variable, with an index from 1 if it has several coordinates;
    /// `None` if there is no such coordinate.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let text = "minimise = \"a + sum(i, x[i])\"\n[variables]\na = { lower = 0, upper = 1 }\n\
    ///             x = { count = 2, lower = 0, upper = 1 }";
    /// let problem = ProblemFile::parse(text)?;
    /// let names: Vec<_> = (0..4).map_while(|i| problem.coordinate(i)).collect();
    /// assert_eq!(names, ["a", "x[1]", "x[2]"]);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn coordinate(&self, i: usize) -> Option<String> {
        let Named { name, first, count, .. } = self.named(i)?;
        Some(match count {
            None => name.clone(),
            Some(_) => format!("{name}[{}]", i - *first as usize + 1),
        })
    }

    /// The unit of coordinate `i` (from 0), if the file gives one.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let text = "minimise = \"a\"\n[variables]\na = { lower = 0, upper = 1, unit = \"mm\" }";
    /// assert_eq!(ProblemFile::parse(text)?.unit(0), Some("mm"));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn unit(&self, i: usize) -> Option<&str> {
        self.named(i)?.unit.as_deref()
    }

    /// The option for `x` in coordinate `i` (from 0); `None` if the coordinate has no options, or does not exist.
    pub fn discrete_value<R: Float>(&self, i: usize, x: R) -> Option<DiscreteValue<'_>> {
        let options = self.names.options.get(&self.named(i)?.name)?;
        // Counted from 1; a number out of range is treated as in expressions.
        let at = (x.to_f64() as usize).clamp(1, options.count()) - 1;
        Some(match options {
            Options::Values(values) => DiscreteValue::Value(values[at]),
            Options::Choices(names) => DiscreteValue::Name(&names[at]),
        })
    }

    /// The coordinate for a choice or a value, or the number itself, in coordinate `i` (from 0). On failure, what is
    /// allowed there.
    pub fn coordinate_of(&self, i: usize, text: &str) -> std::result::Result<f64, String> {
        let number = || text.parse().ok().filter(|number: &f64| number.is_finite());
        let options = self.named(i).and_then(|of| self.names.options.get(&of.name));
        let (place, allowed) = match options {
            None => return number().ok_or_else(|| "a finite number".into()),
            Some(Options::Choices(names)) => {
                (names.iter().position(|name| name == text), names.join(", "))
            }
            Some(Options::Values(values)) => {
                let place = number().and_then(|x| values.iter().position(|value| *value == x));
                let values: Vec<_> = values.iter().map(f64::to_string).collect();
                (place, values.join(", "))
            }
        };
        place.map(|at| (at + 1) as f64).ok_or_else(|| format!("one of {allowed}"))
    }

    /// The bounds within which individuals move.
    pub(super) fn searched(&self) -> Bounds {
        if self.names.periodic.is_empty() {
            return self.bounds.clone();
        }
        let of = |of: &Named| {
            let is_periodic = self.names.periodic.contains(&of.name);
            std::iter::repeat_n(is_periodic, of.count.unwrap_or(1) as usize)
        };
        self.bounds.clone().with_periods(self.variables.iter().flat_map(of).collect())
    }

    /// An error of a coordinate, with the variable's name.
    pub(super) fn named_in(&self, error: Error) -> Error {
        let said = |index: usize, what: String| {
            let name = self.coordinate(index).unwrap_or_default();
            Error::ProblemFile {
                file: self.name.clone(),
                message: format!("variable `{name}`: {what}"),
            }
        };
        match error {
            Error::BoundRange { index, lower, upper, precision } => {
                let other = if precision == "f32" { ", or the precision f64" } else { "" };
                said(
                    index,
                    format!(
                        "lower is {lower:?} and upper is {upper:?}; allowed: both, and their difference, numbers that \
                     {precision} has{other}"
                    ),
                )
            }
            error => error,
        }
    }

    /// The variable of a coordinate.
    fn named(&self, i: usize) -> Option<&Named> {
        let i = u32::try_from(i).ok().filter(|&i| (i as usize) < self.bounds.dimensions())?;
        let after = self.variables.partition_point(|of| of.first <= i);
        self.variables.get(after.checked_sub(1)?)
    }
}
