//! Chooses the backend that carries out a job.

mod refused;

use warpswarm_core::Float;
use warpswarm_cpu_ref::portfolio::Portfolio;

use super::cpu::Cpu;
use super::cpu::hosted::Evaluation;
use super::cpu::replay::Replay;
use super::device::cma_es::CmaEs;
use super::device::generation;
use super::device::pso::{Device, Share};
use super::device::several::{Make, Several};
use super::device::split::{self, Split};
use super::planner::place::{self, Work};
#[cfg(feature = "emulator")]
use super::selected_devices::emulators;
use super::selected_devices::{SelectedDevices, gpus};
use super::{Asks, Driver, Engine, Job, Procedure, Wanted};
use crate::error::{Error, Result};
use crate::machine;
use crate::objective::data::LaidOut;
use crate::objective::evaluator::{Evaluator, Portable};
use crate::objective::target::Target;
use crate::settings::Settings;
use crate::settings::choices::{Backend, Restart, Schedule};
use crate::settings::devices::Devices;

pub(super) use refused::{BY_DEVICES, not_split};
use refused::{check_algorithm, check_no_geometry, check_shares};

/// Creates the driver on the backend in the settings, or on the one that is expected to finish first.
pub(super) fn choose<R: Float>(
    job: Job<R>,
    wanted: &Wanted<R>,
    settings: &Settings,
    by: Evaluator<R>,
) -> Result<Driver<R>> {
    // The points are on a device.
    let on_device = matches!(&by, Evaluator::Host(objective) if objective.is_on_device());
    let asked = if on_device && settings.backend == Backend::Auto {
        Backend::Gpu
    } else {
        settings.backend
    };
    let mover = match asked {
        Backend::Auto => match on_faster_gpu(&job, wanted, settings, &by, gpus)? {
            Some(mover) => mover,
            None => return on_cpu(job, by, settings),
        },
        Backend::Cpu => {
            check_no_geometry(settings)?;
            return on_cpu(job, by, settings);
        }
        Backend::Gpu => {
            check_algorithm(wanted, Backend::Gpu)?;
            on_devices(Backend::Gpu, job, &by, settings, gpus(settings)?)?
        }
        Backend::Emulator => {
            check_algorithm(wanted, Backend::Emulator)?;
            emulated(job, &by, settings)?
        }
    };
    mover.driver(by, settings)
}

/// What moves the individuals.
pub(super) enum Mover<R: Float> {
    /// An engine that also evaluates them.
    Engine(Box<dyn Engine<R>>),
    /// A backend that asks for their fitness, and the number of dimensions of the points.
    Asks(Box<dyn Asks<R>>, usize),
}

impl<R: Float> Mover<R> {
    /// Combines it with what evaluates the points.
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

fn on_cpu<R: Float>(job: Job<R>, by: Evaluator<R>, settings: &Settings) -> Result<Driver<R>> {
    if let Evaluator::Portable(objective) = by {
        return Ok(Driver::Engine(Box::new(Cpu::new(job, objective, settings)?)));
    }
    let dimensions = job.dimensions;
    Mover::Asks(Box::new(Replay::new(job, settings.threads)?), dimensions).driver(by, settings)
}

/// The GPU, if it is available, supports the job, and is expected to be faster than the CPU, or if a schedule or a
/// block size is given.
///
/// # Errors
///
/// For mistakes of the user only: if the device lacks a resource, such as memory, the CPU may have it.
fn on_faster_gpu<R: Float, M: machine::Machine + 'static>(
    job: &Job<R>,
    wanted: &Wanted<R>,
    settings: &Settings,
    by: &Evaluator<R>,
    open: impl FnOnce(&Settings) -> Result<SelectedDevices<M>>,
) -> Result<Option<Mover<R>>> {
    // If the host evaluates, the transfers to the GPU and back usually cost more than the GPU saves.
    let (can, data) = match by {
        Evaluator::Portable(Portable { target: Some(target), data, .. }) => {
            (target.is_for(Backend::Gpu), data.len_of_run())
        }
        _ => (settings.schedule == Schedule::Hosted, 0),
    };
    if !can || check_algorithm(wanted, Backend::Gpu).is_err() {
        return Ok(None);
    }
    let asked = settings.schedule != Schedule::Auto
        || settings.block_size.is_some()
        || settings.devices != Devices::default()
        || settings.split;
    let work = Work::new(job, data, settings);
    let is_faster = |multiprocessors, runs| asked || work.is_for_gpu(multiprocessors, runs);
    if !is_faster(place::MEASURED_ON, machine::gpu::is_open()) {
        return Ok(None);
    }
    let opened = open(settings).and_then(|devices| Ok((devices.described(1)?, devices)));
    let (first, devices) = match opened {
        Err(error) if error.is_input() => return Err(error),
        Err(_) => return Ok(None),
        Ok(opened) => opened,
    };
    if !is_faster(first[0].multiprocessors, true) {
        return Ok(None);
    }
    match on_devices(Backend::Gpu, job.clone(), by, settings, devices) {
        Ok(mover) => Ok(Some(mover)),
        Err(error) if error.is_input() => Err(error),
        Err(_) => Ok(None),
    }
}

/// Runs on devices; several devices share the runs of a batch. The host evaluates if it must, or if the schedule says
/// so.
pub(super) fn on_devices<R: Float, M: machine::Machine + 'static>(
    backend: Backend,
    mut job: Job<R>,
    by: &Evaluator<R>,
    settings: &Settings,
    devices: SelectedDevices<M>,
) -> Result<Mover<R>> {
    let (schedule, dimensions) = (settings.schedule, job.dimensions);
    let is_hosted = !matches!(by, Evaluator::Portable(Portable { target: Some(_), .. }));
    if job.restarts && (is_hosted || matches!(schedule, Schedule::Hosted | Schedule::Stepwise)) {
        let (field, value) = ("restart", Restart::Converged.to_string());
        let allowed = "`never` on a device with schedules hosted and stepwise, and where the host evaluates; or the CPU";
        return Err(Error::Setting { field, value, allowed: allowed.into() });
    }
    if job.runs_differ {
        // PSO's own kernels read one seed and one stop rule for all runs from their parameter.
        job.procedure = job.procedure.as_method();
    }
    if let Evaluator::Portable(Portable { target: Some(target), data, .. }) = by
        && schedule != Schedule::Hosted
    {
        if settings.split {
            return split(backend, job, (target, data), settings, devices).map(Mover::Engine);
        }
        // More devices than runs would be idle.
        let count = devices.count.min(job.runs as usize);
        if count == 1 {
            let (objective, machine) = ((target.clone(), &**data), devices.open(0)?);
            return engine(backend, job, objective, settings, machine).map(Mover::Engine);
        }
        let (sizes, described) = ((job.runs, job.individuals), devices.described(count)?);
        let (target, data, settings) = (target.clone(), data.clone(), settings.clone());
        let make: Make<R> = Box::new(move |runs, place| {
            let (job, data) = (job.of_part(runs.clone()), data.of_part(runs));
            engine(backend, job, (target.clone(), &data), &settings, devices.open(place)?)
        });
        return Ok(Mover::Engine(Box::new(Several::new(backend, sizes, described, make)?)));
    }
    if let Procedure::Portfolio(Portfolio { shade, .. }) = &job.procedure {
        let name = if shade.is_some() { "auto" } else { "cma-es" };
        let what = format!(
            "algorithm {name} of an objective that has no GPU kernels, or with schedule hosted,"
        );
        let (backend, allowed) = (backend.name(), "cpu, or algorithm shade");
        return Err(Error::Unsupported { what, backend, allowed });
    }
    if settings.split {
        return Err(not_split("an objective that runs on the GPU"));
    }
    if devices.count > 1 {
        let (field, value) = ("devices", settings.devices.to_string());
        let allowed = "one device where the host evaluates, as with schedule hosted".into();
        return Err(Error::Setting { field, value, allowed });
    }
    if !matches!(schedule, Schedule::Auto | Schedule::Hosted) {
        let reason = "the objective has no GPU kernels (built-in ones have none for scales, nor to be maximised)";
        let reason = reason.into();
        return Err(Error::Schedule { schedule, reason, alternatives: "auto, hosted" });
    }
    job.procedure = job.procedure.as_method();
    let Procedure::Method(named) = job.procedure.clone() else { unreachable!("{REFUSED}") };
    let asks = generation::Hosted::new(backend, job, named, settings, devices.open(0)?)?;
    Ok(Mover::Asks(Box::new(asks), dimensions))
}

/// One or several swarms on several devices that share their particles.
fn split<R: Float, M: machine::Machine + 'static>(
    backend: Backend,
    job: Job<R>,
    (target, data): (&Target, &LaidOut<R>),
    settings: &Settings,
    devices: SelectedDevices<M>,
) -> Result<Box<dyn Engine<R>>> {
    let Procedure::Pso(coefficients) = job.procedure.clone() else {
        let algorithm =
            "algorithm pso with the star, a constant inertia and settings that all runs share";
        return Err(not_split(algorithm));
    };
    let schedule = match settings.schedule {
        Schedule::Auto => Schedule::Streaming,
        Schedule::Resident => return Err(not_split("schedule auto, streaming or stepwise")),
        schedule => schedule,
    };
    let settings = &Settings { schedule, ..settings.clone() };
    let (count, first, all) = match &settings.peers {
        Some(peers) => {
            peers.check_devices(devices.count)?;
            (devices.count, peers.first(), peers.multiprocessors())
        }
        None => {
            // More devices than particles would be idle.
            let count = devices.count.min(job.individuals as usize);
            (count, 0, devices.multiprocessors(count)?)
        }
    };
    if all.len() == 1 {
        return engine(backend, job, (target.clone(), data), settings, devices.open(0)?);
    }
    let shares = split::shares(job.individuals, &all);
    check_shares(&shares, job.individuals, settings.peers.as_ref())?;
    let peers = all.len() as u32;
    let make = |place: usize| {
        let machine = devices.open(place)?;
        let share = Share { rank: first + place as u32, peers };
        let job = job.of_share(shares[share.rank as usize].clone());
        let objective = (target.clone(), data);
        Device::new(backend, job, coefficients, objective, settings, share, machine)
    };
    Ok(Box::new(Split::new(count, (first, peers), &make)?))
}

/// The engine that moves and evaluates individuals on a device.
fn engine<R: Float, M: machine::Machine + 'static>(
    backend: Backend,
    job: Job<R>,
    objective: (Target, &LaidOut<R>),
    settings: &Settings,
    machine: M,
) -> Result<Box<dyn Engine<R>>> {
    Ok(match job.procedure.clone() {
        Procedure::Pso(coefficients) => {
            let alone = Share::ALONE;
            Box::new(Device::new(backend, job, coefficients, objective, settings, alone, machine)?)
        }
        Procedure::Method(named) => {
            if let (Schedule::Stepwise, Some(steps)) = (settings.schedule, named.steps) {
                let named = (named, steps);
                let engine =
                    generation::Stepwise::new(backend, job, named, objective, settings, machine)?;
                return Ok(Box::new(engine));
            }
            Box::new(generation::Whole::new(backend, job, named, objective, settings, machine)?)
        }
        Procedure::Portfolio(searches) => {
            Box::new(CmaEs::new(backend, job, searches, objective, settings, machine)?)
        }
        Procedure::Spso(_) | Procedure::Fwa(_) => unreachable!("{REFUSED}"),
    })
}

/// Why no other algorithm can be used on a device.
const REFUSED: &str = "`check_algorithm` has refused it";

#[cfg(feature = "emulator")]
fn emulated<R: Float>(job: Job<R>, by: &Evaluator<R>, settings: &Settings) -> Result<Mover<R>> {
    on_devices(Backend::Emulator, job, by, settings, emulators(settings)?)
}

#[cfg(not(feature = "emulator"))]
fn emulated<R: Float>(_: Job<R>, _: &Evaluator<R>, _: &Settings) -> Result<Mover<R>> {
    Err(Error::NoEmulator)
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    use super::*;
    use warpswarm_core::order::Fitness;

    use crate::Stop;
    use crate::algorithms::Algorithm;
    use crate::error::faults;
    use crate::objective::bounds::Bounds;
    use crate::objective::target::built_in;
    use warpswarm_core::problems::Sphere;

    /// The choice of `auto` for these settings.
    fn on_gpu(settings: &Settings) -> Result<Option<Mover<f32>>> {
        let wanted = Wanted::new(&Algorithm::Pso(Default::default()), settings.individuals)?;
        let bounds = Bounds::uniform(3, -1.0, 2.0)?;
        let job = Job::new(&bounds, wanted.procedure.clone(), settings)?;
        let by = Evaluator::Portable(Portable {
            evaluate: std::sync::Arc::new(|_, x: &[f32]| Fitness { violation: 0.0, value: x[0] }),
            constrained: false,
            target: built_in::<f32>(&Sphere),
            data: Default::default(),
        });
        on_faster_gpu(&job, &wanted, settings, &by, emulators)
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
        // It is unknown when a target or stagnation is reached: they count as the usual number of iterations, or as the
        // least number that they take.
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
