//! What names stand for.

use std::collections::{HashMap, HashSet};

use warpswarm_core::variable::Scale;

use super::graph::Whole;
use super::syntax::{Defined, Tree};
use crate::bounds::Bounds;

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
            Some(&Meaning::Data(first, len)) => Some(&self.data[first as usize..][..len as usize]),
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

    /// What is known to be whole numbers: integer variables within these bounds, and data of nothing else. It is asked for
    /// every bound that is an expression, so it must not go through all names.
    pub(super) fn whole(&self, bounds: Option<&Bounds>) -> Whole {
        let scales = bounds.map_or(&[][..], Bounds::scales);
        let coordinates = scales.iter().map(|scale| *scale == Scale::Integer).collect();
        Whole { coordinates, data: self.whole.clone() }
    }
}
