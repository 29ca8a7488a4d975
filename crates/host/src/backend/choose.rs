//! Which backend carries out a job.

use warpswarm_core::Real;

use super::cpu::{Cpu, Portable};
use super::device::Device;
use super::hosted::Evaluation;
use super::replay::Replay;
use super::{Asks, Driver, Engine, Evaluator, Job, Procedure, Wanted, generation, machine};
use crate::choices::{Backend, Schedule};
use crate::error::{Error, Result};
use crate::planner::place::{self, Work};
use crate::settings::Settings;

/// Makes the driver where the settings say, or where it is expected to be done first.
pub(super) fn choose<R: Real>(
    job: Job<R>,
    wanted: &Wanted<R>,
    settings: &Settings,
    by: Evaluator<R>,
) -> Result<Driver<R>> {
    let mover = match settings.backend {
        Backend::Auto => {
            let open = machine::gpu::Gpu::open;
            match on_faster_gpu(&job, wanted, settings, &by, open)? {
                Some(mover) => mover,
                None => return on_cpu(job, by, settings),
            }
        }
        Backend::Cpu => {
            check_no_geometry(settings)?;
            return on_cpu(job, by, settings);
        }
        Backend::Gpu => {
            check_algorithm(wanted, Backend::Gpu)?;
            on_device(Backend::Gpu, job, &by, settings, machine::gpu::Gpu::open()?)?
        }
        Backend::Emulator => {
            check_algorithm(wanted, Backend::Emulator)?;
            emulated(job, &by, settings)?
        }
    };
    mover.driver(by, settings)
}

/// What moves the individuals.
pub(super) enum Mover<R: Real> {
    /// What evaluates them too.
    Engine(Box<dyn Engine<R>>),
    /// What asks for their fitness, in points of so many dimensions.
    Asks(Box<dyn Asks<R>>, usize),
}

impl<R: Real> Mover<R> {
    /// With who evaluates.
    pub(super) fn driver(self, by: Evaluator<R>, settings: &Settings) -> Result<Driver<R>> {
        let (asks, dimensions) = match self {
            Mover::Engine(engine) => return Ok(Driver::Engine(engine)),
            Mover::Asks(asks, dimensions) => (asks, dimensions),
        };
        let objective = match by {
            Evaluator::Portable(objective) => objective.into(),
            Evaluator::Host(objective) => objective,
            Evaluator::Caller => return Ok(Driver::Caller(asks)),
        };
        Evaluation::start(asks, (objective, dimensions), settings)
    }
}

fn on_cpu<R: Real>(job: Job<R>, by: Evaluator<R>, settings: &Settings) -> Result<Driver<R>> {
    if let Evaluator::Portable(objective) = by {
        return Ok(Driver::Engine(Box::new(Cpu::new(job, objective, settings.threads)?)));
    }
    let dimensions = job.dimensions;
    Mover::Asks(Box::new(Replay::new(job, settings.threads)?), dimensions).driver(by, settings)
}

/// The GPU, where it can be had, can do this, and is expected to be faster than the CPU, or has been given a schedule or
/// a block.
///
/// # Errors
///
/// Where the user has made a mistake; what the device lacks, as memory, the CPU may have.
fn on_faster_gpu<R: Real, M: machine::Machine + 'static>(
    job: &Job<R>,
    wanted: &Wanted<R>,
    settings: &Settings,
    by: &Evaluator<R>,
    open: impl FnOnce() -> Result<M>,
) -> Result<Option<Mover<R>>> {
    // Where the host evaluates, the way to the GPU and back usually costs more than it saves.
    let (can, data) = match by {
        Evaluator::Portable(Portable { target: Some(target), data, .. }) => {
            (target.is_for(Backend::Gpu), data.len_of_run())
        }
        _ => (settings.schedule == Schedule::Hosted, 0),
    };
    if !can || check_algorithm(wanted, Backend::Gpu).is_err() {
        return Ok(None);
    }
    let asked = settings.schedule != Schedule::Auto || settings.block_size.is_some();
    let work = Work::new(job, data, settings);
    let is_faster = |multiprocessors, runs| asked || work.is_for_gpu(multiprocessors, runs);
    if !is_faster(place::MEASURED_ON, machine::gpu::is_open()) {
        return Ok(None);
    }
    let Ok(machine) = open() else { return Ok(None) };
    if !is_faster(machine.multiprocessors(), true) {
        return Ok(None);
    }
    match on_device(Backend::Gpu, job.clone(), by, settings, machine) {
        Ok(mover) => Ok(Some(mover)),
        Err(error) if error.is_input() => Err(error),
        Err(_) => Ok(None),
    }
}

/// On a device the host evaluates where it has to or is to.
pub(super) fn on_device<R: Real, M: machine::Machine + 'static>(
    backend: Backend,
    mut job: Job<R>,
    by: &Evaluator<R>,
    settings: &Settings,
    machine: M,
) -> Result<Mover<R>> {
    let (schedule, dimensions) = (settings.schedule, job.dimensions);
    if job.runs_differ {
        // PSO's own kernels have seed and stop from their parameter, for all runs.
        job.procedure = job.procedure.as_method();
    }
    if let Evaluator::Portable(Portable { target: Some(target), data, .. }) = by
        && schedule != Schedule::Hosted
    {
        let (target, data) = (target.clone(), &**data);
        return Ok(Mover::Engine(match job.procedure.clone() {
            Procedure::Pso(coefficients) => Box::new(Device::new(
                backend,
                job,
                coefficients,
                (target, data),
                settings,
                machine,
            )?),
            Procedure::Method(named) => Box::new(generation::Whole::new(
                backend,
                job,
                named,
                (target, data),
                settings,
                machine,
            )?),
            Procedure::Spso(_) | Procedure::Fwa(_) => unreachable!("{REFUSED}"),
        }));
    }
    if !matches!(schedule, Schedule::Auto | Schedule::Hosted) {
        let reason = "the objective has no GPU kernels (built-in ones have none for scales, nor to be maximised)";
        let reason = reason.into();
        return Err(Error::Schedule { schedule, reason, alternatives: "auto, hosted" });
    }
    job.procedure = job.procedure.as_method();
    let Procedure::Method(named) = job.procedure.clone() else { unreachable!("{REFUSED}") };
    let asks = generation::Hosted::new(backend, job, named, settings, machine)?;
    Ok(Mover::Asks(Box::new(asks), dimensions))
}

/// Why no other algorithm comes to a device.
const REFUSED: &str = "`check_algorithm` has refused it";

#[cfg(feature = "emulator")]
fn emulated<R: Real>(job: Job<R>, by: &Evaluator<R>, settings: &Settings) -> Result<Mover<R>> {
    let machine = machine::emulator::Emulator::default();
    on_device(Backend::Emulator, job, by, settings, machine)
}

#[cfg(not(feature = "emulator"))]
fn emulated<R: Real>(_: Job<R>, _: &Evaluator<R>, _: &Settings) -> Result<Mover<R>> {
    Err(Error::NoEmulator)
}

/// A schedule or a block size means nothing to the CPU: whoever asks for both has made a mistake.
fn check_no_geometry(settings: &Settings) -> Result<()> {
    let what = match (settings.schedule, settings.block_size) {
        (Schedule::Auto, None) => return Ok(()),
        (Schedule::Auto, Some(block)) => format!("block size {block}"),
        (schedule, _) => format!("schedule {schedule}"),
    };
    Err(Error::Unsupported { what, backend: Backend::Cpu.name(), allowed: "gpu, emulator, auto" })
}

/// Whether an algorithm runs on a backend.
fn check_algorithm<R>(wanted: &Wanted<R>, backend: Backend) -> Result<()> {
    if wanted.backends.contains(&backend) {
        return Ok(());
    }
    let what = format!("algorithm {}", wanted.id);
    Err(Error::Unsupported { what, backend: backend.name(), allowed: "cpu, auto" })
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    use super::*;
    use warpswarm_core::order::Fitness;

    use crate::Stop;
    use crate::algorithms::Algorithm;
    use crate::bounds::Bounds;
    use crate::faults;
    use crate::problems::{Sphere, built_in};
    use machine::emulator::Emulator;

    /// What `auto` says of so many iterations.
    fn on_gpu(settings: &Settings) -> Result<Option<Mover<f32>>> {
        let wanted = Wanted::new(&Algorithm::default(), settings.individuals)?;
        let bounds = Bounds::uniform(3, -1.0, 2.0)?;
        let job = Job::new(&bounds, wanted.procedure.clone(), settings)?;
        let by = Evaluator::Portable(Portable {
            evaluate: Box::new(|_, x: &[f32]| Fitness { violation: 0.0, value: x[0] }),
            constrained: false,
            target: built_in::<f32, _>(&Sphere),
            data: Default::default(),
        });
        on_faster_gpu(&job, &wanted, settings, &by, || Ok(Emulator::default()))
    }

    #[test]
    fn what_a_device_lacks_the_cpu_does_and_mistakes_are_said() {
        let long =
            Settings { individuals: 70, stop: Stop::iterations(1 << 40), ..Settings::default() };
        let mut left = 0;
        while faults::at(left, || on_gpu(&long)).0.unwrap().is_none() {
            left += 1;
        }
        assert!(left > 10, "{left} calls");
        let short = Settings { stop: Stop::iterations(10), ..long.clone() };
        let taken = |stop| on_gpu(&Settings { stop, ..long.clone() }).unwrap().is_some();
        assert!(
            !taken(short.stop.clone())
                && !taken(Stop::default())
                && !taken(Stop::evaluations(9999))
        );
        // Of a target and of stagnation nobody knows when they are met: they count as the usual number of iterations, or
        // as long as they take at least.
        assert!(!taken(Stop::target(0.0)) && !taken(Stop::stagnation(5)));
        assert!(taken(Stop::stagnation(1 << 30)) && taken(Stop::evaluations(1 << 40)));
        assert!(taken(Stop::seconds(60.0)) && !taken(Stop::seconds(0.01)));
        assert!(!taken(Stop::seconds(60.0).or_iterations(10)));
        let asked = Settings { schedule: Schedule::Streaming, ..short };
        assert!(on_gpu(&asked).unwrap().is_some());
        let impossible = Settings { block_size: Some(1024), ..asked };
        assert!(on_gpu(&impossible).is_err_and(|error| error.is_input()));
    }
}
