//! Handling of Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::failure::{Failure, INTERRUPTED};

/// A second signal sooner than this after the first is taken for the same one: `timeout` sends its signal to the program
/// and to the program's group.
const SAME: Duration = Duration::from_millis(500);

/// A flag that Ctrl-C sets. A second Ctrl-C ends the program at once.
pub(crate) fn flag() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    let first = OnceLock::new();
    let handler = move || {
        seen.store(true, Ordering::Relaxed);
        if first.get_or_init(Instant::now).elapsed() > SAME {
            std::process::exit(INTERRUPTED.into());
        }
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Failure::Running(format!("cannot listen for Ctrl-C: {error}")))?;
    Ok(flag)
}
