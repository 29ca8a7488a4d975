//! Populations and their statistics, for records and observers.

use warpswarm_core::Float;
use warpswarm_core::order::Fitness;
use warpswarm_cpu_ref::Swarm;

use crate::engine::Job;

/// Statistics of a population.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Settings, Stop, minimise, problems::Sphere};
/// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
/// let settings = Settings {
///     individuals: 64,
///     stop: Stop::iterations(100),
///     record_every: Some(50),
///     record_statistics: true,
///     ..Settings::default()
/// };
/// let report = minimise::<f32, _>(&Sphere, &bounds, &Algorithm::default(), &settings)?;
/// let spread = report.history.iter().filter_map(|record| record.runs[0].population).map(|lies| lies.spread);
/// // The swarm closes in.
/// assert!(spread.collect::<Vec<f64>>().is_sorted_by(|earlier, later| earlier > later));
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Statistics {
    /// The mean of the finite values that the individuals keep (for PSO: of their personal bests); `None` if none is
    /// finite.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::optional_number"))]
    pub mean: Option<f64>,
    /// The root mean square distance of these points from their centroid, divided by the diagonal of the bounds: 0 to
    /// 1. Computed on the scales on which individuals move; 0 if all coordinates are fixed.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::number"))]
    pub spread: f64,
}

/// The population of a run at an iteration.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Event, Optimiser, Settings, Stop, problems::Sphere};
/// let stop = Stop::iterations(4);
/// let settings = Settings { individuals: 10, stop, populations_every: Some(2), ..Settings::default() };
/// let bounds = Bounds::uniform(3, -5.12, 5.12)?;
/// let mut optimiser = Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
/// optimiser.run_observed(&mut |event, _| {
///     if let Event::Populations([population]) = event {
///         assert_eq!((population.positions.len(), population.fitness.len()), (30, 10));
///         for (x, fitness) in population.positions.chunks(3).zip(&population.fitness) {
///             assert_eq!(x[0] * x[0] + x[1] * x[1] + x[2] * x[2], fitness.value);
///         }
///     }
/// })?;
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Population<R> {
    /// The run's number among those of its seed.
    pub run: u64,
    /// Iterations since the initial placement.
    pub iterations: u64,
    /// The points that the individuals keep (for PSO: their personal bests), `[individual][coordinate]`.
    pub positions: Vec<R>,
    /// Violation and value there, `[individual]`.
    pub fitness: Vec<Fitness<R>>,
}

impl<R: Float> Population<R> {
    /// The population of a state.
    pub(crate) fn of(job: &Job<R>, swarm: &Swarm<R>) -> Self {
        let rows = swarm.best_positions.chunks(swarm.stride);
        let positions: Vec<R> = rows.flat_map(|row| &row[..swarm.dimensions]).copied().collect();
        Population {
            run: swarm.id.run,
            iterations: swarm.control.iterations,
            positions: job.scales.natural(&positions),
            fitness: swarm.best.iter().map(|kept| job.scales.fitness(kept.exact())).collect(),
        }
    }
}

impl Statistics {
    /// The statistics of a state. The host computes them for every backend, so that they are the same everywhere.
    pub(crate) fn of<R: Float>(job: &Job<R>, swarm: &Swarm<R>) -> Self {
        let values = || swarm.best.iter().map(|kept| kept.value).filter(|value| value.is_finite());
        let count = values().count() as f64;
        // Each value is divided before it is added: the sum of large values could overflow.
        let mean: f64 = values().map(|value| job.scales.sign(value).to_f64() / count).sum();
        Statistics { mean: (count > 0.0).then_some(mean), spread: spread(job, swarm) }
    }
}

fn spread<R: Float>(job: &Job<R>, swarm: &Swarm<R>) -> f64 {
    let bounds = job.bounds_of(job.place_of(swarm));
    let side = |bounds: &[R]| bounds.iter().map(|x| x.to_f64()).collect::<Vec<_>>();
    let (lower, upper) = (side(bounds.lower), side(bounds.upper));
    let ranges = || lower.iter().zip(&upper).map(|(lower, upper)| upper - lower);
    let widest = ranges().fold(0.0, f64::max);
    if widest == 0.0 {
        return 0.0;
    }
    // In units of the widest range, so that squares neither overflow nor underflow.
    let diagonal: f64 = ranges().map(|range| (range / widest) * (range / widest)).sum();
    let individuals = swarm.best.len() as f64;
    let row = |row: &'_ [R]| -> Vec<f64> {
        let place = |(x, lower): (&R, &f64)| (x.to_f64() - lower) / widest;
        row.iter().zip(&lower).map(place).collect()
    };
    let rows = || swarm.best_positions.chunks(swarm.stride).map(row);
    let mut centroid = vec![0.0; lower.len()];
    for row in rows() {
        centroid.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
    centroid.iter_mut().for_each(|sum| *sum /= individuals);
    let from_centroid = |row: Vec<f64>| -> f64 {
        row.iter().zip(&centroid).map(|(x, centre)| (x - centre) * (x - centre)).sum()
    };
    let squares: f64 = rows().map(from_centroid).sum();
    (squares / individuals / diagonal).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Algorithm;
    use crate::engine::Wanted;
    use crate::objective::bounds::Bounds;
    use crate::settings::Settings;
    use warpswarm_cpu_ref::RunId;

    fn statistics(bounds: &Bounds, points: &[[f64; 2]], values: &[f64]) -> Statistics {
        let settings = Settings { individuals: points.len() as u64, ..Settings::default() };
        let procedure = Wanted::new(&Algorithm::Pso(Default::default()), settings.individuals)
            .unwrap()
            .procedure;
        let job = Job::new(bounds, procedure, &settings).unwrap();
        let mut swarm = Swarm::unplaced(2, points.len() as u32, RunId { seed: 0, run: 0 });
        swarm.best_positions = points.concat();
        swarm.best = values.iter().map(|&value| Fitness { violation: 0.0, value }).collect();
        Statistics::of(&job, &swarm)
    }

    #[test]
    fn by_hand() {
        // A range of 3 and one of 4: the diagonal is 5.
        let bounds = Bounds::new(vec![-1.0, 0.0], vec![2.0, 4.0]).unwrap();
        let two = statistics(&bounds, &[[-1.0, 0.0], [2.0, 4.0]], &[1.0, f64::INFINITY]);
        assert_eq!(two, Statistics { mean: Some(1.0), spread: 0.5 });
        let one = statistics(&bounds, &[[0.5, 0.5]], &[f64::NAN]);
        assert_eq!(one, Statistics { mean: None, spread: 0.0 });
        let line = statistics(&bounds, &[[0.0, 1.0], [0.0, 3.0]], &[1.0, 2.0]);
        assert_eq!(line.mean, Some(1.5));
        approx(line.spread, 0.2);
    }

    #[test]
    fn large_numbers_do_not_overflow() {
        let bounds = Bounds::new(vec![-8e307, 0.0], vec![8e307, 0.0]).unwrap();
        let far = statistics(&bounds, &[[-8e307, 0.0], [8e307, 0.0]], &[1.7e308, 1.5e308]);
        approx(far.spread, 0.5);
        approx(far.mean.unwrap() / 1.6e308, 1.0);
        let fixed = Bounds::new(vec![1.0, 2.0], vec![1.0, 2.0]).unwrap();
        assert_eq!(statistics(&fixed, &[[1.0, 2.0]], &[0.0]).spread, 0.0);
    }

    /// Compares up to rounding.
    fn approx(x: f64, expected: f64) {
        assert!((x - expected).abs() < 1e-15, "{x} is not {expected}");
    }
}
