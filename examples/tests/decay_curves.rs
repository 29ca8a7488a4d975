//! The same fits on one thread, on several, and under the emulator; and each curve as it would be alone.

use models::decay;
use warpswarm::{
    Backend, DeParams, Error, Kernels, Optimiser, OwnObjective, Precise, PsoParams, Schedule,
    Settings, Stop, Swarm,
};
use warpswarm_examples::KERNELS;

#[path = "../src/bin/decay-curves/curves.rs"]
mod curves;
use curves::{bounds, fit, objective, truth};

const EMULATED: Kernels =
    KERNELS.with_emulated_objectives(&[decay::kernels::f32, decay::kernels::f64]);

fn settings(runs: u64) -> Settings {
    Settings { individuals: 32, runs, seed: 3, ..Settings::default() }
}

fn check<R: Precise>(algorithm: &warpswarm::Algorithm) {
    let decay = objective::<R>(3, 0.01).unwrap().with_kernels(EMULATED);
    let at = |backend, schedule, threads| -> Vec<Swarm<R>> {
        let settings = Settings { backend, schedule, threads, ..settings(3) };
        let mut optimiser =
            Optimiser::new(&decay, &bounds(3, 0.01).unwrap(), algorithm, &settings).unwrap();
        optimiser.step(7).unwrap();
        optimiser.state().unwrap()
    };
    let serial = at(Backend::Cpu, Schedule::Auto, Some(1));
    let others = [
        at(Backend::Cpu, Schedule::Auto, Some(3)),
        at(Backend::Emulator, Schedule::Resident, None),
        at(Backend::Emulator, Schedule::Streaming, None),
        at(Backend::Emulator, Schedule::Hosted, None),
    ];
    for other in others {
        for (a, b) in serial.iter().zip(&other) {
            assert_eq!(warpswarm::difference(a, b), None);
        }
    }
}

#[test]
fn everywhere_the_same() {
    check::<f32>(&DeParams::default().into());
    check::<f64>(&DeParams::default().into());
    check::<f64>(&PsoParams::default().into());
}

#[test]
fn every_run_fits_its_own_curve() {
    let stop = Stop::iterations(2000);
    let settings = Settings { individuals: 100, backend: Backend::Cpu, stop, ..settings(4) };
    let report = fit::<f64>(4, 0.0, &settings).unwrap();
    for (run, number) in report.runs.iter().zip(0..) {
        let truth = truth(number);
        let is_near = |(found, truth): (&f64, &f64)| (found - truth).abs() < 1e-3;
        assert!(run.best.position.iter().zip(&truth).all(is_near), "{run:?}: {truth:?}");
    }
}

#[test]
fn data_and_bounds_of_another_number_of_runs() {
    let run = |curves, bounds: u64, runs| {
        let (decay, bounds) = (objective::<f32>(curves, 0.0), self::bounds(bounds, 0.0));
        let algorithm = DeParams::default().into();
        Optimiser::new(&decay.unwrap(), &bounds.unwrap(), &algorithm, &settings(runs)).unwrap_err()
    };
    assert_eq!(run(4, 5, 5), Error::Runs { what: "data", given: 4, runs: 5 });
    assert_eq!(run(5, 4, 5), Error::Runs { what: "bounds", given: 4, runs: 5 });
}

#[test]
fn what_was_not_exported() {
    let nothing = decay::Decay { times: Default::default(), counts: Default::default() };
    let other = OwnObjective::<f32, _>::new("Other", nothing).with_kernels(EMULATED);
    let settings = Settings { backend: Backend::Emulator, ..settings(1) };
    let algorithm = DeParams::default().into();
    let error = Optimiser::new(&other, &bounds(1, 0.0).unwrap(), &algorithm, &settings);
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("there is no `objective_Other_f32_x"), "{error}");
}
