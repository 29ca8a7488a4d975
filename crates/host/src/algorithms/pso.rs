//! The parameters of particle swarm optimisation. The equations are in
//! [`warpswarm_core::pso`].

use warpswarm_core::Real;
use warpswarm_core::boundary::Boundary;
use warpswarm_core::pso::Coefficients;

use super::{Algorithm, AlgorithmInfo, ParameterInfo, Preset, Value};
use crate::choices::Backend;
use crate::error::{Error, Result};

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "pso",
    title: "particle swarm optimisation, global best, synchronous (CPSO)",
    source: "CPSO: particle swarm optimization with CUDA and tree reduction, Algorithms 2 to 5",
    backends: &[Backend::Cpu, Backend::Gpu, Backend::Emulator],
    parameters: PARAMETERS,
    presets: PsoParams::PRESETS,
    make: || Algorithm::Pso(PsoParams::clerc_kennedy_2002()),
};

const FINITE: &str = "a finite number";
const FINITE_POSITIVE: &str = "a finite number of at least 0";
const LIMIT: &str = "a number above 0, or none";
const PART: &str = "a number from 0 to 1";
const BOUNDARY: &str = "clamp, reflect, wrap, random or reverse";

pub(super) const PARAMETERS: &[ParameterInfo] = &[
    ParameterInfo {
        name: "inertia",
        meaning: "share of the velocity that is kept",
        range: FINITE,
        default: "0.7298",
    },
    ParameterInfo {
        name: "cognitive",
        meaning: "pull to the personal best",
        range: FINITE_POSITIVE,
        default: "1.4962",
    },
    ParameterInfo {
        name: "social",
        meaning: "pull to the global best",
        range: FINITE_POSITIVE,
        default: "1.4962",
    },
    ParameterInfo {
        name: "velocity_limit",
        meaning: "largest speed, in ranges of the bounds per iteration",
        range: LIMIT,
        default: "1",
    },
    ParameterInfo {
        name: "boundary",
        meaning: "what happens to a coordinate that leaves its bounds",
        range: BOUNDARY,
        default: "clamp",
    },
    ParameterInfo {
        name: "correction",
        meaning: "reach of the boundary mode reverse, as a part of the range",
        range: PART,
        default: "0.22",
    },
];

/// The parameters of particle swarm optimisation.
///
/// The default is [`clerc_kennedy_2002`](PsoParams::clerc_kennedy_2002).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PsoParams {
    /// w, the share of the velocity that is kept; finite.
    pub inertia: f64,
    /// c1, the pull to the personal best; finite, at least 0.
    pub cognitive: f64,
    /// c2, the pull to the global best; finite, at least 0.
    pub social: f64,
    /// k, the largest speed in ranges of the bounds per iteration, above 0; `None` for no limit.
    pub velocity_limit: Option<f64>,
    /// What happens to a coordinate that leaves its bounds.
    pub boundary: Boundary,
    /// COR, the reach of [`Boundary::Reverse`] as a part of the range, 0 to 1.
    pub correction: f64,
}

impl Default for PsoParams {
    fn default() -> Self {
        PsoParams::clerc_kennedy_2002()
    }
}

impl PsoParams {
    /// M. Clerc and J. Kennedy's constriction, with R. Eberhart and Y. Shi's limit of one range.
    pub const fn clerc_kennedy_2002() -> Self {
        PsoParams {
            inertia: 0.7298,
            cognitive: 1.4962,
            social: 1.4962,
            velocity_limit: Some(1.0),
            boundary: Boundary::Clamp,
            correction: 0.22,
        }
    }

    /// The values of the CPSO paper's experiments. With them the swarm diverges: they are for
    /// comparing times.
    pub const fn cpso_paper() -> Self {
        PsoParams {
            inertia: 1.0,
            cognitive: 2.0,
            social: 2.0,
            velocity_limit: None,
            ..PsoParams::clerc_kennedy_2002()
        }
    }

    /// The named sets of parameters, the default first.
    pub const PRESETS: &'static [Preset] = &[
        Preset {
            name: "clerc-kennedy-2002",
            source: "M. Clerc, J. Kennedy, The particle swarm: explosion, stability, and convergence \
                     in a multidimensional complex space, IEEE TEVC 6, 2002; limit from R. Eberhart, \
                     Y. Shi, CEC 2000",
            params: PsoParams::clerc_kennedy_2002(),
        },
        Preset {
            name: "cpso-paper",
            source: "CPSO: particle swarm optimization with CUDA and tree reduction, section V; diverges",
            params: PsoParams::cpso_paper(),
        },
    ];

    pub(super) fn list(&self) -> Vec<(&'static str, Value)> {
        let number = Value::Number;
        let boundary = Boundary::ALL.iter().find(|(_, mode)| *mode == self.boundary);
        vec![
            ("inertia", number(self.inertia)),
            ("cognitive", number(self.cognitive)),
            ("social", number(self.social)),
            ("velocity_limit", self.velocity_limit.map_or(Value::Unset, number)),
            ("boundary", boundary.map_or(Value::Unset, |(name, _)| Value::Name(name))),
            ("correction", number(self.correction)),
        ]
    }

    pub(super) fn set(&mut self, info: &AlgorithmInfo, key: &str, value: &str) -> Result<()> {
        match key {
            "preset" => *self = preset(info, value)?,
            "inertia" => self.inertia = number("inertia", value, FINITE)?,
            "cognitive" => self.cognitive = number("cognitive", value, FINITE_POSITIVE)?,
            "social" => self.social = number("social", value, FINITE_POSITIVE)?,
            "velocity_limit" if value == "none" => self.velocity_limit = None,
            "velocity_limit" => {
                self.velocity_limit = Some(number("velocity_limit", value, LIMIT)?);
            }
            "correction" => self.correction = number("correction", value, PART)?,
            "boundary" => self.boundary = boundary(value)?,
            _ => {
                let known = info.parameters.iter().map(|parameter| parameter.name);
                return Err(Error::UnknownParameter {
                    algorithm: info.id,
                    key: key.into(),
                    known: known.chain(["preset"]).collect(),
                });
            }
        }
        self.check()
    }

    /// Whether every parameter is in its range.
    ///
    /// # Errors
    ///
    /// Names the first that is not.
    pub fn check(&self) -> Result<()> {
        let limit = self.velocity_limit.unwrap_or(f64::INFINITY);
        let numbers = [
            ("inertia", self.inertia, FINITE, self.inertia.is_finite()),
            ("cognitive", self.cognitive, FINITE_POSITIVE, is_pull(self.cognitive)),
            ("social", self.social, FINITE_POSITIVE, is_pull(self.social)),
            ("velocity_limit", limit, LIMIT, limit > 0.0),
            ("correction", self.correction, PART, (0.0..=1.0).contains(&self.correction)),
        ];
        match numbers.into_iter().find(|(.., good)| !good) {
            Some((name, value, allowed, _)) => {
                Err(Error::Parameter { name, value: value.to_string(), allowed })
            }
            None => Ok(()),
        }
    }

    /// The parameters in the run's number type, checked.
    pub(crate) fn coefficients<R: Real>(&self) -> Result<Coefficients<R>> {
        self.check()?;
        let round = |name, value: f64| {
            let rounded = R::from_f64(value);
            let allowed = "a number that is finite in the run's precision";
            let wrong = || Error::Parameter { name, value: value.to_string(), allowed };
            if rounded.is_finite() { Ok(rounded) } else { Err(wrong()) }
        };
        Ok(Coefficients {
            inertia: round("inertia", self.inertia)?,
            cognitive: round("cognitive", self.cognitive)?,
            social: round("social", self.social)?,
            // A limit beyond the largest number is no limit.
            velocity_limit: R::from_f64(self.velocity_limit.unwrap_or(f64::INFINITY)),
            correction: round("correction", self.correction)?,
            boundary: self.boundary,
        })
    }
}

fn is_pull(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

fn number(name: &'static str, value: &str, allowed: &'static str) -> Result<f64> {
    value.parse().map_err(|_| Error::Parameter { name, value: format!("`{value}`"), allowed })
}

fn boundary(value: &str) -> Result<Boundary> {
    let mode = Boundary::ALL.into_iter().find(|(name, _)| *name == value);
    mode.map(|(_, mode)| mode).ok_or_else(|| Error::Parameter {
        name: "boundary",
        value: format!("`{value}`"),
        allowed: BOUNDARY,
    })
}

fn preset(info: &AlgorithmInfo, value: &str) -> Result<PsoParams> {
    let preset = info.presets.iter().find(|preset| preset.name == value);
    preset.map(|preset| preset.params).ok_or_else(|| Error::UnknownName {
        what: "preset",
        name: value.into(),
        known: info.presets.iter().map(|preset| preset.name).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_parameters_is_that_of_the_defaults() {
        for info in super::super::ALL {
            let parameters = info.algorithm().parameters();
            assert_eq!(parameters.len(), info.parameters.len());
            for (row, (name, value)) in info.parameters.iter().zip(parameters) {
                assert_eq!((row.name, row.default), (name, value.to_string().as_str()));
            }
            for preset in info.presets {
                preset.params.check().unwrap();
            }
        }
    }

    #[test]
    fn parameters_are_set_by_name() {
        let mut algorithm = Algorithm::default();
        for (key, value) in [
            ("preset", "cpso-paper"),
            ("inertia", "0.5"),
            ("velocity_limit", "0.25"),
            ("boundary", "reverse"),
            ("correction", "1"),
        ] {
            algorithm.set(key, value).unwrap();
        }
        let expected = PsoParams {
            inertia: 0.5,
            cognitive: 2.0,
            social: 2.0,
            velocity_limit: Some(0.25),
            boundary: Boundary::Reverse,
            correction: 1.0,
        };
        assert_eq!(algorithm, Algorithm::Pso(expected));
        algorithm.set("velocity_limit", "none").unwrap();
        assert_eq!(algorithm.parameters()[3], ("velocity_limit", Value::Unset));
    }

    #[test]
    fn errors_name_the_parameter_the_value_and_what_is_allowed() {
        let check = |key: &str, value: &str, expected: &str| {
            let error = Algorithm::default().set(key, value).unwrap_err();
            assert_eq!(error.to_string(), expected);
            assert!(error.is_input());
        };
        check("inertia", "NaN", "parameter inertia is NaN; allowed: a finite number");
        check("inertia", "x", "parameter inertia is `x`; allowed: a finite number");
        check("social", "-1", "parameter social is -1; allowed: a finite number of at least 0");
        check("social", "inf", "parameter social is inf; allowed: a finite number of at least 0");
        check(
            "velocity_limit",
            "0",
            "parameter velocity_limit is 0; allowed: a number above 0, or none",
        );
        check(
            "velocity_limit",
            "nan",
            "parameter velocity_limit is NaN; allowed: a number above 0, or none",
        );
        check("correction", "1.5", "parameter correction is 1.5; allowed: a number from 0 to 1");
        check(
            "boundary",
            "bounce",
            "parameter boundary is `bounce`; allowed: clamp, reflect, wrap, random or reverse",
        );
        check("preset", "best", "unknown preset `best`; known: clerc-kennedy-2002, cpso-paper");
        check(
            "w",
            "1",
            "algorithm `pso` has no parameter `w`; it has: inertia, cognitive, social, \
             velocity_limit, boundary, correction, preset",
        );
    }

    #[test]
    fn a_coefficient_that_overflows_the_precision_is_an_error() {
        let params = PsoParams { social: 1e300, ..PsoParams::default() };
        assert!(params.coefficients::<f64>().is_ok());
        let error = params.coefficients::<f32>().unwrap_err().to_string();
        assert!(error.starts_with("parameter social is 1000000"), "{error}");
    }
}
