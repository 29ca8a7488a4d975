//! Allowed configurations run and satisfy the guarantees.

use proptest::prelude::*;
use warpswarm::{
    Algorithm, Error, Fitness, Float, Optimiser, Precise, Report, Result, RunReport, Scale,
    Settings, StopReason, Swarm, difference,
};

use super::cases::{By, Case, cases};
use super::config;
use super::wild::{Memory, Portable, Seen, hosted, memory};

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn what_is_allowed_runs_and_keeps_its_promises(case in cases()) {
        check::<f32>(&case);
        check::<f64>(&case);
    }
}

#[cfg(feature = "emulator")]
proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn devices_see_what_misbehaves_as_the_cpu_does(case in cases()) {
        emulated::<f32>(&case);
        emulated::<f64>(&case);
    }
}

/// Compares a few iterations in the emulator, with evaluations on the host, with the CPU.
#[cfg(feature = "emulator")]
fn emulated<R: Precise>(case: &Case) {
    use warpswarm::{Backend, Stop};
    let info = case.algorithm.info();
    // On a device these cannot ask for evaluations.
    if !info.backends.contains(&Backend::Emulator) || ["auto", "cma-es"].contains(&info.id) {
        return;
    }
    let case = Case { by: By::Host, ..case.clone() };
    let state = |backend| {
        let stop = Stop { iterations: Some(4), seconds: None, ..case.settings.stop.clone() };
        let settings = Settings { backend, threads: None, stop, ..case.settings.clone() };
        let memory = memory(settings.runs as usize);
        let mut optimiser = optimiser::<R>(&case, &settings, memory).unwrap();
        let report = optimiser.run().unwrap();
        nothing_is_lost(&case, &report, memory);
        optimiser.state().unwrap()
    };
    for (cpu, device) in state(Backend::Cpu).iter().zip(state(Backend::Emulator)) {
        assert_eq!(difference(cpu, &device), None);
    }
}

/// The optimiser, whose objective records its evaluations in `memory`.
fn optimiser<R: Precise>(case: &Case, settings: &Settings, memory: Memory) -> Result<Optimiser<R>> {
    let Case { algorithm, bounds, wild, .. } = case;
    let (wild, maximise) = (*wild, settings.maximise);
    match case.by {
        By::Host => Optimiser::new(&hosted(wild, memory, maximise), bounds, algorithm, settings),
        By::Portable => {
            let objective = Portable::<false> { wild, memory, maximise };
            Optimiser::new(&objective, bounds, algorithm, settings)
        }
        By::Constrained => {
            let objective = Portable::<true> { wild, memory, maximise };
            Optimiser::new(&objective, bounds, algorithm, settings)
        }
    }
}

fn check<R: Precise>(case: &Case) {
    let memory = memory(case.settings.runs as usize);
    let mut optimiser = optimiser::<R>(case, &case.settings, memory).unwrap();
    let report = optimiser.run().unwrap();
    assert_eq!(report.runs.len() as u64, case.settings.runs);
    nothing_is_lost(case, &report, memory);
    for (place, run) in report.runs.iter().enumerate() {
        within_bounds(case, &run.best.position);
        the_reason_is_right(case, place, run);
    }
    never_worse(case, &report);
    let Some(state) = state_of(case, &mut optimiser) else { return };
    for swarm in &state {
        // Other algorithms store their own data in `positions`.
        let moves = matches!(case.algorithm, Algorithm::Pso(_) | Algorithm::Spso(_));
        let positions = if moves { &swarm.positions[..] } else { &[] };
        for rows in [positions, &swarm.best_positions] {
            for row in rows.chunks(swarm.stride) {
                let (row, padding) = row.split_at(swarm.dimensions);
                within_bounds(case, &optimiser.natural(row));
                assert!(padding.iter().all(|x| x.to_bits64() == 0), "places beyond the dimensions");
            }
        }
    }
    // The number of threads has no effect, except that a time limit may end a run at a different iteration.
    let alone = Settings { threads: Some(1), ..case.settings.clone() };
    let mut again = self::optimiser::<R>(case, &alone, super::wild::memory(memory.len())).unwrap();
    again.run().unwrap();
    for (one, other) in state.iter().zip(state_of(case, &mut again).into_iter().flatten()) {
        assert_eq!(difference(one, &other), None);
    }
}

/// The state of the optimiser; `None` if a time limit of zero ended the placement.
fn state_of<R: Precise>(case: &Case, optimiser: &mut Optimiser<R>) -> Option<Vec<Swarm<R>>> {
    match optimiser.state() {
        Err(Error::Stopped) if case.settings.stop.seconds == Some(0.0) => None,
        state => Some(state.unwrap()),
    }
}

/// A key in which smaller is better, also when maximising.
fn key<R: Float>(case: &Case, violation: R, value: R) -> (u64, u64) {
    let value = if case.settings.maximise { -value } else { value };
    let [violation, value] = [violation, value].map(R::to_f64);
    Fitness { violation, value }.ordered()
}

/// Evaluations are counted, and the reported best is the best of them: it is NaN only if all values are.
fn nothing_is_lost<R: Float>(case: &Case, report: &Report<R>, memory: Memory) {
    let seen: Vec<Seen> = memory.iter().map(|place| *place.lock().unwrap()).collect();
    let told = |runs: &[RunReport<R>]| Seen {
        evaluations: runs.iter().map(|run| run.evaluations).sum(),
        not_finite: runs.iter().map(|run| run.not_finite).sum(),
        // A limit of time can end a batch before its later runs evaluate a point.
        best: runs
            .iter()
            .filter(|run| run.evaluations > 0)
            .map(|run| key(case, run.best.violation, run.best.value))
            .min(),
    };
    if case.by == By::Host {
        let told: Vec<Seen> = report.runs.chunks(1).map(told).collect();
        assert_eq!(told, seen, "what the runs tell and what their objective has seen");
    } else {
        assert_eq!(told(&report.runs), seen[0], "what is told and what the objective has seen");
    }
    // The value is that of the point, if the run has evaluated one.
    for run in report.runs.iter().filter(|run| run.evaluations > 0) {
        let mut fitness = case.wild.fitness(&run.best.position);
        if case.by == By::Portable {
            fitness.violation = R::ZERO;
        }
        let best = key(case, run.best.violation, run.best.value);
        assert_eq!(best, key(case, fitness.violation, fitness.value), "the best's value");
    }
}

fn within_bounds<R: Float>(case: &Case, point: &[R]) {
    let bounds = &case.bounds;
    assert_eq!(point.len(), bounds.dimensions());
    for (i, x) in point.iter().enumerate() {
        let (lower, upper) = (bounds.lower()[i], bounds.upper()[i]);
        let (least, most) = (R::from_f64(lower), R::from_f64(upper));
        // A fixed logarithmic coordinate is rounded to a representable logarithm.
        if bounds.scales()[i] == Scale::Log && lower == upper {
            let off = (x.to_f64() - lower).abs() / lower;
            assert!(
                off <= 64.0 * R::HALF_EPSILON.to_f64(),
                "coordinate {i} is {x}, fixed at {lower}"
            );
            continue;
        }
        assert!(*x >= least && *x <= most, "coordinate {i} is {x}, not in {lower} to {upper}");
    }
}

fn never_worse<R: Float>(case: &Case, report: &Report<R>) {
    let history = &report.history;
    let every = case.settings.record_every.unwrap();
    assert!(case.settings.records_at_most.is_none_or(|most| history.len() as u64 <= most));
    for record in history {
        assert!(record.iterations.is_multiple_of(every));
        for statistics in record.runs.iter().filter_map(|run| run.population) {
            assert!((0.0..=1.0 + 1e-12).contains(&statistics.spread), "{statistics:?}");
            assert!(statistics.mean.is_none_or(f64::is_finite), "{statistics:?}");
        }
    }
    for place in 0..report.runs.len() {
        let mut keys: Vec<_> = history
            .iter()
            .map(|record| {
                key(case, record.runs[place].best.violation, record.runs[place].best.value)
            })
            .collect();
        let best = &report.runs[place].best;
        keys.push(key(case, best.violation, best.value));
        assert!(keys.is_sorted_by(|before, after| before >= after), "{keys:?}");
        let evaluations = history.iter().map(|record| record.runs[place].evaluations);
        assert!(evaluations.chain([report.runs[place].evaluations]).is_sorted());
    }
}

/// A run ends at its first limit, and reports it.
fn the_reason_is_right<R: Float>(case: &Case, place: usize, run: &RunReport<R>) {
    let stop = &case.settings.stop;
    let own = case.settings.of_runs.get(place).copied().unwrap_or_default();
    let iterations = stop.iterations.unwrap();
    assert!(run.iterations <= iterations);
    assert!(stop.evaluations.is_none_or(|limit| run.evaluations <= limit));
    let sign = if case.settings.maximise { -1.0 } else { 1.0 };
    let value = sign * run.best.value.to_f64();
    let meets = |target: f64| run.best.violation == R::ZERO && value <= sign * target;
    let met = own.target.or(stop.target).is_some_and(meets);
    // These algorithms notice it only in iterations in which individuals observe each other.
    let late = matches!(case.algorithm, Algorithm::GpuFwa(_) | Algorithm::ScatterSearch(_));
    let unbounded = run.best.violation == R::ZERO && value == f64::NEG_INFINITY;
    assert_eq!(run.stop_reason == StopReason::Unbounded, unbounded);
    if unbounded {
        return;
    }
    let told = run.stop_reason == StopReason::Target;
    assert!(told == met || (late && met), "the target and {}", run.stop_reason);
    let nothing = !(run.best.violation.to_f64() < f64::INFINITY && value < f64::INFINITY);
    match run.stop_reason {
        StopReason::Target => {}
        StopReason::Iterations => assert!(run.iterations == iterations && !nothing),
        StopReason::Evaluations => assert!(stop.evaluations.is_some() && !nothing),
        StopReason::Seconds => assert!(stop.seconds == Some(0.0) && !nothing),
        StopReason::Stagnation => {
            let patience = own.stagnation.or(stop.stagnation);
            assert!(patience.is_some_and(|patience| run.iterations >= patience));
        }
        StopReason::NothingFinite => assert!(nothing),
        reason => panic!("{reason}, which nothing asked for"),
    }
}
