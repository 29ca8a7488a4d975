//! The cases: those that the peers also run, with the same work, and methods that the peers do not have.

use std::fmt;

use anyhow::Result;
use warpswarm::problems;
use warpswarm::{
    Algorithm, Backend, Bounds, CmepsoParams, DeParams, EpsoParams, GpuFwaParams, Optimiser,
    Precise, Precision, PsoParams, SaParams, ScatterSearchParams, Schedule, Settings,
    SolisWetsParams, Stop,
};

/// A swarm, or a batch of swarms, to time.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) problem: &'static str,
    pub(crate) individuals: u64,
    pub(crate) dimensions: usize,
    pub(crate) runs: u64,
    pub(crate) iterations: u64,
    /// The bounds of each coordinate, or `None` for the problem's own.
    pub(crate) bounds: Option<(f64, f64)>,
    pub(crate) algorithm: Algorithm,
    pub(crate) precision: Precision,
    /// The schedule on the GPU.
    pub(crate) schedule: Schedule,
}

/// All cases. Cases with the same name are adjacent.
pub(crate) fn all() -> Vec<Case> {
    let sphere = |name, individuals| Case {
        bounds: Some((-100.0, 90.0)),
        ..case(name, "sphere", individuals, 2, 10_000)
    };
    // The bounds are not symmetric; otherwise clamped particles would hit the optimum by accident.
    let rastrigin = |name, individuals, dimensions, iterations| Case {
        bounds: Some((-5.12, 0.9 * 5.12)),
        ..case(name, "rastrigin", individuals, dimensions, iterations)
    };
    let few = |name, algorithm| Case { algorithm, ..rastrigin(name, 768, 30, 10_000) };
    let many = |name, algorithm| Case { algorithm, ..rastrigin(name, 65_536, 30, 1_000) };
    let (de, sa) = (DeParams::default(), SaParams::default());
    let (search, epso) = (SolisWetsParams::default(), EpsoParams::default());
    // A fixed first step, so that individuals need not look at all others.
    let searches = SolisWetsParams { step: 0.1, ..search };
    let paper = (5..17).map(|power| Case {
        bounds: Some((-100.0, 100.0)),
        algorithm: PsoParams::cpso_paper().into(),
        ..case("cpso_paper", "euclidean", 1 << power, 2, 100_000)
    });
    let streaming =
        |name| Case { schedule: Schedule::Streaming, ..rastrigin(name, 1 << 20, 100, 100) };
    let batch = |name| Case { runs: 1_000, ..rastrigin(name, 64, 10, 1_000) };
    let in_f64 = |case| Case { precision: Precision::F64, ..case };
    let fireworks = Case {
        bounds: Some((-2.048, 2.048)),
        algorithm: GpuFwaParams::paper().into(),
        // 1,000 iterations of the paper, each with 30 explosions and one mutation.
        ..case("fwa_n144", "rosenbrock", 144, 30, 31_000)
    };
    let cooperative = Case {
        runs: 1_000,
        algorithm: CmepsoParams::default().into(),
        ..case("cmepso_1000", "welded-beam", 410, 4, 1_000)
    };
    let cases = [
        sphere("n32_d2", 32),
        sphere("n1k_d2", 1_024),
        sphere("n64k_d2", 65_536),
        rastrigin("n768_d30", 768, 30, 1_000),
        rastrigin("n64k_d30", 65_536, 30, 1_000),
        streaming("n1m_d100"),
        batch("batch1000"),
        in_f64(rastrigin("n64k_d30_f64", 65_536, 30, 1_000)),
        in_f64(streaming("n1m_d100_f64")),
        in_f64(batch("batch1000_f64")),
        few("de_n768_d30", de.into()),
        many("de_n64k_d30", de.into()),
        Case { algorithm: de.into(), ..batch("de_batch1000") },
        in_f64(many("de_n64k_d30_f64", de.into())),
        few("sa_n768_d30", sa.into()),
        many("sa_n64k_d30", sa.into()),
        few("solis_wets_n768_d30", search.into()),
        many("solis_wets_n64k_d30", searches.into()),
        few("scatter_n768_d30", ScatterSearchParams::default().into()),
        few("epso_n768_d30", epso.into()),
        many("epso_n64k_d30", epso.into()),
        fireworks,
        cooperative,
    ];
    paper.chain(cases).collect()
}

/// One swarm with default parameters and the planner's schedule.
pub(crate) fn case(
    name: &'static str,
    problem: &'static str,
    individuals: u64,
    dimensions: usize,
    iterations: u64,
) -> Case {
    Case {
        name,
        problem,
        individuals,
        dimensions,
        runs: 1,
        iterations,
        bounds: None,
        algorithm: PsoParams::default().into(),
        precision: Precision::F32,
        schedule: Schedule::Auto,
    }
}

impl Case {
    /// The optimiser in `R`, the type of the case's precision.
    pub(crate) fn optimiser<R: Precise>(
        &self,
        backend: Backend,
        block_size: Option<u32>,
        seed: u64,
    ) -> Result<Optimiser<R>> {
        self.stopping(backend, block_size, seed, Stop::default())
    }

    /// The optimiser with a stop condition.
    pub(crate) fn stopping<R: Precise>(
        &self,
        backend: Backend,
        block_size: Option<u32>,
        seed: u64,
        stop: Stop,
    ) -> Result<Optimiser<R>> {
        let on_the_cpu = backend == Backend::Cpu;
        let settings = Settings {
            individuals: self.individuals,
            runs: self.runs,
            seed,
            backend,
            schedule: if on_the_cpu { Schedule::Auto } else { self.schedule },
            block_size,
            stop,
            ..Settings::default()
        };
        let info = problems::find(self.problem)?;
        let bounds = match self.bounds {
            Some((lower, upper)) => Bounds::uniform(self.dimensions, lower, upper)?,
            None => info.bounds(self.dimensions)?,
        };
        Ok(info.optimiser(0.0, &bounds, &self.algorithm, &settings)?)
    }
}

/// The case in an output line: name, individuals, dimensions.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { name, individuals, dimensions, runs, .. } = self;
        match runs {
            1 => write!(f, "{name} {individuals} {dimensions}"),
            _ => write!(f, "{name} {individuals}x{runs} {dimensions}"),
        }
    }
}
