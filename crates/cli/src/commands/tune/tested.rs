//! The final comparison of the configuration found with the default.

use std::io::{self, Write};

use serde::Serialize;
use warpswarm::Algorithm;
use warpswarm_pictures::counted;
use warpswarm_statistics::{bootstrap, holm, rank_sum, superiority};

use super::quality::{mean, quality};
use crate::output::table::{Table, p_value, short};
use crate::study::LEVEL;

/// The result of new runs of a configuration and the default.
#[derive(Debug, Serialize)]
pub(crate) struct Tested {
    /// The ratio of its cost to the default's, as the geometric mean over the problems.
    pub(crate) quality: f64,
    /// The 95 % confidence interval of the quality.
    pub(crate) interval: (f64, f64),
    pub(crate) problems: Vec<OnProblem>,
}

/// The result on one problem.
#[derive(Debug, Serialize)]
pub(crate) struct OnProblem {
    pub(crate) problem: String,
    /// The mean cost.
    pub(crate) default_cost: f64,
    pub(crate) found_cost: f64,
    /// The fraction of all pairs of runs in which the configuration found is better.
    pub(crate) superiority: f64,
    pub(crate) p: f64,
    pub(crate) adjusted_p: f64,
}

impl Tested {
    /// The result from the costs, `[problem][run]`.
    pub(crate) fn of(
        names: &[String],
        found: &[Vec<f64>],
        default: &[Vec<f64>],
        seed: u64,
    ) -> Tested {
        let p: Vec<f64> =
            found.iter().zip(default).map(|(a, b)| rank_sum(a, b, f64::total_cmp)).collect();
        let adjusted = holm(&p);
        let on = |i: usize| OnProblem {
            problem: names[i].clone(),
            default_cost: mean(&default[i]),
            found_cost: mean(&found[i]),
            superiority: superiority(&found[i], &default[i], f64::total_cmp),
            p: p[i],
            adjusted_p: adjusted[i],
        };
        let samples: Vec<&[f64]> = found.iter().chain(default).map(Vec::as_slice).collect();
        let interval = bootstrap(&samples, seed, |drawn| {
            let (found, default) = drawn.split_at(names.len());
            quality(found, default)
        });
        Tested {
            quality: quality(found, default),
            interval,
            problems: (0..names.len()).map(on).collect(),
        }
    }

    /// The conclusion in a sentence.
    pub(crate) fn verdict(&self) -> String {
        let all = match self.interval {
            (_, high) if high < 1.0 => "better than the default on these problems",
            (low, _) if low > 1.0 => {
                "worse than the default: the search was misled by its few runs"
            }
            _ => "no difference from the default could be shown",
        };
        let worse = |on: &&OnProblem| on.adjusted_p <= LEVEL && on.superiority < 0.5;
        let worse: Vec<&str> =
            self.problems.iter().filter(worse).map(|on| on.problem.as_str()).collect();
        match worse.is_empty() || self.interval.0 > 1.0 {
            true => all.into(),
            false => format!("{all}, but worse on {}", worse.join(" and ")),
        }
    }

    pub(crate) fn write(&self, runs: u64, mut out: impl Write) -> io::Result<()> {
        let head = ["problem", "default costs", "found costs", "better in", "p"].map(String::from);
        let row = |on: &OnProblem| {
            let better = format!("{:.0} %", 100.0 * on.superiority);
            let costs = [on.default_cost, on.found_cost].map(short);
            [vec![on.problem.clone()], costs.to_vec(), vec![better, p_value(on.adjusted_p)]]
                .concat()
        };
        let table = Table {
            title: format!("anew, with other draws, {} each", counted(runs, "run")),
            head: head.into(),
            rows: self.problems.iter().map(row).collect(),
        };
        table.text(&mut out)?;
        let (low, high) = self.interval;
        let [quality, low, high] = [self.quality, low, high].map(short);
        writeln!(out, "quality {quality} (95 %: {low} to {high}): {}", self.verdict())
    }
}

/// The values that differ from the defaults, as they are set.
pub(crate) fn settings(algorithm: &Algorithm) -> Vec<(&'static str, String)> {
    let default = algorithm.info().algorithm().parameters();
    let differs =
        algorithm.parameters().into_iter().zip(default).filter(|(value, usual)| value != usual);
    differs.map(|((name, value), _)| (name, value.to_string())).collect()
}

/// Writes how to use a configuration on the command line and in Rust.
pub(crate) fn write_preset(
    algorithm: &Algorithm,
    individuals: u64,
    mut out: impl Write,
) -> io::Result<()> {
    let (id, settings) = (algorithm.info().id, settings(algorithm));
    let set: Vec<String> =
        settings.iter().map(|(name, value)| format!("--set {name}={value}")).collect();
    writeln!(
        out,
        "\nTo use it:\n  --algorithm {id} --individuals {individuals} {}",
        set.join(" ")
    )?;
    let with: Vec<String> =
        settings.iter().map(|(name, value)| format!(":{name}={value}")).collect();
    writeln!(out, "to compare it:\n  {id}:individuals={individuals}{}", with.concat())?;
    writeln!(
        out,
        "in Rust:\n  let mut {} = warpswarm::algorithms::find({id:?})?.algorithm();",
        variable(id)
    )?;
    for (name, value) in settings {
        writeln!(out, "  {}.set({name:?}, {value:?})?;", variable(id))?;
    }
    Ok(())
}

fn variable(id: &str) -> String {
    id.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_better_is_said() {
        let default = [(0..30).map(|i| 2.0 + f64::from(i % 5) / 10.0).collect::<Vec<_>>()];
        let found = [default[0].iter().map(|cost| cost / 2.0).collect::<Vec<_>>()];
        let names = ["sphere".to_string()];
        let tested = Tested::of(&names, &found, &default, 0);
        assert!((tested.quality - 0.5).abs() < 1e-12);
        assert!(tested.interval.0 < 0.5 && (0.5..1.0).contains(&tested.interval.1), "{tested:?}");
        assert!(tested.verdict().starts_with("better"));
        assert_eq!(tested.problems[0].superiority, 1.0);
        assert!(tested.problems[0].adjusted_p < 1e-6);
        assert!(Tested::of(&names, &default, &found, 0).verdict().starts_with("worse"));
        assert!(Tested::of(&names, &default, &default, 0).verdict().starts_with("no difference"));
    }

    #[test]
    fn a_problem_that_suffers_is_named() {
        let sample =
            |from: f64| (0..30).map(|i| from + f64::from(i % 5) / 10.0).collect::<Vec<_>>();
        let names = ["easy", "hard"].map(String::from);
        let tested =
            Tested::of(&names, &[sample(1.0), sample(5.0)], &[sample(4.0), sample(4.0)], 0);
        assert_eq!(
            tested.verdict(),
            "better than the default on these problems, but worse on hard"
        );
    }

    #[test]
    fn a_preset_is_what_differs() {
        let mut pso = Algorithm::Pso(Default::default());
        pso.set("inertia", "0.5").unwrap();
        pso.set("boundary", "wrap").unwrap();
        let mut text = Vec::new();
        write_preset(&pso, 64, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(
            text.contains(
                "--algorithm pso --individuals 64 --set inertia=0.5 --set boundary=wrap\n"
            ),
            "{text}"
        );
        assert!(text.contains("pso:individuals=64:inertia=0.5:boundary=wrap\n"), "{text}");
        assert!(text.contains("pso.set(\"inertia\", \"0.5\")?;"), "{text}");
    }
}
