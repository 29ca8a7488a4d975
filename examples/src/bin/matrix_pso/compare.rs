//! Compares the matrices with the library's swarm after each iteration.

use std::fmt;

use warpswarm::{Backend, Optimiser, Settings, Stop};

use super::swarm::{Form, Swarm};
use super::{Arguments, number, problems};

/// The result of the comparison: how long both are equal, and how far apart they are later.
pub(crate) struct Compared {
    iterations: u64,
    /// The number of iterations, from the first on, in which all numbers have the same bits.
    equal: u64,
    /// Iterations, and the largest difference of a coordinate, relative to the range of the bounds.
    distances: Vec<(u64, f64)>,
    /// The library's best value.
    best: f64,
}

/// Runs both swarms.
pub(crate) fn beside(arguments: &Arguments, form: Form) -> Result<Compared, warpswarm::Error> {
    let problem = problems::find(arguments.problem.id())?;
    let bounds = problem.bounds(arguments.dim)?;
    let settings = Settings {
        individuals: arguments.individuals.into(),
        seed: arguments.seed,
        stop: Stop::iterations(arguments.iterations),
        backend: Backend::Cpu,
        polish: Some(false),
        ..Settings::default()
    };
    let algorithm = arguments.preset.params().into();
    let mut library = problem.optimiser::<f64>(0.0, &bounds, &algorithm, &settings)?;
    let (mut swarm, fitness) = (arguments.swarm(form, 0), arguments.fitness());
    let mut compared =
        Compared { iterations: arguments.iterations, equal: 0, distances: Vec::new(), best: 0.0 };
    for iteration in 1..=arguments.iterations {
        swarm.step(&fitness);
        library.step(1)?;
        let pairs = pairs(&swarm, &mut library)?;
        let same = pairs.iter().all(|[ours, theirs]| ours.to_bits() == theirs.to_bits());
        if same && compared.equal + 1 == iteration {
            compared.equal = iteration;
        }
        let shown = iteration == arguments.iterations || [1, 10, 100, 1000].contains(&iteration);
        if shown {
            // `pairs` begins with the positions.
            let positions = &pairs[..swarm.position.len()];
            let widest = positions.iter().fold(0.0, |most: f64, [a, b]| most.max((a - b).abs()));
            let (lower, upper) = form.bounds;
            compared.distances.push((iteration, widest / (upper - lower)));
        }
    }
    compared.best = library.state()?[0].global.fitness.value;
    Ok(compared)
}

/// Pairs of all numbers of both: positions, velocities, personal bests and their values, and the global best.
fn pairs(swarm: &Swarm, library: &mut Optimiser<f64>) -> Result<Vec<[f64; 2]>, warpswarm::Error> {
    let state = &library.state()?[0];
    let mut pairs = Vec::new();
    for (ours, theirs) in [
        (&swarm.position, &state.positions),
        (&swarm.velocity, &state.velocities),
        (&swarm.personal_best, &state.best_positions),
    ] {
        for (column, row) in ours.column_iter().zip(theirs.chunks(state.stride)) {
            pairs.extend(column.iter().zip(row).map(|(&ours, &theirs)| [ours, theirs]));
        }
    }
    let values = swarm.personal_fitness.iter().zip(&state.best);
    // The matrices maximise the negative of the library's objective.
    pairs.extend(values.map(|(ours, theirs)| [-ours, theirs.value]));
    let global = swarm.global_best.iter().zip(&state.global_position);
    pairs.extend(global.map(|(&ours, &theirs)| [ours, theirs]));
    pairs.push([-swarm.global_fitness, state.global.fitness.value]);
    Ok(pairs)
}

impl Compared {
    pub(crate) fn json(&self) -> String {
        let Compared { iterations, equal, best, .. } = self;
        let distances = self.distances.iter().map(|(iteration, distance)| {
            format!("{{\"iteration\": {iteration}, \"distance\": {}}}", number(*distance))
        });
        format!(
            "{{\"iterations\": {iterations}, \"equal\": {equal}, \"best\": {}, \"distances\": [{}]}}",
            number(*best),
            distances.collect::<Vec<_>>().join(", "),
        )
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Compared { iterations, equal, best, .. } = self;
        write!(f, "the library's best value is {best}; {equal} of {iterations} iterations ")?;
        write!(f, "have the same bits")?;
        // Show distances only if some iterations differ.
        for (iteration, distance) in self.distances.iter().filter(|_| equal < iterations) {
            write!(f, "\nafter {iteration}, positions are at most {distance:.1e} ranges apart")?;
        }
        Ok(())
    }
}
