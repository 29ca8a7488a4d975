//! The arguments of `warpswarm solve`.

use std::path::PathBuf;

use clap::Args;
use warpswarm::{
    Backend, Constraints, Devices, MAX_INDIVIDUALS, MAX_ITERATIONS, MAX_RUNS, Precision, Restart,
    Schedule,
};

use super::islands::IslandArgs;
use super::output::OutputArgs;
use super::values::{
    MAX_DIMENSIONS, MAX_THREADS, block_size, devices, finite, instance, key_value, number, one_of,
    seconds, whole,
};

pub(super) const EXAMPLES: &str = "\
Examples:
  warpswarm solve rastrigin --dim 30 --seed 7
  warpswarm solve spring --algorithm de
  warpswarm solve bbob-f15 --dim 20 --instance 3
  warpswarm solve my-problem.toml
  warpswarm solve my-problem.toml --start guesses.csv
  warpswarm solve rastrigin --dim 1000 --precision f32
  warpswarm solve sphere --dim 100 --individuals 65536 --target 1e-6 --seconds 10
  warpswarm solve rastrigin --runs 1000 --json results.json
  warpswarm solve rastrigin --runs 50 --plot convergence.svg --plot distribution.png
  warpswarm solve rastrigin --dim 2 --individuals 64 --iterations 100 --plot swarm.gif
  warpswarm solve euclidean --dim 2 --algorithm pso --set preset=cpso-paper --set boundary=reflect
  warpswarm solve euclidean --dim 2 --algorithm pso --set preset=cpso-paper --schedule stepwise --block-size 32
  warpswarm solve rastrigin --json - | jq '.runs[0].best.value'
  warpswarm solve rastrigin --runs 20 --out first
  warpswarm solve rastrigin --iterations 1000000 --checkpoint run.ws
  warpswarm solve rastrigin --islands ring --island-count 8 --migrants 2 --individuals 128
  mpirun -n 8 warpswarm solve rastrigin --islands torus --island-set pso,de --checkpoint kept
  mpirun -n 4 warpswarm solve rastrigin --dim 100 --individuals 4194304 --split

The first stop condition that is met ends a run. The same seed gives the same numbers of an algorithm on every \
backend, with every schedule, block size and number of threads; auto is another one, shade, with a schedule of a launch an iteration, among islands, \
and in more than 200 dimensions.

--json writes: problem, dimensions, algorithm, parameters, backend, device, schedule and \
block_size (null on the CPU), precision, seed, runs, seconds, polish_seconds, setup_seconds; each of runs has best (value, violation, \
position, constraints with name and value; of a problem file also variables, a name with its value each, with values and choices \
as the file has them; with --precision f32 also in_f64, value and violation computed again), evaluations, iterations, restarts, stop_reason, not_finite, and where a local search has finished the run polish (value and violation from which it started, steps, evaluations, gradients); with --islands also \
islands (topology, every, migrants, select, replace, inhabitants), the runs being the islands. Read in the precision of the run, \
numbers give the same bits; NaN and infinities are the strings \"NaN\", \"Infinity\", \"-Infinity\".

Exit codes: 0 done; 1 failed while running; 2 bad usage or input; 130 interrupted (Ctrl-C), after \
printing the best so far.";

#[derive(Debug, Args)]
pub(crate) struct SolveArgs {
    /// What to minimise: one of `warpswarm list problems`, or a problem file, which ends in .toml
    #[arg(value_name = "PROBLEM")]
    pub(crate) problem: String,

    /// Number of dimensions [default: the problem's own, otherwise 30]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_DIMENSIONS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) dim: Option<u64>,

    /// Which instance of a function of the BBOB suite [default: 1]
    #[arg(long, value_name = "N", value_parser = instance, allow_negative_numbers = true)]
    pub(crate) instance: Option<u32>,

    /// Algorithm; `warpswarm list algorithms` shows all, with their parameters
    #[arg(long, value_name = "ID", default_value = "auto")]
    pub(crate) algorithm: String,

    /// Individuals of a run [default: what suits the algorithm and the dimensions]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_INDIVIDUALS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) individuals: Option<u64>,

    /// Independent runs, done side by side
    #[arg(long, value_name = "R", default_value = "1", value_parser = whole(1..=MAX_RUNS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) runs: u64,

    /// Stop after this many iterations [default: 1000, of auto and cma-es 1,000,000 evaluations, unless
    /// --evaluations, --seconds or --stagnation is given]
    #[arg(long, value_name = "N", value_parser = whole(0..=MAX_ITERATIONS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) iterations: Option<u64>,

    /// Stop before a run's evaluations exceed this
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) evaluations: Option<u64>,

    /// Stop after this many seconds
    #[arg(long, value_name = "S", value_parser = seconds, allow_hyphen_values = true)]
    pub(crate) seconds: Option<f64>,

    /// Stop a run whose best value is at most this
    #[arg(long, value_name = "F", value_parser = number, allow_hyphen_values = true)]
    pub(crate) target: Option<f64>,

    /// Stop a run that has not improved for this many iterations
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) stagnation: Option<u64>,

    /// Seed of all random draws
    #[arg(long, value_name = "S", default_value = "0", value_parser = whole(0..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Where to run; auto is the GPU if there is one that can do this and should be done first, otherwise the CPU
    #[arg(long, default_value = "auto", value_parser = one_of(Backend::ALL, Backend::name))]
    pub(crate) backend: Backend,

    /// The GPUs that share the runs: all, or their numbers, such as 0,2 [default: 0]; the numbers do not depend on it
    #[arg(long, value_name = "all|N,...", value_parser = devices)]
    pub(crate) devices: Option<Devices>,

    /// Split each swarm over these, instead of sharing out the runs: pso alone, for swarms that are large. With `mpirun` over
    /// its ranks, each with a GPU of its machine
    #[arg(long)]
    pub(crate) split: bool,

    /// How to lay the runs over the GPU; the numbers do not depend on it
    #[arg(long, default_value = "auto", value_parser = one_of(Schedule::ALL, Schedule::name))]
    pub(crate) schedule: Schedule,

    /// Threads of a block on the GPU [default: what suits the schedule and the sizes]; the numbers do not depend on it
    #[arg(long, value_name = "N", value_parser = block_size, allow_negative_numbers = true)]
    pub(crate) block_size: Option<u32>,

    /// Number type: f64 has sixteen digits; f32 has seven, and takes half the time or less
    #[arg(long, default_value = "f64", value_parser = one_of(Precision::ALL, Precision::name))]
    pub(crate) precision: Precision,

    /// Threads of the backend cpu; 1 is serial [default: as many as the machine has]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_THREADS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) threads: Option<u64>,

    /// Lower bound of every coordinate [default: the problem's, of each]
    #[arg(long, value_name = "L", value_parser = finite, allow_hyphen_values = true)]
    pub(crate) lower: Option<f64>,

    /// Upper bound of every coordinate [default: the problem's, of each]
    #[arg(long, value_name = "U", value_parser = finite, allow_hyphen_values = true)]
    pub(crate) upper: Option<f64>,

    /// Move the problem's optimum by this much in every coordinate
    #[arg(long, value_name = "S", default_value = "0", value_parser = finite)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) shift: f64,

    /// What counts of constraints: feasible-first is Deb's rule; epsilon lets violations of most individuals pass in the first 200
    /// iterations, ever smaller ones, which finds more where there is little room [default: epsilon for a problem file with equations or narrow bands, otherwise
    /// feasible-first]
    #[arg(long, value_parser = one_of(Constraints::ALL, Constraints::name))]
    pub(crate) constraints: Option<Constraints>,

    /// What a run does when its population has converged: begin anew, with other draws, and keep the best of all, or go on
    #[arg(long, default_value_t, value_parser = one_of(Restart::ALL, Restart::name))]
    pub(crate) restart: Restart,

    /// Finish each run with a local search from its best point, along exact derivatives: to the last digits, and never to a worse
    /// point. This is done anyway, in at most about a tenth of the run's own evaluations, or 20,000 if that is more, unless a run has reached its target or there
    /// are more than 1,000 dimensions; with --polish in any case and in up to 20,000
    #[arg(long, conflicts_with = "islands")]
    pub(crate) polish: bool,

    /// Report the best point that the population has found, without a local search from there
    #[arg(long, conflicts_with = "polish")]
    pub(crate) no_polish: bool,

    /// Begin with the points of a CSV file, a row a point: its headings are the variables' names, or x1, x2 and so on
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) start: Option<PathBuf>,

    /// Look for the greatest value; a problem file says by itself whether it is minimised or maximised
    #[arg(long)]
    pub(crate) maximise: bool,

    /// Set a parameter of the algorithm, or all of them with preset=NAME; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) parameters: Vec<(String, String)>,

    #[command(flatten)]
    pub(crate) islands: IslandArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
