//! Named expressions: computed once, or, if they are arrays, element by element where they are used.

use super::elements::Place;
use super::{Compiler, Index, Scope};
use crate::problem::problem_file::columns::MOST_NUMBERS;
use crate::problem::problem_file::graph::Value;
use crate::problem::problem_file::names::Let;
use crate::problem::problem_file::problem::Whose;
use crate::problem::problem_file::syntax::{Defined, Kind, Mistake, Over, Tree};

/// A compiled named expression.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ready {
    Number(Value),
    Vector { len: u32 },
}

impl Compiler<'_> {
    /// Compiles all named expressions and the differential equation; a mistake comes with its expression.
    pub(in crate::problem::problem_file) fn define(&mut self) -> Result<(), (Whose, Mistake)> {
        for (number, of) in self.names.lets.iter().enumerate() {
            if !self.is_solved() && self.uses_states(&of.defined) {
                self.solve()?;
            }
            let wrong = |mistake| (Whose::Let(number), mistake);
            let ready = self.ready(number as u32, of).map_err(wrong)?;
            self.lets.push(ready);
        }
        if self.is_solved() { Ok(()) } else { self.solve() }
    }

    fn ready(&mut self, number: u32, of: &Let) -> Result<Ready, Mistake> {
        let Some(over) = &of.defined.over else {
            return Ok(Ready::Number(self.number(&of.defined.tree)?));
        };
        let len = self.len_over(over)?;
        let place = Place::Moving(1, len);
        self.compute_element(number, of, &place)?;
        Ok(Ready::Vector { len })
    }

    /// The numbers of an expression that does not depend on variables.
    pub(in crate::problem::problem_file) fn known_numbers(
        &mut self,
        defined: &Defined,
    ) -> Result<Vec<f64>, Mistake> {
        let (scope, terms) = match &defined.over {
            None => (Scope::default(), 1),
            Some(over) => {
                let terms = self.len_over(over)?;
                let index = Index { name: over.index.clone(), start: 1, terms };
                (Scope { index: Some(index), fixed: Vec::new() }, terms)
            }
        };
        let value = self.number_in(&defined.tree, &scope)?;
        let mut all = self.numbers(value, terms).unwrap_or_default();
        if let ([only], Some(_)) = (&all[..], &defined.over) {
            all = vec![*only; terms as usize];
        }
        Ok(all)
    }

    /// The number of values of a named expression's index, from 1.
    pub(in crate::problem::problem_file) fn len_over(
        &mut self,
        over: &Over,
    ) -> Result<u32, Mistake> {
        if !self.may_be_index(&over.index, &Scope::default()) {
            let what = format!("`{}` has a meaning already; allowed: another index", over.index);
            return Err(Mistake::new(what, &over.at));
        }
        let scope = Scope::default();
        let (from, to) = match (&over.from.kind, &over.to) {
            (Kind::Name(name), None) => (1, self.sizes(name, &[], &over.from, &scope)?[0].into()),
            (_, None) => {
                let what = "allowed: the name of something with many numbers, or `1 to 10`";
                return Err(Mistake::new(what, &over.from.at));
            }
            (_, Some(to)) => (self.whole(&over.from, &scope)?, self.whole(to, &scope)?),
        };
        if from != 1 {
            let what = format!("the index begins at {from}; allowed: 1, as everywhere");
            return Err(Mistake::new(what, &over.from.at));
        }
        let most = MOST_NUMBERS;
        if to < 1 || to > most as i64 {
            let what = format!("the index goes up to {to}; allowed: 1 to {most}");
            return Err(Mistake::new(what, &over.at));
        }
        Ok(to as u32)
    }

    /// A named expression that is a number.
    pub(super) fn named(
        &mut self,
        number: u32,
        name: &str,
        tree: &Tree,
        scope: &Scope,
    ) -> Result<Value, Mistake> {
        match self.lets.get(number as usize) {
            Some(Ready::Number(value)) => Ok(*value),
            Some(Ready::Vector { .. }) => Err(self.many(name, tree, scope)),
            None => Err(not_yet(name, tree)),
        }
    }

    /// A named expression that is a number.
    pub(in crate::problem::problem_file) fn let_of(
        &mut self,
        number: u32,
        of: &Let,
    ) -> Result<Value, Mistake> {
        self.named(number, &of.name, &of.defined.tree, &Scope::default())
    }

    /// An element of a named expression that is an array, from 1.
    pub(in crate::problem::problem_file) fn let_at(
        &mut self,
        number: u32,
        at: u32,
    ) -> Result<Value, Mistake> {
        self.compute_element(number, &self.names.lets[number as usize], &Place::Fixed(at.into()))
    }

    /// The element at a position of a named expression that is an array.
    pub(super) fn named_element(
        &mut self,
        number: u32,
        place: &Place,
        tree: &Tree,
    ) -> Result<Value, Mistake> {
        if let Some(&value) = self.elements.get(&(number, place.clone())) {
            return Ok(value);
        }
        let names = self.names;
        // The only possible mistake is that the expression is too long, which is reported where it is used.
        let here = |mistake: Mistake| Mistake { at: tree.at.clone(), ..mistake };
        self.compute_element(number, &names.lets[number as usize], place).map_err(here)
    }

    fn compute_element(&mut self, number: u32, of: &Let, place: &Place) -> Result<Value, Mistake> {
        let index = of.defined.over.as_ref().map_or("", |over| &over.index).to_string();
        let scope = match *place {
            Place::Fixed(at) => Scope { index: None, fixed: vec![(index, at)] },
            Place::Moving(start, terms) => {
                Scope { index: Some(Index { name: index, start, terms }), fixed: Vec::new() }
            }
            Place::Listed(_) | Place::Selected(..) => unreachable!("these are chosen"),
        };
        let value = self.number_in(&of.defined.tree, &scope)?;
        self.elements.insert((number, place.clone()), value);
        Ok(value)
    }
}

/// The mistake of using a named expression before its definition.
pub(super) fn not_yet(name: &str, tree: &Tree) -> Mistake {
    let what = format!("`{name}` is not known yet; allowed: what stands above in [let]");
    Mistake::new(what, &tree.at)
}
