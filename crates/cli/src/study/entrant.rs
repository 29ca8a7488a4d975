//! Entrants: the algorithms that `compare` and `tune` run, with their settings.

use warpswarm::{Algorithm, MAX_INDIVIDUALS, algorithms};

use super::parts::{different, parts};
use crate::failure::Failure;

/// An algorithm with its settings.
#[derive(Clone, Debug)]
pub(crate) struct Entrant {
    pub(crate) name: String,
    pub(crate) algorithm: Algorithm,
    /// 0 for the default that depends on the dimensions.
    pub(crate) individuals: u64,
}

/// Parses the entrants of `--algorithms`.
pub(crate) fn entrants(
    texts: &[String],
    individuals: Option<u64>,
) -> Result<Vec<Entrant>, Failure> {
    let entrants = texts.iter().map(|text| entrant("--algorithms", text, individuals));
    let entrants = entrants.collect::<Result<Vec<_>, _>>()?;
    different("--algorithms", entrants.iter().map(|entrant| entrant.name.as_str()))?;
    Ok(entrants)
}

/// Parses one entrant from the list of an option.
pub(crate) fn entrant(
    option: &str,
    text: &str,
    individuals: Option<u64>,
) -> Result<Entrant, Failure> {
    let (id, settings) = parts(option, text)?;
    let mut algorithm = algorithms::find(id)?.algorithm();
    let mut name = text.trim().to_string();
    let mut individuals = individuals.unwrap_or_else(|| usual_individuals(&algorithm));
    for (key, value) in settings {
        match key {
            "name" => name = value.to_string(),
            "individuals" => {
                let number = value.parse().ok().filter(|n| (1..=MAX_INDIVIDUALS).contains(n));
                individuals = number.ok_or_else(|| {
                    Failure::Input(format!(
                        "{option} has `{text}`, where individuals is `{value}`; allowed: a whole number from 1 to \
                         {MAX_INDIVIDUALS}"
                    ))
                })?;
            }
            _ => algorithm
                .set(key, value)
                .map_err(|error| Failure::Input(format!("{option} has `{text}`: {error}")))?,
        }
    }
    Ok(Entrant { name, algorithm, individuals })
}

/// The default number of individuals; 0 if it depends on the dimensions.
pub(crate) fn usual_individuals(algorithm: &Algorithm) -> u64 {
    let usual = |dimensions| algorithm.usual_individuals(dimensions);
    if usual(1) == usual(1000) { usual(1) } else { 0 }
}
