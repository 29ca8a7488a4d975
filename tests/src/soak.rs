//! Many optimisations one after the other, each interrupted and continued: results stay correct, and no resource grows.

use std::env;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use warpswarm::problems::{Precise, Rastrigin};
use warpswarm::{Backend, Event, Optimiser, Settings, Stop};

use crate::alone::alone;
use crate::assert_same;
use crate::cases::{By, Case, cases};
use crate::process::Has;
use crate::wild::{self, Memory};

/// The largest allowed relative growth of the memory.
const FLAT: f64 = 0.01;
/// The memory of a process is checked only after this time; before, it depends mainly on the allocator.
const LONG: Duration = Duration::from_secs(60);
/// Makes glibc return freed memory immediately, with one arena for all threads, and the stacks of ended threads.
/// Otherwise the memory that it keeps for later use would be most of the process and would hide leaks.
const GIVE_BACK: (&str, &str) = (
    "GLIBC_TUNABLES",
    "glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0:glibc.malloc.mmap_threshold=4096:glibc.malloc.trim_threshold=0:\
     glibc.malloc.top_pad=0:glibc.pthread.stack_cache_size=0",
);

/// The tolerance in bytes for memory that threads keep for later or have not freed yet. On a busy machine, a run of
/// four seconds had ten thousand bytes more in its whole last quarter, and the same run had none the next time.
const KEPT_FOR_LATER: u64 = 32 << 10;

/// Runs random optimisations on a backend for `WARPSWARM_SOAK_SECONDS`, or for `otherwise` seconds. Their seed is
/// `WARPSWARM_SOAK_SEED`, or 0. The test `soak` does this in a separate process, because it checks the resources of the
/// whole process.
///
/// # Panics
///
/// If bits differ, something fails, or a resource grows.
pub fn soak(backend: Backend, otherwise: u64) {
    let seconds = env::var("WARPSWARM_SOAK_SECONDS");
    let seconds = seconds.map_or(otherwise, |text| text.parse().expect("whole seconds"));
    let time = Duration::from_secs(seconds);
    alone("soak", time, &[GIVE_BACK], || go_on(backend, time));
}

/// Runs random optimisations on a backend for this time. Each one is created, stopped, dropped, continued, stopped
/// again, and continued to its end. It must then have the bits of an uninterrupted run on one CPU thread. The resources
/// of the process in the last quarter of the time are compared with those in the second quarter.
fn go_on(backend: Backend, time: Duration) {
    let start = Instant::now();
    let mut runner = {
        let seed = env::var("WARPSWARM_SOAK_SEED");
        let seed: u64 = seed.map_or(0, |text| text.parse().expect("a whole number"));
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        TestRunner::new_with_rng(ProptestConfig::default(), random)
    };
    let (cases, splits) = (cases(), [0u64..=20, 0u64..=20]);
    // Memory for the data of one case, which is reused for all cases because it is never freed.
    let memory = wild::memory(3);
    let mut configurations = 0_u64;
    let mut quarters: [Option<Has>; 4] = [None; 4];
    while start.elapsed() < time {
        let case = cases.new_tree(&mut runner).expect("a case").current();
        let split = splits.new_tree(&mut runner).expect("two iterations").current();
        match configurations % 2 {
            0 => check::<f32>(&case, split, backend, memory),
            _ => check::<f64>(&case, split, backend, memory),
        }
        drop(case);
        configurations += 1;
        let quarter = 4.0 * start.elapsed().as_secs_f64() / time.as_secs_f64();
        let quarter = &mut quarters[(quarter as usize).min(3)];
        let now = Has::now();
        *quarter = Some(quarter.map_or(now, |before| before.least(now)));
    }
    let [_, Some(before), _, Some(after)] = quarters else {
        panic!("{configurations} configurations in {time:?} are too few to say anything");
    };
    // There are few live bytes between two optimisations, so their growth is relative to the memory of the process.
    let part = |bytes: f64| if before.own > 0 { bytes / before.own as f64 } else { 0.0 };
    let live = part(after.live as f64 - before.live as f64);
    let own = part(after.own as f64 - before.own as f64);
    let leaks = [
        live > FLAT && after.live > before.live + KEPT_FOR_LATER,
        time >= LONG && own > FLAT,
        after.handles > before.handles,
        after.threads > before.threads,
    ];
    let leaks = leaks.iter().filter(|leak| **leak).count();
    println!("{configurations} configurations: {before:?}, then {after:?}");
    println!("reliability: soak, hours = {:.4}", start.elapsed().as_secs_f64() / 3600.0);
    println!("reliability: soak, configurations = {configurations}");
    println!("reliability: soak, memory grown = {:.3} %", 100.0 * live);
    println!("reliability: soak, resident memory grown = {:.3} %", 100.0 * own);
    println!("reliability: leaks = {leaks}");
    assert_eq!(leaks, 0, "something grows: {before:?}, then {after:?}");
}

/// Runs one optimisation without interruption on one thread, and in parts on the backend.
fn check<R: Precise>(case: &Case, splits: [u64; 2], backend: Backend, memory: Memory) {
    let backend = match case.algorithm.info().backends.contains(&backend) {
        true => backend,
        false => Backend::Cpu,
    };
    // A time limit would stop the two at different iterations.
    let stop = Stop { seconds: None, ..case.settings.stop.clone() };
    let serial = Settings { threads: Some(1), stop, ..case.settings.clone() };
    let threads = case.settings.threads.filter(|_| backend == Backend::Cpu);
    let pieces = Settings { backend, threads, ..serial.clone() };

    let mut straight = optimiser::<R>(case, &serial, memory);
    straight.run().unwrap_or_else(|error| panic!("{error}: {case:?}"));

    let mut checkpoint = None;
    for stopped in splits.map(Some).into_iter().chain([None]) {
        let flag = Arc::new(AtomicBool::new(false));
        let stop = Stop { interrupt: Some(Arc::clone(&flag)), ..pieces.stop.clone() };
        // Observe every iteration, so that the run can be stopped at any.
        let settings = Settings { stop, record_every: Some(1), ..pieces.clone() };
        let mut piece = optimiser::<R>(case, &settings, memory);
        checkpoint.take().map_or(Ok(()), |left| piece.resume(left)).unwrap();
        let observed = piece.run_observed(&mut |event, _| {
            if let (Event::Progress(progress), Some(stopped)) = (event, stopped) {
                flag.fetch_or(progress.iterations >= stopped, Ordering::Relaxed);
            }
        });
        observed.unwrap_or_else(|error| panic!("{error}: {case:?}"));
        checkpoint = Some(piece.checkpoint().unwrap());
    }
    let states = checkpoint.map_or(Vec::new(), |left| left.states);
    let expected = straight.state().unwrap();
    let what = format_args!("{case:?} left at {splits:?}, on {backend}");
    assert_same(&expected, &states, what);
}

/// An optimiser with the case's objective if the host evaluates it, otherwise with one that has GPU kernels.
fn optimiser<R: Precise>(case: &Case, settings: &Settings, memory: Memory) -> Optimiser<R> {
    let Case { algorithm, bounds, wild, by, .. } = case;
    let made = match by {
        By::Host => {
            let objective = wild::hosted(*wild, memory, settings.maximise);
            Optimiser::new(&objective, bounds, algorithm, settings)
        }
        By::Portable | By::Constrained => Optimiser::new(&Rastrigin, bounds, algorithm, settings),
    };
    made.unwrap_or_else(|error| panic!("{error}: {case:?}"))
}
