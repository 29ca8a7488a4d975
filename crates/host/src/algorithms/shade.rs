//! The parameters of SHADE. The equations are in [`warpswarm_core::shade`].

use warpswarm_core::boundary::{Boundary, Limits};
use warpswarm_core::shade::{MIN_INDIVIDUALS, Shade};
use warpswarm_core::{Float, Real};

use warpswarm_cpu_ref::population_reduction::PopulationReduction;

pub use warpswarm_core::shade::Rebound;

use super::parameters::{
    self, ARCHIVE, COUNT_OR_NONE, FACTOR, MEMORY, Parameter, Params, TOURNAMENT, boundary,
    correction, limit, number, one_of, whole,
};
use super::{Algorithm, AlgorithmInfo, DEVICES, Preset};
use crate::error::{Error, Result};
use crate::settings::{DEFAULT_ITERATIONS, Settings, Stop};

/// The largest number of individuals: the sums from which a run adapts must not overflow, and a draw among up to 55
/// possibilities per individual must fit in 32 bits.
const MAX_INDIVIDUALS: u64 = u32::MAX as u64 / (FIFTHS as u64 + 50);
/// The size of the archive is set in fifths of the population.
const FIFTHS: u32 = 5;

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "shade",
    title: "differential evolution that learns its parameters, SHADE",
    source: "R. Tanabe, A. Fukunaga, Success-history based parameter adaptation for differential evolution, IEEE CEC \
             2013; memory and falling population of their L-SHADE, IEEE CEC 2014; one of the best by a tournament",
    backends: DEVICES,
    presets: &[
        Preset {
            name: "tanabe-fukunaga-2014",
            source: "R. Tanabe, A. Fukunaga, IEEE CEC 2014, without the reduction of the population; the best of 13 in the \
                     place of one of the best 11 %",
            make: || Algorithm::Shade(ShadeParams::tanabe_fukunaga_2014()),
        },
        Preset {
            name: "lshade",
            source: "the same with their archive of 2.6 points for each individual, the best of 12, and the reduction of the \
                     population, L-SHADE: usually 18 individuals a dimension, and 4 when all evaluations are spent",
            make: || Algorithm::Shade(ShadeParams::lshade()),
        },
    ],
};

/// The parameters of SHADE.
///
/// The default is [`tanabe_fukunaga_2014`](ShadeParams::tanabe_fukunaga_2014).
///
/// ```
/// use warpswarm::{Bounds, Settings, ShadeParams, Stop, minimise, problems::Rosenbrock};
/// let bounds = Bounds::uniform(5, -2.048, 2.048)?;
/// let settings = Settings { individuals: 64, stop: Stop::iterations(400), ..Settings::default() };
/// let report = minimise::<f64, _>(&Rosenbrock, &bounds, &ShadeParams::default().into(), &settings)?;
/// assert!(report.best().value < 1e-9);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadeParams {
    /// H, the number of places in the memory, 1 to 100.
    pub memory: u32,
    /// The scale factor and crossover rate with which the memory is initialised; above 0, at most 1.
    pub initial: f64,
    /// T, the number of individuals from which the one to move towards is chosen as the best, 1 to 64.
    pub tournament: u32,
    /// A, the size of the archive, in points per individual, 0 to 10 in steps of 0.2. The second point of a difference
    /// is from the archive A times as often as from the population, and points stay in a larger archive for longer.
    pub archive: f64,
    /// What happens to a coordinate that leaves its bounds.
    pub boundary: Rebound,
    /// COR, the reach of [`Boundary::Reverse`] as a fraction of the range, 0 to 1.
    pub correction: f64,
    /// The number of individuals when the evaluations are used up, from 4 to the initial number. The worst individuals
    /// are removed during the run. 0 keeps all.
    pub final_individuals: u32,
    /// The evaluations over which individuals are removed, above 0. The default is the run's limit on evaluations or,
    /// if it has none, about the evaluations of its iterations.
    pub budget: Option<f64>,
}

impl Default for ShadeParams {
    fn default() -> Self {
        ShadeParams::tanabe_fukunaga_2014()
    }
}

impl ShadeParams {
    /// A memory of 6 places, a tournament of 13, an archive as large as the population.
    ///
    /// ```
    /// use warpswarm::ShadeParams;
    /// let params = ShadeParams::tanabe_fukunaga_2014();
    /// assert_eq!((params.memory, params.tournament, params.archive), (6, 13, 1.0));
    /// ```
    pub const fn tanabe_fukunaga_2014() -> Self {
        ShadeParams {
            memory: 6,
            initial: 0.5,
            tournament: 13,
            archive: 1.0,
            boundary: Rebound::Midpoint,
            correction: 0.22,
            final_individuals: 0,
            budget: None,
        }
    }

    /// L-SHADE: the same with a larger archive and a population that is reduced to 4 individuals.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, Settings, ShadeParams, Stop, minimise, problems::Rastrigin};
    /// let lshade = Algorithm::from(ShadeParams::lshade());
    /// assert_eq!(lshade.usual_individuals(10), 180);
    /// let bounds = Bounds::uniform(5, -5.12, 5.12)?;
    /// let settings = Settings { stop: Stop::evaluations(20_000), ..Settings::default() };
    /// let report = minimise::<f64, _>(&Rastrigin, &bounds, &lshade, &settings)?;
    /// assert!(report.best().value < 1e-9);
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub const fn lshade() -> Self {
        ShadeParams {
            archive: 2.6,
            tournament: 12,
            final_individuals: MIN_INDIVIDUALS,
            ..ShadeParams::tanabe_fukunaga_2014()
        }
    }

    /// The weights with which the second point of a difference is drawn from the population and from the archive.
    fn weights(&self) -> [u32; 2] {
        let left = (f64::from(FIFTHS) * self.archive).round() as u32;
        // In lowest terms, so that the rejection sampling discards as few random words as possible.
        if left.is_multiple_of(FIFTHS) { [1, left / FIFTHS] } else { [FIFTHS, left] }
    }

    /// The same parameters; if `budget` is not set, it becomes the evaluations of a run with these settings.
    pub(super) fn completed(self, settings: &Settings) -> Self {
        if self.final_individuals == 0 || self.budget.is_some() {
            return self;
        }
        let Stop { iterations, evaluations, seconds, .. } = settings.stop;
        let usual = if seconds.is_none() { Some(DEFAULT_ITERATIONS) } else { None };
        let of_iterations = iterations.or(usual).map(|iterations| {
            let [first, last] = [settings.individuals as f64, f64::from(self.final_individuals)];
            // A linear decrease over evaluations is an exponential decrease over iterations.
            let mean = if first > last { (first - last) / Real::ln(first / last) } else { first };
            iterations as f64 * mean
        });
        let budget = evaluations.map(|all| all as f64).or(of_iterations);
        ShadeParams { budget: budget.map(|all| all.max(1.0)), ..self }
    }

    /// The schedule of the population reduction for this number of individuals; `None` if all are kept.
    pub(crate) fn reduction(&self, individuals: u64) -> Result<Option<PopulationReduction>> {
        parameters::check(self)?;
        let last = u64::from(self.final_individuals);
        if last == 0 {
            return Ok(None);
        }
        if !(u64::from(MIN_INDIVIDUALS)..=individuals).contains(&last) {
            return Err(Error::Setting {
                field: "final_individuals",
                value: last.to_string(),
                allowed: format!(
                    "{MIN_INDIVIDUALS} to {individuals}, as many as at first, or 0 where all stay"
                ),
            });
        }
        let budget = self.budget.ok_or_else(|| Error::Setting {
            field: "budget",
            value: "none".into(),
            allowed: "a number of evaluations, where neither they nor iterations limit the run: \
                      the population falls over them"
                .into(),
        })?;
        let budget = budget.ceil().max(1.0) as u64;
        Ok(Some(PopulationReduction::new(individuals as u32, self.final_individuals, budget)))
    }

    /// The parameters in the number type of the run, checked.
    pub(crate) fn method<R: Float>(&self, individuals: u64) -> Result<Shade<R>> {
        parameters::check(self)?;
        if !(u64::from(MIN_INDIVIDUALS)..=MAX_INDIVIDUALS).contains(&individuals) {
            return Err(Error::Setting {
                field: "individuals",
                value: individuals.to_string(),
                allowed: format!("{MIN_INDIVIDUALS} to {MAX_INDIVIDUALS} for SHADE"),
            });
        }
        let boundary = match self.boundary {
            Rebound::Midpoint => Boundary::Clamp,
            Rebound::Mode(boundary) => boundary,
        };
        Ok(Shade {
            initial: parameters::rounded("initial", self.initial)?,
            limits: Limits { correction: R::from_f64(self.correction), boundary },
            midpoint: u32::from(self.boundary == Rebound::Midpoint),
            memory: self.memory,
            tournament: self.tournament,
            weights: self.weights(),
        })
    }
}

impl Params for ShadeParams {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        whole("memory", "places of the memory, H", MEMORY, |p| &mut p.memory),
        number("initial", "scale factor and crossover rate in the memory at first", FACTOR, |p| {
            &mut p.initial
        }),
        whole(
            "tournament",
            "individuals the best of which counts as one of the best, T",
            TOURNAMENT,
            |p| &mut p.tournament,
        ),
        number(
            "archive",
            "points that were given up and are kept, for each individual, A",
            ARCHIVE,
            |p| &mut p.archive,
        ),
        boundary(|p| one_of(&Rebound::ALL, &mut p.boundary)),
        correction(|p| &mut p.correction),
        whole(
            "final_individuals",
            "individuals when the budget is spent: the worst leave on the way; 0: all stay",
            COUNT_OR_NONE,
            |p| &mut p.final_individuals,
        ),
        limit("budget", "evaluations over which they leave; none: those of the run", |p| {
            &mut p.budget
        }),
    ];
}
