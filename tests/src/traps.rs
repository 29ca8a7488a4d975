//! Kernels that trap. After a trap, the process can no longer use the GPU.

use std::time::{Duration, Instant};

use probe::Beyond;
use warpswarm::problems::Sphere;
use warpswarm::{
    Algorithm, Backend, Bounds, Error, Optimiser, OwnObjective, Schedule, Settings, Stop,
};

use crate::own::KERNELS;

fn settings(backend: Backend, schedule: Schedule) -> Settings {
    let stop = Stop::iterations(10);
    Settings {
        individuals: 33,
        stop,
        backend,
        schedule,
        polish: Some(false),
        ..Settings::default()
    }
}

/// The error of an objective that reads a coordinate that does not exist.
fn trapped(backend: Backend, schedule: Schedule) -> Error {
    let objective = OwnObjective::new("Beyond", Beyond { by: 0 }).with_kernels(KERNELS);
    let bounds = Bounds::uniform(3, -4.0, 5.0).expect("bounds");
    let settings = settings(backend, schedule);
    let run = || {
        let mut optimiser = Optimiser::<f32>::new(
            &objective,
            &bounds,
            &Algorithm::Pso(Default::default()),
            &settings,
        )?;
        optimiser.run().map(drop)
    };
    run().expect_err("a trap is an error")
}

fn sphere(backend: Backend) -> Result<f32, Error> {
    let bounds = Bounds::uniform(3, -4.0, 5.0)?;
    let settings = settings(backend, Schedule::Auto);
    let mut optimiser =
        Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::Pso(Default::default()), &settings)?;
    optimiser.run().map(|report| report.best().value)
}

/// Checks that a trap in the emulator is an error that names the kernel and the thread, without other effects.
///
/// # Panics
///
/// If this is not the case.
pub fn check_emulated() {
    for schedule in [Schedule::Resident, Schedule::Streaming] {
        let error = trapped(Backend::Emulator, schedule);
        let Error::Launch { kernel, message, .. } = &error else { panic!("{error}") };
        assert!(kernel.starts_with("pso_") && message.contains("thread"), "{error}");
        assert_eq!(sphere(Backend::Emulator), sphere(Backend::Cpu));
    }
}

/// Checks that after a trap the process has lost the GPU: every later GPU call fails immediately, nothing hangs, and
/// the CPU is not affected.
///
/// # Panics
///
/// If this is not the case.
pub fn lose_the_gpu() {
    let before = sphere(Backend::Gpu).expect("a GPU");
    let bounds = Bounds::uniform(3, -4.0, 5.0).expect("bounds");
    let settings = settings(Backend::Gpu, Schedule::Auto);
    let mut alive =
        Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::Pso(Default::default()), &settings)
            .expect("a GPU");
    alive.step(1).expect("a GPU");

    let error = trapped(Backend::Gpu, Schedule::Auto);
    assert!(matches!(error, Error::Launch { .. }), "{error}");
    let begin = Instant::now();
    let lost = |error: Error| assert!(matches!(error, Error::DeviceLost { .. }), "{error}");
    lost(alive.step(1).expect_err("its device is lost"));
    lost(alive.step(1).expect_err("its device is lost"));
    lost(sphere(Backend::Gpu).expect_err("the device is lost"));
    drop(alive);
    assert!(begin.elapsed() < Duration::from_millis(500), "{:?}", begin.elapsed());
    assert_eq!(sphere(Backend::Cpu), Ok(before));
}
