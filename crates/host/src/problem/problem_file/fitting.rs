//! Fits of the models in a problem file: the public functions.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::problem::ProblemFile;
use crate::error::Result;
use crate::fit::{FitSettings, Fits};
use crate::settings::precise::{InBoth, Precise};

impl ProblemFile {
    /// Whether the file fits models to data: whether it has `fit` or `fits`.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let problem = ProblemFile::parse(
    ///     "fit = \"y ~ a * t\"\nvariables.a = { lower = 0, upper = 9 }\ndata = { t = [1, 2, 3], y = [2, 4, 6] }",
    /// )?;
    /// assert!(problem.fits_models());
    /// // The objective is the sum of squares.
    /// assert_eq!(problem.evaluate(&[1.0])?.fitness.value, 1.0 + 4.0 + 9.0);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn fits_models(&self) -> bool {
        self.curves.is_some()
    }

    /// The key in the file that gives the uncertainty of the observations, if it has one: `sigma` or `weights`.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let problem = ProblemFile::parse(
    ///     "fit = \"y ~ a\"\nsigma = \"2\"\nvariables.a = { lower = 0, upper = 9 }\ndata.y = [2, 4, 6]",
    /// )?;
    /// assert_eq!(problem.uncertainty(), Some("sigma"));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn uncertainty(&self) -> Option<&'static str> {
        let mut all = self.curves.iter().flat_map(|curves| &curves.all);
        all.find_map(|curve| Some(curve.spread.as_ref()?.key()))
    }

    /// Fits the models in `fit` or `fits` to the data of each run: returns parameters with their standard errors.
    ///
    /// ```
    /// use warpswarm::fit::FitSettings;
    /// use warpswarm::problem_file::ProblemFile;
    /// let decay = ProblemFile::parse(
    ///     r#"
    ///     fit = "y ~ height * exp(-t / lifetime)"
    ///     variables.height = { lower = 0, upper = 100 }
    ///     variables.lifetime = { lower = 1e-3, upper = 1e3, scale = "log" }
    ///     data = { t = [0, 1, 2, 3, 4], y = [10.1, 6.0, 3.8, 2.1, 1.4] }
    ///     "#,
    /// )?;
    /// let fits = decay.fit_models::<f64>(&FitSettings::default())?;
    /// let fit = fits.get(0).expect("one");
    /// assert!((fit.parameters()[0] - 10.0793).abs() < 1e-4 && (fit.errors()[0] - 0.1108).abs() < 1e-4);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the file has no model to fit, or has constraints or integers, and as [`fit`](crate::fit()).
    pub fn fit_models<R: Precise>(&self, settings: &FitSettings) -> Result<Fits<R>> {
        R::of(Fitting { problem: self, settings, done: &Arc::default() })
    }

    /// As [`fit_models`](Self::fit_models), and counts the finished fits in `done`, which other threads can read. On a
    /// CPU the fits are counted one by one, on a GPU after each launch; there is one launch unless the fits need more
    /// than 4 GiB.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// use warpswarm::fit::FitSettings;
    /// use warpswarm::problem_file::ProblemFile;
    /// let line = ProblemFile::parse(
    ///     "fit = \"y ~ a * t\"\nvariables.a = { lower = 0, upper = 9 }\ndata = { t = [1, 2, 3], y = [2, 4, 7] }",
    /// )?;
    /// let done = Arc::new(AtomicU64::new(0));
    /// line.fit_models_counted::<f64>(&FitSettings::default(), &done)?;
    /// assert_eq!(done.load(Ordering::Relaxed), 1);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`fit_models`](Self::fit_models).
    pub fn fit_models_counted<R: Precise>(
        &self,
        settings: &FitSettings,
        done: &Arc<AtomicU64>,
    ) -> Result<Fits<R>> {
        let is_absolute = self.curves.as_ref().is_some_and(|curves| curves.absolute_sigma);
        let absolute_sigma = settings.absolute_sigma || is_absolute;
        let settings = &FitSettings { absolute_sigma, ..settings.clone() };
        R::of(Fitting { problem: self, settings, done })
    }
}

/// The fits to carry out.
struct Fitting<'a> {
    problem: &'a ProblemFile,
    settings: &'a FitSettings,
    /// Counts the finished fits.
    done: &'a Arc<AtomicU64>,
}

impl Fitting<'_> {
    fn fits<R: Precise>(self) -> Result<Fits<R>> {
        let mut work = self.problem.work::<R>(self.settings)?;
        work.count = self.done.clone();
        work.done(self.settings)
    }
}

impl InBoth for Fitting<'_> {
    type Of<R: Precise> = Result<Fits<R>>;
    fn single(self) -> Result<Fits<f32>> {
        self.fits()
    }
    fn double(self) -> Result<Fits<f64>> {
        self.fits()
    }
}
