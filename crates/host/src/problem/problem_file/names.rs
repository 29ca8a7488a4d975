//! What names stand for.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use warpswarm_core::variable::Scale;

use super::graph::Whole;
use super::syntax::{Defined, Tree};
use crate::objective::bounds::Bounds;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    Constant(f64),
    Coordinate(u32),
    /// Coordinates from one on.
    Coordinates(u32, u32),
    /// So many data from one on.
    Data(u32, u32),
    /// Data from one on, row after row.
    Matrix(Matrix),
    /// The so-manieth named expression.
    Let(u32),
    /// The so-manieth state of the differential equation, at so many times.
    State(u32, u32),
    /// What is not known yet where it is asked for: why not, and what is allowed.
    Later(&'static str),
}

/// Text of a file as messages show it: on one line, with control characters written as in Rust.
pub(super) fn on_one_line(text: &str) -> String {
    let shown = |c: char| -> String {
        if c.is_control() { c.escape_default().collect() } else { c.into() }
    };
    text.chars().map(shown).collect()
}

/// A table of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix {
    pub(super) first: u32,
    pub(super) rows: u32,
    pub(super) columns: u32,
}

/// What the whole numbers from 1 on of a variable stand for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Options {
    /// Numbers in ascending order.
    Values(Vec<f64>),
    /// Names in no order.
    Choices(Vec<String>),
}

impl Options {
    pub(super) fn count(&self) -> usize {
        match self {
            Options::Values(values) => values.len(),
            Options::Choices(names) => names.len(),
        }
    }
}

/// An expression with a name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Let {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) defined: Defined,
}

/// A differential equation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ode {
    /// What the times are called.
    pub(super) time: String,
    /// From the one at which the states are what they are at first; in ascending order.
    pub(super) times: Vec<f64>,
    /// Which of them is the first of those that the file gives.
    pub(super) first: u32,
    pub(super) method: Method,
    /// Each may use those before it.
    pub(super) lets: Vec<Part>,
    pub(super) states: Vec<State>,
}

/// How it is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Method {
    /// In so many steps from one time to the next.
    Rk4 { steps: u32 },
    /// In steps whose error is at most `tolerance` of a state and `absolute`; from one time to the next at most so many.
    Rk45 { tolerance: f64, absolute: f64, most_steps: u32 },
}

/// A state, with what it is at first, and what changes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pub(super) name: String,
    pub(super) initial: Part,
    pub(super) derivative: Part,
}

/// An expression of a differential equation, with where in the file it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) key: String,
    pub(super) text: String,
    pub(super) tree: Tree,
}

impl Ode {
    /// All expressions: those with names, and of each state two.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        let states = self.states.iter().flat_map(|state| [&state.initial, &state.derivative]);
        self.lets.iter().chain(states)
    }
}

/// All names of a file, and the numbers behind them.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub(super) meanings: HashMap<String, Meaning>,
    /// The numbers of data and of constants that are many.
    pub(super) data: Vec<f64>,
    /// Whether each of them is of an array of whole numbers alone.
    whole: Vec<bool>,
    /// What each run has for itself.
    pub(super) own: Own,
    /// What the numbers of a variable stand for, by its name.
    pub(super) options: HashMap<String, Options>,
    /// Variables that go on behind their upper bound at the lower one.
    pub(super) periodic: HashSet<String>,
    /// What the numbers of a constant belong to, by its name: the choices of a variable.
    pub(super) labels: HashMap<String, Vec<String>>,
    /// Each may use those before it.
    pub(super) lets: Vec<Let>,
    pub(super) ode: Option<Ode>,
}

impl Names {
    pub(super) fn get(&self, name: &str) -> Option<&Meaning> {
        self.meanings.get(name)
    }

    /// The numbers of a column, or of a constant that is many.
    pub(super) fn numbers(&self, name: &str) -> Option<&[f64]> {
        match self.get(name) {
            Some(&Meaning::Data(first, len)) if self.own.place(first).is_none() => {
                Some(&self.data[first as usize..][..len as usize])
            }
            _ => None,
        }
    }

    /// The choices of a variable that has some.
    pub(super) fn choices(&self, name: &str) -> Option<&[String]> {
        match self.options.get(name) {
            Some(Options::Choices(names)) => Some(names),
            _ => None,
        }
    }

    /// Adds the numbers of an array.
    pub(super) fn add_data(&mut self, numbers: &[f64]) {
        let is_whole = numbers.iter().all(|number| number.fract() == 0.0);
        self.data.extend(numbers);
        self.whole.resize(self.data.len(), is_whole);
    }

    /// Has each run have numbers of its own in place of those of a name, which are the first run's; `[run][number]`.
    pub(super) fn give_runs(&mut self, name: &str, numbers: &Arc<Vec<f64>>, runs: usize) {
        let range = match self.get(name) {
            Some(&Meaning::Data(first, len)) => (first, len),
            Some(&Meaning::Matrix(Matrix { first, rows, columns })) => (first, rows * columns),
            _ => return,
        };
        self.own.add(range, numbers, runs);
    }

    /// All numbers from one of the data on, of all runs.
    pub(super) fn of_all_runs(&self, first: usize, len: usize) -> Vec<f64> {
        match self.own.place(first as u32) {
            None => self.data[first..first + len].to_vec(),
            Some(place) => {
                let mut all = Vec::with_capacity(self.own.runs * len);
                let of_run = |run: &[f64]| all.extend_from_slice(&run[place as usize..][..len]);
                self.own.numbers.chunks(self.own.count).for_each(of_run);
                all
            }
        }
    }

    /// What is known to be whole numbers: integer variables within these bounds, and data of nothing else. It is asked for
    /// every bound that is an expression, so it must not go through all names.
    pub(super) fn whole(&self, bounds: Option<&Bounds>) -> Whole {
        let scales = bounds.map_or(&[][..], Bounds::scales);
        let coordinates = scales.iter().map(|scale| *scale == Scale::Integer).collect();
        Whole { coordinates, data: self.whole.clone(), own: self.own.whole.clone() }
    }
}

/// Numbers that each run has for itself, such as measurements that are fitted.
#[derive(Clone, Debug, Default)]
pub(super) struct Own {
    /// Where among the data the first run's are, and how many.
    ranges: Vec<(u32, u32)>,
    /// `[run][number]`, a range after the other.
    pub(super) numbers: Arc<Vec<f64>>,
    /// Numbers of a run.
    pub(super) count: usize,
    /// Runs; 0 where they have nothing for themselves.
    pub(super) runs: usize,
    /// Whether each number of a run is of an array that has whole numbers alone, in every run.
    whole: Vec<bool>,
}

impl Own {
    fn add(&mut self, range: (u32, u32), numbers: &Arc<Vec<f64>>, runs: usize) {
        let (len, before) = (range.1 as usize, self.count);
        if before == 0 {
            self.numbers = numbers.clone();
        } else {
            let mut all = Vec::with_capacity(runs * (before + len));
            for run in 0..runs {
                all.extend_from_slice(&self.numbers[run * before..][..before]);
                all.extend_from_slice(&numbers[run * len..][..len]);
            }
            self.numbers = Arc::new(all);
        }
        self.ranges.push(range);
        (self.count, self.runs) = (before + len, runs);
        self.whole.resize(self.count, numbers.iter().all(|number| number.fract() == 0.0));
    }

    /// Which number of a run stands for one of the data, if each run has its own.
    pub(super) fn place(&self, datum: u32) -> Option<u32> {
        let mut before = 0;
        for &(first, len) in &self.ranges {
            if (first..first + len).contains(&datum) {
                return Some(before + datum - first);
            }
            before += len;
        }
        None
    }

    /// The numbers of a run; nothing where runs have nothing for themselves.
    pub(super) fn of(&self, run: usize) -> &[f64] {
        self.numbers.get(run * self.count..(run + 1) * self.count).unwrap_or_default()
    }
}
