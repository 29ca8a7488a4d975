//! Periodic variables.

use warpswarm_core::expression::Operation;

use super::Compiler;
use crate::problem::problem_file::graph::Value;

impl Compiler<'_> {
    /// The place between the bounds that `x` stands for, for one of `count` coordinates from `first` on. It uses the
    /// same operations as the conversion of results.
    pub(super) fn place_in_period(&mut self, x: Value, (first, count): (u32, u32)) -> Value {
        let Some(bounds) = self.bounds else { return x };
        let all = first as usize..(first + count) as usize;
        let (lower, upper) = (&bounds.lower()[all.clone()], &bounds.upper()[all]);
        let range: Vec<f64> = lower.iter().zip(upper).map(|(lower, upper)| upper - lower).collect();
        let (lower, upper) = (lower.to_vec(), upper.to_vec());
        let [lower, upper, range] = [lower, upper, range].map(|numbers| self.of_each(numbers));
        let graph = &mut self.graph;
        let beyond_lower = graph.apply(Operation::Subtract, &[x, lower]);
        let turns = graph.apply(Operation::Divide, &[beyond_lower, range]);
        let whole = graph.apply(Operation::Floor, &[turns]);
        let part = graph.apply(Operation::Subtract, &[turns, whole]);
        let part = graph.apply(Operation::Multiply, &[part, range]);
        let place = graph.apply(Operation::Add, &[lower, part]);
        let place = graph.apply(Operation::Least, &[place, upper]);
        let is_above = graph.apply(Operation::AtMost, &[lower, x]);
        let is_below = graph.apply(Operation::AtMost, &[x, upper]);
        let is_inside = graph.apply(Operation::Least, &[is_above, is_below]);
        graph.apply(Operation::Choose, &[is_inside, x, place])
    }
}
