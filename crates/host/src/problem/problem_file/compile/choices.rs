//! Variables with choices: compared with a name, or used as the index of a constant.

use super::{Compiler, Scope};
use crate::problem::problem_file::graph::Value;
use crate::problem::problem_file::names::on_one_line;
use crate::problem::problem_file::syntax::{Kind, Mistake, Relation, Tree};

impl Compiler<'_> {
    /// The choices of a variable, if the tree is one.
    fn choices_of(&self, tree: &Tree) -> Option<&[String]> {
        match &tree.kind {
            Kind::Name(name) | Kind::Element(name, _) => self.names.choices(name),
            _ => None,
        }
    }

    /// The choice of a variable, as an index from 1.
    fn choice(&mut self, tree: &Tree, scope: &Scope) -> Result<Value, Mistake> {
        match &tree.kind {
            Kind::Element(name, indices) => self.element(name, indices, tree, scope),
            Kind::Name(name) => self.name(name, tree, scope),
            _ => self.value(tree, scope),
        }
    }

    pub(super) fn no_number(&self, name: &str, tree: &Tree) -> Mistake {
        let choices = self.names.choices(name).unwrap_or_default();
        let first = choices.first().map_or("", String::as_str);
        let what = format!(
            "`{name}` is a choice and no number; allowed: `{name} == '{first}'`, or as an index, of a constant such as \
             {{ {first} = 1.5, ... }}"
        );
        Mistake::new(what, &tree.at)
    }

    /// The operands of a comparison: numbers, or variables and names with the same choices.
    pub(super) fn compared(
        &mut self,
        first: &Tree,
        rest: &[(Relation, Tree)],
        scope: &Scope,
    ) -> Result<Vec<Value>, Mistake> {
        let all: Vec<&Tree> = std::iter::once(first).chain(rest.iter().map(|(_, r)| r)).collect();
        let choices = all.iter().find_map(|tree| self.choices_of(tree)).map(<[String]>::to_vec);
        let Some(choices) = choices else {
            return all.into_iter().map(|tree| self.value(tree, scope)).collect();
        };
        let is_equation =
            |relation: &Relation| matches!(relation, Relation::Equal | Relation::Unequal);
        if !rest.iter().all(|(relation, _)| is_equation(relation)) {
            let what = "choices have no order; allowed: `==` and `!=`";
            return Err(Mistake::new(what, &first.at));
        }
        let mut values = Vec::with_capacity(all.len());
        for tree in all {
            values.push(match &tree.kind {
                Kind::Text(text) => {
                    let number = number_of(text, &choices, tree)?;
                    self.graph.constant(number as f64)
                }
                _ if self.choices_of(tree) == Some(&choices) => self.choice(tree, scope)?,
                _ => {
                    let what =
                        format!("not one of the same choices; allowed: {}", listed(&choices));
                    return Err(Mistake::new(what, &tree.at));
                }
            });
        }
        Ok(values)
    }

    /// The value of an index that is not a plain number: a choice, as the position among the name's numbers.
    pub(super) fn index(
        &mut self,
        name: &str,
        index: &Tree,
        scope: &Scope,
    ) -> Result<Value, Mistake> {
        let labels = self.names.labels.get(name).cloned();
        if let (Kind::Text(text), Some(labels)) = (&index.kind, &labels) {
            let number = number_of(text, labels, index)?;
            return Ok(self.graph.constant(number as f64));
        }
        let choices = self.choices_of(index).map(<[String]>::to_vec);
        let Some(choices) = choices else {
            if let Some(labels) = labels {
                let what = format!(
                    "an index that is not a choice; allowed: a variable with the `choices` {}",
                    listed(&labels)
                );
                return Err(Mistake::new(what, &index.at));
            }
            return self.value(index, scope);
        };
        let number = self.choice(index, scope)?;
        let Some(labels) = labels else { return Ok(number) };
        let is_missing =
            |of: &[String], other: &[String]| of.iter().find(|name| !other.contains(name)).cloned();
        let missing = is_missing(&choices, &labels)
            .map(|label| format!("`{name}` has no '{}'", on_one_line(&label)));
        let more = is_missing(&labels, &choices)
            .map(|label| format!("'{}' is not a choice", on_one_line(&label)));
        if let Some(what) = missing.or(more) {
            let what = format!("{what}; allowed: a number for each of {}", listed(&choices));
            return Err(Mistake::new(what, &index.at));
        }
        let place = |choice: &String| labels.iter().position(|label| label == choice);
        let entries: Vec<_> = (1..)
            .zip(&choices)
            .map(|(number, choice)| {
                let at = place(choice).map_or(1, |at| at + 1);
                (number, self.graph.constant(at as f64))
            })
            .collect();
        // If the constant has the choices in a different order, the positions are looked up.
        let is_same = labels == choices;
        Ok(if is_same { number } else { self.select(number, &entries) })
    }
}

/// The index of a text among names, from 1.
fn number_of(text: &str, names: &[String], tree: &Tree) -> Result<usize, Mistake> {
    let at = names.iter().position(|name| name == text);
    at.map(|at| at + 1).ok_or_else(|| {
        let what = format!("there is no '{}'; allowed: {}", on_one_line(text), listed(names));
        Mistake::new(what, &tree.at)
    })
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("'{}'", on_one_line(name))).collect::<Vec<_>>().join(", ")
}
