//! The fits to carry out, checked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use warpswarm_core::data::Table;
use warpswarm_core::fit::{Scatter, Settings};

use super::device::OnDevice;
use super::found::Found;
use super::outcome::Fits;
use super::settings::FitSettings;
use super::solve;
use crate::engine::cpu::workers::Workers;
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::machine::gpu::Gpu;
use crate::objective::bounds::Bounds;
use crate::objective::data::LaidOut;
use crate::settings::choices::Backend;
use crate::settings::precise::Precise;

/// The names of the parameters: those of the bounds, or `p0` and so on.
pub(crate) fn names(bounds: &Bounds) -> Vec<String> {
    let name = |i: usize| bounds.names().get(i).map_or_else(|| format!("p{i}"), |n| (*n).into());
    (0..bounds.dimensions()).map(name).collect()
}

/// A model in the form that fits use: predictions of rows.
pub(crate) trait Sheet<R>: Send + Sync {
    /// The predictions for the rows from `first` on, with parameters `x`.
    fn values(&self, fit: u32, x: &[R], first: usize, values: &mut [R]);

    /// The predictions, followed by the derivatives by each parameter: `into` is `[1 + parameters][row]`.
    fn slopes(&self, fit: u32, x: &[R], first: usize, into: &mut [R]);
}

/// A number for each row, which all fits share or which differs between fits, within a larger array.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Numbers<R> {
    numbers: Arc<Vec<R>>,
    /// The position of the first fit's numbers.
    first: usize,
    /// The distance from the numbers of one fit to those of the next; 0 if all share them.
    stride: usize,
}

impl<R> Numbers<R> {
    /// The numbers of a table of data, which must exist.
    pub(crate) fn of_table(data: &LaidOut<R>, table: Table) -> Self {
        let (numbers, stride) =
            if table.is_of_run() { (&data.of_runs, data.of_run) } else { (&data.all, 0) };
        Numbers { numbers: numbers.clone(), first: table.start(), stride }
    }

    /// The numbers from `first` on, of the `stride` numbers of each fit.
    pub(crate) fn among(numbers: Arc<Vec<R>>, first: usize, stride: usize) -> Self {
        Numbers { numbers, first, stride }
    }

    /// One number for each row, shared by all fits.
    pub(crate) fn shared(numbers: Vec<R>) -> Self {
        Numbers { numbers: Arc::new(numbers), first: 0, stride: 0 }
    }

    /// `[fit][row]`
    pub(crate) fn of_fits(numbers: Vec<R>, rows: usize) -> Self {
        Numbers { numbers: Arc::new(numbers), first: 0, stride: rows }
    }

    /// The numbers of a fit with this many rows.
    pub(crate) fn of(&self, fit: usize, rows: usize) -> &[R] {
        &self.numbers[self.first + fit * self.stride..][..rows]
    }

    /// Whether each fit has its own numbers.
    #[cfg(feature = "problem-files")]
    pub(crate) fn are_of_fit(&self) -> bool {
        self.stride > 0
    }

    /// The position of the first fit's numbers in this array, if they are in it.
    #[cfg(feature = "problem-files")]
    pub(crate) fn place_in(&self, numbers: &Arc<Vec<R>>) -> Option<usize> {
        (self.stride > 0 && Arc::ptr_eq(&self.numbers, numbers)).then_some(self.first)
    }

    /// These numbers, converted by a function of the whole array.
    #[cfg(feature = "problem-files")]
    pub(crate) fn map<T>(self, make: impl FnOnce(&Arc<Vec<R>>) -> Arc<Vec<T>>) -> Numbers<T> {
        Numbers { numbers: make(&self.numbers), first: self.first, stride: self.stride }
    }
}

/// Does all fits of a model with a known number of parameters.
pub(crate) type Solve<R> = fn(&Work<'_, R>) -> Found<R>;

/// Everything that fits need.
pub(crate) struct Work<'a, R> {
    pub(crate) names: Vec<String>,
    pub(crate) sheet: Arc<dyn Sheet<R>>,
    pub(crate) solve: Solve<R>,
    /// Carries out the fits on a device, if that is possible.
    pub(crate) on_device: Option<Box<dyn OnDevice<R>>>,
    /// Otherwise, what is allowed instead.
    pub(crate) no_device: &'static str,
    pub(crate) fits: usize,
    pub(crate) rows: usize,
    pub(crate) values: Numbers<R>,
    /// Standard deviations; infinite for excluded rows.
    pub(crate) sigma: Option<Numbers<R>>,
    pub(crate) scatter: Scatter,
    /// The number of rows of each fit that are not excluded, if fits differ.
    pub(crate) of_rows: Vec<u32>,
    /// The bounds within which starting values are drawn.
    pub(crate) searched: [Vec<f64>; 2],
    pub(crate) logarithmic: Vec<bool>,
    /// The limits of the parameters.
    pub(crate) limits: [Vec<f64>; 2],
    /// Starting values, of all fits or `[fit][parameter]`; empty if they are searched for.
    pub(crate) starts: &'a [f64],
    pub(crate) settings: Settings<R>,
    /// The numbers of starts and samples of the search, if they are not the default.
    pub(crate) search: [Option<u32>; 2],
    pub(crate) seed: u64,
    /// The threads of the CPU.
    pub(crate) workers: Workers,
    /// The number of finished fits, for waiting threads.
    pub(crate) count: Arc<AtomicU64>,
}

impl<'a, R: Precise> Work<'a, R> {
    /// The work of `fits` fits over `rows` rows each, without further settings.
    pub(crate) fn new(
        names: Vec<String>,
        sheet: Arc<dyn Sheet<R>>,
        fits: usize,
        rows: usize,
    ) -> Self {
        let settings = Settings::new(names.len());
        Work {
            names,
            sheet,
            solve: solve::of_any_size::<R>,
            on_device: None,
            no_device: "cpu",
            fits,
            rows,
            values: Numbers::shared(Vec::new()),
            sigma: None,
            scatter: Scatter::default(),
            of_rows: Vec::new(),
            searched: [Vec::new(), Vec::new()],
            logarithmic: Vec::new(),
            limits: [Vec::new(), Vec::new()],
            starts: &[],
            settings,
            search: [None; 2],
            seed: 0,
            workers: Workers { pool: None, threads: 1 },
            count: Arc::default(),
        }
    }

    /// Counts finished fits.
    pub(crate) fn add(&self, fits: usize) {
        self.count.fetch_add(fits as u64, Ordering::Relaxed);
    }

    /// Checks settings and bounds, and applies them.
    pub(crate) fn within(&mut self, bounds: &Bounds, settings: &'a FitSettings) -> Result<()> {
        use warpswarm_core::variable::Scale;
        let n = self.names.len();
        if n > MOST_PARAMETERS {
            let allowed = format!("up to {MOST_PARAMETERS} of a fit");
            return Err(Error::Setting { field: "parameters", value: n.to_string(), allowed });
        }
        let whole = bounds.scales().iter().position(|scale| *scale == Scale::Integer);
        if let Some(at) = whole.filter(|&at| bounds.lower()[at] < bounds.upper()[at]) {
            let allowed =
                format!("numbers of any size; `{}` is a whole number or a choice", self.names[at]);
            return Err(Error::Setting { field: "scale", value: "integer".into(), allowed });
        }
        self.searched = [bounds.lower().to_vec(), bounds.upper().to_vec()];
        self.logarithmic = bounds.scales().iter().map(|scale| *scale == Scale::Log).collect();
        self.limits = self.searched.clone();
        if !settings.limits.is_empty() {
            if settings.limits.len() != n {
                let value = settings.limits.len().to_string();
                let allowed = format!("{n}, two for each parameter");
                return Err(Error::Setting { field: "limits", value, allowed });
            }
            self.limits = [0, 1].map(|side| settings.limits.iter().map(|of| of[side]).collect());
            for (name, [lower, upper]) in self.names.iter().zip(&settings.limits) {
                let is_right =
                    lower <= upper && *lower < f64::INFINITY && *upper > f64::NEG_INFINITY;
                if !is_right {
                    let value = format!("{lower} to {upper} for `{name}`");
                    let allowed = "lower <= upper, no NaN".into();
                    return Err(Error::Setting { field: "limits", value, allowed });
                }
            }
        }
        self.take_rows(settings)?;
        self.take_settings(settings)?;
        self.take_start(settings)?;
        self.seed = settings.seed;
        Ok(())
    }

    /// Applies the numbers of rows.
    fn take_rows(&mut self, settings: &FitSettings) -> Result<()> {
        let n = self.free().count();
        if !settings.rows.is_empty() {
            if settings.rows.len() != self.fits {
                let given = settings.rows.len() as u64;
                return Err(Error::Runs { what: "rows", given, runs: self.fits as u64 });
            }
            let most = self.rows;
            if let Some(&rows) = settings.rows.iter().find(|&&rows| rows as usize > most) {
                let allowed = format!("up to {most}, as many as there are");
                return Err(Error::Setting { field: "rows", value: rows.to_string(), allowed });
            }
            let ones = Numbers::shared(vec![R::ONE; self.rows]);
            let known = self.sigma.take().unwrap_or(ones);
            let mut numbers = Vec::with_capacity(self.fits * self.rows);
            for (fit, &rows) in settings.rows.iter().enumerate() {
                numbers.extend_from_slice(&known.of(fit, self.rows)[..rows as usize]);
                numbers.resize((fit + 1) * self.rows, R::INFINITY);
            }
            self.sigma = Some(Numbers::of_fits(numbers, self.rows));
            self.of_rows.clone_from(&settings.rows);
        }
        for fit in 0..if self.of_rows.is_empty() { 1 } else { self.fits } {
            let rows = self.rows_of(fit);
            if rows < n as u64 {
                let of = if self.fits > 1 && !self.of_rows.is_empty() {
                    format!(" of fit {fit}")
                } else {
                    String::new()
                };
                let allowed = format!(
                    "at least {n}{of}, as many as there are parameters to be found; fewer do not determine them"
                );
                return Err(Error::Setting { field: "rows", value: rows.to_string(), allowed });
            }
        }
        Ok(())
    }

    /// The parameters that are not fixed.
    pub(crate) fn free(&self) -> impl Iterator<Item = usize> {
        let [lower, upper] = &self.limits;
        (0..self.names.len()).filter(move |&i| lower[i] < upper[i])
    }

    /// The number of rows of a fit that are not excluded.
    pub(crate) fn rows_of(&self, fit: usize) -> u64 {
        self.of_rows.get(fit).map_or(self.rows as u64, |&rows| u64::from(rows))
    }

    fn take_start(&mut self, settings: &'a FitSettings) -> Result<()> {
        let n = self.names.len();
        let given = settings.start.len();
        if given == 0 {
            return Ok(());
        }
        if given != n && given != n * self.fits {
            let value = given.to_string();
            let allowed = match self.fits {
                1 => format!("{n}, one for each parameter"),
                fits => format!("{n}, one for each parameter, or {n} for each of the {fits} fits"),
            };
            return Err(Error::Setting { field: "start", value, allowed });
        }
        let [lower, upper] = &self.limits;
        // The negated comparison also rejects NaN.
        let is_outside = |of: &[f64]| (0..n).find(|&i| !(of[i] >= lower[i] && of[i] <= upper[i]));
        let outside = |of: &[f64]| is_outside(of).map(|i| (i, of[i]));
        let outside = match &self.workers.pool {
            Some(pool) => pool.install(|| {
                settings.start.par_chunks(n).with_min_len(1024).find_map_first(outside)
            }),
            None => settings.start.chunks(n).find_map(outside),
        };
        if let Some((i, start)) = outside {
            let value = format!("{start} for `{}`", self.names[i]);
            let allowed = format!("between its bounds, {} and {}", lower[i], upper[i]);
            return Err(Error::Setting { field: "start", value, allowed });
        }
        self.starts = &settings.start;
        Ok(())
    }

    fn take_settings(&mut self, settings: &FitSettings) -> Result<()> {
        let tolerances = [
            ("ftol", settings.ftol, 1.0, &mut self.settings.ftol),
            ("xtol", settings.xtol, 1.0, &mut self.settings.xtol),
            ("gtol", settings.gtol, f64::INFINITY, &mut self.settings.gtol),
        ];
        for (field, given, below, into) in tolerances {
            let Some(given) = given else { continue };
            if !(given >= 0.0 && given < below) {
                let allowed = if below == 1.0 { "from 0 to below 1" } else { "a number from 0 on" };
                let value = given.to_string();
                return Err(Error::Setting { field, value, allowed: allowed.into() });
            }
            *into = R::from_f64(given);
        }
        let counts = [
            ("evaluations", settings.evaluations, u32::MAX),
            ("starts", settings.starts, MOST_STARTS),
            ("samples", settings.samples, MOST_STARTS),
        ];
        for (field, given, most) in counts {
            if let Some(given) = given.filter(|given| !(1..=most).contains(given)) {
                let allowed = format!("1 to {most}");
                return Err(Error::Setting { field, value: given.to_string(), allowed });
            }
        }
        if let Some(evaluations) = settings.evaluations {
            self.settings.evaluations = evaluations;
        }
        self.search = [settings.starts, settings.samples];
        if let Some(threads) = settings.threads.filter(|threads| !(1..=65_536).contains(threads)) {
            let allowed = "1 to 65536".into();
            return Err(Error::Setting { field: "threads", value: threads.to_string(), allowed });
        }
        self.workers = Workers::new(settings.threads)?;
        Ok(())
    }

    /// Carries out all fits.
    pub(crate) fn done(self, settings: &FitSettings) -> Result<Fits<R>> {
        let began = Instant::now();
        let (found, device) = self.found(settings)?;
        Ok(Fits {
            free: self.free().collect(),
            limits: self.limits,
            names: self.names,
            fits: self.fits,
            rows: self.rows,
            of_rows: self.of_rows,
            is_of_counts: self.scatter == Scatter::Counts,
            absolute_sigma: settings.absolute_sigma || self.scatter == Scatter::Counts,
            found,
            values: self.values,
            sigma: self.sigma,
            device,
            seconds: began.elapsed().as_secs_f64(),
        })
    }

    /// The results of all fits, and the device that computed them.
    fn found(&self, settings: &FitSettings) -> Result<(Found<R>, String)> {
        self.count.store(0, Ordering::Relaxed);
        let refused = |allowed: &str| {
            let (field, value) = ("backend", settings.backend.to_string());
            Err(Error::Setting { field, value, allowed: allowed.into() })
        };
        match (settings.backend, &self.on_device) {
            (Backend::Gpu | Backend::Emulator, None) => return refused(self.no_device),
            (Backend::Gpu, Some(target)) => return on_gpu(&**target, self),
            #[cfg(feature = "emulator")]
            (Backend::Emulator, Some(target)) => {
                let machine = crate::machine::emulator::Emulator::default();
                let name = machine.name();
                return Ok((target.on_emulator(self, machine)?, name));
            }
            #[cfg(not(feature = "emulator"))]
            (Backend::Emulator, Some(_)) => return Err(Error::NoEmulator),
            (Backend::Auto, Some(target)) if self.fits * self.rows >= MANY => {
                match on_gpu(&**target, self) {
                    Err(error) if error.is_input() => return Err(error),
                    Ok(found) => return Ok(found),
                    // If the device lacks a resource, the CPU is used.
                    Err(_) => self.count.store(0, Ordering::Relaxed),
                }
            }
            _ => {}
        }
        Ok(((self.solve)(self), self.workers.name()))
    }
}

fn on_gpu<R: Precise>(target: &dyn OnDevice<R>, work: &Work<'_, R>) -> Result<(Found<R>, String)> {
    let machine = Gpu::open(0)?;
    let name = machine.name();
    Ok((target.on_gpu(work, machine)?, name))
}

/// The total number of rows of all fits from which a GPU is tried.
const MANY: usize = 1 << 20;
/// The largest number of parameters.
const MOST_PARAMETERS: usize = 32;
/// The largest number of starts, and of samples of a start.
const MOST_STARTS: u32 = 65_536;
