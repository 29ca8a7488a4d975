//! Adds a benchmark problem: writes its file from a template, and its lines in the registry, the tests and the
//! changelog. A word marks what is missing, and `tidy` refuses it.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::shell;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The name for users: lower-case letters, digits, `-` and `.`, such as alpine-1
    name: String,
    /// What is special about the function, in a few words for the documentation and the changelog
    description: String,
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
    let description = args.description.trim().trim_end_matches('.');
    ensure!(
        !description.is_empty(),
        "the description is empty; say what is special about {}",
        args.name
    );
    let files = [
        (path.as_str(), names.problem(description)),
        (REGISTRY, names.registered(&text(REGISTRY)?)?),
        (VALUES, names.with_values(&text(VALUES)?)?),
        (CHANGELOG, names.in_changelog(&text(CHANGELOG)?, description)?),
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
    fn problem(&self, description: &str) -> String {
        let (first, rest) =
            description.split_at(description.chars().next().map_or(0, char::len_utf8));
        let text = TEMPLATE.replace("DESCRIPTION", &(first.to_uppercase() + rest));
        text.replace("TYPE", &self.of_type).replace("NAME", self.id)
    }

    /// The registry with the problem, after the others for any number of dimensions.
    fn registered(&self, text: &str) -> Result<String> {
        let Names { module, of_type, .. } = self;
        let text = before(text, "\nmod ", &format!("\nmod {module};"))?;
        let text = before(&text, "\npub use ", &format!("\npub use {module}::{of_type};"))?;
        let last = text.rfind(": any,\n").context("no problem for any number of dimensions")?;
        Ok(inserted(&text, last + ": any,\n".len(), &format!("            {of_type}: any,\n")))
    }

    /// The table of values with two that are missing.
    fn with_values(&self, text: &str) -> Result<String> {
        let marker = "with Python's mpmath in fifty digits.\n";
        let at = text.find(marker).with_context(|| format!("{VALUES} has no line {marker:?}"))?;
        let points = ["1.5, -2.25, 0.75", "-3.0, 2.5"];
        let [first, second] = points.map(|x| format!("                    (&[{x}], f64::NAN),\n"));
        let entry =
            format!("                {:?} => [\n{first}{second}                ],\n", self.id);
        Ok(inserted(text, at + marker.len(), &entry))
    }

    /// The changelog with a line, the first one below "Added".
    fn in_changelog(&self, text: &str, description: &str) -> Result<String> {
        before(text, "\n- ", &format!("\n- The problem `{}`: {description}.", self.id))
    }
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
        let made = Names::of("alpine-1").unwrap().problem("the first Alpine function");
        let (mut count, mut next) = (0, "");
        for line in made.lines().skip(1) {
            let differs = line.contains(MARK) || next.contains(MARK);
            if !differs && !line.contains("assert_eq!") {
                assert!(real.lines().any(|of| of == line), "{line:?} is not in alpine_1.rs");
                count += 1;
            }
            next = line;
        }
        assert!(count >= 25, "{count}");
        assert!(made.starts_with("//! The first Alpine function.\n"), "{made}");
        assert!(!["TYPE", "NAME", "DESCRIPTION"].iter().any(|word| made.contains(word)));
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
        let after = names.with_values(&before).unwrap();
        assert_eq!(lines(&before, &after)[0], "\"zz-1\" => [");
        assert_eq!(after.matches("f64::NAN").count(), before.matches("f64::NAN").count() + 2);
        let after = names.in_changelog(&read(CHANGELOG), "a bowl").unwrap();
        let (_, added) = after.split_once("### Added\n\n").unwrap();
        assert_eq!(added.lines().next(), Some("- The problem `zz-1`: a bowl."));
        assert!(names.registered("").is_err() && names.with_values("").is_err());
    }
}
