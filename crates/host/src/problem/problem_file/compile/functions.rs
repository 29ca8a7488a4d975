//! Functions of numbers, and of arrays.

use warpswarm_core::expression::{Operation, Reduction};

use super::ranges::mentions;
use super::{Compiler, Scope, Term, element};
use crate::problem::problem_file::graph::Value;
use crate::problem::problem_file::syntax::{Kind, Mistake, Operator, Tree};

/// Functions with as many arguments as their operations have operands.
const PLAIN: [(&str, Operation); 38] = [
    ("abs", Operation::Absolute),
    ("sqrt", Operation::Root),
    ("cbrt", Operation::CubeRoot),
    ("hypot", Operation::Hypot),
    ("exp", Operation::Exp),
    ("expm1", Operation::ExpM1),
    ("ln", Operation::Ln),
    ("log", Operation::Ln),
    ("log1p", Operation::Ln1P),
    ("log2", Operation::Log2),
    ("log10", Operation::Log10),
    ("sin", Operation::Sin),
    ("cos", Operation::Cos),
    ("tan", Operation::Tan),
    ("asin", Operation::Asin),
    ("acos", Operation::Acos),
    ("atan", Operation::Atan),
    ("atan2", Operation::Atan2),
    ("sinh", Operation::Sinh),
    ("cosh", Operation::Cosh),
    ("tanh", Operation::Tanh),
    ("asinh", Operation::Asinh),
    ("acosh", Operation::Acosh),
    ("atanh", Operation::Atanh),
    ("sign", Operation::Sign),
    ("floor", Operation::Floor),
    ("ceil", Operation::Ceil),
    ("trunc", Operation::Truncate),
    ("round", Operation::Round),
    ("mod", Operation::Modulo),
    ("erf", Operation::Erf),
    ("erfc", Operation::Erfc),
    ("gamma", Operation::Gamma),
    ("lgamma", Operation::LnGamma),
    ("j0", Operation::J0),
    ("j1", Operation::J1),
    ("y0", Operation::Y0),
    ("y1", Operation::Y1),
];

/// All other functions.
const OTHERS: [&str; 13] = [
    "pow", "min", "max", "sum", "prod", "mean", "dot", "norm", "any", "all", "if", "len", "interp",
];

/// The names of all functions. A file may also give them to numbers, because a function is followed by a bracket.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PLAIN.iter().map(|(name, _)| *name).chain(OTHERS)
}

/// The name with which files write an operation.
pub(super) fn written(operation: Operation) -> &'static str {
    let operation = match operation {
        Operation::SinTurns => Operation::Sin,
        Operation::CosTurns => Operation::Cos,
        other => other,
    };
    let plain = PLAIN.iter().find(|(_, known)| *known == operation);
    plain.map_or(operation.name(), |(name, _)| name)
}

impl Compiler<'_> {
    /// The value of a function call.
    pub(super) fn call(
        &mut self,
        name: &str,
        arguments: &[Tree],
        tree: &Tree,
        scope: &Scope,
    ) -> Result<Value, Mistake> {
        let of_terms = match arguments {
            [Tree { kind: Kind::Name(index), .. }, rest @ ..]
                if self.may_be_index(index, scope) =>
            {
                // `tau` is the constant unless an expression uses it as an index.
                !rest.is_empty()
                    && (index != "tau" || rest.iter().any(|part| mentions(part, index)))
            }
            _ => false,
        };
        // The name of an array as the only argument stands for all its numbers.
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
                let len = self.len_of(arguments, tree, scope)?;
                return Ok(self.graph.constant(len.into()));
            }
            "dot" | "norm" => return self.product(name, arguments, tree, scope),
            "interp" => return self.interpolated(arguments, tree, scope),
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
        let plain = PLAIN.iter().find(|(known, _)| *known == name);
        let plain = plain.map(|(_, operation)| *operation);
        if plain.is_none() && !["pow", "min", "max"].contains(&name) {
            return Err(self.unknown("function", name, tree, scope));
        }
        match (plain, name) {
            (Some(operation), _) => count(operation.arity())?,
            (None, "pow") => count(2)?,
            _ if arguments.len() >= 2 => {}
            _ => {
                let what = format!("one argument of `{name}`; allowed: two or more");
                return Err(Mistake::new(what, &tree.at));
            }
        }
        let from = arguments.iter().map(|argument| self.value(argument, scope));
        let from = from.collect::<Result<Vec<_>, _>>()?;
        let graph = &mut self.graph;
        Ok(match (plain, name) {
            (Some(operation), _) => graph.apply(operation, &from),
            (None, "pow") => graph.power(from[0], from[1]),
            (None, name) => {
                let operation = if name == "min" { Operation::Least } else { Operation::Greatest };
                let rest = from[1..].iter();
                rest.fold(from[0], |least, &other| graph.apply(operation, &[least, other]))
            }
        })
    }

    /// `dot(x, y)` and `norm(x)` of arrays.
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
