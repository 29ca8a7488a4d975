//! Kernels that trap: a GPU on which one has is lost to its process.

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

/// What comes of an objective that asks for a coordinate that is not there.
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

/// A trap under the emulator is an error that names the kernel and the thread, and nothing else is touched.
///
/// # Panics
///
/// Where that is not so.
pub fn check_emulated() {
    for schedule in [Schedule::Resident, Schedule::Streaming] {
        let error = trapped(Backend::Emulator, schedule);
        let Error::Launch { kernel, message, .. } = &error else { panic!("{error}") };
        assert!(kernel.starts_with("pso_") && message.contains("thread"), "{error}");
        assert_eq!(sphere(Backend::Emulator), sphere(Backend::Cpu));
    }
}

/// That a trap loses the GPU to the process in which it happens: every later call there fails at once, nothing hangs,
/// and the CPU is as it was.
///
/// # Panics
///
/// Where that is not so.
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
