//! Runs the entrants on the problems.

use std::num::NonZero;
use std::sync::atomic::{self, AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use warpswarm::{Backend, Error, system};

use super::study::Study;
use crate::study::batch::{Batch, Cell};

/// The number of batches that are set up at the same time on a GPU, while one of them runs: loading a kernel often
/// takes the driver longer than a run.
const SETTING_UP: usize = 8;

/// Runs every entrant on every problem and returns `[problem][entrant]`; `None` for batches that were interrupted or
/// not started. Calls `done` after each batch.
///
/// The runs of all entrants are numbered consecutively, so that their random streams are independent.
pub(crate) fn measure(
    study: &Study,
    interrupt: &Arc<AtomicBool>,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Vec<Option<Cell>>>, Error> {
    let entrants = study.entrants.len();
    let cells = study.tasks.len() * entrants;
    let next = AtomicUsize::new(0);
    let found = Mutex::new((vec![None; cells], None));
    // Only one batch runs at a time, so that its time is measured alone.
    let turn = Mutex::new(());
    let work = || {
        while !interrupt.load(atomic::Ordering::Relaxed) {
            let cell = next.fetch_add(1, atomic::Ordering::Relaxed);
            if cell >= cells {
                return;
            }
            let (task, place) = (&study.tasks[cell / entrants], cell % entrants);
            let first_run = place as u64 * study.conditions.runs;
            let batch = Batch { task, entrant: &study.entrants[place], first_run };
            let outcome = batch.run(&study.conditions, interrupt, &turn);
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            match outcome {
                Ok(outcome) => found.0[cell] = outcome,
                Err(error) => {
                    found.1.get_or_insert(error);
                    return next.store(cells, atomic::Ordering::Relaxed);
                }
            }
            done();
        }
    };
    thread::scope(|scope| {
        for _ in 1..workers(study.conditions.backend) {
            scope.spawn(work);
        }
        work();
    });
    let (mut found, error) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = error {
        return Err(error);
    }
    let mut table = Vec::new();
    while !found.is_empty() {
        table.push(found.drain(..entrants).collect());
    }
    Ok(table)
}

fn workers(backend: Backend) -> usize {
    let on_gpu = match backend {
        Backend::Gpu => true,
        Backend::Auto => system::report().gpu.is_ok(),
        _ => false,
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    if on_gpu { threads.min(SETTING_UP) } else { 1 }
}
