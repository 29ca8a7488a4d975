//! Reads numbers, or expressions of what is already known.

use super::Reader;
use crate::error::Result;
use crate::problem::problem_file::compile::Compiler;
use crate::problem::problem_file::file::Given;
use crate::problem::problem_file::names::Names;
use crate::problem::problem_file::syntax::{self, Kind, Mistake};

/// One number, or many.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Quantity {
    One(f64),
    Many(Vec<f64>),
}

impl Quantity {
    /// A list of `count` numbers: one number is repeated, and a list must have this length.
    pub(super) fn of_each(self, count: usize) -> std::result::Result<Vec<f64>, String> {
        match self {
            Quantity::One(number) => Ok(vec![number; count]),
            Quantity::Many(all) if all.len() == count => Ok(all),
            Quantity::Many(all) => {
                Err(format!("{} numbers; allowed: one for all, or {count}", all.len()))
            }
        }
    }
}

impl Reader<'_> {
    /// The value of a key.
    pub(super) fn quantity(&self, key: &str, given: &Given, names: &Names) -> Result<Quantity> {
        match given {
            Given::Number(number) => Ok(Quantity::One(self.finite(key, *number)?)),
            Given::Text(text) => self.computed(key, text, names),
            Given::List(all) => {
                let one = |given: &Given| self.number(key, given, names);
                Ok(Quantity::Many(all.iter().map(one).collect::<Result<Vec<_>>>()?))
            }
            Given::Table(_) => {
                Err(self.said(format!("{key} is a table; allowed: a number, or an expression")))
            }
        }
    }

    /// The value of a key that must be one number.
    pub(super) fn number(&self, key: &str, given: &Given, names: &Names) -> Result<f64> {
        match self.quantity(key, given, names)? {
            Quantity::One(number) => Ok(number),
            Quantity::Many(_) => {
                Err(self.said(format!("{key} is many numbers; allowed: one number here")))
            }
        }
    }

    fn computed(&self, key: &str, text: &str, names: &Names) -> Result<Quantity> {
        let mistake = |mistake| self.mistake(key, text, mistake);
        let defined = syntax::parse_defined(text).map_err(mistake)?;
        // The name of an array without an index stands for all its numbers.
        if let (Kind::Name(name), None) = (&defined.tree.kind, &defined.over)
            && let Some(all) = names.numbers(name)
        {
            return Ok(Quantity::Many(all.to_vec()));
        }
        let mut compiler = Compiler::new(names, None);
        let all = compiler.known_numbers(&defined).map_err(mistake)?;
        for number in &all {
            self.finite(key, *number)?;
        }
        let depends = || Mistake::new("depends on a variable", &defined.tree.at);
        match (&defined.over, all.first()) {
            (Some(_), _) => Ok(Quantity::Many(all)),
            (None, Some(number)) => Ok(Quantity::One(*number)),
            (None, None) => Err(mistake(depends())),
        }
    }

    fn finite(&self, key: &str, number: f64) -> Result<f64> {
        if number.is_finite() {
            return Ok(number);
        }
        Err(self.said(format!("{key} is {number}; allowed: a finite number")))
    }
}
