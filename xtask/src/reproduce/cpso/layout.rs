//! The layouts of CPSO on a GPU: the program's own choice, and the paper's three kernels.

use crate::reproduce::measure::{Cell, Plan};
use crate::reproduce::program::Place;

/// A layout of CPSO on the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Its name in CSV files.
    pub(crate) id: &'static str,
    /// The program's options for this layout.
    pub(crate) options: &'static str,
}

impl Layout {
    /// The program's choice; the paper's kernels with the paper's block size; the same with ours.
    pub(crate) const ALL: [Layout; 3] = [
        Layout { id: "auto", options: "" },
        Layout { id: "stepwise-32", options: "--schedule stepwise --block-size 32" },
        Layout { id: "stepwise", options: "--schedule stepwise" },
    ];

    /// The layouts on a backend.
    pub(crate) fn on(backend: &str) -> &'static [Layout] {
        // The CPU has no schedules.
        if backend == "cpu" { &Layout::ALL[..1] } else { &Layout::ALL }
    }

    /// Whether the program chooses the schedule.
    pub(crate) fn is_auto(self) -> bool {
        self.options.is_empty()
    }

    /// The name in progress messages.
    pub(crate) fn name(self) -> String {
        if self.is_auto() { "CPSO".into() } else { format!("CPSO, {}", self.options) }
    }
}

/// The measurements of CPSO in one layout: a cell per row of the paper's tables, and the place where it ran.
#[derive(Clone, Debug)]
pub(crate) struct Cpso {
    pub(crate) layout: Layout,
    pub(crate) plan: Plan,
    pub(crate) cells: Vec<Cell>,
    pub(crate) places: Vec<Place>,
}

impl Cpso {
    /// The number of threads per block, if it is the same in all cells.
    fn block(&self) -> Option<u64> {
        let first = self.places.first()?.block_size;
        first.filter(|_| self.places.iter().all(|place| place.block_size == first))
    }

    /// The heading of its columns.
    pub(crate) fn head(&self) -> String {
        match self.block() {
            Some(block) if !self.layout.is_auto() => format!("stepwise, block {block}"),
            _ => self.layout.id.into(),
        }
    }

    /// A description of the backend and device.
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
