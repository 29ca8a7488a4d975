//! The noiseless BBOB suite of COCO: 24 functions for comparing optimisers, each with many instances, in two or more
//! dimensions.
//!
//! ```
//! use warpswarm::{Algorithm, Settings, Stop, bbob};
//! let rastrigin = bbob::problem(3, 1, 5)?;
//! let settings = Settings { individuals: 64, stop: Stop::iterations(300), ..Settings::default() };
//! let report = rastrigin.file().optimiser::<f64>(&Algorithm::default(), &settings)?.run()?;
//! assert!(report.best().value >= rastrigin.optimum_value());
//! # Ok::<(), warpswarm::Error>(())
//! ```
//!
//! An instance is a function whose optimum is shifted and, for most functions, whose axes are rotated, by random
//! numbers that follow from the instance's number. The random numbers are COCO's own, and the values agree with COCO's:
//! they differ by less than 1e-12 of `|f - f_opt| + |f_opt|`, for f16 by 3e-12, which is less than the effect of the
//! last bits of the coordinates. `benches/bbob/coco.py` compares them. The bounds are -5 and 5 in every coordinate.
//!
//! Rotations depend on the platform's logarithm and cosine, as they do in COCO. With a C library that rounds these
//! differently, values may differ by 1e-9 of their size.
//!
//! Each function is a [problem file](crate::problem::problem_file) with computed constants; its formula is in the
//! folder `bbob` of the library's source. So it runs on CPU and GPU, with the same bits.
//!
//! Sources: N. Hansen, S. Finck, R. Ros, A. Auger, Real-parameter black-box optimization benchmarking 2009: noiseless
//! functions definitions, INRIA RR-6829; N. Hansen, A. Auger, R. Ros, O. Mersmann, T. Tusar, D. Brockhoff, COCO: a
//! platform for comparing continuous optimizers in a black-box setting, Optimization Methods and Software 36, 2021. If
//! the two differ, the functions are those of COCO (`coco-experiment` 2.8.2).

mod instance;
mod random;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result, nearest};
use crate::problem::problem_file::ProblemFile;
use instance::Instance;

/// The largest number of an instance; with a larger one seeds would leave the range of COCO's generator.
pub const MAX_INSTANCE: u32 = 200_000;
/// The default number of dimensions.
pub const USUAL_DIMENSIONS: usize = 10;
/// The smallest number of dimensions.
pub const MIN_DIMENSIONS: usize = 2;
/// The largest number of dimensions: the sums of a rotation are expanded, and an expression has at most 256
/// intermediate results at a time.
pub const MAX_DIMENSIONS: usize = 100;

/// A function of the suite.
///
/// ```
/// use warpswarm::bbob;
/// let function = bbob::find("bbob-f15")?;
/// assert_eq!((function.number, function.name), (15, "Rastrigin, rotated"));
/// assert_eq!(bbob::all().len(), 24);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Function {
    /// Its number in the suite, from 1.
    pub number: u32,
    /// Its name in commands and errors, such as `bbob-f15`.
    pub id: &'static str,
    /// Its descriptive name.
    pub name: &'static str,
    text: &'static str,
}

/// An instance of a function, in a number of dimensions.
#[derive(Clone, Debug)]
pub struct Bbob {
    function: &'static Function,
    instance: u32,
    file: ProblemFile,
    optimum: Vec<f64>,
    value: f64,
}

macro_rules! functions {
    ($($number:literal $id:literal $name:literal $file:literal,)*) => {
        [$(Function { number: $number, id: $id, name: $name, text: include_str!($file) }),*]
    };
}

static ALL: [Function; 24] = functions! {
    1 "bbob-f01" "Sphere" "f01_sphere.toml",
    2 "bbob-f02" "Ellipsoid" "f02_ellipsoid.toml",
    3 "bbob-f03" "Rastrigin" "f03_rastrigin.toml",
    4 "bbob-f04" "Bueche-Rastrigin" "f04_bueche_rastrigin.toml",
    5 "bbob-f05" "Linear slope" "f05_linear_slope.toml",
    6 "bbob-f06" "Attractive sector" "f06_attractive_sector.toml",
    7 "bbob-f07" "Step ellipsoid" "f07_step_ellipsoid.toml",
    8 "bbob-f08" "Rosenbrock" "f08_rosenbrock.toml",
    9 "bbob-f09" "Rosenbrock, rotated" "f09_rosenbrock_rotated.toml",
    10 "bbob-f10" "Ellipsoid, rotated" "f10_ellipsoid_rotated.toml",
    11 "bbob-f11" "Discus" "f11_discus.toml",
    12 "bbob-f12" "Bent cigar" "f12_bent_cigar.toml",
    13 "bbob-f13" "Sharp ridge" "f13_sharp_ridge.toml",
    14 "bbob-f14" "Different powers" "f14_different_powers.toml",
    15 "bbob-f15" "Rastrigin, rotated" "f15_rastrigin_rotated.toml",
    16 "bbob-f16" "Weierstrass" "f16_weierstrass.toml",
    17 "bbob-f17" "Schaffer's F7" "f17_schaffers.toml",
    18 "bbob-f18" "Schaffer's F7, ill-conditioned" "f18_schaffers_ill_conditioned.toml",
    19 "bbob-f19" "Griewank and Rosenbrock" "f19_griewank_rosenbrock.toml",
    20 "bbob-f20" "Schwefel" "f20_schwefel.toml",
    21 "bbob-f21" "Gallagher, 101 peaks" "f21_gallagher_101.toml",
    22 "bbob-f22" "Gallagher, 21 peaks" "f22_gallagher_21.toml",
    23 "bbob-f23" "Katsuura" "f23_katsuura.toml",
    24 "bbob-f24" "Lunacek's bi-Rastrigin" "f24_lunacek_bi_rastrigin.toml",
};

/// All functions, in the order of their numbers.
pub fn all() -> &'static [Function] {
    &ALL
}

/// The function of this name: `bbob-f3` and `bbob-f03` are the same.
///
/// # Errors
///
/// If no function has this name.
pub fn find(name: &str) -> Result<&'static Function> {
    let digits =
        name.strip_prefix("bbob-f").filter(|rest| rest.bytes().all(|c| c.is_ascii_digit()));
    let number = digits.and_then(|digits| digits.parse().ok());
    let found = number.and_then(|number: u32| ALL.iter().find(|of| of.number == number));
    found.ok_or_else(|| {
        let known = ALL.each_ref().map(|of| of.id);
        let similar = nearest(name, &known);
        let nearest = if similar.is_empty() { known[..3].to_vec() } else { similar };
        Error::NoSuch { what: "problem", name: name.into(), nearest }
    })
}

/// An instance of the function with this number: see [`Function::instance`].
///
/// # Errors
///
/// If there is no such function, instance or number of dimensions.
pub fn problem(function: u32, instance: u32, dimensions: usize) -> Result<Bbob> {
    let found = ALL.iter().find(|of| of.number == function);
    let found = found.ok_or_else(|| Error::Setting {
        field: "function",
        value: function.to_string(),
        allowed: format!("1 to {}", ALL.len()),
    })?;
    found.instance(instance, dimensions)
}

impl Function {
    /// An instance, in a number of dimensions.
    ///
    /// ```
    /// use warpswarm::bbob;
    /// let sphere = bbob::find("bbob-f1")?.instance(1, 2)?;
    /// let [x, y] = [1.0, -2.0];
    /// let [a, b] = sphere.optimum_position() else { unreachable!() };
    /// let value = sphere.file().evaluate(&[x, y])?.fitness.value;
    /// assert!((value - ((x - a).powi(2) + (y - b).powi(2)) - sphere.optimum_value()).abs() < 1e-12);
    /// let error = bbob::find("bbob-f1")?.instance(0, 2).unwrap_err();
    /// assert_eq!(error.to_string(), "instance is 0; allowed: 1 to 200000");
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the number of the instance is not from 1 to [`MAX_INSTANCE`], or the number of dimensions not from
    /// [`MIN_DIMENSIONS`] to [`MAX_DIMENSIONS`].
    pub fn instance(&'static self, instance: u32, dimensions: usize) -> Result<Bbob> {
        if !(1..=MAX_INSTANCE).contains(&instance) {
            let (value, allowed) = (instance.to_string(), format!("1 to {MAX_INSTANCE}"));
            return Err(Error::Setting { field: "instance", value, allowed });
        }
        if !(MIN_DIMENSIONS..=MAX_DIMENSIONS).contains(&dimensions) {
            let allowed = format!("{MIN_DIMENSIONS} to {MAX_DIMENSIONS} for {}", self.id);
            return Err(Error::Setting {
                field: "dimensions",
                value: dimensions.to_string(),
                allowed,
            });
        }
        let numbers = Instance { function: self.number, number: instance, dimensions }.numbers();
        let file = ProblemFile::parse_with(self.text, self.id, &numbers.constants, &[])?;
        let (optimum, value) = (numbers.optimum, numbers.value);
        Ok(Bbob { function: self, instance, file, optimum, value })
    }
}

impl Bbob {
    /// The function.
    pub fn function(&self) -> &'static Function {
        self.function
    }

    /// The number of the instance.
    pub fn instance(&self) -> u32 {
        self.instance
    }

    /// The problem file with the function's expression, the instance's numbers and the bounds: for evaluating and
    /// optimising.
    pub fn file(&self) -> &ProblemFile {
        &self.file
    }

    /// The optimum. Its computed value may differ from [`optimum_value`](Bbob::optimum_value) by rounding errors.
    pub fn optimum_position(&self) -> &[f64] {
        &self.optimum
    }

    /// The minimum of the function, COCO's `f_opt`.
    pub fn optimum_value(&self) -> f64 {
        self.value
    }
}
