//! Progress of a run: a live line on a terminal, or plain lines.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use warpswarm::{Event, Precise, Progress, Runs};

use crate::args::ProgressKind;

/// The time between two plain lines.
const LINE: Duration = Duration::from_secs(1);

/// The progress display of a run.
pub(crate) struct Display {
    bar: Option<ProgressBar>,
    /// When the last plain line was printed, if these are used.
    line: Option<Instant>,
    /// The run's limit in seconds.
    seconds: Option<f64>,
    /// Evaluations, iterations and seconds at the start; not zero for a resumed run.
    start: (u64, u64, f64),
    place: String,
}

impl Display {
    pub(crate) fn new(kind: ProgressKind, seconds: Option<f64>) -> Self {
        let kind = match kind {
            ProgressKind::Auto if io::stderr().is_terminal() => ProgressKind::Bar,
            ProgressKind::Auto => ProgressKind::None,
            kind => kind,
        };
        let bar = || ProgressBar::no_length().with_style(style_of_run(false));
        Display {
            bar: (kind == ProgressKind::Bar).then(bar),
            line: (kind == ProgressKind::Plain).then(Instant::now),
            seconds,
            start: (0, 0, 0.0),
            place: String::new(),
        }
    }

    pub(crate) fn see<R: Precise>(&mut self, event: &Event<'_, R>, runs: &Runs<'_, R>) {
        if self.bar.is_none() && self.line.is_none() {
            return;
        }
        match event {
            Event::Started(progress) => {
                let schedule = runs.plan().map(|plan| format!("{}, ", plan.schedule));
                self.begin(progress, format!("{}{}", schedule.unwrap_or_default(), runs.device()));
            }
            Event::Progress(progress) => self.show(progress),
            _ => {}
        }
    }

    /// Starts the display of a run, new or resumed; `place` describes the device.
    pub(crate) fn begin<R: Precise>(&mut self, progress: &Progress<R>, place: String) {
        self.start = (evaluations(progress), progress.iterations, progress.seconds);
        self.place = place;
    }

    pub(crate) fn show<R: Precise>(&mut self, progress: &Progress<R>) {
        if self.bar.is_none() && self.line.is_none() {
            return;
        }
        let text = self.words(progress);
        if let Some(bar) = &self.bar {
            if let (Some(limit), None) = (progress.limit, bar.length()) {
                bar.set_style(style_of_run(true));
                bar.set_length(limit);
            }
            bar.set_message(text);
            bar.set_position(progress.iterations);
        } else if let Some(last) = &mut self.line
            && last.elapsed() >= LINE
        {
            *last = Instant::now();
            // A closed stderr is ignored.
            let _ = writeln!(io::stderr(), "iteration {}, {text}", progress.iterations);
        }
    }

    /// For example `best 0.5, 1.2e8 evaluations/s, 3 s left, streaming, NVIDIA H200`.
    fn words<R: Precise>(&self, progress: &Progress<R>) -> String {
        let (evaluations_before, iterations_before, seconds_before) = self.start;
        let seconds = progress.seconds - seconds_before;
        let mut text = format!("best {:?}", progress.best().value);
        if seconds > 0.0 {
            let rate = (evaluations(progress) - evaluations_before) as f64 / seconds;
            text += &format!(", {rate:.2e} evaluations/s");
        }
        let done = progress.iterations.saturating_sub(iterations_before);
        if let Some(left) = left(progress, done as f64 / seconds, self.seconds) {
            text += &format!(", {} left", in_words(left));
        }
        format!("{text}, {}", self.place)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn evaluations<R>(progress: &Progress<R>) -> u64 {
    progress.runs.iter().map(|run| run.evaluations).sum()
}

/// Seconds until the nearest limit at this number of iterations per second.
fn left<R>(progress: &Progress<R>, rate: f64, seconds: Option<f64>) -> Option<f64> {
    let by_time = seconds.map(|limit| limit - progress.seconds);
    let to_do = progress.limit.map(|limit| limit.saturating_sub(progress.iterations) as f64);
    let by_iterations = to_do.map(|to_do| to_do / rate).filter(|left| left.is_finite());
    let nearest = match (by_time, by_iterations) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    nearest.map(|left| left.max(0.0))
}

pub(crate) fn in_words(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{:.0} s", s.ceil()),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// The style of the bar, with or without a known end.
fn style_of_run(bounded: bool) -> ProgressStyle {
    style(if bounded {
        "{bar:20} {human_pos} of {human_len}, {wide_msg}"
    } else {
        "{spinner} iteration {human_pos}, {wide_msg}"
    })
}

/// The style of a template. Templates are valid; if not, the default style is better than a panic.
pub(crate) fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A progress bar on a terminal, otherwise a hidden one.
pub(crate) fn bar(length: u64, what: &str, quiet: bool) -> ProgressBar {
    if quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = format!("{{bar:30}} {{pos}} of {{len}} {what}, {{elapsed}}, {{eta}} left");
    ProgressBar::new(length).with_style(style(&template))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_limit_says_how_long_it_takes() {
        let progress = |limit| Progress::<f32> {
            iterations: 100,
            limit,
            seconds: 2.0,
            runs: Vec::new(),
            maximised: false,
        };
        assert_eq!(left(&progress(Some(200)), 50.0, None), Some(2.0));
        assert_eq!(left(&progress(Some(200)), 50.0, Some(3.0)), Some(1.0));
        assert_eq!(left(&progress(None), 50.0, None), None);
        assert_eq!(left(&progress(Some(200)), 0.0, None), None);
        assert_eq!(left(&progress(Some(50)), 1.0, None), Some(0.0));
    }

    #[test]
    fn times_are_short() {
        assert_eq!(in_words(0.0), "0 s");
        assert_eq!(in_words(2.2), "3 s");
        assert_eq!(in_words(600.0), "10 min");
        assert_eq!(in_words(7200.0), "2.0 h");
    }
}
