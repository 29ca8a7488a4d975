//! Models with their observations, from `fit = "y ~ ..."`.

use warpswarm_core::fit::{Loss, Scatter};
use warpswarm_core::sum::MAX_TERMS;

use super::names::{Meaning, Names, on_one_line};
use super::syntax::{Kind, Mistake, Operator, Relation, Tree};

/// The index of the rows of data; a file cannot contain this name.
pub(super) const ROW: &str = "#row";

/// Models, and how the observations scatter around them.
#[derive(Clone, Debug)]
pub(super) struct Curves {
    /// At least one.
    pub(super) all: Vec<Curve>,
    pub(super) scatter: Scatter,
    /// Whether the uncertainty of observations has its true size.
    pub(super) absolute_sigma: bool,
}

/// A model with its observations.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    /// The key in the file: `fit`, or `fits[2]`.
    pub(super) key: String,
    pub(super) text: String,
    /// The number of rows.
    pub(super) rows: u32,
    /// The observed quantity: its text before `~`, and its expression in row [`ROW`].
    pub(super) left: String,
    pub(super) observed: Tree,
    pub(super) spread: Option<Spread>,
    /// The prediction for row [`ROW`].
    pub(super) model: Tree,
}

/// The uncertainty of observations.
#[derive(Clone, Debug)]
pub(super) struct Spread {
    /// Whether it is a standard deviation; otherwise it is a weight, 1 / sigma^2.
    pub(super) is_sigma: bool,
    pub(super) text: String,
    /// Its expression in row [`ROW`].
    pub(super) tree: Tree,
}

impl Spread {
    /// The key in the file.
    pub(super) fn key(&self) -> &'static str {
        if self.is_sigma { "sigma" } else { "weights" }
    }
}

/// The columns that occur in a tree of data and constants only, each with its length. The mistake is any other name.
pub(super) fn columns(tree: &Tree, names: &Names) -> Result<Vec<(String, u32)>, Mistake> {
    let mut all = Vec::new();
    match &tree.kind {
        Kind::Name(name) | Kind::Element(name, _) => match names.get(name) {
            Some(&Meaning::Data(_, len)) if matches!(tree.kind, Kind::Name(_)) => {
                all.push((name.clone(), len));
            }
            Some(Meaning::Data(..) | Meaning::Matrix(_) | Meaning::Constant(_)) | None => {}
            Some(_) => {
                let what = format!(
                    "`{}` is not data; allowed here: columns of data, constants and what is computed of them",
                    on_one_line(name)
                );
                return Err(Mistake::new(what, &tree.at));
            }
        },
        _ => {}
    }
    for part in tree.parts() {
        all.extend(columns(part, names)?);
    }
    Ok(all)
}

/// The text before `~`, and the text after it, at the same position: everything before it is blank.
pub(super) fn parted(text: &str) -> Result<(&str, String), Mistake> {
    let Some((name, _)) = text.split_once('~') else {
        let what = "no `~` in it; allowed: a column of data, `~` and a model, such as `y ~ a * exp(-t / b)`";
        return Err(Mistake::new(what, &(0..text.len())));
    };
    let blank = " ".repeat(name.len() + 1);
    Ok((name, blank + &text[name.len() + 1..]))
}

/// Functions of arrays.
const OF_ALL: [&str; 3] = ["len", "dot", "norm"];
/// Functions of arrays if they have a single argument.
const REDUCTIONS: [&str; 7] = ["sum", "prod", "min", "max", "mean", "all", "any"];

/// The tree with every name that is an array of `rows` numbers replaced by its element in the row.
pub(super) fn of_row(tree: &Tree, rows: u32, names: &Names) -> Result<Tree, Mistake> {
    let of = |tree: &Tree| of_row(tree, rows, names);
    let boxed = |tree: &Tree| of(tree).map(Box::new);
    let each = |all: &[Tree]| all.iter().map(of).collect::<Result<Vec<_>, _>>();
    let kind = match &tree.kind {
        Kind::Name(name) => {
            let len = match names.get(name) {
                Some(&(Meaning::Data(_, len) | Meaning::State(_, len))) if len != 1 => Some(len),
                // The length of its array is known when it is compiled.
                Some(&Meaning::Let(number)) => {
                    names.lets[number as usize].defined.over.as_ref().map(|_| rows)
                }
                _ => None,
            };
            match len {
                Some(len) if len != rows => {
                    let what = format!(
                        "`{}` has {len} numbers and what was observed has {rows}; allowed: as many, or one of \
                         them, such as `{}[1]`",
                        on_one_line(name),
                        on_one_line(name)
                    );
                    return Err(Mistake::new(what, &tree.at));
                }
                Some(_) => Kind::Element(name.clone(), vec![named(ROW, tree)]),
                None => tree.kind.clone(),
            }
        }
        Kind::Number(_) | Kind::Text(_) => tree.kind.clone(),
        Kind::Negative(inner) => Kind::Negative(boxed(inner)?),
        Kind::Not(inner) => Kind::Not(boxed(inner)?),
        Kind::Power(base, exponent) => Kind::Power(boxed(base)?, boxed(exponent)?),
        Kind::Chain(first, rest) => {
            let rest = rest.iter().map(|(operator, tree)| Ok((*operator, of(tree)?)));
            Kind::Chain(boxed(first)?, rest.collect::<Result<_, _>>()?)
        }
        Kind::Compare(first, rest) => {
            let rest = rest.iter().map(|(relation, tree)| Ok((*relation, of(tree)?)));
            Kind::Compare(boxed(first)?, rest.collect::<Result<_, _>>()?)
        }
        Kind::Join(joint, all) => Kind::Join(*joint, each(all)?),
        Kind::Element(name, indices) => Kind::Element(name.clone(), each(indices)?),
        Kind::Call(name, arguments) => {
            let is_of_all = OF_ALL.contains(&&**name)
                || (arguments.len() == 1 && REDUCTIONS.contains(&&**name));
            Kind::Call(name.clone(), if is_of_all { arguments.clone() } else { each(arguments)? })
        }
    };
    Ok(Tree { kind, at: tree.at.clone() })
}

fn named(name: &str, at: &Tree) -> Tree {
    Tree { kind: Kind::Name(name.into()), at: at.at.clone() }
}

/// Creates trees with the same place in the text.
struct At<'a>(&'a Tree);

impl At<'_> {
    fn tree(&self, kind: Kind) -> Tree {
        Tree { kind, at: self.0.at.clone() }
    }
    fn number(&self, number: f64) -> Tree {
        self.tree(Kind::Number(number))
    }
    fn with(&self, left: Tree, operator: Operator, right: Tree) -> Tree {
        self.tree(Kind::Chain(Box::new(left), vec![(operator, right)]))
    }
    fn square(&self, of: Tree) -> Tree {
        let two = self.number(2.0);
        self.tree(Kind::Power(Box::new(of), Box::new(two)))
    }
    fn call(&self, name: &str, arguments: impl IntoIterator<Item = Tree>) -> Tree {
        self.tree(Kind::Call(name.into(), arguments.into_iter().collect()))
    }
    fn less(&self, left: Tree, right: Tree) -> Tree {
        self.tree(Kind::Compare(Box::new(left), vec![(Relation::Less, right)]))
    }
}

impl Curves {
    /// The total cost of all rows: chi-squared, as in [`Misfit`](warpswarm_core::fit::Misfit).
    pub(super) fn cost(&self) -> Option<Tree> {
        let of = |curve: &Curve| curve.cost(self.scatter);
        self.all.iter().map(of).reduce(|sum, next| {
            let at = sum.at.clone();
            Tree { kind: Kind::Chain(Box::new(sum), vec![(Operator::Add, next)]), at }
        })
    }

    /// The key and the text of a model.
    pub(super) fn written(&self, number: usize) -> (String, &str) {
        self.all.get(number).map_or_else(Default::default, |of| (of.key.clone(), &*of.text))
    }
}

impl Curve {
    fn cost(&self, scatter: Scatter) -> Tree {
        let at = At(&self.model);
        let (mean, seen) = (self.model.clone(), self.observed.clone());
        let cost = match scatter {
            Scatter::Counts => poisson(&at, mean, seen),
            Scatter::Residuals { loss, scale } => {
                let residual = at.with(mean, Operator::Subtract, seen);
                let residual = match &self.spread {
                    None => residual,
                    Some(Spread { is_sigma: true, tree, .. }) => {
                        at.with(residual, Operator::Divide, tree.clone())
                    }
                    Some(Spread { tree, .. }) => {
                        let root = at.call("sqrt", [tree.clone()]);
                        at.with(residual, Operator::Multiply, root)
                    }
                };
                robust(&at, at.square(residual), loss, scale)
            }
        };
        // A sum has at most this many terms.
        let sums = (0..self.rows).step_by(MAX_TERMS).map(|first| {
            let last = self.rows.min(first + MAX_TERMS as u32);
            let ends = [first + 1, last].map(|row| at.number(f64::from(row)));
            let [from, to] = ends;
            at.call("sum", [named(ROW, &self.model), from, to, cost.clone()])
        });
        sums.reduce(|sum, next| at.with(sum, Operator::Add, next)).unwrap_or_else(|| at.number(0.0))
    }
}

/// The cost of a squared residual: C^2 rho(z) with z = square / C^2.
fn robust(at: &At<'_>, square: Tree, loss: Loss, scale: f64) -> Tree {
    let whole = at.number(scale * scale);
    let z = at.with(square.clone(), Operator::Divide, whole.clone());
    let more = at.with(at.number(1.0), Operator::Add, z.clone());
    let twice = |tree: Tree| at.with(at.number(2.0), Operator::Multiply, tree);
    let rho = match loss {
        Loss::Linear => return square,
        Loss::Huber => {
            let root = at.call("sqrt", [z.clone()]);
            let beyond = at.with(twice(root), Operator::Subtract, at.number(1.0));
            at.call("if", [at.less(at.number(1.0), z.clone()), beyond, z])
        }
        Loss::SoftL1 => {
            let root = at.call("sqrt", [more]);
            let below = at.with(root, Operator::Add, at.number(1.0));
            at.with(twice(z), Operator::Divide, below)
        }
        Loss::Cauchy => at.call("log1p", [z]),
    };
    at.with(whole, Operator::Multiply, rho)
}

/// 2 (m - y - y ln(m / y)), and 2 m for a count of zero; NaN if the mean is negative.
fn poisson(at: &At<'_>, mean: Tree, seen: Tree) -> Tree {
    let twice = |tree: Tree| at.with(at.number(2.0), Operator::Multiply, tree);
    let missed = at.with(mean.clone(), Operator::Subtract, seen.clone());
    let part = at.with(missed.clone(), Operator::Divide, seen.clone());
    let logarithm = at.call("log1p", [part]);
    let logarithm = at.with(seen.clone(), Operator::Multiply, logarithm);
    let some = at.with(missed, Operator::Subtract, logarithm);
    let none = at.less(at.number(0.0), seen);
    let cost = at.call("if", [none, twice(some), twice(mean.clone())]);
    // The root of a negative number is NaN.
    let zero = at.with(at.call("sqrt", [mean]), Operator::Multiply, at.number(0.0));
    at.with(cost, Operator::Add, zero)
}
