//! The parameters that are searched, and the search.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use warpswarm::algorithms::{ParameterInfo, Value};
use warpswarm::{
    Algorithm, Backend, Bounds, Error, Fitness, HostObjective, Optimiser, Scale, Settings, Stop,
    Variable, algorithms,
};

use super::quality::{Trial, quality};
use crate::args::TuneArgs;
use crate::failure::Failure;

/// The smallest number of configurations in a generation.
const FEWEST: u64 = 8;
/// The largest number: with more parameters more generations are needed, too.
const MOST: u64 = 40;
/// The number of digits of a value. Values are rounded before they are evaluated, so that the printed value is the one
/// that was used.
const DIGITS: usize = 4;

/// The parameters to search.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    /// The algorithm with the parameters that are set.
    pub(crate) start: Algorithm,
    pub(crate) variables: Vec<Variable>,
}

/// The best configuration, and its quality in the runs of the search.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) algorithm: Algorithm,
    pub(crate) quality: f64,
    pub(crate) configurations: u64,
}

impl Space {
    /// The parameters that the arguments name; by default the numeric ones that have an effect and are not set.
    pub(crate) fn of(args: &TuneArgs, start: Algorithm) -> Result<Space, Failure> {
        let info = start.info();
        if args.budget < 2 * FEWEST {
            return Err(Failure::Input(format!(
                "--budget is {}; allowed: at least {}, two generations of {FEWEST} configurations",
                args.budget,
                2 * FEWEST
            )));
        }
        let parameters = info.parameters();
        let searchable: Vec<&str> =
            parameters.iter().filter(|p| p.search().is_some()).map(|p| p.name).collect();
        let one = |name: &String| {
            let known = parameters.iter().find(|parameter| parameter.name == name);
            known.and_then(ParameterInfo::search).ok_or_else(|| {
                let what = match known {
                    None => format!("which {} does not have", info.id),
                    Some(_) => "which has no range to search (fix it with --set)".into(),
                };
                let allowed = searchable.join(", ");
                Failure::Input(format!("--parameters has `{name}`, {what}; allowed: {allowed}"))
            })
        };
        let is_set = |name: &str| args.settings.iter().any(|(key, _)| key == name);
        let usual =
            |parameter: &&ParameterInfo| !is_set(parameter.name) && matters(&start, parameter.name);
        let variables: Vec<Variable> = match args.parameters.as_slice() {
            [] => {
                let usual = parameters.iter().filter(usual);
                usual.filter_map(ParameterInfo::search).collect()
            }
            names => names.iter().map(one).collect::<Result<_, _>>()?,
        };
        for (i, variable) in variables.iter().enumerate() {
            if variables[..i].iter().any(|before| before.name == variable.name) {
                let name = variable.name;
                return Err(Failure::Input(format!(
                    "--parameters has `{name}` twice; allowed: each once"
                )));
            }
        }
        if variables.is_empty() {
            return Err(Failure::Input(format!(
                "--set leaves no parameter of {} to search; allowed: to set fewer, or --parameters",
                info.id
            )));
        }
        Ok(Space { start, variables })
    }

    /// The algorithm with these values.
    fn configuration(&self, x: &[f64]) -> Result<Algorithm, Error> {
        let mut algorithm = self.start;
        for (variable, &x) in self.variables.iter().zip(x) {
            algorithm.set(variable.name, &rounded(variable, x))?;
        }
        Ok(algorithm)
    }

    /// The start of the search: the values that are set, limited to the ranges.
    fn beginning(&self) -> Vec<f64> {
        let values = self.start.parameters();
        let of = |variable: &Variable| {
            let value = values.iter().find(|(name, _)| *name == variable.name);
            match value {
                Some((_, Value::Number(x))) => x.clamp(variable.lower, variable.upper),
                _ => variable.upper,
            }
        };
        self.variables.iter().map(of).collect()
    }

    /// Searches with differential evolution. `beside` contains the costs of the initial configuration, which is kept if
    /// no better one is found.
    pub(crate) fn search(
        &self,
        trial: &Arc<Trial>,
        beside: &[Vec<f64>],
        args: &TuneArgs,
        tried: impl Fn() + Send + Sync + 'static,
    ) -> Result<Found, Failure> {
        let bounds = Bounds::of(&self.variables)?.beginning_at(&[self.beginning()])?;
        let generation = (4 * self.variables.len() as u64).clamp(FEWEST, MOST);
        let individuals = generation.min(args.budget / 2);
        let settings = Settings {
            individuals,
            seed: trial.conditions.seed,
            stop: Stop::evaluations(args.budget).or_interrupt(trial.interrupt.clone()),
            backend: Backend::Cpu,
            threads: args.common.threads.map(|threads| threads as usize),
            polish: Some(false),
            ..Settings::default()
        };
        let failed = Arc::new(Mutex::new(None));
        let objective = {
            let (space, trial, beside) = (self.clone(), trial.clone(), beside.to_vec());
            let failed = failed.clone();
            HostObjective::with_violation(move |x: &[f64]| {
                let value = space.value(x, &trial, &beside).unwrap_or_else(|error| {
                    trial.interrupt.store(true, Ordering::Relaxed);
                    *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    f64::INFINITY
                });
                tried();
                Fitness { violation: 0.0, value }
            })
        };
        // A greedy variant, because there are only few generations.
        let mut de = algorithms::find("de")?.algorithm();
        de.set("base", "target-to-best")?;
        let report = Optimiser::new(&objective, &bounds, &de, &settings)?.run()?;
        if let Some(error) = failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error.into());
        }
        let best = report.best();
        let configurations = report.runs[0].evaluations;
        // The initial configuration has the quality 1.
        let (algorithm, quality) = match best.value < 1.0 {
            true => (self.configuration(&best.position)?, best.value),
            false => (self.start, 1.0),
        };
        Ok(Found { algorithm, quality, configurations })
    }

    /// The quality of a configuration; infinite if its values are invalid together, or it was interrupted.
    fn value(&self, x: &[f64], trial: &Trial, beside: &[Vec<f64>]) -> Result<f64, Error> {
        let costs = self
            .configuration(x)
            .and_then(|algorithm| trial.costs(algorithm, 0, trial.conditions.runs));
        match costs {
            Ok(costs) => Ok(costs.map_or(f64::INFINITY, |costs| quality(&costs, beside))),
            Err(error) if error.is_input() => Ok(f64::INFINITY),
            Err(error) => Err(error),
        }
    }
}

/// Whether a parameter has an effect with the other values.
fn matters(algorithm: &Algorithm, name: &str) -> bool {
    let parameters = algorithm.parameters();
    let is = |key: &str, value: Value| parameters.contains(&(key, value));
    match name {
        "correction" => is("boundary", Value::Name("reverse")),
        "final_inertia" => !is("inertia_iterations", Value::Number(0.0)),
        _ => true,
    }
}

/// The text with which a value is set, rounded.
fn rounded(variable: &Variable, x: f64) -> String {
    if variable.scale == Scale::Integer {
        return format!("{x:.0}");
    }
    let text = format!("{x:.*e}", DIGITS - 1);
    text.parse().map_or(text, |x: f64| x.clamp(variable.lower, variable.upper).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_rounded_within_their_ranges() {
        let linear = Variable::linear("a", 0.0, 0.99996);
        assert_eq!(rounded(&linear, 0.123456), "0.1235");
        assert_eq!(rounded(&linear, 0.99996), "0.99996");
        assert_eq!(rounded(&Variable::log("a", 1e-4, 1e4), 1234.56), "1235");
        assert_eq!(rounded(&Variable::integer("a", 1.0, 9.0), 3.0), "3");
    }

    #[test]
    fn what_does_nothing_is_not_searched() {
        let mut pso = Algorithm::Pso(Default::default());
        assert!(!matters(&pso, "correction") && !matters(&pso, "final_inertia"));
        assert!(matters(&pso, "inertia"));
        pso.set("boundary", "reverse").unwrap();
        pso.set("inertia_iterations", "100").unwrap();
        assert!(matters(&pso, "correction") && matters(&pso, "final_inertia"));
    }
}
