//! Particle swarm optimisation with operations on whole matrices, as in the PSO notes. Velocities, positions and
//! personal bests are matrices; two more are temporary. It maximises, and the fitness is a function on the host.
//!
//! `cargo run --release -p warpswarm-examples --bin matrix_pso -- --compare`
//!
//! `--compare` runs the library's swarm in parallel, and counts the iterations in which velocities, positions and
//! personal bests have the same bits. `cargo xtask reproduce notes` writes a page with the results.

mod compare;
mod swarm;

use std::time::Instant;

use clap::Parser;
use warpswarm::{Objective, PsoParams, SlicePoint, problems};
use warpswarm_core::random::RunKey;

use swarm::{Factors, Form, Rounding, Start, Swarm, Ties};

/// The PSO of the notes, in matrices
#[derive(Clone, Debug, Parser)]
struct Arguments {
    #[arg(long, value_enum, default_value = "sphere")]
    problem: Problem,
    #[arg(long, default_value_t = 30)]
    dim: usize,
    #[arg(long, default_value_t = 1024)]
    individuals: u32,
    #[arg(long, default_value_t = 100)]
    iterations: u64,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Runs, of which the best values are printed
    #[arg(long, default_value_t = 1)]
    runs: u64,
    /// w, c1 and c2, the velocity limit: the library's default, or those of the notes, which CPSO's paper has, too
    #[arg(long, value_enum, default_value = "clerc-kennedy-2002")]
    preset: Preset,
    /// How far the problem's optimum is moved, in every coordinate
    #[arg(long, default_value_t = 0.0)]
    shift: f64,
    #[arg(long, value_enum, default_value = "fused")]
    rounding: Rounding,
    #[arg(long, value_enum, default_value = "zero-to-one")]
    factors: Factors,
    #[arg(long, value_enum, default_value = "evaluated")]
    start: Start,
    #[arg(long, value_enum, default_value = "lowest-index")]
    ties: Ties,
    /// Compare the first run with the library's, bit by bit
    #[arg(long)]
    compare: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Functions to minimise; the notes' swarm maximises their negative.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Problem {
    Sphere,
    Rosenbrock,
    Rastrigin,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Preset {
    #[value(name = "clerc-kennedy-2002")]
    ClercKennedy,
    CpsoPaper,
}

impl Problem {
    fn id(self) -> &'static str {
        match self {
            Problem::Sphere => "sphere",
            Problem::Rosenbrock => "rosenbrock",
            Problem::Rastrigin => "rastrigin",
        }
    }

    fn value(self) -> fn(&[f64]) -> f64 {
        match self {
            Problem::Sphere => |x| problems::Sphere.value(&SlicePoint(x)),
            Problem::Rosenbrock => |x| problems::Rosenbrock.value(&SlicePoint(x)),
            Problem::Rastrigin => |x| problems::Rastrigin.value(&SlicePoint(x)),
        }
    }
}

impl Preset {
    fn params(self) -> PsoParams {
        match self {
            Preset::ClercKennedy => PsoParams::clerc_kennedy_2002(),
            Preset::CpsoPaper => PsoParams::cpso_paper(),
        }
    }
}

/// The best point of a run, and the seconds that its iterations took.
struct Found {
    value: f64,
    position: Vec<f64>,
    seconds: f64,
}

impl Arguments {
    fn form(&self) -> Result<Form, warpswarm::Error> {
        let params = self.preset.params();
        let bounds = problems::find(self.problem.id())?.bounds(self.dim)?;
        Ok(Form {
            weights: [params.inertia, params.cognitive, params.social],
            speed: params.velocity_limit.unwrap_or(f64::INFINITY),
            bounds: (bounds.lower()[0], bounds.upper()[0]),
            rounding: self.rounding,
            factors: self.factors,
            start: self.start,
            ties: self.ties,
        })
    }

    fn swarm(&self, form: Form, run: u64) -> Swarm {
        let key = RunKey::new(self.seed, run);
        Swarm::new(form, self.dim, self.individuals as usize, key)
    }

    /// The function to maximise.
    fn fitness(&self) -> impl Fn(&[f64]) -> f64 + use<> {
        let (value, shift) = (self.problem.value(), self.shift);
        move |x| {
            if shift == 0.0 {
                return -value(x);
            }
            let moved: Vec<f64> = x.iter().map(|x| x - shift).collect();
            -value(&moved)
        }
    }

    fn found(&self, form: Form, run: u64) -> Found {
        let (mut swarm, fitness) = (self.swarm(form, run), self.fitness());
        let start = Instant::now();
        for _ in 0..self.iterations {
            swarm.step(&fitness);
        }
        let seconds = start.elapsed().as_secs_f64();
        let position = swarm.global_best.as_slice().to_vec();
        Found { value: -swarm.global_fitness, position, seconds }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::parse();
    if arguments.compare && (arguments.shift != 0.0 || arguments.runs != 1) {
        return Err("--compare is for one run of a problem that is not shifted".into());
    }
    if arguments.individuals == 0 || arguments.dim == 0 || arguments.runs == 0 {
        return Err("at least one of individuals, dimensions and runs".into());
    }
    let form = arguments.form()?;
    let found: Vec<Found> = (0..arguments.runs).map(|run| arguments.found(form, run)).collect();
    let compared = if arguments.compare { Some(compare::beside(&arguments, form)?) } else { None };
    if arguments.json {
        println!("{}", json(&found, compared.as_ref()));
        return Ok(());
    }
    for found in &found {
        let each = 1e3 * found.seconds / arguments.iterations as f64;
        println!("best value {}, {each:.4} ms an iteration", found.value);
    }
    if let Some(compared) = compared {
        println!("{compared}");
    }
    Ok(())
}

/// The shortest text of a number; numbers that are not finite as a string, in the format of `warpswarm`.
fn number(x: f64) -> String {
    if x.is_finite() { format!("{x:?}") } else { format!("\"{x}\"") }
}

fn json(found: &[Found], compared: Option<&compare::Compared>) -> String {
    let list =
        |values: &mut dyn Iterator<Item = f64>| values.map(number).collect::<Vec<_>>().join(", ");
    let values = list(&mut found.iter().map(|found| found.value));
    let seconds = list(&mut found.iter().map(|found| found.seconds));
    let position = list(&mut found[0].position.iter().copied());
    let compared = compared.map_or_else(|| "null".into(), compare::Compared::json);
    format!(
        "{{\"values\": [{values}], \"seconds\": [{seconds}], \"position\": [{position}], \"compared\": {compared}}}"
    )
}
