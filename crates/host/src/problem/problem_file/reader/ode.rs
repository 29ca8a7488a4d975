//! Reads `[ode]`: a differential equation.

use super::Reader;
use crate::error::Result;
use crate::problem::problem_file::file::{self, Given};
use crate::problem::problem_file::names::{Meaning, Method, Names, Ode, Part, State};
use crate::problem::problem_file::syntax;

/// The largest number of steps between two times.
const MOST_STEPS: f64 = 1e6;
/// The defaults.
const STEPS: f64 = 1000.0;
const TOLERANCE: f64 = 1e-6;
const ABSOLUTE: f64 = 1e-9;

impl Reader<'_> {
    /// Reads the differential equation, if there is one; its times are already known.
    pub(super) fn ode(&self, of: Option<&file::Ode>, names: &mut Names) -> Result<()> {
        let Some(of) = of else { return Ok(()) };
        let (times, first) = self.times(of, names)?;
        let method = self.method(of, names)?;
        let states = &of.states.0;
        if states.is_empty() {
            return Err(self.said(
                "[ode.states] is empty; allowed: states, as in x = { initial = 1, derivative = \"-k * x\" }",
            ));
        }
        let part = |name: &str, key: String, given: &Given| self.part(name, key, given);
        let lets =
            of.r#let.0.iter().map(|(name, text)| {
                part(name, format!("ode.let.{name}"), &Given::Text(text.clone()))
            });
        let lets = lets.collect::<Result<Vec<_>>>()?;
        let states = states.iter().map(|(name, state)| {
            let key = |of: &str| format!("ode.states.{name}.{of}");
            Ok(State {
                name: name.clone(),
                initial: part(name, key("initial"), &state.initial)?,
                derivative: part(name, key("derivative"), &state.derivative)?,
            })
        });
        let states = states.collect::<Result<Vec<_>>>()?;
        let count = times.len() as u32 - first;
        for (number, state) in (0..).zip(&states) {
            names.meanings.insert(state.name.clone(), Meaning::State(number, count));
        }
        names.ode = Some(Ode { time: of.times.clone(), times, first, method, lets, states });
        Ok(())
    }

    /// The times, starting with that of the initial values, and the index of the first time in the file.
    fn times(&self, of: &file::Ode, names: &Names) -> Result<(Vec<f64>, u32)> {
        let name = &of.times;
        let Some(times) = names.numbers(name) else {
            return Err(self.said(format!(
                "[ode] has times = {name:?}; allowed: the name of a column of data, or of a constant that is many numbers"
            )));
        };
        let mut times = times.to_vec();
        if let Some(at) = times.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(self.said(format!(
                "[ode] has times = {name:?}, of which number {} is {} and the next one {}; allowed: times that ascend",
                at + 1,
                times[at],
                times[at + 1]
            )));
        }
        let from = match &of.from {
            Some(from) => self.number("ode.from", from, names)?,
            None => times[0],
        };
        if from > times[0] {
            return Err(self.said(format!(
                "[ode] has from = {from}, and the first of the times is {}; allowed: up to that",
                times[0]
            )));
        }
        if from == times[0] && times.len() == 1 {
            return Err(self.said(format!(
                "[ode] begins at {from} and has no other time; allowed: more times, or an earlier `from`"
            )));
        }
        let begins_before = from < times[0];
        if begins_before {
            times.insert(0, from);
        }
        Ok((times, begins_before.into()))
    }

    fn method(&self, of: &file::Ode, names: &Names) -> Result<Method> {
        let number = |key: &str, given: &Option<Given>, otherwise: f64| match given {
            Some(given) => self.number(&format!("ode.{key}"), given, names),
            None => Ok(otherwise),
        };
        let count = |key: &str, given: &Option<Given>, otherwise: f64| {
            let number = number(key, given, otherwise)?;
            if number.fract() == 0.0 && (1.0..=MOST_STEPS).contains(&number) {
                return Ok(number as u32);
            }
            let what =
                format!("ode.{key} is {number}; allowed: a whole number from 1 to {MOST_STEPS}");
            Err(self.said(what))
        };
        let of_other = match of.method {
            file::Method::Rk4 => [
                ("tolerance", of.tolerance.is_some()),
                ("absolute", of.absolute.is_some()),
                ("most_steps", of.most_steps.is_some()),
            ],
            file::Method::Rk45 => [("steps", of.steps.is_some()), ("", false), ("", false)],
        };
        if let Some((key, _)) = of_other.iter().find(|(_, is_there)| *is_there) {
            let (method, other) = match of.method {
                file::Method::Rk4 => ("rk4", "rk45"),
                file::Method::Rk45 => ("rk45", "rk4"),
            };
            return Err(self.said(format!(
                "[ode] has {key}, which {method} does not use; allowed: method = \"{other}\", or without {key}"
            )));
        }
        match of.method {
            file::Method::Rk4 if of.steps.is_none() => Err(self.said(
                "[ode] has no steps; allowed: how many rk4 makes from one time to the next, such as steps = 10",
            )),
            file::Method::Rk4 => Ok(Method::Rk4 { steps: count("steps", &of.steps, STEPS)? }),
            file::Method::Rk45 => {
                let tolerance = number("tolerance", &of.tolerance, TOLERANCE)?;
                let absolute = number("absolute", &of.absolute, ABSOLUTE)?;
                let most_steps = count("most_steps", &of.most_steps, STEPS)?;
                if !(1e-14..1.0).contains(&tolerance) || absolute <= 0.0 {
                    return Err(self.said(format!(
                        "[ode] has tolerance = {tolerance} and absolute = {absolute}; allowed: a tolerance from 1e-14 to \
                         1 as a part of a state, and an absolute one above 0"
                    )));
                }
                Ok(Method::Rk45 { tolerance, absolute, most_steps })
            }
        }
    }

    fn part(&self, name: &str, key: String, given: &Given) -> Result<Part> {
        let text = match given {
            Given::Number(number) => format!("{number:?}"),
            Given::Text(text) => text.clone(),
            Given::List(_) | Given::Table(_) => {
                return Err(
                    self.said(format!("{key}: allowed: a number, or an expression in quotes"))
                );
            }
        };
        let tree = syntax::parse(&text).map_err(|mistake| self.mistake(&key, &text, mistake))?;
        Ok(Part { name: name.into(), key, text, tree })
    }
}
