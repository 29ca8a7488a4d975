//! The search space: variables, their bounds and scales, and the points where the search starts.

mod scales;
#[cfg(feature = "serde")]
mod serial;

use warpswarm_core::random::{Purpose, RunKey, Stream};
use warpswarm_core::variable::{Scale, Variable, natural};
use warpswarm_core::{Float, Real};

pub(crate) use scales::Scales;

use crate::error::{Error, Result};

/// The search space: a lower and an upper bound for each coordinate.
///
/// All bounds are finite, and no lower bound exceeds its upper bound. If both are equal, the coordinate is fixed.
/// Coordinates may have a name and a [`Scale`], and starting points may be given.
///
/// ```
/// use warpswarm::{Bounds, Variable};
/// let bounds = Bounds::of(&[
///     Variable::linear("height", 0.0, 10.0),
///     Variable::log("lifetime", 1e-6, 1e-3),
///     Variable::integer("modes", 1.0, 5.0),
///     Variable::fixed("offset", 0.5),
/// ])?
/// .beginning_at(&[[5.0, 1e-5, 2.0, 0.5]])?;
/// assert_eq!(bounds.names()[1], "lifetime");
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// `[run][coordinate]`; of one run if all runs have the same bounds.
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// `[coordinate]`
    scales: Vec<Scale>,
    /// Which coordinates are periodic, `[coordinate]`; empty if none is.
    periodic: Vec<bool>,
    /// `[coordinate]`, or empty.
    names: Vec<&'static str>,
    /// `[run][individual][coordinate]`, for as many runs as `lower`; NaN if nothing is given.
    first: Vec<f64>,
}

impl Bounds {
    /// Bounds that differ from coordinate to coordinate.
    ///
    /// ```
    /// use warpswarm::Bounds;
    /// let bounds = Bounds::new(vec![-1.0, 0.0, 2.5], vec![1.0, 5.0, 2.5])?;
    /// assert_eq!(bounds.dimensions(), 3);
    /// let error = Bounds::new(vec![0.0, 3.0], vec![1.0, 2.0]).unwrap_err();
    /// assert_eq!(error.to_string(), "lower bound 1 is 3, above the upper bound 2; allowed: lower <= upper");
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the lengths differ, are zero or exceed [`MAX_DIMENSIONS`], or if a bound is not finite, or a lower bound
    /// exceeds its upper bound.
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
        let scales = vec![Scale::Linear; lower.len()];
        let periodic = Vec::new();
        Ok(Bounds { lower, upper, scales, periodic, names: Vec::new(), first: Vec::new() })
    }

    /// The same bounds in each of `dimensions` coordinates.
    ///
    /// ```
    /// let bounds = warpswarm::Bounds::uniform(30, -5.12, 5.12)?;
    /// assert_eq!((bounds.lower(), bounds.upper()), (&[-5.12; 30][..], &[5.12; 30][..]));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`new`](Bounds::new).
    pub fn uniform(dimensions: usize, lower: f64, upper: f64) -> Result<Self> {
        check_dimensions(dimensions)?;
        Bounds::new(vec![lower; dimensions], vec![upper; dimensions])
    }

    /// Bounds, scales and names of variables.
    ///
    /// ```
    /// use warpswarm::{Bounds, Scale, Variable};
    /// let bounds = Bounds::of(&[Variable::log("rate", 1e-5, 1e-1), Variable::integer("layers", 1.0, 8.0)])?;
    /// assert_eq!((bounds.names(), bounds.scales()), (&["rate", "layers"][..], &[Scale::Log, Scale::Integer][..]));
    /// // A logarithm of zero is none.
    /// assert!(Bounds::of(&[Variable::log("rate", 0.0, 1e-1)]).is_err());
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`new`](Bounds::new), and if the lower bound of a logarithmic variable is not positive, or an integer
    /// variable has no integer between its bounds, or one beyond 2^22.
    pub fn of(variables: &[Variable]) -> Result<Self> {
        let each = |side: fn(&Variable) -> f64| variables.iter().map(side).collect();
        let bounds = Bounds::new(each(|v| v.lower), each(|v| v.upper))?;
        let bounds = bounds.with_scales(variables.iter().map(|v| v.scale))?;
        Ok(Bounds { names: variables.iter().map(|v| v.name).collect(), ..bounds })
    }

    /// These bounds with a scale for each coordinate.
    ///
    /// ```
    /// use warpswarm::{Bounds, Scale};
    /// let bounds = Bounds::new(vec![1e-6, 0.5], vec![1e-3, 9.5])?.with_scales([Scale::Log, Scale::Integer])?;
    /// // An integer's bounds are whole numbers.
    /// assert_eq!((bounds.lower()[1], bounds.upper()[1]), (1.0, 9.0));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the number of scales is not the number of coordinates, and as [`of`](Bounds::of).
    pub fn with_scales(mut self, scales: impl IntoIterator<Item = Scale>) -> Result<Self> {
        let scales: Vec<_> = scales.into_iter().collect();
        if scales.len() != self.dimensions() {
            return Err(Error::Setting {
                field: "number of scales",
                value: scales.len().to_string(),
                allowed: format!("{}, one a coordinate", self.dimensions()),
            });
        }
        self.scales = scales;
        let dimensions = self.dimensions();
        for (i, (lower, upper)) in self.lower.iter_mut().zip(&mut self.upper).enumerate() {
            let index = i % dimensions;
            scales::check(self.scales[index], (lower, upper), index)?;
        }
        Ok(self)
    }

    /// These bounds with some linear coordinates periodic: after the upper bound they continue at the lower bound.
    ///
    /// Individuals move in an interval of two periods, so that no place has an end of the interval within half a
    /// period; each number stands for a place between the bounds. Only an objective that takes this into account can be
    /// searched in this way.
    #[cfg(any(test, feature = "problem-files"))]
    pub(crate) fn with_periods(self, periodic: Vec<bool>) -> Self {
        Bounds { periodic, ..self }
    }

    fn is_periodic(&self, index: usize) -> bool {
        self.periodic.get(index) == Some(&true)
    }

    /// The bounds of each run of a batch, in order. If an item has per-run bounds itself, those of its first run are
    /// used.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, Settings, Stop, minimise, problems::Sphere};
    /// let bounds = Bounds::of_runs([Bounds::uniform(2, 1.0, 4.0)?, Bounds::uniform(2, 2.0, 4.0)?])?;
    /// let settings = Settings { runs: 2, individuals: 32, stop: Stop::iterations(100), ..Settings::default() };
    /// let report = minimise::<f64, _>(&Sphere, &bounds, &Algorithm::default(), &settings)?;
    /// // The corners nearest to the origin.
    /// assert_eq!((report.runs[0].best.value, report.runs[1].best.value), (2.0, 8.0));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there are no items, or they differ in the number of coordinates or in scales.
    pub fn of_runs(runs: impl IntoIterator<Item = Bounds>) -> Result<Self> {
        let mut runs: Vec<Bounds> = runs.into_iter().map(Bounds::of_the_first).collect();
        let most = runs.iter().map(|bounds| bounds.first.len()).max().unwrap_or(0);
        // A run with fewer points than others draws the remaining ones.
        runs.iter_mut().for_each(|bounds| bounds.first.resize(most, f64::NAN));
        let mut runs = runs.into_iter();
        let none = || Error::Runs { what: "bounds", given: 0, runs: 1 };
        let mut all = runs.next().ok_or_else(none)?;
        let dimensions = all.dimensions();
        for bounds in runs {
            if bounds.dimensions() != dimensions {
                let (lower, upper) = (dimensions, bounds.dimensions());
                return Err(Error::BoundLengths { lower, upper });
            }
            if let Some(index) = (0..dimensions).find(|&i| all.scales[i] != bounds.scales[i]) {
                return Err(Error::BoundScale {
                    index,
                    value: format!(
                        "{:?} in one run and {:?} in another",
                        all.scales[index], bounds.scales[index]
                    ),
                    allowed: "the same scale in all runs",
                });
            }
            all.lower.extend(bounds.lower);
            all.upper.extend(bounds.upper);
            all.first.extend(bounds.first);
        }
        Ok(all)
    }

    /// These bounds with starting points for the first individuals, such as a known estimate or the result of an
    /// earlier search. The other individuals are placed at random, and so are coordinates that are NaN.
    ///
    /// Points beyond the number of individuals are ignored. Per-run bounds become those of their first run; to give
    /// each run its own points, call this before [`of_runs`](Bounds::of_runs).
    ///
    /// ```
    /// use warpswarm::{Bounds, DeParams, Settings, Stop, minimise, problems::Sphere};
    /// let bounds = Bounds::uniform(2, -5.0, 5.0)?.beginning_at(&[[3.0, 4.0], [0.0, 0.5]])?;
    /// let settings = Settings { individuals: 4, stop: Stop::iterations(0), ..Settings::default() };
    /// let report = minimise::<f64, _>(&Sphere, &bounds, &DeParams::default().into(), &settings)?;
    /// assert_eq!((report.best().value, &report.best().position[..]), (0.25, &[0.0, 0.5][..]));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the number of coordinates of a point is wrong, or one of them is neither NaN nor within its bounds.
    pub fn beginning_at<P: AsRef<[f64]>>(self, points: &[P]) -> Result<Self> {
        let mut bounds = self.of_the_first();
        bounds.first.clear();
        for (number, point) in points.iter().enumerate() {
            let point = point.as_ref();
            if point.len() != bounds.dimensions() {
                return Err(Error::Setting {
                    field: "number of coordinates of a first point",
                    value: point.len().to_string(),
                    allowed: bounds.dimensions().to_string(),
                });
            }
            for (index, &value) in point.iter().enumerate() {
                let (lower, upper) = (bounds.lower[index], bounds.upper[index]);
                if !(value.is_nan() || (lower..=upper).contains(&value)) {
                    return Err(Error::FirstPoint { number, index, value, lower, upper });
                }
            }
            bounds.first.extend_from_slice(point);
        }
        Ok(bounds)
    }

    /// `count` sample points, `[point][coordinate]`: the lower bounds, the upper bounds, the centre, and random points,
    /// which are the same in every call. If each run has its own bounds, those of the first run are used.
    ///
    /// ```
    /// use warpswarm::Bounds;
    /// let points = Bounds::uniform(2, -1.0, 3.0)?.points(100)?;
    /// assert_eq!(points[..3], [[-1.0, -1.0], [3.0, 3.0], [1.0, 1.0]]);
    /// assert!(points[3..].iter().flatten().all(|x| (-1.0..=3.0).contains(x)));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the difference of two bounds exceeds the range of `f64`.
    pub fn points(&self, count: usize) -> Result<Vec<Vec<f64>>> {
        let (lower, upper) = self.rounded::<f64>()?;
        let key = RunKey::new(0, 0);
        let coordinate = |number: usize, i: usize| {
            let (lower, upper) = (lower[i], upper[i]);
            let part = match number {
                0 => 0.0,
                1 => 1.0,
                2 => 0.5,
                _ => {
                    let stream = Stream::new(key, Purpose::Move, 0, number as u32);
                    stream.draws_of::<f64>(i as u32)[0].open()
                }
            };
            let x = (lower + part * (upper - lower)).clamp_to(lower, upper);
            natural(self.scales[i].code(), x)
        };
        let point = |number| (0..self.dimensions()).map(|i| coordinate(number, i)).collect();
        Ok((0..count).map(point).collect())
    }

    /// The bounds of the first run.
    fn of_the_first(mut self) -> Self {
        let (runs, dimensions) = (self.runs(), self.dimensions());
        self.first.truncate(self.first.len() / runs);
        self.lower.truncate(dimensions);
        self.upper.truncate(dimensions);
        self
    }

    /// The number of runs with their own bounds; 1 if all runs have the same.
    fn runs(&self) -> usize {
        self.lower.len() / self.dimensions()
    }

    /// The number of coordinates, at least 1.
    pub fn dimensions(&self) -> usize {
        self.scales.len()
    }

    /// The lower bounds; those of the first run if each run has its own.
    pub fn lower(&self) -> &[f64] {
        &self.lower[..self.dimensions()]
    }

    /// The upper bounds; those of the first run if each run has its own.
    pub fn upper(&self) -> &[f64] {
        &self.upper[..self.dimensions()]
    }

    /// The scales.
    pub fn scales(&self) -> &[Scale] {
        &self.scales
    }

    /// The names, one for each coordinate; empty if none were given.
    pub fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// Lower bounds, upper bounds and starting points, for each run with its own.
    #[cfg(feature = "serde")]
    pub(crate) fn by_run(&self) -> impl Iterator<Item = (&[f64], &[f64], &[f64])> {
        let (runs, dimensions) = (self.runs(), self.dimensions());
        let of_run = self.first.len() / runs;
        (0..runs).map(move |run| {
            let place = |len: usize| run * len..(run + 1) * len;
            let side = place(dimensions);
            (&self.lower[side.clone()], &self.upper[side], &self.first[place(of_run)])
        })
    }

    /// Checks that these bounds are for all runs, or for this number of runs.
    pub(crate) fn check_runs(&self, runs: u64) -> Result<()> {
        let given = self.runs() as u64;
        if given == 1 || given == runs {
            return Ok(());
        }
        Err(Error::Runs { what: "bounds", given, runs })
    }

    /// The bounds in the number type of the run, on the scales on which individuals move, `[run][coordinate]`.
    pub(crate) fn rounded<R: Float>(&self) -> Result<(Vec<R>, Vec<R>)> {
        let bounds = self.lower.iter().zip(&self.upper).enumerate();
        let rounded = bounds.map(|(i, (&lower, &upper))| {
            let index = i % self.dimensions();
            let searched = match self.is_periodic(index) {
                true => scales::two_periods((lower, upper)),
                false => (lower, upper),
            };
            scales::rounded::<R>(self.scales[index], searched).ok_or(Error::BoundRange {
                index,
                lower,
                upper,
                precision: R::NAME,
            })
        });
        Ok(rounded.collect::<Result<Vec<_>>>()?.into_iter().unzip())
    }

    /// The starting points, moved to between `lower` and `upper` of [`rounded`](Bounds::rounded),
    /// `[run][individual][coordinate]`.
    pub(crate) fn beginnings<R: Float>(&self, (lower, upper): (&[R], &[R])) -> Vec<R> {
        let (of_run, dimensions) = (self.first.len() / self.runs(), self.dimensions());
        let place = |(i, &value): (usize, &f64)| {
            let index = i % dimensions;
            let bound = i / of_run * dimensions + index;
            let x = scales::inward::<R>(self.scales[index], value);
            if x.is_nan() { x } else { x.clamp_to(lower[bound], upper[bound]) }
        };
        self.first.iter().enumerate().map(place).collect()
    }
}

/// The largest number of coordinates: what a sum in registers can hold.
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
