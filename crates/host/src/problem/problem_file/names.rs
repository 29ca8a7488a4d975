//! The meanings of names.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use warpswarm_core::variable::Scale;

use super::graph::Whole;
use super::syntax::{Defined, Tree};
use crate::objective::bounds::Bounds;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    Constant(f64),
    Coordinate(u32),
    /// The first coordinate and the number of coordinates.
    Coordinates(u32, u32),
    /// The first datum and the count of data.
    Data(u32, u32),
    /// A matrix of data, stored row by row.
    Matrix(Matrix),
    /// The index of a named expression.
    Let(u32),
    /// The index of a state of the differential equation, and the number of its times.
    State(u32, u32),
    /// A name that is not known yet in this place: the reason, and what is allowed.
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

/// What the integers of a variable, from 1, stand for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Options {
    /// Numbers in ascending order.
    Values(Vec<f64>),
    /// Names, without an order.
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
    /// The name of the times.
    pub(super) time: String,
    /// In ascending order, starting with the time of the initial values.
    pub(super) times: Vec<f64>,
    /// The index of the first time that the file gives.
    pub(super) first: u32,
    pub(super) method: Method,
    /// Each may use the ones before it.
    pub(super) lets: Vec<Part>,
    pub(super) states: Vec<State>,
}

/// The method of solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Method {
    /// This many steps between two times.
    Rk4 { steps: u32 },
    /// Steps whose error is at most `tolerance` times a state plus `absolute`; at most `most_steps` between two times.
    Rk45 { tolerance: f64, absolute: f64, most_steps: u32 },
}

/// A state with its initial value and its derivative.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pub(super) name: String,
    pub(super) initial: Part,
    pub(super) derivative: Part,
}

/// An expression of a differential equation, with its place in the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) key: String,
    pub(super) text: String,
    pub(super) tree: Tree,
}

impl Ode {
    /// All expressions: the named ones, and two for each state.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        let states = self.states.iter().flat_map(|state| [&state.initial, &state.derivative]);
        self.lets.iter().chain(states)
    }
}

/// All names of a file, and their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub(super) meanings: HashMap<String, Meaning>,
    /// The numbers of data and of constants that are lists or matrices.
    pub(super) data: Vec<f64>,
    /// Whether each of these numbers belongs to an array of integers only.
    whole: Vec<bool>,
    /// The per-run numbers.
    pub(super) own: Own,
    /// What the integers of a variable stand for, by its name.
    pub(super) options: HashMap<String, Options>,
    /// Periodic variables.
    pub(super) periodic: HashSet<String>,
    /// The labels of a constant's numbers, by its name: the choices of a variable.
    pub(super) labels: HashMap<String, Vec<String>>,
    /// Each may use the ones before it.
    pub(super) lets: Vec<Let>,
    pub(super) ode: Option<Ode>,
}

impl Names {
    pub(super) fn get(&self, name: &str) -> Option<&Meaning> {
        self.meanings.get(name)
    }

    /// The numbers of a column, or of a constant that is a list.
    pub(super) fn numbers(&self, name: &str) -> Option<&[f64]> {
        match self.get(name) {
            Some(&Meaning::Data(first, len)) if self.own.place(first).is_none() => {
                Some(&self.data[first as usize..][..len as usize])
            }
            _ => None,
        }
    }

    /// The choices of a variable, if it has any.
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

    /// Replaces the numbers of a name, which are those of the first run, by per-run numbers, `[run][number]`.
    pub(super) fn give_runs(&mut self, name: &str, numbers: &Arc<Vec<f64>>, runs: usize) {
        let range = match self.get(name) {
            Some(&Meaning::Data(first, len)) => (first, len),
            Some(&Meaning::Matrix(Matrix { first, rows, columns })) => (first, rows * columns),
            _ => return,
        };
        self.own.add(range, numbers, runs);
    }

    /// `len` numbers starting at a datum, for all runs.
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

    /// Which coordinates and data are known to be integers: integer variables within these bounds, and data that
    /// contain only integers. This is called for every bound that is an expression, so it must not iterate over all
    /// names.
    pub(super) fn whole(&self, bounds: Option<&Bounds>) -> Whole {
        let scales = bounds.map_or(&[][..], Bounds::scales);
        let coordinates = scales.iter().map(|scale| *scale == Scale::Integer).collect();
        Whole { coordinates, data: self.whole.clone(), own: self.own.whole.clone() }
    }
}

/// Numbers that differ between runs, such as measurements to which models are fitted.
#[derive(Clone, Debug, Default)]
pub(super) struct Own {
    /// The position of the first run's numbers among the data, and their count.
    ranges: Vec<(u32, u32)>,
    /// `[run][number]`, one range after the other.
    pub(super) numbers: Arc<Vec<f64>>,
    /// The count of numbers of a run.
    pub(super) count: usize,
    /// The number of runs; 0 without per-run numbers.
    pub(super) runs: usize,
    /// Whether each number of a run belongs to an array of integers only, in every run.
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

    /// The per-run number that replaces a datum, if there is one.
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

    /// The numbers of a run; empty without per-run numbers.
    pub(super) fn of(&self, run: usize) -> &[f64] {
        self.numbers.get(run * self.count..(run + 1) * self.count).unwrap_or_default()
    }
}
