//! How CPSO is laid over a GPU: as the program chooses by itself, and in the paper's three kernels.

use crate::reproduce::measure::{Cell, Plan};
use crate::reproduce::program::Place;

/// A way to lay CPSO over the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Its name in CSV files.
    pub(crate) id: &'static str,
    /// The options that ask for it.
    pub(crate) options: &'static str,
}

impl Layout {
    /// What the program picks by itself; the paper's kernels with the paper's blocks; the same with ours.
    pub(crate) const ALL: [Layout; 3] = [
        Layout { id: "auto", options: "" },
        Layout { id: "stepwise-32", options: "--schedule stepwise --block-size 32" },
        Layout { id: "stepwise", options: "--schedule stepwise" },
    ];

    /// Those that a backend has.
    pub(crate) fn on(backend: &str) -> &'static [Layout] {
        // The CPU has no schedules.
        if backend == "cpu" { &Layout::ALL[..1] } else { &Layout::ALL }
    }

    /// Whether the program picks the schedule.
    pub(crate) fn is_auto(self) -> bool {
        self.options.is_empty()
    }

    /// For messages on the way.
    pub(crate) fn name(self) -> String {
        if self.is_auto() { "CPSO".into() } else { format!("CPSO, {}", self.options) }
    }
}

/// CPSO in one layout, measured: a cell per row of the paper's tables, and where it ran.
#[derive(Clone, Debug)]
pub(crate) struct Cpso {
    pub(crate) layout: Layout,
    pub(crate) plan: Plan,
    pub(crate) cells: Vec<Cell>,
    pub(crate) places: Vec<Place>,
}

impl Cpso {
    /// Threads of a block, where it is the same number in all cells.
    fn block(&self) -> Option<u64> {
        let first = self.places.first()?.block_size;
        first.filter(|_| self.places.iter().all(|place| place.block_size == first))
    }

    /// The head of its columns.
    pub(crate) fn head(&self) -> String {
        match self.block() {
            Some(block) if !self.layout.is_auto() => format!("stepwise, block {block}"),
            _ => self.layout.id.into(),
        }
    }

    /// Where it ran, in words: backend and device.
    pub(crate) fn backend(&self) -> String {
        let mut backends: Vec<String> = self.places.iter().map(Place::in_words).collect();
        backends.dedup();
        backends.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::cpso::paper;

    #[test]
    fn the_cpu_has_no_schedules() {
        assert_eq!(Layout::on("cpu"), &Layout::ALL[..1]);
        for backend in ["gpu", "emulator"] {
            assert_eq!(Layout::on(backend), Layout::ALL);
        }
    }

    #[test]
    fn options_name_the_papers_block() {
        let [auto, paper, ours] = Layout::ALL;
        assert!(paper.options.ends_with(&format!(" --block-size {}", paper::BLOCK_SIZE)));
        assert!(auto.is_auto() && !paper.is_auto() && !ours.is_auto());
        assert!(!ours.options.contains("--block-size"));
    }
}
