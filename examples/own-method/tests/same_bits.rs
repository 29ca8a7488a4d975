//! Your own method has the same bits on one thread, on several threads, and in the emulator.

use std::collections::BTreeSet;

use warpswarm::problems::{Precise, Rastrigin, ThreeBarTruss};
use warpswarm::{AnyObjective, Backend, Bounds, Kernels, OwnMethod, Schedule, Settings, Swarm};
use warpswarm_example_own_method::{KERNELS, method};

const EMULATED: Kernels = KERNELS.with_emulated(&[jaya::jaya::f32, jaya::jaya::f64]);

fn states<R: Precise>(objective: &impl AnyObjective<R>, settings: &Settings) -> Vec<Swarm<R>> {
    let bounds = Bounds::uniform(2, 0.0, 1.0).unwrap();
    let method: OwnMethod<R> = method().with_kernels(EMULATED);
    let mut optimiser = method.optimiser(objective, &bounds, settings).unwrap();
    optimiser.step(7).unwrap();
    optimiser.state().unwrap()
}

fn check<R: Precise>(objective: &impl AnyObjective<R>) {
    for individuals in [5, 40] {
        let at = |backend, schedule, threads| {
            let settings = Settings {
                individuals,
                runs: 2,
                seed: 3,
                polish: Some(false),
                ..Settings::default()
            };
            states(objective, &Settings { backend, schedule, threads, ..settings })
        };
        let serial = at(Backend::Cpu, Schedule::Auto, Some(1));
        let others = [
            at(Backend::Cpu, Schedule::Auto, Some(3)),
            at(Backend::Emulator, Schedule::Resident, None),
            at(Backend::Emulator, Schedule::Streaming, None),
        ];
        for other in others {
            for (a, b) in serial.iter().zip(&other) {
                assert_eq!(warpswarm::difference(a, b), None);
            }
        }
    }
}

#[test]
fn everywhere_the_same() {
    check::<f32>(&Rastrigin);
    check::<f64>(&Rastrigin);
    check::<f64>(&ThreeBarTruss);
}

/// In every coordinate, each stratum contains exactly one individual.
#[test]
fn individuals_begin_in_strata() {
    let bounds = Bounds::uniform(2, -1.0, 3.0).unwrap();
    for (backend, schedule) in [
        (Backend::Cpu, Schedule::Auto),
        (Backend::Emulator, Schedule::Streaming),
        (Backend::Emulator, Schedule::Hosted),
    ] {
        let settings = Settings {
            individuals: 32,
            backend,
            schedule,
            polish: Some(false),
            ..Settings::default()
        };
        let method: OwnMethod<f64> = method().with_kernels(EMULATED);
        let mut optimiser = method.optimiser(&Rastrigin, &bounds, &settings).unwrap();
        let swarm = &optimiser.state().unwrap()[0];
        for k in 0..2 {
            let of = |i: usize| (swarm.best_positions[i * swarm.stride + k] + 1.0) / 4.0 * 32.0;
            let strata: BTreeSet<_> = (0..32).map(|i| of(i) as u64).collect();
            assert!(strata.into_iter().eq(0..32), "{backend} {schedule}, coordinate {k}");
        }
    }
}

#[test]
fn without_kernels_it_is_for_the_cpu() {
    let bounds = Bounds::uniform(2, 0.0, 1.0).unwrap();
    let settings =
        Settings { backend: Backend::Emulator, polish: Some(false), ..Settings::default() };
    let alone = OwnMethod::<f32>::new("jaya", jaya::Jaya::default());
    let error = alone.optimiser(&Rastrigin, &bounds, &settings).unwrap_err();
    assert!(error.to_string().contains("jaya"), "{error}");
    let settings = Settings { backend: Backend::Auto, ..settings };
    assert!(alone.minimise(&Rastrigin, &bounds, &settings).is_ok());
}
