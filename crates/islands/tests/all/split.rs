//! Swarms whose particles are divided among ranks: the bits of one device, the same end on all ranks, and failures that
//! all ranks report.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use warpswarm::problems::{Rastrigin, Sphere, Spring};
use warpswarm::{
    Algorithm, Backend, Bounds, Devices, Event, Exchange, Optimiser, Peers, Precise, Report,
    Result, Settings, Stop, StopReason, algorithms,
};
use warpswarm_islands::SplitSwarm;

use super::each_rank;

/// Settings for emulated devices.
fn split(individuals: u64, stop: Stop) -> Settings {
    let backend = Backend::Emulator;
    Settings {
        individuals,
        stop,
        backend,
        split: true,
        seed: 5,
        polish: Some(false),
        ..Settings::default()
    }
}

fn optimiser<R: Precise>(settings: &Settings) -> Result<Optimiser<R>> {
    let bounds = Bounds::uniform(5, -4.0, 5.5)?;
    Optimiser::new(&Rastrigin, &bounds, &Algorithm::Pso(Default::default()), settings)
}

/// The reports of `ranks` ranks, `[rank]`.
fn on_ranks<R: Precise>(
    ranks: u32,
    settings: &Settings,
    optimiser: impl Fn(&Settings) -> Result<Optimiser<R>> + Sync,
) -> Vec<Result<Report<R>>> {
    each_rank(ranks, |others| {
        SplitSwarm::new(&others, Exchange::Fastest, settings, &mut &optimiser)?.run()
    })
}

/// Compares the runs on one device with those on several ranks, on all of them.
#[track_caller]
fn check<R: Precise>(
    settings: &Settings,
    optimiser: impl Fn(&Settings) -> Result<Optimiser<R>> + Sync,
) -> Report<R> {
    let alone = Settings { split: false, devices: Devices::default(), ..settings.clone() };
    let alone = optimiser(&alone).unwrap().run().unwrap();
    for ranks in [1, 2, 4] {
        for report in on_ranks(ranks, settings, &optimiser) {
            let report = report.unwrap();
            assert_eq!(report.runs, alone.runs, "{ranks} ranks");
            assert_eq!(report.history.len(), alone.history.len());
            let pairs = report.history.iter().zip(&alone.history);
            pairs.for_each(|(a, b)| assert_eq!((a.iterations, &a.runs), (b.iterations, &b.runs)));
        }
    }
    alone
}

#[test]
fn the_number_of_ranks_changes_nothing() {
    let settings = Settings { record_every: Some(4), ..split(37, Stop::iterations(10)) };
    check::<f32>(&settings, optimiser);
    check::<f64>(&Settings { runs: 3, ..settings.clone() }, optimiser);
    // Two devices for each rank.
    check::<f32>(&Settings { devices: Devices::of(&[0, 1]), ..settings }, optimiser);
}

#[test]
fn runs_that_stop_by_themselves_stop_at_the_same_iterations() {
    for stop in [Stop::target(25.0), Stop::stagnation(3), Stop::evaluations(200)] {
        let settings = Settings { runs: 4, ..split(24, stop.or_iterations(60)) };
        let runs = check::<f32>(&settings, optimiser).runs;
        assert!(runs.iter().all(|run| run.iterations < 60), "{runs:?}");
    }
}

#[test]
fn constraints_and_what_is_not_finite_count_on_all_ranks() {
    let bounds = Bounds::new(vec![0.05, 0.25, 2.0], vec![2.0, 1.3, 15.0]).unwrap();
    check::<f64>(&split(40, Stop::iterations(8)), |settings: &Settings| {
        Optimiser::new(&Spring, &bounds, &Algorithm::Pso(Default::default()), settings)
    });
    // The squares overflow.
    let bounds = Bounds::uniform(2, -3e19, 2e19).unwrap();
    let report = check::<f32>(&split(40, Stop::iterations(8)), |settings: &Settings| {
        Optimiser::new(&Sphere, &bounds, &Algorithm::Pso(Default::default()), settings)
    });
    assert!(report.runs[0].not_finite > 4, "{:?}", report.runs);
}

#[test]
fn seconds_and_an_interrupt_of_one_rank_end_all_at_the_same_iteration() {
    let reports = on_ranks::<f32>(3, &split(16, Stop::seconds(0.05)), optimiser);
    let runs: Vec<_> = reports.into_iter().map(|report| report.unwrap().runs).collect();
    assert!(runs[0] == runs[1] && runs[0] == runs[2] && runs[0][0].iterations > 0);
    assert_eq!(runs[0][0].stop_reason, StopReason::Seconds);
    let all = each_rank(2, |others| {
        let flag = Arc::new(AtomicBool::new(false));
        let stop = Stop::iterations(1 << 40).or_interrupt(Arc::clone(&flag));
        let settings = split(16, stop);
        let mut swarm =
            SplitSwarm::<f32>::new(&others, Exchange::Host, &settings, &mut optimiser).unwrap();
        let is_second = warpswarm::Communicator::rank(&others) == 1;
        let report = swarm.run_observed(&mut |event, runs| {
            if let (true, Event::Progress(progress)) = (is_second, event) {
                flag.store(progress.iterations >= 8, Ordering::Relaxed);
                // No rank has the others' particles.
                assert!(runs.state().is_err_and(|error| error.is_input()));
            }
        });
        report.unwrap().runs
    });
    assert!(all[0] == all[1] && all[0][0].iterations >= 8);
    assert_eq!(all[0][0].stop_reason, StopReason::Interrupted);
}

#[test]
fn what_cannot_be_split_all_ranks_say() {
    let refused = |settings: &Settings, algorithm: &str, what: &str| {
        let algorithm = algorithms::find(algorithm).unwrap().algorithm();
        let bounds = Bounds::uniform(3, -1.0, 2.0).unwrap();
        let made =
            |settings: &Settings| Optimiser::<f32>::new(&Rastrigin, &bounds, &algorithm, settings);
        for report in on_ranks(3, settings, made) {
            let error = report.unwrap_err();
            assert!(error.is_input() && error.to_string().starts_with(what), "{error}");
        }
    };
    let settings = split(16, Stop::iterations(3));
    refused(&settings, "de", "split is true; allowed: with algorithm pso");
    refused(
        &Settings { individuals: 2, ..settings.clone() },
        "pso",
        "individuals is 2; allowed: one",
    );
    let cpu = Settings { backend: Backend::Cpu, ..settings.clone() };
    refused(&cpu, "pso", "split is true; allowed: with backend gpu");
    refused(&Settings { split: false, ..settings.clone() }, "pso", "split is false; allowed: true");
    refused(&Settings { record_statistics: true, ..settings }, "pso", "record_statistics is true;");
}

/// Requests that `SplitSwarm` does not make, but other callers could.
#[test]
fn devices_that_ranks_do_not_have_are_refused() {
    for devices in [vec![vec![4, 4], vec![4]], vec![vec![4], vec![4, 4]]] {
        let peers = Some(Peers::new(1, devices.clone()));
        let devices = Devices::of(&[0, 1][..3 - devices[1].len()]);
        let settings = Settings { peers, devices, ..split(16, Stop::iterations(3)) };
        let error = optimiser::<f32>(&settings).unwrap_err();
        assert!(error.is_input() && error.to_string().starts_with("peers is "), "{error}");
    }
}

/// If only one rank fails, all ranks report why.
#[test]
fn a_failure_of_one_rank_is_one_of_all() {
    let all = each_rank(2, |others| {
        let second = warpswarm::Communicator::rank(&others) == 1;
        let devices = Devices::of(&[if second { 99 } else { 0 }]);
        let settings = Settings { devices, ..split(16, Stop::iterations(3)) };
        SplitSwarm::<f32>::new(&others, Exchange::Fastest, &settings, &mut optimiser).unwrap_err()
    });
    for error in all {
        assert!(error.to_string().starts_with("rank 1 on this machine: devices is 99"), "{error}");
    }
}
