//! Selects the pairs of kernels and objectives that are linked and assembled.

use anyhow::{Context, Result};
use warpswarm_ptx_builder::compose::Operand;
use warpswarm_ptx_builder::{Composer, Module, link};

use super::ALLOWED;

/// The prefix of an objective's name.
pub(crate) const OBJECTIVE: &str = "objective_";
/// The prefix of the name of an expression's piece.
const PIECE: &str = "piece_";
/// The suffix of the name of a kernel for objectives with constraints.
const CONSTRAINED: &str = "_constrained";
/// The objective with which `--quick` links every kernel without constraints. Kernels with constraints are linked with
/// an expression. Both accept any number of dimensions and need many registers.
const TYPICAL: &str = "Griewank";
/// The name of the expression that represents all expressions.
const EXPRESSION: &str = "Expression";
/// The kernels with which `--quick` links every objective, in one of the two precisions. For each form of points (in a
/// thread, shared by lanes, in a column, in memory) it is the kernel that leaves the fewest registers. Without
/// `--quick`, all kernels are linked with all objectives of their form.
const TIGHT: [&str; 4] = [
    "pso_resident_REAL_x1k2",
    "pso_resident_grid_REAL_x16k8",
    "cmepso_REAL_column",
    "pso_streaming_REAL_any",
];

/// The form in which a kernel passes its points to the objective.
fn form(kernel: &str) -> &str {
    let kernel = kernel.trim_end_matches(CONSTRAINED);
    if kernel.starts_with("pso_position_") {
        return "thread";
    }
    match kernel.rsplit('_').next() {
        Some(tile) if tile.starts_with('x') || tile == "column" => tile,
        Some("explosions") => "column",
        Some("slaves" | "master") => "thread",
        _ => "warp",
    }
}

/// All kernels: those that evaluate are linked with objectives of their form and precision, the others are unchanged.
pub(crate) fn linked(modules: &[Module], quick: bool) -> Result<Vec<Module>> {
    let (pieces, modules): (Vec<_>, Vec<_>) =
        modules.iter().partition(|module| module.name.starts_with(PIECE));
    let (mut objectives, kernels): (Vec<_>, Vec<_>) =
        modules.into_iter().partition(|module| module.name.starts_with(OBJECTIVE));
    let expressions = expressions(&pieces)?;
    objectives.extend(&expressions);
    let mut pairs = Vec::new();
    for kernel in kernels {
        if kernel.text.contains(link::ROW) {
            let model = decays(&pieces, &kernel.name)?;
            let text = link(&kernel.text, &model).with_context(|| kernel.name.clone())?;
            pairs.push(Module { name: kernel.name.clone(), text });
            continue;
        }
        if !kernel.text.contains(link::MARK) {
            pairs.push(kernel.clone());
            continue;
        }
        let name = kernel.name.trim_end_matches(CONSTRAINED);
        let real = name.split('_').find(|part| ["f32", "f64"].contains(part));
        let real = real.with_context(|| format!("{name} says no precision"))?;
        let is_tight = TIGHT.iter().any(|tight| tight.replace("REAL", real) == name);
        let end = format!("_{real}_{}", form(name));
        for objective in &objectives {
            let Some(problem) = objective.name[OBJECTIVE.len()..].strip_suffix(&end) else {
                continue;
            };
            let pair = format!("{} {problem}", kernel.name);
            let is_constrained = name != kernel.name;
            // An arbitrary choice of precision for each problem.
            let is_its = (problem.len() % 2 == 0) == (real == "f32");
            let all = !quick || (is_tight && is_its && !is_constrained);
            let is_typical = problem == if is_constrained { EXPRESSION } else { TYPICAL };
            let is_allowed = ALLOWED.iter().any(|row| row.prefix == pair);
            if !all && !is_typical && !is_allowed {
                continue;
            }
            let text = link(&kernel.text, &objective.text)
                .with_context(|| format!("{} with {}", kernel.name, objective.name))?;
            pairs.push(Module { name: pair, text });
        }
    }
    Ok(pairs)
}

/// A model with derivatives for a kernel whose name ends with a precision and a number of parameters: a sum of
/// exponential decays `a exp(-t / b)`, plus a constant if the number is odd.
fn decays(pieces: &[&Module], kernel: &str) -> Result<String> {
    let module = |name: &str| text_of(pieces, name);
    let mut words = kernel.rsplit('_');
    let size = words.next().and_then(|word| word.strip_prefix('n')).context("says no size")?;
    let (parameters, real): (u32, _) = (size.parse()?, words.next().unwrap_or_default());
    let mut composer = Composer::model(&module, real, parameters);
    let (result, t) = (Operand::Result, Operand::Data(0));
    let all: Vec<_> = (0..parameters).map(Operand::Coordinate).collect();
    composer.rows(&[1000], all.iter().copied().chain([t]), &mut |composer, _| {
        let mut partials = Vec::new();
        // The constant, or zero.
        let mut sum =
            if parameters % 2 == 1 { all[parameters as usize - 1] } else { Operand::Constant(0) };
        for (number, pair) in (0..).step_by(4).zip(all.chunks_exact(2)) {
            let [amplitude, lifetime] = [pair[0], pair[1]];
            let [decay, term, slope, total] = [1, 2, 3, 4].map(|k| result(number + k));
            composer.apply("Divide", &[t, lifetime], number + 3)?;
            composer.apply("Negate", &[slope], number + 1)?;
            composer.apply("Exp", &[decay], number + 1)?;
            composer.apply("Multiply", &[amplitude, decay], number + 2)?;
            composer.apply("Multiply", &[slope, term], number + 3)?;
            composer.apply("Divide", &[slope, lifetime], number + 3)?;
            composer.apply("Add", &[sum, term], number + 4)?;
            sum = total;
            partials.extend([decay, slope]);
        }
        if parameters % 2 == 1 {
            let one = if real == "f32" { u64::from(1_f32.to_bits()) } else { 1_f64.to_bits() };
            partials.push(Operand::Constant(one));
        }
        Ok([vec![sum], partials].concat())
    })?;
    Ok(composer.finish_model(2 * parameters + 4))
}

/// The PTX of a piece.
fn text_of(pieces: &[&Module], name: &str) -> Option<String> {
    let piece = pieces.iter().find(|piece| piece.name == name);
    piece.map(|piece| piece.text.clone())
}

/// The expression `sum(i, (x[i+1] - exp(-t[i] / a))^2 * cos(b))`, with the minimum of `x[i] - a` as its violation, in
/// each precision and form for which there are pieces.
fn expressions(pieces: &[&Module]) -> Result<Vec<Module>> {
    let module = |name: &str| text_of(pieces, name);
    let begin = format!("{PIECE}show_");
    let forms = pieces.iter().filter_map(|piece| piece.name.strip_prefix(&begin));
    let expression = |real_form: &str| -> Result<Module> {
        let (real, form) = real_form.split_once('_').context("a piece says its form")?;
        let mut composer = Composer::new(&module, real, form)?;
        let [a, b] = [0, 1].map(Operand::Coordinate);
        let [x, next, t] = [Operand::Coordinates(0), Operand::Coordinates(1), Operand::Data(0)];
        let result = Operand::Result;
        composer.apply("Cos", &[b], 0)?;
        composer.fold(("Sum", 10), [a, next, t], 1, &mut |composer| {
            composer.apply("Divide", &[t, a], 2)?;
            composer.apply("Negate", &[result(2)], 2)?;
            composer.apply("Exp", &[result(2)], 2)?;
            composer.apply("Subtract", &[next, result(2)], 2)?;
            composer.apply("Multiply", &[result(2), result(2)], 2)?;
            composer.apply("Multiply", &[result(2), result(0)], 2)?;
            Ok(result(2))
        })?;
        composer.fold(("Least", 10), [a, x], 0, &mut |composer| {
            composer.apply("Subtract", &[x, a], 2)?;
            Ok(result(2))
        })?;
        composer.apply("Excess", &[result(0)], 0)?;
        let text = composer.finish(result(1), result(0), 3)?;
        Ok(Module { name: format!("{OBJECTIVE}{EXPRESSION}_{real_form}"), text })
    };
    forms.map(expression).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_say_their_form() {
        assert_eq!(form("pso_resident_grid_f32_x8k4_constrained"), "x8k4");
        assert_eq!(form("pso_streaming_f64_any"), "warp");
        assert_eq!(form("pso_initialise_f32"), "warp");
        assert_eq!(form("pso_position_f32"), "thread");
        assert_eq!(form("gpu_fwa_f32_explosions"), "column");
        assert_eq!(form("gpu_fwa_f64_mutation"), "warp");
        assert_eq!(form("cmepso_f64_slaves"), "thread");
        assert_eq!(form("de_f32_x32k1"), "x32k1");
        assert_eq!(form("de_f32_column_constrained"), "column");
    }
}
