//! Which kernels are linked with which objectives, to be assembled.

use anyhow::{Context, Result};
use warpswarm_ptx_builder::{Module, link};

/// What an objective's name begins with.
pub(crate) const OBJECTIVE: &str = "objective_";
/// What a kernel's name ends with if its objective may be violated.
const CONSTRAINED: &str = "_constrained";
/// With these `--quick` links every kernel: one for any number of dimensions that takes many registers, one
/// that looks at all coordinates, and two with constraints.
const TYPICAL: [&str; 4] = ["Griewank", "LennardJones", "SpeedReducer", "ThreeBarTruss"];
/// With these it links every objective: one of each form, the one that leaves the fewest registers.
const TIGHT: [&str; 7] = [
    "pso_resident_REAL_x1k2",
    "pso_resident_grid_REAL_x8k4",
    "pso_resident_grid_REAL_x16k8",
    "cmepso_REAL_column",
    "de_REAL_x32k1",
    "pso_streaming_REAL_any",
    "pso_position_REAL",
];

/// The form in which a kernel hands over its points.
fn form(kernel: &str) -> &str {
    let kernel = kernel.trim_end_matches(CONSTRAINED);
    if kernel.starts_with("pso_position_") {
        return "thread";
    }
    match kernel.rsplit('_').next() {
        Some(tile) if tile.starts_with('x') || tile == "column" => tile,
        _ => "warp",
    }
}

/// The kernels that evaluate, each linked with objectives of its form and precision, and those that do not.
pub(crate) fn linked(modules: &[Module], quick: bool) -> Result<Vec<Module>> {
    let (objectives, kernels): (Vec<_>, Vec<_>) =
        modules.iter().partition(|module| module.name.starts_with(OBJECTIVE));
    let mut pairs = Vec::new();
    for kernel in kernels {
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
            let all = !quick || (is_tight && name == kernel.name);
            if !all && !TYPICAL.contains(&problem) {
                continue;
            }
            let text = link(&kernel.text, &objective.text)
                .with_context(|| format!("{} with {}", kernel.name, objective.name))?;
            pairs.push(Module { name: format!("{} {problem}", kernel.name), text });
        }
    }
    Ok(pairs)
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
        assert_eq!(form("de_f32_x32k1"), "x32k1");
        assert_eq!(form("de_f32_column_constrained"), "column");
    }
}
