//! Adds a benchmark problem: writes its file from a template, and its lines in the registry, the tests and the
//! changelog. A word marks what is missing, and `tidy` refuses it.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::shell;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The name for users: lower-case letters, digits, `-` and `.`, such as alpine-1
    name: String,
    /// The formula for users, such as "sum x_i^2"
    #[arg(allow_hyphen_values = true)]
    formula: String,
    /// The lower bound of all coordinates
    #[arg(allow_negative_numbers = true)]
    lower: f64,
    /// The upper bound of all coordinates
    #[arg(allow_negative_numbers = true)]
    upper: f64,
}

/// The word, in parts, because `tidy` reads this file, too.
const MARK: &str = concat!("FIX", "ME");
const TEMPLATE: &str = include_str!("new_problem/problem.txt");
const REGISTRY: &str = "crates/core/src/problems/mod.rs";
const VALUES: &str = "tests/core/src/problems/values.rs";
const CHANGELOG: &str = "CHANGELOG.md";

pub(crate) fn run(args: &Args) -> Result<()> {
    let names = Names::of(&args.name)?;
    let path = format!("crates/core/src/problems/{}.rs", names.module);
    ensure!(!shell::root().join(&path).exists(), "{path} is there already; choose another name");
    let text = |path: &str| -> Result<String> {
        fs::read_to_string(shell::root().join(path)).with_context(|| path.to_owned())
    };
    let (lower, upper) = (args.lower, args.upper);
    ensure!(
        lower < upper && (upper - lower).is_finite(),
        "the bounds are {lower:?} and {upper:?}; allowed: finite numbers, the lower one first"
    );
    let formula = args.formula.trim();
    ensure!(!formula.is_empty(), "the formula is empty; allowed: a text such as \"sum x_i^2\"");
    let files = [
        (path.as_str(), names.problem(formula, (lower, upper))),
        (REGISTRY, names.registered(&text(REGISTRY)?)?),
        (VALUES, names.with_values(&text(VALUES)?, (lower, upper))?),
        (CHANGELOG, names.in_changelog(&text(CHANGELOG)?, formula)?),
    ];
    for (path, text) in &files {
        fs::write(shell::root().join(path), text).with_context(|| path.to_string())?;
    }
    // It sorts the lines of modules.
    shell::run(&mut shell::cargo(&["fmt", "--package", "warpswarm-core"]))?;
    for (path, what) in [
        (&*path, &*format!("the problem; replace what {MARK} marks")),
        (VALUES, "its values at two points; replace NAN"),
        (REGISTRY, "the registry, with the problem for any number of dimensions"),
        (CHANGELOG, "a line for users"),
    ] {
        println!("{path}: {what}");
    }
    let [first, second] = points((lower, upper));
    println!("With mpmath: print(float(f({first})), float(f({second})))");
    Ok(())
}

/// The names of a problem.
#[derive(Debug, PartialEq)]
struct Names<'a> {
    /// For users.
    id: &'a str,
    /// Of the file.
    module: String,
    /// Of the type.
    of_type: String,
}

impl<'a> Names<'a> {
    fn of(id: &'a str) -> Result<Self> {
        let is_good = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '.');
        ensure!(
            id.chars().all(is_good) && id.starts_with(|c: char| c.is_ascii_lowercase()),
            "{id:?} is no name of a problem; allowed: lower-case letters, digits, `-` and `.`, a letter first"
        );
        let capital = |word: &str| {
            let (first, rest) = word.split_at(word.len().min(1));
            first.to_uppercase() + rest
        };
        let of_type = id.split(['-', '.']).map(capital).collect();
        Ok(Names { id, module: id.replace(['-', '.'], "_"), of_type })
    }

    /// The problem's file.
    fn problem(&self, formula: &str, (lower, upper): (f64, f64)) -> String {
        let text = TEMPLATE.replace("TYPE", &self.of_type).replace("NAME", self.id);
        let text = text.replace("[LOWER, UPPER]", &format!("[{lower}, {upper}]"));
        let text =
            text.replace("LOWER", &format!("{lower:?}")).replace("UPPER", &format!("{upper:?}"));
        // The documentation is plain text, and `FORMULA` a string.
        let text = text.replacen("FORMULA", formula, 1);
        text.replace("\"FORMULA\"", &format!("{formula:?}"))
    }

    /// The registry with the problem, after the others for any number of dimensions.
    fn registered(&self, text: &str) -> Result<String> {
        let Names { module, of_type, .. } = self;
        let text = before(text, "\nmod ", &format!("\nmod {module};"))?;
        let text = before(&text, "\npub use ", &format!("\npub use {module}::{of_type};"))?;
        let last = text.rfind(": any,\n").context("no problem for any number of dimensions")?;
        Ok(inserted(&text, last + ": any,\n".len(), &format!("            {of_type}: any,\n")))
    }

    /// The table of values with two that are missing, at points between the bounds.
    fn with_values(&self, text: &str, bounds: (f64, f64)) -> Result<String> {
        let marker = "with Python's mpmath in fifty digits.\n";
        let at = text.find(marker).with_context(|| format!("{VALUES} has no line {marker:?}"))?;
        let line = |point| format!("                    (&[{point}], f64::NAN),\n");
        let [first, second] = points(bounds).map(line);
        let entry =
            format!("                {:?} => [\n{first}{second}                ],\n", self.id);
        Ok(inserted(text, at + marker.len(), &entry))
    }

    /// The changelog with a line, the first one below "Added".
    fn in_changelog(&self, text: &str, formula: &str) -> Result<String> {
        before(text, "\n- ", &format!("\n- The problem `{}`: {formula}.", self.id))
    }
}

/// Two points between the bounds, not in the middle.
fn points((lower, upper): (f64, f64)) -> [String; 2] {
    [&[0.625, 0.25, 0.5625][..], &[0.375, 0.75]].map(|parts| {
        let x = parts.iter().map(|part| format!("{:?}", lower + part * (upper - lower)));
        x.collect::<Vec<_>>().join(", ")
    })
}

/// The text with `new` before the first `mark`.
fn before(text: &str, mark: &str, new: &str) -> Result<String> {
    let at = text.find(mark).with_context(|| format!("nothing begins with {:?}", mark.trim()))?;
    Ok(inserted(text, at, new))
}

fn inserted(text: &str, at: usize, new: &str) -> String {
    [&text[..at], new, &text[at..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_from_the_name_for_users() {
        let names = Names::of("schwefel-2.26").unwrap();
        assert_eq!((&*names.module, &*names.of_type), ("schwefel_2_26", "Schwefel226"));
        for wrong in ["", "Alpine", "2d", "a b", "../a", "a_b"] {
            assert!(Names::of(wrong).is_err(), "{wrong}");
        }
    }

    /// The template has every line of a problem, but what differs between problems.
    #[test]
    fn the_template_is_a_problem_of_the_repository() {
        let path = shell::root().join("crates/core/src/problems/alpine_1.rs");
        let real = fs::read_to_string(path).unwrap();
        let formula = "sum |x_i sin(x_i) + 0.1 x_i|";
        let made = Names::of("alpine-1").unwrap().problem(formula, (-10.0, 10.0));
        let (mut count, mut next) = (0, "");
        for line in made.lines().skip(1) {
            let differs = line.contains(MARK) || next.contains(MARK);
            if !differs && !line.contains("let value") && !line.contains("assert!") {
                assert!(real.lines().any(|of| of == line), "{line:?} is not in alpine_1.rs");
                count += 1;
            }
            next = line;
        }
        assert!(count >= 25, "{count}");
        assert!(made.contains(&format!("\n/// {formula} on [-10, 10]; ")), "{made}");
        assert!(!["TYPE", "NAME", "LOWER", "UPPER"].iter().any(|word| made.contains(word)));
    }

    #[test]
    fn a_problem_is_in_the_files_of_the_repository() {
        let names = Names::of("zz-1").unwrap();
        let read = |path: &str| fs::read_to_string(shell::root().join(path)).unwrap();
        let lines = |before: &str, after: &str| -> Vec<String> {
            let is_new = |line: &&str| !before.lines().any(|old| old == *line);
            after.lines().filter(is_new).map(|line| line.trim().to_owned()).collect()
        };
        let before = read(REGISTRY);
        let after = names.registered(&before).unwrap();
        assert_eq!(lines(&before, &after), ["mod zz_1;", "pub use zz_1::Zz1;", "Zz1: any,"]);
        assert!(after.find("Zz1: any,") < after.find(": few,"));
        let before = read(VALUES);
        let after = names.with_values(&before, (-1.0, 1.0)).unwrap();
        assert!(
            after.contains("(&[0.25, -0.5, 0.125], f64::NAN)") && after.contains("[-0.25, 0.5]")
        );
        assert_eq!(lines(&before, &after)[0], "\"zz-1\" => [");
        assert_eq!(after.matches("f64::NAN").count(), before.matches("f64::NAN").count() + 2);
        let after = names.in_changelog(&read(CHANGELOG), "sum x_i^2").unwrap();
        let (_, added) = after.split_once("### Added\n\n").unwrap();
        assert_eq!(added.lines().next(), Some("- The problem `zz-1`: sum x_i^2."));
        assert!(names.registered("").is_err() && names.with_values("", (0.0, 1.0)).is_err());
    }
}
