//! Detects files that search for a permutation, which is not supported.

use warpswarm_core::variable::Scale;

use crate::problem::problem_file::problem::{Named, ProblemFile, Whose};
use crate::problem::problem_file::syntax::{Kind, Mistake, Tree};

/// The error for a permutation.
pub(super) const PERMUTATION: &str = "an order (a permutation), which is not supported; allowed: a program for tours and \
    assignments, or, of few, a variable with scale = \"integer\" and a constraint that keeps its numbers apart, such as \
    `all(i, all(j, i == j or x[i] != x[j]))`";

/// The mistake of searching for a permutation by integers: as many indices as there are numbers, without a constraint
/// that keeps them distinct.
pub(super) fn asked_for(problem: &ProblemFile) -> Option<(Whose, Mistake)> {
    let orders: Vec<&Named> = problem.variables.iter().filter(|of| is_order(problem, of)).collect();
    let lets = problem.names.lets.iter().map(|of| &of.defined.tree).enumerate();
    let lets = lets.map(|(number, tree)| (Whose::Let(number), tree));
    let (objective, constraints) = problem.trees.split_first()?;
    for (of, tree) in lets.chain([(Whose::Tree(0), objective)]) {
        for order in &orders {
            let is_kept_apart = constraints.iter().any(|tree| tree.names(&order.name));
            if let (Some(index), false) = (index_of(tree, &order.name), is_kept_apart) {
                let what = format!(
                    "`{}` asks for {}",
                    order.name,
                    PERMUTATION.replace("x[", &format!("{}[", order.name))
                );
                return Some((of, Mistake::new(what, &index.at)));
            }
        }
    }
    None
}

/// Whether a variable has as many integers as each of them has values.
fn is_order(problem: &ProblemFile, of: &Named) -> bool {
    let Some(count) = of.count.filter(|count| *count > 1) else { return false };
    let all = of.first as usize..(of.first + count) as usize;
    let bounds = &problem.bounds;
    !problem.names.options.contains_key(&of.name)
        && all.into_iter().all(|i| {
            let numbers = bounds.upper()[i] - bounds.lower()[i] + 1.0;
            bounds.scales()[i] == Scale::Integer && numbers == f64::from(count)
        })
}

/// The first index in a tree that uses a name.
fn index_of<'a>(tree: &'a Tree, name: &str) -> Option<&'a Tree> {
    let here = match &tree.kind {
        Kind::Element(_, indices) => indices.iter().find(|index| index.names(name)),
        _ => None,
    };
    here.or_else(|| tree.parts().into_iter().find_map(|part| index_of(part, name)))
}
