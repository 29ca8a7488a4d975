//! The progress display of fits.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use warpswarm_pictures::grouped;

use crate::args::ProgressKind;
use crate::runs::progress::{in_words, style};

/// The time between two updates: of the live line, and of plain lines.
const LOOK: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(1);
/// The live line is only shown after this time.
const SOON: Duration = Duration::from_millis(500);

/// Calls `fit` and shows the progress meanwhile; `done` counts the fits that are finished.
pub(super) fn shown<T>(
    kind: ProgressKind,
    total: u64,
    done: &AtomicU64,
    fit: impl FnOnce() -> T,
) -> T {
    let is_bar = match kind {
        // A single fit has no progress to show.
        _ if total < 2 => return fit(),
        ProgressKind::Auto if io::stderr().is_terminal() => true,
        ProgressKind::Auto | ProgressKind::None => return fit(),
        ProgressKind::Bar => true,
        ProgressKind::Plain => false,
    };
    let (ended, end) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let began = Instant::now();
            let mut bar = None;
            // The other end is dropped when the fits have finished or failed.
            while end.recv_timeout(if is_bar { LOOK } else { LINE })
                == Err(RecvTimeoutError::Timeout)
            {
                let done = done.load(Ordering::Relaxed);
                let text = words(done, total, began.elapsed().as_secs_f64());
                if !is_bar {
                    // A closed stderr is ignored.
                    let _ = writeln!(io::stderr(), "{text}");
                } else if began.elapsed() >= SOON {
                    let bar = bar.get_or_insert_with(|| {
                        ProgressBar::new(total).with_style(style("{bar:20} {wide_msg}"))
                    });
                    bar.set_position(done);
                    bar.set_message(text);
                }
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        let fits = fit();
        drop(ended);
        fits
    })
}

/// For example `1,200 of 10,000 fits, 600 fits/s, 15 s left`.
fn words(done: u64, total: u64, seconds: f64) -> String {
    let [shown, all] = [done, total].map(|count| grouped(count as f64, 0));
    let text = format!("{shown} of {all} fits");
    if done == 0 || seconds <= 0.0 {
        return text;
    }
    let rate = done as f64 / seconds;
    let left = in_words(total.saturating_sub(done) as f64 / rate);
    format!("{text}, {} fits/s, {left} left", grouped(rate, if rate < 10.0 { 1 } else { 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_and_what_is_left() {
        assert_eq!(words(0, 10_000, 3.0), "0 of 10,000 fits");
        assert_eq!(words(1200, 10_000, 2.0), "1,200 of 10,000 fits, 600 fits/s, 15 s left");
        assert_eq!(words(3, 4, 2.0), "3 of 4 fits, 1.5 fits/s, 1 s left");
    }

    #[test]
    fn nothing_is_changed_by_being_shown() {
        let done = AtomicU64::new(0);
        for kind in [ProgressKind::None, ProgressKind::Plain, ProgressKind::Bar] {
            assert_eq!(
                shown(kind, 2, &done, || done.fetch_add(1, Ordering::Relaxed)),
                done.load(Ordering::Relaxed) - 1
            );
        }
    }
}
