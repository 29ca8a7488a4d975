//! Functions of numbers, and of all numbers of a name.

use warpswarm_core::expression::{Operation, Reduction};

use super::{Compiler, Linear, Scope, Term, element};
use crate::problem_file::graph::Value;
use crate::problem_file::syntax::{Kind, Mistake, Operator, Tree};

impl Compiler<'_> {
    /// What a function gives.
    pub(super) fn call(
        &mut self,
        name: &str,
        arguments: &[Tree],
        tree: &Tree,
        scope: &Scope,
    ) -> Result<Value, Mistake> {
        let is_index = |tree: &Tree| match &tree.kind {
            Kind::Name(name) => !self.names.contains_key(name) && !scope.knows(name),
            _ => false,
        };
        let of_terms = arguments.first().is_some_and(is_index) && arguments.len() > 1;
        // One name of many numbers stands for all of them.
        let of_all =
            matches!(arguments, [Tree { kind: Kind::Name(name), .. }] if self.is_array(name));
        let reduction = match name {
            "sum" | "mean" => Some(Reduction::Sum),
            "prod" => Some(Reduction::Product),
            "min" if of_terms || of_all => Some(Reduction::Least),
            "max" if of_terms || of_all => Some(Reduction::Greatest),
            _ => None,
        };
        if let Some(reduction) = reduction {
            let fold = self.reduction(reduction, arguments, tree, scope)?;
            let (result, terms) = self.fold(&fold, Term::Number, scope)?;
            if name != "mean" {
                return Ok(result);
            }
            let terms = self.graph.constant(terms as f64);
            return Ok(self.graph.apply(Operation::Divide, &[result, terms]));
        }
        match name {
            "len" => {
                let Linear { number, .. } = self.len_of(arguments, tree, scope)?;
                return Ok(self.graph.constant(number as f64));
            }
            "dot" | "norm" => return self.product(name, arguments, tree, scope),
            "if" => {
                let [condition, then, otherwise] = arguments else {
                    let what = format!("{} arguments of `if`; allowed: 3", arguments.len());
                    return Err(Mistake::new(what, &tree.at));
                };
                let condition = self.truth(condition, scope, true)?;
                let (then, otherwise) = (self.value(then, scope)?, self.value(otherwise, scope)?);
                return Ok(self.graph.apply(Operation::Choose, &[condition, then, otherwise]));
            }
            _ => {}
        }
        let count = |wanted: usize| {
            if arguments.len() == wanted {
                return Ok(());
            }
            let what = format!("{} arguments of `{name}`; allowed: {wanted}", arguments.len());
            Err(Mistake::new(what, &tree.at))
        };
        let plain = match name {
            "abs" => Some(Operation::Absolute),
            "sqrt" => Some(Operation::Root),
            "exp" => Some(Operation::Exp),
            "ln" | "log" => Some(Operation::Ln),
            "sin" => Some(Operation::Sin),
            "cos" => Some(Operation::Cos),
            "floor" => Some(Operation::Floor),
            "pow" | "log10" | "tan" | "tanh" | "min" | "max" => None,
            _ => return Err(self.unknown("function", name, tree, scope)),
        };
        match (plain, name) {
            (Some(operation), _) => count(operation.arity())?,
            (None, "pow") => count(2)?,
            (None, "min" | "max") if arguments.len() >= 2 => {}
            (None, "min" | "max") => {
                let what = format!("one argument of `{name}`; allowed: two or more");
                return Err(Mistake::new(what, &tree.at));
            }
            _ => count(1)?,
        }
        let from = arguments.iter().map(|argument| self.value(argument, scope));
        let from = from.collect::<Result<Vec<_>, _>>()?;
        let graph = &mut self.graph;
        Ok(match (plain, name) {
            (Some(operation), _) => graph.apply(operation, &from),
            (None, "pow") => graph.power(from[0], from[1]),
            (None, "log10") => {
                let (ln, scale) = (graph.apply(Operation::Ln, &from), std::f64::consts::LOG10_E);
                let scale = graph.constant(scale);
                graph.apply(Operation::Multiply, &[ln, scale])
            }
            (None, "tan") => {
                let (sin, cos) =
                    (graph.apply(Operation::Sin, &from), graph.apply(Operation::Cos, &from));
                graph.apply(Operation::Divide, &[sin, cos])
            }
            (None, "tanh") => {
                // 1 - 2 / (exp(2 x) + 1)
                let (one, two) = (graph.constant(1.0), graph.constant(2.0));
                let twice = graph.apply(Operation::Multiply, &[two, from[0]]);
                let exp = graph.apply(Operation::Exp, &[twice]);
                let below = graph.apply(Operation::Add, &[exp, one]);
                let part = graph.apply(Operation::Divide, &[two, below]);
                graph.apply(Operation::Subtract, &[one, part])
            }
            (None, name) => {
                let operation = if name == "min" { Operation::Least } else { Operation::Greatest };
                let rest = from[1..].iter();
                rest.fold(from[0], |least, &other| graph.apply(operation, &[least, other]))
            }
        })
    }

    /// `dot(x, y)` and `norm(x)` of names that stand for many numbers.
    fn product(
        &mut self,
        name: &str,
        arguments: &[Tree],
        tree: &Tree,
        scope: &Scope,
    ) -> Result<Value, Mistake> {
        let of = |argument: &Tree| match &argument.kind {
            Kind::Name(name) => Ok(element(name, argument)),
            _ => {
                Err(Mistake::new("allowed: the name of something with many numbers", &argument.at))
            }
        };
        let factors = match (name, arguments) {
            ("dot", [x, y]) => [of(x)?, of(y)?],
            ("norm", [x]) => [of(x)?, of(x)?],
            _ => {
                let wanted = if name == "dot" { "`dot(x, y)`" } else { "`norm(x)`" };
                let what = format!("{} arguments of `{name}`; allowed: {wanted}", arguments.len());
                return Err(Mistake::new(what, &tree.at));
            }
        };
        let [x, y] = factors;
        let kind = Kind::Chain(Box::new(x), vec![(Operator::Multiply, y)]);
        let body = Tree { kind, at: tree.at.clone() };
        let fold = self.over_all(Reduction::Sum, body, tree, scope)?;
        let (sum, _) = self.fold(&fold, Term::Number, scope)?;
        Ok(if name == "norm" { self.graph.apply(Operation::Root, &[sum]) } else { sum })
    }
}
