//! Differential equations, solved by Runge-Kutta methods, whose steps are operations of the graph.
//!
//! `rk4` is the classical method of order 4 (Kutta 1901). `rk45` is the method of Dormand and Prince (A family of
//! embedded Runge-Kutta formulae, 1980). It continues with the result of order 5 and uses its difference from the
//! result of order 4 as the error estimate, as SciPy and MATLAB do; steps with too large an error are repeated. The
//! norm of the error is the root mean square. The step size grows at most by a factor of ten and shrinks at most to a
//! fifth (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, II.4).

use warpswarm_core::expression::Operation;

use super::Compiler;
use super::ranges::mentions;
use crate::problem::problem_file::graph::{Carried, Graph, Node, Solve, Value};
use crate::problem::problem_file::names::{Method, Ode};
use crate::problem::problem_file::problem::Whose;
use crate::problem::problem_file::syntax::{Defined, Mistake, Tree};

/// The meanings of names within the differential equation at a time.
#[derive(Debug)]
pub(super) struct Moment {
    time: Value,
    states: Vec<Value>,
    /// The named expressions compiled so far.
    lets: Vec<Value>,
}

type Result<T> = std::result::Result<T, (Whose, Mistake)>;

/// The tableau of Dormand and Prince: for each stage its time, and its coefficients of the previous stages. The last
/// stage is the result.
const STAGES: [(f64, &[f64]); 6] = [
    (1.0 / 5.0, &[1.0 / 5.0]),
    (3.0 / 10.0, &[3.0 / 40.0, 9.0 / 40.0]),
    (4.0 / 5.0, &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0]),
    (8.0 / 9.0, &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0]),
    (1.0, &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0]),
    (1.0, &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0]),
];
/// The result of order 5 minus that of order 4.
const ERROR: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

impl Compiler<'_> {
    /// Whether the compiled expression belongs to the differential equation.
    pub(super) fn is_at_moment(&self) -> bool {
        self.moment.is_some()
    }

    /// The value of a name at the current time, if it has a special meaning within the differential equation.
    pub(super) fn at_moment(&self, name: &str) -> Option<Value> {
        let (moment, ode) = (self.moment.as_ref()?, self.names.ode.as_ref()?);
        if name == ode.time {
            return Some(moment.time);
        }
        if let Some(at) = ode.states.iter().position(|state| state.name == name) {
            return Some(moment.states[at]);
        }
        let at = ode.lets.iter().position(|part| part.name == name)?;
        moment.lets.get(at).copied()
    }

    /// Whether a tree depends on the time.
    pub(super) fn is_of_moment(&self, tree: &Tree) -> bool {
        let Some(ode) = self.names.ode.as_ref().filter(|_| self.is_at_moment()) else {
            return false;
        };
        let states = ode.states.iter().map(|state| &state.name);
        let lets = ode.lets.iter().map(|part| &part.name);
        states.chain(lets).chain([&ode.time]).any(|name| mentions(tree, name))
    }

    /// Whether the differential equation has been compiled, or there is none.
    pub(super) fn is_solved(&self) -> bool {
        self.names.ode.is_none() || self.graph.solve().is_some()
    }

    /// Whether a named expression uses a state.
    pub(super) fn uses_states(&self, defined: &Defined) -> bool {
        let of_over = defined.over.iter().flat_map(|over| [Some(&over.from), over.to.as_ref()]);
        let states = self.names.ode.iter().flat_map(|ode| &ode.states);
        let names: Vec<&str> = states.map(|state| &*state.name).collect();
        let mut trees = of_over.flatten().chain([&defined.tree]);
        trees.any(|tree| names.iter().any(|name| tree.names(name)))
    }

    /// The position of a state's first number at the times of the file.
    pub(super) fn first_of_state(&mut self, number: u32) -> u32 {
        let before = self.names.ode.as_ref().map_or(0, |ode| ode.first);
        self.graph.kept(number) + before
    }

    /// The value of a state at one of all its times, from 0.
    pub(in crate::problem::problem_file) fn state_at(&mut self, number: u32, at: u32) -> Value {
        let first = self.graph.kept(number);
        self.graph.add(Node::Solution(first + at))
    }

    /// Adds the differential equation to the graph.
    pub(super) fn solve(&mut self) -> Result<()> {
        let names = self.names;
        let Some(ode) = &names.ode else { return Ok(()) };
        let solved = self.solution(ode);
        self.moment = None;
        self.graph.add_solve(solved?);
        Ok(())
    }

    fn solution(&mut self, ode: &Ode) -> Result<Solve> {
        let before = ode.lets.len();
        let first = ode.states.iter().enumerate().map(|(number, state)| {
            let wrong = |mistake| (Whose::Ode(before + 2 * number), mistake);
            self.number(&state.initial.tree).map_err(wrong)
        });
        let first = first.collect::<Result<Vec<Value>>>()?;
        match ode.method {
            Method::Rk4 { steps } => self.rk4(ode, &first, steps),
            Method::Rk45 { tolerance, absolute, most_steps } => {
                self.rk45(ode, &first, (tolerance, absolute), most_steps)
            }
        }
    }

    /// The derivatives of the states at a time.
    fn derivatives(&mut self, ode: &Ode, time: Value, states: &[Value]) -> Result<Vec<Value>> {
        self.moment = Some(Moment { time, states: states.to_vec(), lets: Vec::new() });
        for (number, part) in ode.lets.iter().enumerate() {
            let value = self.number(&part.tree).map_err(|mistake| (Whose::Ode(number), mistake))?;
            self.moment.iter_mut().for_each(|moment| moment.lets.push(value));
        }
        let before = ode.lets.len();
        let derivatives = ode.states.iter().enumerate().map(|(number, state)| {
            let wrong = |mistake| (Whose::Ode(before + 2 * number + 1), mistake);
            self.number(&state.derivative.tree).map_err(wrong)
        });
        derivatives.collect()
    }

    /// The carried values with these indices.
    fn carried(&mut self, numbers: std::ops::Range<usize>) -> Vec<Value> {
        numbers.map(|number| self.graph.add(Node::Carried(number as u32))).collect()
    }

    fn rk4(&mut self, ode: &Ode, first: &[Value], steps: u32) -> Result<Solve> {
        let count = ode.states.len();
        let states = self.carried(0..count);
        let pairs = ode.times.windows(2);
        let length = pairs.map(|pair| (pair[1] - pair[0]) / f64::from(steps)).collect();
        let begins = ode.times[..ode.times.len() - 1].to_vec();
        let uses_time = ode.parts().any(|part| mentions(&part.tree, &ode.time));
        let time =
            if uses_time { self.carried(count..count + 1)[0] } else { self.graph.constant(0.0) };
        let length = self.of_each(length);
        let graph = &mut self.graph;
        let [half, sixth] = [0.5, 1.0 / 6.0].map(|part| graph.scaled(part, length));
        let middle = graph.apply(Operation::Add, &[time, half]);
        let end = graph.apply(Operation::Add, &[time, length]);

        let k1 = self.derivatives(ode, time, &states)?;
        let at = self.graph.moved(&states, half, &k1);
        let k2 = self.derivatives(ode, middle, &at)?;
        let at = self.graph.moved(&states, half, &k2);
        let k3 = self.derivatives(ode, middle, &at)?;
        let at = self.graph.moved(&states, length, &k3);
        let k4 = self.derivatives(ode, end, &at)?;
        let graph = &mut self.graph;
        let mut sums = Vec::with_capacity(count);
        for j in 0..count {
            let middle = graph.apply(Operation::Add, &[k2[j], k3[j]]);
            let middle = graph.scaled(2.0, middle);
            let sum = graph.apply(Operation::Add, &[k1[j], middle]);
            sums.push(graph.apply(Operation::Add, &[sum, k4[j]]));
        }
        let next = graph.moved(&states, sixth, &sums);
        let mut carried: Vec<Carried> = Vec::with_capacity(count + 1);
        for ((&value, &first), &next) in states.iter().zip(first).zip(&next) {
            carried.push(Carried { value, first, opening: None, next });
        }
        if uses_time {
            let start = self.graph.constant(begins[0]);
            let opening = Some(self.of_each(begins));
            carried.push(Carried { value: time, first: start, opening, next: end });
        }
        Ok(Solve {
            intervals: ode.times.len() as u32 - 1,
            rounds: steps,
            carried,
            going: None,
            states: first.iter().copied().zip(states).collect(),
            kept: Vec::new(),
        })
    }

    fn rk45(
        &mut self,
        ode: &Ode,
        first: &[Value],
        (tolerance, absolute): (f64, f64),
        most_steps: u32,
    ) -> Result<Solve> {
        let count = ode.states.len();
        let states = self.carried(0..count);
        let mut stages = vec![self.carried(count..2 * count)];
        let [time, length] = [2 * count, 2 * count + 1].map(|at| self.carried(at..at + 1)[0]);
        let start = self.graph.constant(ode.times[0]);
        let first_stage = self.derivatives(ode, start, first)?;
        let first_length = self.first_length(ode, first, &first_stage, (tolerance, absolute));

        let end = self.of_each(ode.times[1..].to_vec());
        let graph = &mut self.graph;
        let left = graph.apply(Operation::Subtract, &[end, time]);
        let step = graph.apply(Operation::Least, &[length, left]);
        let reaches = graph.apply(Operation::AtMost, &[left, length]);
        let moved = graph.apply(Operation::Add, &[time, step]);
        let moved = graph.apply(Operation::Choose, &[reaches, end, moved]);
        let mut result = Vec::new();
        for (when, weights) in STAGES {
            let graph = &mut self.graph;
            let part = graph.scaled(when, step);
            let at = match when == 1.0 {
                true => moved,
                false => graph.apply(Operation::Add, &[time, part]),
            };
            let slopes = graph.weighted(weights, &stages);
            result = graph.moved(&states, step, &slopes);
            stages.push(self.derivatives(ode, at, &result)?);
        }
        let graph = &mut self.graph;
        let errors = graph.weighted(&ERROR, &stages);
        let mut squares = Vec::with_capacity(count);
        for ((&error, &before), &after) in errors.iter().zip(&states).zip(&result) {
            let error = graph.apply(Operation::Multiply, &[error, step]);
            let [before, after] = [before, after].map(|of| graph.apply(Operation::Absolute, &[of]));
            let most = graph.apply(Operation::Greatest, &[before, after]);
            let allowed = graph.allowed(most, (tolerance, absolute));
            squares.push(graph.apply(Operation::Divide, &[error, allowed]));
        }
        let error = graph.root_mean_square(&squares);

        // The next step. A step with a NaN error is repeated.
        let [one, infinity] = [1.0, f64::INFINITY].map(|number| graph.constant(number));
        let is_met = graph.apply(Operation::AtMost, &[error, one]);
        let exponent = graph.constant(-0.2);
        let factor = graph.apply(Operation::Power, &[error, exponent]);
        let factor = graph.scaled(0.9, factor);
        let [least, most] = [0.2, 10.0].map(|number| graph.constant(number));
        let factor = graph.apply(Operation::Greatest, &[factor, least]);
        let factor = graph.apply(Operation::Least, &[factor, most]);
        let is_number = graph.apply(Operation::AtMost, &[error, infinity]);
        let factor = graph.apply(Operation::Choose, &[is_number, factor, least]);
        let proposed = graph.apply(Operation::Multiply, &[step, factor]);
        // A step that was shortened to reach the end does not limit the next step.
        let longer = graph.apply(Operation::Greatest, &[length, proposed]);
        let is_cut = graph.apply(Operation::Multiply, &[is_met, reaches]);
        let next_length = graph.apply(Operation::Choose, &[is_cut, longer, proposed]);
        let choose = |graph: &mut Graph, after, before| {
            graph.apply(Operation::Choose, &[is_met, after, before])
        };
        let next_time = choose(graph, moved, time);
        let beyond = graph.apply(Operation::Add, &[end, next_length]);
        let goes = graph.apply(Operation::Less, &[end, beyond]);
        let is_before = graph.apply(Operation::Less, &[next_time, end]);
        let going = graph.apply(Operation::Multiply, &[is_before, goes]);

        let mut carried = Vec::with_capacity(2 * count + 2);
        let last = stages.len() - 1;
        let mut carry = |value, first, next| {
            carried.push(Carried { value, first, opening: None, next });
        };
        for j in 0..count {
            carry(states[j], first[j], choose(graph, result[j], states[j]));
            let slope = choose(graph, stages[last][j], stages[0][j]);
            carry(stages[0][j], first_stage[j], slope);
        }
        carry(time, start, next_time);
        carry(length, first_length, next_length);
        let nan = graph.constant(f64::NAN);
        let is_short = graph.apply(Operation::Less, &[time, end]);
        let at_end =
            states.iter().map(|&state| graph.apply(Operation::Choose, &[is_short, nan, state]));
        let at_end: Vec<Value> = at_end.collect();
        Ok(Solve {
            intervals: ode.times.len() as u32 - 1,
            rounds: most_steps,
            carried,
            going: Some(going),
            states: first.iter().copied().zip(at_end).collect(),
            kept: Vec::new(),
        })
    }

    /// The first step: a hundredth of the time scale of the states (Hairer, Norsett and Wanner, II.4).
    fn first_length(
        &mut self,
        ode: &Ode,
        states: &[Value],
        slopes: &[Value],
        tolerances: (f64, f64),
    ) -> Value {
        let lengths = ode.times.windows(2).map(|pair| pair[1] - pair[0]);
        let interval = lengths.clone().find(|length| *length > 0.0).unwrap_or(0.0);
        let graph = &mut self.graph;
        let mut norm = |of: &[Value]| {
            let mut parts = Vec::with_capacity(of.len());
            for (&number, &state) in of.iter().zip(states) {
                let size = graph.apply(Operation::Absolute, &[state]);
                let allowed = graph.allowed(size, tolerances);
                parts.push(graph.apply(Operation::Divide, &[number, allowed]));
            }
            graph.root_mean_square(&parts)
        };
        let (of_states, of_slopes) = (norm(states), norm(slopes));
        let ratio = graph.apply(Operation::Divide, &[of_states, of_slopes]);
        let hundredth = graph.scaled(0.01, ratio);
        let least = graph.apply(Operation::Least, &[of_states, of_slopes]);
        let [little, small, whole] =
            [1e-5, interval * 1e-3, lengths.sum()].map(|number| graph.constant(number));
        let is_little = graph.apply(Operation::Less, &[least, little]);
        let length = graph.apply(Operation::Choose, &[is_little, small, hundredth]);
        graph.apply(Operation::Least, &[length, whole])
    }
}
