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

The first stop condition that is met ends a run. --target alone leaves the default limit in force: a
run that does not reach its target ends after 1,000,000 evaluations with auto and cma-es, and after
1,000 iterations with all other algorithms.

The same seed gives the same numbers for an algorithm on every backend, with every schedule, block
size and number of threads. Some options replace the algorithm auto by another algorithm, which gives
other numbers:
  with --split, auto is pso
  with --islands, auto is shade
  with a --schedule other than auto or resident, auto is shade
  in more than 200 dimensions, auto is shade
The default limit of auto, 1,000,000 evaluations, applies in these cases, too.

--json writes an object with these fields:
  problem, dimensions, algorithm, parameters, backend, device, schedule and block_size (both null on
  the CPU), precision, seed, runs, seconds, polish_seconds, setup_seconds
With --islands the runs are the islands, and the object also has this field:
  islands: topology, every, migrants, select, replace, inhabitants
Each of the runs has these fields:
  best: value, violation, position, constraints (name and value)
  evaluations, iterations, restarts, stop_reason, not_finite
  polish, if a local search has finished the run: value and violation at its start, steps,
  evaluations, gradients
For a problem file, best also has variables: the value of each variable by its name, with values and
choices as they are in the file; and let: the value of each named expression that is no array. With
--precision f32, best also has in_f64: value and violation,
evaluated again in f64. Numbers that are read in the precision of the run give the same bits. NaN
and infinities are the strings \"NaN\", \"Infinity\" and \"-Infinity\".

Exit codes: 0 done; 1 failed while running; 2 bad usage or input;
130 interrupted (Ctrl-C, TERM or HUP), after printing the best so far.";

#[derive(Debug, Args)]
pub(crate) struct SolveArgs {
    /// The problem to minimise: a name from `warpswarm list problems`, or a problem file, whose name ends in .toml
    #[arg(value_name = "PROBLEM")]
    pub(crate) problem: String,

    /// Number of dimensions [default: the problem's own, otherwise 30]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_DIMENSIONS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) dim: Option<u64>,

    /// Instance of a function of the BBOB suite [default: 1]
    ///
    /// Each instance moves the optimum of the function and rotates its axes.
    #[arg(long, value_name = "N", value_parser = instance, allow_negative_numbers = true)]
    pub(crate) instance: Option<u32>,

    /// Algorithm; `warpswarm list algorithms` lists them, `warpswarm list algorithms ID` shows the parameters of one
    ///
    /// Some options replace auto by another algorithm; see the text after the options.
    #[arg(long, value_name = "ID", default_value = "auto")]
    pub(crate) algorithm: String,

    /// Population size of a run [default: depends on the algorithm and the number of dimensions]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_INDIVIDUALS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) individuals: Option<u64>,

    /// Number of independent runs, which are computed side by side
    #[arg(long, value_name = "R", default_value = "1", value_parser = whole(1..=MAX_RUNS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) runs: u64,

    /// Stop after N iterations [default: 1000; for auto and cma-es 1,000,000 evaluations instead]
    ///
    /// The default limit applies unless --iterations, --evaluations, --seconds or --stagnation is given. It still
    /// applies if --target alone is given.
    #[arg(long, value_name = "N", value_parser = whole(0..=MAX_ITERATIONS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) iterations: Option<u64>,

    /// Stop before the evaluations of a run exceed N
    ///
    /// The evaluations of the initial population count, so N must be at least the population size.
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) evaluations: Option<u64>,

    /// Stop after S seconds
    #[arg(long, value_name = "S", value_parser = seconds, allow_hyphen_values = true)]
    pub(crate) seconds: Option<f64>,

    /// Stop a run as soon as its best value is feasible and at most F; with --maximise, at least F
    ///
    /// With --target alone, the default limit of iterations or evaluations stays in force (see --iterations).
    #[arg(long, value_name = "F", value_parser = number, allow_hyphen_values = true)]
    pub(crate) target: Option<f64>,

    /// Stop a run after N iterations without an improvement
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) stagnation: Option<u64>,

    /// Seed of all random numbers
    #[arg(long, value_name = "S", default_value = "0", value_parser = whole(0..=u64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Where to run; the numbers do not depend on it
    ///
    /// auto takes the GPU if there is one that can do the run and is expected to finish first. Otherwise it takes the
    /// CPU.
    #[arg(long, default_value = "auto", value_parser = one_of(Backend::ALL, Backend::name))]
    pub(crate) backend: Backend,

    /// GPUs that share the runs: all, or their numbers, such as 0,2 [default: 0]
    ///
    /// The numbers of the result do not depend on it.
    #[arg(long, value_name = "all|N,...", value_parser = devices)]
    pub(crate) devices: Option<Devices>,

    /// Share the individuals of each swarm among the GPUs, for large swarms (algorithm pso only)
    ///
    /// Without --split, each GPU computes whole runs. With `mpirun` the ranks share each swarm, and each rank takes a
    /// GPU of its machine. With --split, the algorithm auto is pso.
    #[arg(long)]
    pub(crate) split: bool,

    /// How the runs are laid out on the GPU; auto lets the planner choose
    ///
    /// The numbers of an algorithm do not depend on the schedule. With any schedule other than auto and resident, the
    /// algorithm auto is shade.
    #[arg(long, default_value = "auto", value_parser = one_of(Schedule::ALL, Schedule::name))]
    pub(crate) schedule: Schedule,

    /// Threads of a block on the GPU [default: depends on the schedule and the sizes]
    ///
    /// N is a multiple of 32, up to 1024. The numbers do not depend on it.
    #[arg(long, value_name = "N", value_parser = block_size, allow_negative_numbers = true)]
    pub(crate) block_size: Option<u32>,

    /// Number type: f64 has sixteen digits, f32 has seven and is faster
    ///
    /// f32 takes half the time of f64 or less.
    #[arg(long, default_value = "f64", value_parser = one_of(Precision::ALL, Precision::name))]
    pub(crate) precision: Precision,

    /// Threads of the backend cpu; 1 is serial [default: as many as the machine has]
    ///
    /// The numbers do not depend on it.
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_THREADS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) threads: Option<u64>,

    /// Lower bound of every coordinate [default: the problem's own bounds]
    #[arg(long, value_name = "L", value_parser = finite, allow_hyphen_values = true)]
    pub(crate) lower: Option<f64>,

    /// Upper bound of every coordinate [default: the problem's own bounds]
    #[arg(long, value_name = "U", value_parser = finite, allow_hyphen_values = true)]
    pub(crate) upper: Option<f64>,

    /// Move the optimum of the problem by S in every coordinate
    #[arg(long, value_name = "S", default_value = "0", value_parser = finite)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) shift: f64,

    /// How the search treats constraints [default: epsilon for a problem file with equations or narrow bands, otherwise
    /// feasible-first]
    ///
    /// feasible-first is Deb's rule: a feasible point beats every infeasible point.
    ///
    /// epsilon treats constraint violations up to a level as zero at first. The best fifth of the first individuals are
    /// below the initial level. The level falls to zero within the first 200 iterations. This rule finds better points
    /// if the feasible region is small.
    #[arg(long, value_parser = one_of(Constraints::ALL, Constraints::name))]
    pub(crate) constraints: Option<Constraints>,

    /// What a run does when its population has converged
    ///
    /// never: the run continues. converged: the run restarts with new random numbers, and keeps the best point of all
    /// restarts. The algorithms auto and cma-es restart in any case.
    #[arg(long, default_value_t, value_parser = one_of(Restart::ALL, Restart::name))]
    pub(crate) restart: Restart,

    /// Finish each run with a local search in any case
    ///
    /// The local search starts from the best point of the run, follows exact derivatives, and finds the last digits. It
    /// never returns a worse point.
    ///
    /// By default it is done too, in at most a tenth of the evaluations of the run, or in 20,000 if that is more. The
    /// default skips it for a run that has reached its target, and in more than 1,000 dimensions. With --polish it is
    /// done there, too, in up to 20,000 evaluations.
    #[arg(long, conflicts_with = "islands")]
    pub(crate) polish: bool,

    /// Report the best point of the population, without a local search at the end
    #[arg(long, conflicts_with = "polish")]
    pub(crate) no_polish: bool,

    /// Begin with the points of a CSV file
    ///
    /// Each row is a point. The headings are the names of the variables, or x1, x2 and so on. A variable without a
    /// column begins at random.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) start: Option<PathBuf>,

    /// Maximise the problem instead of minimising it
    ///
    /// A problem file itself says whether it is minimised or maximised, so the option is an error there.
    #[arg(long)]
    pub(crate) maximise: bool,

    /// Set a parameter of the algorithm; may be repeated
    ///
    /// preset=NAME sets all parameters to a published set.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) parameters: Vec<(String, String)>,

    #[command(flatten)]
    pub(crate) islands: IslandArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
