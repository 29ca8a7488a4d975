//! Checks an objective: equal bits on CPU and device, correct derivatives, and the speed of both.

mod derivatives;
mod differences;

use std::fmt;
use std::time::Instant;

use warpswarm_core::Float;
use warpswarm_core::order::Fitness;
use warpswarm_cpu_ref::Swarm;

pub use derivatives::{DerivativeDifference, Derivatives, WrongDerivative};

use crate::algorithms::{Algorithm, DeParams, PsoParams};
use crate::error::Result;
use crate::objective::any_objective::AnyObjective;
use crate::objective::bounds::{Bounds, Scales};
use crate::run::optimiser::Optimiser;
use crate::settings::choices::Backend;
use crate::settings::{Settings, Stop};

/// The results of [`check`].
///
/// Formatted, they are a readable report.
///
/// ```
/// use warpswarm::{CheckReport, Derivatives, Speed};
/// let speed = |individuals, device| Speed { individuals, cpu: 8e-9, device: Some(device) };
/// let checked = CheckReport::<f32> {
///     evaluations: 400,
///     device: Some("a GPU".into()),
///     difference: None,
///     not_finite: 0,
///     first_not_finite: None,
///     derivatives: Derivatives { compared: 64, ..Derivatives::NONE },
///     speeds: vec![speed(32, 6e-7), speed(2048, 9e-9), speed(8192, 2e-9)],
/// };
/// assert_eq!(checked.worthwhile(), Some(8192));
/// let text = checked.to_string();
/// assert!(text.starts_with("400 evaluations give the same bits on CPU and a GPU\n"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CheckReport<R> {
    /// The number of evaluations compared, or examined if there is no device.
    pub evaluations: u64,
    /// A description of the device that was compared with the CPU; `None` without a device.
    pub device: Option<String>,
    /// The first evaluation that differs.
    pub difference: Option<Difference<R>>,
    /// The number of values or violations that are not finite.
    pub not_finite: u64,
    /// The first point with such a value, and its fitness.
    pub first_not_finite: Option<(Vec<R>, Fitness<R>)>,
    /// The comparison of exact derivatives with finite differences.
    pub derivatives: Derivatives<R>,
    /// The time of evaluations, from few individuals to many.
    pub speeds: Vec<Speed>,
}

/// An evaluation that differs between CPU and device.
///
/// ```
/// use warpswarm::{Difference, Fitness};
/// let said = |value| Fitness { violation: 0.0_f32, value };
/// let difference = Difference { point: vec![1.5], cpu: said(0.3), device: said(0.300_000_04) };
/// // By one unit in the last place.
/// assert_eq!(difference.device.value.to_bits() - difference.cpu.value.to_bits(), 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Difference<R> {
    /// The point, `[coordinate]`.
    pub point: Vec<R>,
    /// The result of the CPU.
    pub cpu: Fitness<R>,
    /// The result of the device.
    pub device: Fitness<R>,
}

/// The time of an evaluation in runs with this number of individuals, including the moves of PSO.
///
/// ```
/// use warpswarm::Speed;
/// let speed = Speed { individuals: 2048, cpu: 8e-9, device: Some(2e-9) };
/// // How many times as fast the device is.
/// assert_eq!(speed.device.map(|device| speed.cpu / device), Some(4.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// The number of individuals of all runs together.
    pub individuals: u64,
    /// Seconds per evaluation on the CPU, with all its threads. NaN if every run ended at once, because the objective is
    /// unbounded.
    pub cpu: f64,
    /// Seconds per evaluation on the device; NaN as for the CPU.
    pub device: Option<f64>,
}

impl<R> CheckReport<R> {
    /// The number of individuals from which the device is faster, among the sizes that were timed; `None` if it never
    /// is.
    pub fn worthwhile(&self) -> Option<u64> {
        let is_faster = |device: f64, cpu: f64| device < cpu;
        let is_slower =
            |speed: &Speed| speed.device.is_none_or(|device| !is_faster(device, speed.cpu));
        let from = self.speeds.iter().rposition(is_slower).map_or(0, |last| last + 1);
        self.speeds.get(from).map(|speed| speed.individuals)
    }
}

/// Shows a point.
fn show<R: Float>(f: &mut fmt::Formatter<'_>, point: &[R]) -> fmt::Result {
    let shown: Vec<_> = point.iter().take(8).map(R::to_string).collect();
    let more = if point.len() > 8 { ", ..." } else { "" };
    write!(f, "({}{more})", shown.join(", "))
}

impl<R: Float> fmt::Display for CheckReport<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.device, &self.difference) {
            (None, _) => writeln!(
                f,
                "{} evaluations on the CPU; there is no GPU or other device to compare with",
                self.evaluations
            )?,
            (Some(device), None) => {
                writeln!(
                    f,
                    "{} evaluations give the same bits on CPU and {device}",
                    self.evaluations
                )?;
            }
            (Some(device), Some(Difference { point, cpu, device: other })) => {
                write!(f, "CPU and {device} differ at ")?;
                show(f, point)?;
                writeln!(
                    f,
                    ": value {} and {}, violation {} and {}",
                    cpu.value, other.value, cpu.violation, other.violation
                )?;
            }
        }
        if let Some((point, fitness)) = &self.first_not_finite {
            write!(f, "{} evaluations are not finite, the first at ", self.not_finite)?;
            show(f, point)?;
            writeln!(f, ": value {}, violation {}", fitness.value, fitness.violation)?;
        }
        if self.derivatives.compared > 0 {
            writeln!(f, "{}", self.derivatives)?;
        }
        if self.speeds.is_empty() {
            return Ok(());
        }
        writeln!(f, "time of an evaluation, for several numbers of individuals:")?;
        write!(f, "{:>12}  {:>14}", "individuals", "ns on the CPU")?;
        match self.device {
            Some(_) => writeln!(f, "  {:>16}", "ns on the device")?,
            None => writeln!(f)?,
        }
        let shown = |seconds: f64| match seconds.is_nan() {
            true => "-".to_string(),
            false => format!("{:.3}", 1e9 * seconds),
        };
        for Speed { individuals, cpu, device } in &self.speeds {
            write!(f, "{individuals:>12}  {:>14}", shown(*cpu))?;
            match &self.device {
                Some(_) => writeln!(f, "  {:>16}", shown(device.unwrap_or(f64::NAN)))?,
                None => writeln!(f)?,
            }
        }
        match (self.worthwhile(), &self.device) {
            (_, None) => Ok(()),
            (Some(from), _) => writeln!(f, "the device is faster from {from} individuals on"),
            (None, _) => writeln!(f, "the CPU is faster in all these sizes"),
        }
    }
}

/// Evaluates an objective on the CPU and on a device, and compares the bits and the time. The points are random, on the
/// bounds and at their centre, and those of one iteration.
///
/// These settings are used: the backend ([`Backend::Auto`] is the GPU, if there is one; [`Backend::Cpu`] compares no
/// device), the number of runs, the seed, and the number of individuals, which is the number of points compared in each
/// run.
///
/// ```
/// use warpswarm::{Backend, Bounds, Settings, check, problems::Ackley};
/// let bounds = Bounds::uniform(5, -30.0, 30.0)?;
/// let settings = Settings { individuals: 100, backend: Backend::Cpu, ..Settings::default() };
/// let checked = check::<f64, _>(&Ackley, &bounds, &settings)?;
/// assert_eq!((checked.not_finite, checked.difference.clone()), (0, None));
/// println!("{checked}");
/// # Ok::<(), warpswarm::Error>(())
/// ```
///
/// # Errors
///
/// If bounds or settings are not allowed, or a backend fails.
pub fn check<R: Float, G: AnyObjective<R>>(
    objective: &G,
    bounds: &Bounds,
    settings: &Settings,
) -> Result<CheckReport<R>> {
    with(bounds, settings, &|bounds, algorithm, settings| {
        Optimiser::new(objective, bounds, algorithm, settings)
    })
}

/// Creates an optimiser of the checked objective.
type Make<'a, R> = dyn Fn(&Bounds, &Algorithm, &Settings) -> Result<Optimiser<R>> + 'a;

/// As [`check`], for an objective whose type is not known.
pub(crate) fn with<R: Float>(
    bounds: &Bounds,
    settings: &Settings,
    make: &Make<'_, R>,
) -> Result<CheckReport<R>> {
    // The local search knows the derivatives; no run ends here, so that it is never started.
    let settings = &Settings {
        stop: Stop::default(),
        of_runs: Vec::new(),
        polish: Some(true),
        ..settings.clone()
    };
    let cpu = &Settings {
        backend: Backend::Cpu,
        schedule: Default::default(),
        block_size: None,
        ..settings.clone()
    };
    let pso = PsoParams::default().into();
    let device = match settings.backend {
        Backend::Cpu => None,
        Backend::Auto => {
            let gpu = Settings { backend: Backend::Gpu, ..settings.clone() };
            // If the failure is not specific to the device, the CPU reports it.
            make(bounds, &pso, &gpu).is_ok().then_some(gpu)
        }
        _ => Some(settings.clone()),
    };
    let mut checked = CheckReport {
        evaluations: 0,
        device: None,
        difference: None,
        not_finite: 0,
        first_not_finite: None,
        derivatives: Derivatives::NONE,
        speeds: Vec::new(),
    };
    let corners = corners(bounds);
    let scales = Scales::new(bounds, settings.maximise);
    // Small and large populations use different kernels, and so do the two algorithms.
    let algorithms: [Algorithm; 2] = [pso, DeParams::default().into()];
    for (algorithm, individuals) in algorithms
        .iter()
        .flat_map(|a| [settings.individuals.min(16), settings.individuals].map(|n| (a, n)))
    {
        let sized = |settings: &Settings| Settings { individuals, ..settings.clone() };
        let mut here = make(&corners, algorithm, &sized(cpu))?;
        let mut there = match &device {
            Some(device) => Some(make(&corners, algorithm, &sized(device))?),
            None => None,
        };
        if checked.evaluations == 0 {
            checked.derivatives = there.as_mut().unwrap_or(&mut here).derivatives()?;
        }
        for iterations in [0, 1] {
            here.step(iterations)?;
            let here = here.state()?;
            checked.look_at(&here, &scales);
            if let Some(there) = &mut there {
                checked.device = Some(there.device());
                there.step(iterations)?;
                checked.compare(&here, &there.state()?, &scales);
            }
        }
    }
    checked.speeds = speeds(bounds, (cpu, device.as_ref()), &algorithms[0], make)?;
    Ok(checked)
}

/// These bounds with starting points at the lower bounds, the upper bounds, and the centre.
fn corners(bounds: &Bounds) -> Bounds {
    let (lower, upper) = (bounds.lower().to_vec(), bounds.upper().to_vec());
    let centre = lower.iter().zip(&upper).map(|(l, u)| l + 0.5 * (u - l)).collect();
    // Points within bounds are always allowed, but those of the first run may be out of another run's bounds.
    bounds.clone().beginning_at(&[lower, upper, centre]).unwrap_or_else(|_| bounds.clone())
}

impl<R: Float> CheckReport<R> {
    fn look_at(&mut self, swarms: &[Swarm<R>], scales: &Scales<R>) {
        for swarm in swarms {
            self.evaluations += swarm.individuals() as u64;
            for (i, fitness) in swarm.best.iter().enumerate() {
                if fitness.is_finite() {
                    continue;
                }
                self.not_finite += 1;
                let place = || (scales.natural(point(swarm, i)), scales.fitness(*fitness));
                self.first_not_finite.get_or_insert_with(place);
            }
        }
    }

    fn compare(&mut self, here: &[Swarm<R>], there: &[Swarm<R>], scales: &Scales<R>) {
        let bits = |fitness: Fitness<R>| [fitness.violation, fitness.value].map(R::to_bits64);
        for (here, there) in here.iter().zip(there) {
            for (i, (&cpu, &device)) in here.best.iter().zip(&there.best).enumerate() {
                if bits(cpu) != bits(device) {
                    self.difference.get_or_insert_with(|| Difference {
                        point: scales.natural(point(here, i)),
                        cpu: scales.fitness(cpu),
                        device: scales.fitness(device),
                    });
                }
            }
        }
    }
}

/// The best point of individual `i`.
fn point<R: Float>(swarm: &Swarm<R>, i: usize) -> &[R] {
    &swarm.best_positions[i * swarm.stride..][..swarm.dimensions]
}

/// The population sizes that are timed.
const SIZES: [u64; 7] = [32, 128, 512, 2048, 8192, 32_768, 131_072];
/// The approximate time for each size on each side; a larger size is timed only if an iteration takes less.
const SECONDS: f64 = 0.1;

fn speeds<R: Float>(
    bounds: &Bounds,
    (cpu, device): (&Settings, Option<&Settings>),
    algorithm: &Algorithm,
    make: &Make<'_, R>,
) -> Result<Vec<Speed>> {
    let time = |settings: &Settings, individuals| -> Result<f64> {
        let mut optimiser = make(bounds, algorithm, &Settings { individuals, ..settings.clone() })?;
        optimiser.step(1)?;
        let begun = optimiser.status()?.iterations;
        let (mut iterations, start) = (1, Instant::now());
        // The runs of an unbounded objective end.
        while start.elapsed().as_secs_f64() < SECONDS && optimiser.status()?.goes_on {
            optimiser.step(iterations)?;
            iterations *= 2;
        }
        let seconds = start.elapsed().as_secs_f64();
        let done = optimiser.status()?.iterations - begun;
        Ok(if done > 0 { seconds / done as f64 } else { f64::NAN })
    };
    let mut speeds = Vec::new();
    for size in SIZES {
        let individuals = size * cpu.runs;
        let here = time(cpu, size)?;
        let there = device.map(|device| time(device, size)).transpose()?;
        speeds.push(Speed {
            individuals,
            cpu: here / individuals as f64,
            device: there.map(|seconds| seconds / individuals as f64),
        });
        if here > SECONDS || there.is_some_and(|there| there > SECONDS) {
            break;
        }
    }
    Ok(speeds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_is_worthwhile_where_it_stays_ahead() {
        let speed = |individuals, device| Speed { individuals, cpu: 1.0, device };
        let mut checked = CheckReport::<f32> {
            evaluations: 0,
            device: None,
            difference: None,
            not_finite: 0,
            first_not_finite: None,
            derivatives: Derivatives::NONE,
            speeds: vec![speed(32, Some(0.9)), speed(64, Some(1.0)), speed(128, Some(0.5))],
        };
        assert_eq!(checked.worthwhile(), Some(128));
        checked.speeds[2].device = None;
        assert_eq!(checked.worthwhile(), None);
    }
}
