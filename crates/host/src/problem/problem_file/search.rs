//! The search of a problem: starting points, bounds, and per-run numbers.

use warpswarm_core::Float;
use warpswarm_core::order::Fitness;

use super::cpu::Machine;
use super::problem::ProblemFile;
use crate::algorithms::Algorithm;
use crate::error::{Error, Result};
use crate::objective::bounds::Bounds;
use crate::problem::problems::Evaluation;
use crate::run::optimiser::Optimiser;
use crate::settings::Settings;
use crate::settings::precise::Precise;

impl ProblemFile {
    /// This problem with starting points for individuals, which replace those of the file: see
    /// [`Bounds::beginning_at`].
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// use warpswarm::{Algorithm, Settings, Stop};
    /// let problem = ProblemFile::parse("minimise = \"(x - 1)^2\"\nvariables.x = { lower = 0, upper = 9 }")?;
    /// let settings = Settings { individuals: 8, stop: Stop::iterations(0), ..Settings::default() };
    /// let problem = problem.beginning_at(&[[1.5]])?;
    /// let report = problem.optimiser::<f64>(&Algorithm::default(), &settings)?.run()?;
    /// assert!(report.best().value <= 0.25);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Bounds::beginning_at`].
    pub fn beginning_at<P: AsRef<[f64]>>(self, points: &[P]) -> Result<Self> {
        let bounds = self.bounds.beginning_at(points)?;
        let given = points.iter().map(|point| point.as_ref().to_vec()).collect();
        Ok(ProblemFile { bounds, given, ..self })
    }

    /// The number of runs if each has its own numbers: see [`NamedNumbers`](super::NamedNumbers), `of_runs`.
    pub fn runs(&self) -> Option<u64> {
        Some(self.names.own.runs as u64).filter(|&runs| runs > 0)
    }

    /// As [`evaluate`](ProblemFile::evaluate), for a run, from 0, if each run has its own numbers.
    ///
    /// # Errors
    ///
    /// As [`evaluate`](ProblemFile::evaluate), and if there is no such run.
    pub fn evaluate_in_run<R: Precise>(&self, run: u64, x: &[R]) -> Result<Evaluation<R>> {
        let run = self.checked(run, x.len())?;
        let machine = self.machines.of(|| {
            let (program, data) = self.program(&[], false, true);
            Machine::<R>::new(&program, x.len(), (&data, &self.names.own))
        });
        Ok(machine.at((run, x), |outputs| {
            let mut next = || outputs.next().unwrap_or(R::NAN);
            let fitness = Fitness { value: next(), violation: next() }.canonical();
            Evaluation { fitness, constraints: outputs.collect() }
        }))
    }

    /// The named expressions of `[let]` at `x`, `[coordinate]`, in the users' units: names and values, in the order of
    /// the file, without those that are arrays.
    ///
    /// ```
    /// use warpswarm::problem_file::ProblemFile;
    /// let problem = ProblemFile::parse(
    ///     r#"
    ///     minimise = "area"
    ///     variables = { width = { lower = 0, upper = 9 }, height = { lower = 0, upper = 9 } }
    ///     let = { area = "width * height", around = "2 * (width + height)" }
    ///     "#,
    /// )?;
    /// assert_eq!(problem.let_values(&[2.0, 3.0])?, [("area", 6.0), ("around", 10.0)]);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the number of coordinates of `x` is not the number of variables.
    pub fn let_values<R: Precise>(&self, x: &[R]) -> Result<Vec<(&str, R)>> {
        self.let_values_in_run(0, x)
    }

    /// As [`let_values`](ProblemFile::let_values), for a run, from 0, if each run has its own numbers.
    ///
    /// # Errors
    ///
    /// As [`let_values`](ProblemFile::let_values), and if there is no such run.
    pub fn let_values_in_run<R: Precise>(&self, run: u64, x: &[R]) -> Result<Vec<(&str, R)>> {
        let run = self.checked(run, x.len())?;
        let lets = (0..).zip(&self.names.lets);
        let single: Vec<_> = lets.filter(|(_, of)| of.defined.over.is_none()).collect();
        if single.is_empty() {
            return Ok(Vec::new());
        }
        let machine = self.let_machines.of(|| {
            let machine = self.machine_of(|compiler| {
                single.iter().map(|(number, of)| compiler.let_of(*number, of)).collect()
            });
            // Everything has been compiled before, so this cannot fail.
            machine.unwrap_or_else(|mistake| unreachable!("{mistake:?}"))
        });
        let names = single.iter().map(|(_, of)| &*of.name);
        Ok(machine.at((run, x), |numbers| names.zip(numbers).collect()))
    }

    /// The index of a run, if there is one, and if a point has a coordinate for each variable.
    fn checked(&self, run: u64, coordinates: usize) -> Result<u32> {
        self.check_dimensions(coordinates)?;
        let runs = self.runs().unwrap_or(u64::from(u32::MAX));
        if run >= runs {
            let (value, allowed) = (run.to_string(), format!("less than {runs}"));
            return Err(Error::Setting { field: "run", value, allowed });
        }
        Ok(run as u32)
    }

    /// An optimiser of the problem within narrower bounds, possibly [per-run](Bounds::of_runs) bounds, with the same
    /// number of variables and the same scales.
    ///
    /// # Errors
    ///
    /// As [`Optimiser::new`], and if the bounds do not match the problem's variables, or one of these is periodic.
    pub fn optimiser_within<R: Float>(
        &self,
        bounds: &Bounds,
        algorithm: &Algorithm,
        settings: &Settings,
    ) -> Result<Optimiser<R>> {
        self.check_dimensions(bounds.dimensions())?;
        let wrong = |value: &str, allowed: &str| {
            let (value, allowed) = (value.into(), format!("{allowed}, as {} has them", self.name));
            Err(Error::Setting { field: "bounds", value, allowed })
        };
        if bounds.scales() != self.bounds.scales() {
            return wrong("of other scales", "the same scales");
        }
        if !self.names.periodic.is_empty() {
            return wrong("of a periodic variable", "bounds of variables that are not periodic");
        }
        let is_outside = |(lower, upper, _): (&[f64], &[f64], &[f64])| {
            let all = self.bounds.lower().iter().zip(self.bounds.upper());
            lower
                .iter()
                .zip(upper)
                .zip(all)
                .any(|((low, high), (least, most))| low < least || high > most)
        };
        if bounds.by_run().any(is_outside) {
            return wrong("outside of the problem's", "bounds within its own");
        }
        self.started(bounds, algorithm, settings)
    }

    /// An optimiser within bounds that match the problem.
    pub(super) fn started<R: Float>(
        &self,
        bounds: &Bounds,
        algorithm: &Algorithm,
        settings: &Settings,
    ) -> Result<Optimiser<R>> {
        let settings = Settings { maximise: self.maximises, ..settings.clone() };
        Optimiser::new(self, bounds, algorithm, &settings).map_err(|error| self.named_in(error))
    }
}
