//! The ranges in which tuning searches for the values of parameters.

use warpswarm_core::variable::Variable;

use super::ParameterInfo;

/// The range of each numeric parameter, by name. A parameter has the same meaning in every algorithm that has it. Not
/// included are counts that depend on other counts or on the length of the run (`neighbours`, `columns`, `slaves`,
/// `inertia_iterations`), and `smallest_step`, which is only a safeguard.
const RANGES: [Variable; 33] = [
    Variable::linear("inertia", 0.0, 1.0),
    Variable::linear("final_inertia", 0.0, 1.0),
    Variable::linear("cognitive", 0.0, 3.0),
    Variable::linear("social", 0.0, 3.0),
    Variable::linear("third", 0.0, 3.0),
    Variable::log("velocity_limit", 0.02, 2.0),
    Variable::linear("correction", 0.0, 1.0),
    Variable::linear("scale_factor", 0.1, 1.2),
    Variable::linear("crossover_rate", 0.0, 1.0),
    Variable::integer("memory", 2.0, 20.0),
    Variable::linear("initial", 0.1, 0.9),
    Variable::integer("tournament", 2.0, 40.0),
    Variable::log("temperature", 1e-4, 1e4),
    Variable::linear("cooling", 0.9, 1.0),
    Variable::log("step", 1e-3, 1.0),
    Variable::linear("step_cooling", 0.98, 1.0),
    Variable::integer("successes", 1.0, 20.0),
    Variable::integer("failures", 1.0, 20.0),
    Variable::integer("best_set", 2.0, 20.0),
    Variable::integer("diverse_set", 2.0, 20.0),
    Variable::linear("alpha", 0.0, 1.0),
    Variable::integer("improvement", 0.0, 100.0),
    Variable::integer("replicas", 1.0, 10.0),
    Variable::linear("weight_deviation", 0.0, 1.0),
    Variable::log("best_deviation", 1e-6, 1.0),
    Variable::log("amplitude", 0.01, 10.0),
    Variable::linear("amplitude_floor", 0.0, 0.2),
    Variable::integer("sparks", 2.0, 64.0),
    Variable::integer("explosions", 1.0, 100.0),
    Variable::linear("delta", 0.0, 1.0),
    Variable::linear("fewest", 0.0, 0.2),
    Variable::linear("most", 0.2, 1.0),
    Variable::integer("gaussian_sparks", 0.0, 20.0),
];

impl ParameterInfo {
    /// The range and scale in which a search for a good value makes sense. `None` for a parameter that is not a number,
    /// or is a number that depends on others.
    ///
    /// ```
    /// let pso = warpswarm::algorithms::find("pso")?;
    /// let inertia = pso.parameters()[0].search().expect("a number");
    /// assert_eq!((inertia.name, inertia.lower, inertia.upper), ("inertia", 0.0, 1.0));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    pub fn search(&self) -> Option<Variable> {
        RANGES.iter().find(|range| range.name == self.name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpswarm_core::variable::Scale;

    use crate::algorithms::{ALL, Value};

    /// Both ends of every range are allowed values, and every numeric parameter either has a range or is listed as an
    /// exception.
    #[test]
    fn ranges_are_those_of_the_parameters() {
        let without = [
            "neighbours",
            "columns",
            "slaves",
            "inertia_iterations",
            "smallest_step",
            "archive",
            "final_individuals",
            "budget",
        ];
        let mut used = Vec::new();
        for info in ALL {
            for parameter in info.parameters() {
                let value = &parameter.default;
                let Some(range) = parameter.search() else {
                    let excepted = without.contains(&parameter.name);
                    assert!(matches!(value, Value::Name(_)) || excepted, "{}", parameter.name);
                    continue;
                };
                assert!(range.lower < range.upper && !matches!(value, Value::Name(_)));
                assert!(range.scale != Scale::Log || range.lower > 0.0, "{}", range.name);
                for end in [range.lower, range.upper] {
                    let mut algorithm = info.algorithm();
                    let set = algorithm.set(parameter.name, &end.to_string());
                    assert_eq!(set, Ok(()), "{} of {}", parameter.name, info.id);
                }
                used.push(range.name);
            }
        }
        assert!(RANGES.iter().all(|range| used.contains(&range.name)));
    }
}
