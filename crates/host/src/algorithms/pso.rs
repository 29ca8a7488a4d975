//! The parameters of particle swarm optimisation. The equations are in
//! [`warpswarm_core::pso`].

use warpswarm_core::Float;
use warpswarm_core::boundary::Boundary;
use warpswarm_core::pso::Coefficients;
use warpswarm_core::pso_topology::Pso;

pub use warpswarm_core::pso_topology::Topology;

use super::parameters::{
    self, COUNT, COUNT_OR_NONE, FINITE, PULL, Parameter, Params, boundary, choice, correction,
    limit, number, one_of, whole,
};
use super::{Algorithm, AlgorithmInfo, DEVICES, Preset};
use crate::error::{Error, Result};

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "pso",
    title: "particle swarm optimisation, synchronous: star (CPSO), ring or von Neumann grid",
    source: "CPSO, particle swarm optimisation with CUDA and a tree reduction, Algorithms 2 to 5; \
             topologies of J. Kennedy, R. Mendes, CEC 2002",
    backends: DEVICES,
    presets: PsoParams::PRESETS,
};

/// The parameters of particle swarm optimisation.
///
/// The default is [`clerc_kennedy_2002`](PsoParams::clerc_kennedy_2002).
///
/// ```
/// use warpswarm::algorithms::pso::Topology;
/// use warpswarm::{Bounds, PsoParams, Settings, Stop, minimise, problems::Rosenbrock};
/// let ring = PsoParams { topology: Topology::Ring, neighbours: 4, ..PsoParams::default() };
/// let bounds = Bounds::uniform(2, -2.048, 2.048)?;
/// let settings = Settings { individuals: 32, stop: Stop::iterations(200), ..Settings::default() };
/// let report = minimise::<f64, _>(&Rosenbrock, &bounds, &ring.into(), &settings)?;
/// assert!(report.best().value < 1e-3);
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PsoParams {
    /// w, the fraction of the velocity that is kept; finite.
    pub inertia: f64,
    /// c1, the pull to the personal best; 0 to 1e30.
    pub cognitive: f64,
    /// c2, the pull to the global best; 0 to 1e30.
    pub social: f64,
    /// k, the largest speed in ranges of the bounds per iteration, above 0; `None` for no limit.
    pub velocity_limit: Option<f64>,
    /// What happens to a coordinate that leaves its bounds.
    pub boundary: Boundary,
    /// COR, the reach of [`Boundary::Reverse`] as a fraction of the range, 0 to 1.
    pub correction: f64,
    /// The neighbourhood whose personal bests pull a particle.
    pub topology: Topology,
    /// Neighbours on the ring, half of them on each side: an even number, at least 2 and less than the number of
    /// individuals.
    pub neighbours: u32,
    /// Columns of the von Neumann grid, at least 3. All rows are complete, and there are at least 3. 0 chooses the grid
    /// that is closest to a square and has no more rows than columns.
    pub columns: u32,
    /// The inertia after `inertia_iterations` iterations; finite.
    pub final_inertia: f64,
    /// Iterations over which the inertia changes to `final_inertia` in equal steps; 0 for a constant inertia.
    pub inertia_iterations: u32,
}

impl Default for PsoParams {
    fn default() -> Self {
        PsoParams::clerc_kennedy_2002()
    }
}

impl PsoParams {
    /// The constriction coefficients of M. Clerc and J. Kennedy, with the velocity limit of R. Eberhart and Y. Shi, one
    /// range.
    ///
    /// ```
    /// use warpswarm::PsoParams;
    /// let params = PsoParams::clerc_kennedy_2002();
    /// assert_eq!((params.inertia, params.cognitive, params.social), (0.7298, 1.4962, 1.4962));
    /// ```
    pub const fn clerc_kennedy_2002() -> Self {
        PsoParams {
            inertia: 0.7298,
            cognitive: 1.4962,
            social: 1.4962,
            velocity_limit: Some(1.0),
            boundary: Boundary::Clamp,
            correction: 0.22,
            topology: Topology::Star,
            neighbours: 2,
            columns: 0,
            final_inertia: 0.4,
            inertia_iterations: 0,
        }
    }

    /// The swarm of J. Kennedy and R. Eberhart with the inertia of Y. Shi and R. Eberhart, which falls from 0.9 to 0.4
    /// over `iterations`.
    ///
    /// ```
    /// use warpswarm::PsoParams;
    /// let params = PsoParams::shi_eberhart_1999(500);
    /// assert_eq!((params.inertia, params.final_inertia, params.inertia_iterations), (0.9, 0.4, 500));
    /// ```
    pub const fn shi_eberhart_1999(iterations: u32) -> Self {
        PsoParams {
            inertia: 0.9,
            cognitive: 2.0,
            social: 2.0,
            inertia_iterations: iterations,
            ..PsoParams::clerc_kennedy_2002()
        }
    }

    /// The standard of D. Bratton and J. Kennedy: a ring with two neighbours, constriction, 50 particles.
    ///
    /// ```
    /// use warpswarm::{PsoParams, algorithms::pso::Topology};
    /// let params = PsoParams::bratton_kennedy_2007();
    /// assert_eq!((params.topology, params.neighbours, params.velocity_limit), (Topology::Ring, 2, None));
    /// ```
    pub const fn bratton_kennedy_2007() -> Self {
        PsoParams {
            inertia: 0.72984,
            cognitive: 1.496172,
            social: 1.496172,
            velocity_limit: None,
            topology: Topology::Ring,
            ..PsoParams::clerc_kennedy_2002()
        }
    }

    /// The swarm of libCudaOptimize: a ring with two neighbours and a constant inertia. Its paper does not give the
    /// coefficients: these are the ones of SPSO 2006.
    ///
    /// ```
    /// use warpswarm::{Algorithm, PsoParams, algorithms};
    /// let mut by_name = algorithms::find("pso")?.algorithm();
    /// by_name.set("preset", "libcudaoptimize")?;
    /// assert_eq!(by_name, Algorithm::Pso(PsoParams::libcudaoptimize()));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub const fn libcudaoptimize() -> Self {
        PsoParams {
            inertia: 0.72134,
            cognitive: 1.19315,
            social: 1.19315,
            topology: Topology::Ring,
            ..PsoParams::clerc_kennedy_2002()
        }
    }

    /// The values of the experiments in the CPSO paper. With them the swarm diverges: use them only to compare times.
    ///
    /// ```
    /// use warpswarm::PsoParams;
    /// let PsoParams { inertia, cognitive, social, velocity_limit, .. } = PsoParams::cpso_paper();
    /// // There is neither damping nor a velocity limit.
    /// assert_eq!((inertia, cognitive, social, velocity_limit), (1.0, 2.0, 2.0, None));
    /// ```
    pub const fn cpso_paper() -> Self {
        PsoParams {
            inertia: 1.0,
            cognitive: 2.0,
            social: 2.0,
            velocity_limit: None,
            ..PsoParams::clerc_kennedy_2002()
        }
    }

    /// The named sets of parameters; the first is the default.
    pub const PRESETS: &'static [Preset] = &[
        Preset {
            name: "clerc-kennedy-2002",
            source: "M. Clerc, J. Kennedy, The particle swarm: explosion, stability, and convergence \
                     in a multidimensional complex space, IEEE TEVC 6, 2002; limit from R. Eberhart, \
                     Y. Shi, CEC 2000",
            make: || Algorithm::Pso(PsoParams::clerc_kennedy_2002()),
        },
        Preset {
            name: "cpso-paper",
            source: "CPSO, section V; also the notes on whole-matrix operations; diverges",
            make: || Algorithm::Pso(PsoParams::cpso_paper()),
        },
        Preset {
            name: "shi-eberhart-1999",
            source: "J. Kennedy, R. Eberhart, ICNN 1995, with the inertia of Y. Shi, R. Eberhart, CEC \
                     1999, from 0.9 to 0.4 over 1,000 iterations",
            make: || Algorithm::Pso(PsoParams::shi_eberhart_1999(1000)),
        },
        Preset {
            name: "bratton-kennedy-2007",
            source: "D. Bratton, J. Kennedy, Defining a standard for particle swarm optimization, SIS \
                     2007: ring with two neighbours",
            make: || Algorithm::Pso(PsoParams::bratton_kennedy_2007()),
        },
        Preset {
            name: "libcudaoptimize",
            source: "libCudaOptimize, section 2.1.1: ring with two neighbours, constant inertia; coefficients, which it does \
                     not give, of M. Clerc's SPSO 2006; limit and boundary are ours",
            make: || Algorithm::Pso(PsoParams::libcudaoptimize()),
        },
    ];

    /// Whether the kernels for a star topology with constant inertia can be used.
    pub(crate) fn is_plain(&self) -> bool {
        self.topology == Topology::Star && self.inertia_iterations == 0
    }

    /// The coefficients in the number type of the run, checked.
    pub(crate) fn coefficients<R: Float>(&self) -> Result<Coefficients<R>> {
        parameters::check(self)?;
        Ok(Coefficients {
            inertia: parameters::rounded("inertia", self.inertia)?,
            cognitive: parameters::rounded("cognitive", self.cognitive)?,
            social: parameters::rounded("social", self.social)?,
            // A limit above the largest number of the type is no limit.
            velocity_limit: R::from_f64(self.velocity_limit.unwrap_or(f64::INFINITY)),
            correction: R::from_f64(self.correction),
            boundary: self.boundary,
        })
    }

    /// The coefficients of the asynchronous algorithm, which supports only a star topology and a constant inertia.
    pub(crate) fn spso<R: Float>(&self) -> Result<Coefficients<R>> {
        if self.topology != Topology::Star {
            let value = parameters::name_of(&Topology::ALL, &self.topology).into();
            return Err(Error::Parameter {
                name: "topology",
                value,
                allowed: "star, for spso".into(),
            });
        }
        if self.inertia_iterations != 0 {
            let value = self.inertia_iterations.to_string();
            return Err(Error::Parameter {
                name: "inertia_iterations",
                value,
                allowed: "0, for spso".into(),
            });
        }
        self.coefficients()
    }

    /// The parameters in the number type of the run, checked for this number of individuals.
    pub(crate) fn method<R: Float>(&self, individuals: u64) -> Result<Pso<R>> {
        let width = match self.topology {
            Topology::Star => 0,
            Topology::Ring => self.ring(individuals)?,
            Topology::VonNeumann => self.grid(individuals)?,
        };
        Ok(Pso {
            coefficients: self.coefficients()?,
            final_inertia: parameters::rounded("final_inertia", self.final_inertia)?,
            inertia_iterations: self.inertia_iterations,
            topology: self.topology,
            width,
        })
    }

    fn ring(&self, individuals: u64) -> Result<u32> {
        let neighbours = self.neighbours;
        if neighbours.is_multiple_of(2) && (2..individuals).contains(&u64::from(neighbours)) {
            return Ok(neighbours);
        }
        Err(Error::Setting {
            field: "neighbours",
            value: neighbours.to_string(),
            allowed: format!(
                "even numbers of at least 2, fewer than the individuals, of which there are {individuals}"
            ),
        })
    }

    fn grid(&self, individuals: u64) -> Result<u32> {
        const FEWEST: u64 = 3;
        let fits = |columns: u64| {
            columns >= FEWEST
                && individuals.is_multiple_of(columns)
                && individuals / columns >= FEWEST
        };
        let columns = match self.columns {
            // Not more rows than columns: the search starts at the square root.
            0 => (individuals.isqrt()..=individuals / FEWEST)
                .find(|&columns| columns * columns >= individuals && fits(columns)),
            columns => Some(u64::from(columns)).filter(|&columns| fits(columns)),
        };
        columns.map(|columns| columns as u32).ok_or_else(|| Error::Setting {
            field: "columns",
            value: self.columns.to_string(),
            allowed: format!(
                "a grid of at least 3 rows and 3 columns without gaps; there are {individuals} individuals"
            ),
        })
    }
}

impl Params for PsoParams {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        number("inertia", "share of the velocity that is kept", FINITE, |p| &mut p.inertia),
        number("cognitive", "pull to the personal best", PULL, |p| &mut p.cognitive),
        number("social", "pull to the best of the neighbourhood", PULL, |p| &mut p.social),
        limit("velocity_limit", "largest speed, in ranges of the bounds per iteration", |p| {
            &mut p.velocity_limit
        }),
        boundary(|p| one_of(&Boundary::ALL, &mut p.boundary)),
        correction(|p| &mut p.correction),
        choice("topology", "whose personal bests pull a particle", |p| {
            one_of(&Topology::ALL, &mut p.topology)
        }),
        whole("neighbours", "neighbours on the ring, half of them on either side", COUNT, |p| {
            &mut p.neighbours
        }),
        whole(
            "columns",
            "columns of the von Neumann grid, as square as it can be if none",
            COUNT_OR_NONE,
            |p| &mut p.columns,
        ),
        number("final_inertia", "inertia at the end of inertia_iterations", FINITE, |p| {
            &mut p.final_inertia
        }),
        whole(
            "inertia_iterations",
            "iterations over which the inertia changes by equal steps, constant if none",
            COUNT_OR_NONE,
            |p| &mut p.inertia_iterations,
        ),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Value;

    #[test]
    fn parameters_are_set_by_name() {
        let mut algorithm = Algorithm::Pso(Default::default());
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
            ..PsoParams::default()
        };
        assert_eq!(algorithm, Algorithm::Pso(expected));
        algorithm.set("velocity_limit", "none").unwrap();
        assert_eq!(algorithm.parameters()[3], ("velocity_limit", Value::Unset));
    }

    #[test]
    fn errors_name_the_parameter_the_value_and_what_is_allowed() {
        let check = |key: &str, value: &str, expected: &str| {
            let error = Algorithm::Pso(Default::default()).set(key, value).unwrap_err();
            assert_eq!(error.to_string(), expected);
            assert!(error.is_input());
        };
        check("inertia", "NaN", "parameter inertia is NaN; allowed: a finite number");
        check("inertia", "x", "parameter inertia is `x`; allowed: a finite number");
        check("social", "-1", "parameter social is -1; allowed: a number from 0 to 1e30");
        check("social", "inf", "parameter social is inf; allowed: a number from 0 to 1e30");
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
        check(
            "preset",
            "best",
            "unknown preset `best`; known: clerc-kennedy-2002, cpso-paper, shi-eberhart-1999, \
             bratton-kennedy-2007, libcudaoptimize",
        );
        check(
            "neighbours",
            "0",
            "parameter neighbours is 0; allowed: a whole number from 1 to 4294967295",
        );
        check(
            "w",
            "1",
            "algorithm `pso` has no parameter `w`; it has: inertia, cognitive, social, \
             velocity_limit, boundary, correction, topology, neighbours, columns, final_inertia, \
             inertia_iterations, preset",
        );
    }

    #[test]
    fn a_coefficient_that_overflows_the_precision_is_an_error() {
        let params = PsoParams { inertia: 1e300, ..PsoParams::default() };
        assert!(params.coefficients::<f64>().is_ok());
        let error = params.coefficients::<f32>().unwrap_err().to_string();
        assert!(error.starts_with("parameter inertia is 1000000"), "{error}");
    }
}
