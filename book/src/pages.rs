//! Pages that are written by the program: one of each algorithm, one of each problem, and their lists.
//!
//! What they say comes from the registry and from the documentation of the code, so that neither is said twice.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use regex::Regex;
use warpswarm::algorithms::{self, AlgorithmInfo};
use warpswarm::problems::{self, ProblemInfo};

use crate::pictures;

/// Where the summary names the pages.
const ALGORITHMS: &str = "<!-- algorithms -->";
const PROBLEMS: &str = "<!-- problems -->";

/// Where the language of problem files is described.
const LANGUAGE: &str = "crates/host/src/problem/problem_file/mod.rs";

/// Where the repository's files can be read.
const REPOSITORY: &str = "https://github.com/warpswarm/warpswarm/blob/main/";

/// A chapter as it stands in the book: what it links to outside of `docs` is in the repository.
///
/// # Errors
///
/// Never, but for a mistake here.
pub fn chapter(text: &str) -> Result<String> {
    const OUTSIDE: &str = r"\]\((?:\.\./)+((?:(?:benches|crates|examples|tests|xtask)/|ARCHITECTURE|CHANGELOG|CONTRIBUTING|README|SECURITY)[^)]*)\)";
    let outside = Regex::new(OUTSIDE)?;
    Ok(outside.replace_all(text, format!("]({REPOSITORY}$1)")).into_owned())
}

/// Writes all pages into the book's sources, and puts them into its summary.
///
/// # Errors
///
/// Where a file cannot be read or written, or an algorithm or problem has no documentation.
pub fn write(root: &Path, src: &Path) -> Result<()> {
    // Here and not in SUMMARY.md: on a code host these links would lead nowhere.
    let mut lists =
        ["- [Algorithms](algorithms.md)\n", "- [Problems](problems.md)\n"].map(String::from);
    fs::create_dir_all(src.join("algorithms"))?;
    fs::create_dir_all(src.join("problems"))?;
    for info in algorithms::ALL {
        let page = format!("algorithms/{}.md", info.id);
        fs::write(src.join(&page), algorithm(root, info)?)?;
        fs::write(src.join(format!("algorithms/{}.svg", info.id)), pictures::converging(info)?)?;
        writeln!(lists[0], "  - [{}]({page})", info.id)?;
    }
    for info in problems::all() {
        let page = format!("problems/{}.md", info.id);
        let mut text = problem(root, info)?;
        if let Some(picture) = pictures::contours(info)? {
            fs::write(src.join(format!("problems/{}.svg", info.id)), picture)?;
            write!(text, "\n![contours of {0} in two dimensions]({0}.svg)\n", info.id)?;
        }
        fs::write(src.join(&page), text)?;
        writeln!(lists[1], "  - [{}]({page})", info.id)?;
    }
    let chapter = src.join("reference/problem-files.md");
    let code = fs::read_to_string(root.join(LANGUAGE)).context(LANGUAGE)?;
    let docs = plain(&module_docs(&code))?;
    // The first sentence is for those who read code.
    let (_, docs) = docs.split_once("\n\n").context("no documentation of problem files")?;
    let text = replaced(&fs::read_to_string(&chapter)?, &format!("<!-- {LANGUAGE} -->"), docs)?;
    fs::write(chapter, text)?;
    fs::write(src.join("algorithms.md"), algorithm_list())?;
    fs::write(src.join("problems.md"), problem_list())?;
    let summary = src.join("SUMMARY.md");
    let mut text = fs::read_to_string(&summary).context("docs/SUMMARY.md")?;
    for (mark, list) in [ALGORITHMS, PROBLEMS].into_iter().zip(&lists) {
        text = replaced(&text, mark, list.trim_end())?;
    }
    Ok(fs::write(summary, text)?)
}

fn replaced(text: &str, mark: &str, by: &str) -> Result<String> {
    ensure!(text.contains(mark), "a chapter has no line {mark}");
    Ok(text.replace(mark, by))
}

fn algorithm_list() -> String {
    let mut text =
        "# Algorithms\n\n| algorithm | what it is | runs on |\n|---|---|---|\n".to_string();
    for info in algorithms::ALL {
        let AlgorithmInfo { id, title, .. } = info;
        let _ = writeln!(text, "| [`{id}`](algorithms/{id}.md) | {title} | {} |", backends(info));
    }
    text
}

fn problem_list() -> String {
    let mut text = "# Problems\n\n| problem | formula | dimensions |\n|---|---|---|\n".to_string();
    for info in problems::all() {
        let ProblemInfo { id, formula, dimensions, .. } = info;
        let formula = cell(formula);
        let _ = writeln!(text, "| [`{id}`](problems/{id}.md) | {formula} | {dimensions} |");
    }
    text
}

/// The page of an algorithm: the documentation of its equations, its parameters, its presets.
fn algorithm(root: &Path, info: &AlgorithmInfo) -> Result<String> {
    let mut text = format!("# {}\n\n{}.\n\n", info.id, capital(info.title));
    writeln!(text, "    $ warpswarm solve rastrigin --dim 10 --algorithm {}\n", info.id)?;
    writeln!(text, "Runs on {}. Source: {}.\n", backends(info), info.source)?;
    writeln!(text, "![{0} on three functions, moved off the centre]({0}.svg)\n", info.id)?;
    writeln!(
        text,
        "With default parameters: the median of 15 runs, and the band between the quartiles.\n"
    )?;
    writeln!(text, "## Parameters\n\n`--set NAME=VALUE`, in Rust `Algorithm::set`.\n")?;
    writeln!(text, "| name | meaning | allowed | default |\n|---|---|---|---|")?;
    for row in info.parameters() {
        let (meaning, range) = (cell(row.meaning), cell(&row.range));
        writeln!(text, "| `{}` | {meaning} | {range} | {} |", row.name, row.default)?;
    }
    writeln!(text, "\n## Presets\n\n| `--set preset=` | source |\n|---|---|")?;
    for preset in info.presets {
        writeln!(text, "| `{}` | {} |", preset.name, cell(preset.source))?;
    }
    for (heading, file) in sources(info.id) {
        let path = root.join("crates/core/src").join(file);
        let code = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let docs = plain(&module_docs(&code))?;
        ensure!(!docs.is_empty(), "{} has no documentation", path.display());
        writeln!(text, "\n## {heading}\n\n{docs}")?;
    }
    Ok(text)
}

/// The modules with an algorithm's equations.
fn sources(id: &str) -> Vec<(&'static str, String)> {
    let equations = "The equations";
    match id {
        "pso" => vec![
            (equations, "pso.rs".into()),
            ("With a neighbourhood, or an inertia that falls", "pso_topology.rs".into()),
        ],
        "spso" => vec![(equations, "pso.rs".into())],
        "auto" => vec![("CMA-ES", "cma_es.rs".into()), ("SHADE", "shade.rs".into())],
        other => vec![(equations, format!("{}.rs", other.replace('-', "_")))],
    }
}

/// The page of a problem: its documentation, its formulas, its bounds, its optimum.
fn problem(root: &Path, info: &ProblemInfo) -> Result<String> {
    let docs = plain(&type_docs(&root.join("crates/core/src/problems"), info.type_name)?)?;
    let dimensions = info.dimensions.usual();
    let dim = if info.dimensions.is_fixed() { String::new() } else { " --dim 10".into() };
    let mut text = format!("# {}\n\n{docs}\n\n", info.id);
    writeln!(text, "    $ warpswarm solve {}{dim}\n", info.id)?;
    writeln!(text, "f(x) = {}\n", info.formula)?;
    if !info.constraints.is_empty() {
        writeln!(text, "| constraint | at most 0 where it is met |\n|---|---|")?;
        for constraint in info.constraints {
            writeln!(text, "| `{}` | {} |", constraint.name, cell(constraint.formula))?;
        }
        writeln!(text)?;
    }
    writeln!(text, "Dimensions: {}. Source: {}.\n", info.dimensions, info.source)?;
    let bounds = info.bounds(dimensions)?;
    let best = info.optimum_position(dimensions);
    if info.coordinates.is_empty() {
        writeln!(text, "Bounds of each coordinate: {}.", range(&bounds, 0))?;
    } else {
        writeln!(text, "| coordinate | bounds | best known |\n|---|---|---|")?;
        for (i, name) in info.coordinates.iter().enumerate() {
            let best = best.as_ref().map_or("".into(), |best| best[i].to_string());
            writeln!(text, "| {name} | {} | {best} |", range(&bounds, i))?;
        }
    }
    if let Some(value) = info.optimum_value(dimensions) {
        let of =
            if info.dimensions.is_fixed() { String::new() } else { format!(" (D = {dimensions})") };
        writeln!(text, "\nBest known value{of}: {value}.")?;
    }
    Ok(text)
}

fn range(bounds: &warpswarm::Bounds, i: usize) -> String {
    format!("[{}, {}]", bounds.lower()[i], bounds.upper()[i])
}

fn backends(info: &AlgorithmInfo) -> String {
    let names: Vec<_> = info.backends.iter().map(|backend| format!("`{backend}`")).collect();
    names.join(", ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The text as it stands in a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The documentation at the beginning of a file.
fn module_docs(code: &str) -> String {
    let lines = code.lines().map_while(|line| line.strip_prefix("//!"));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// The documentation of a type, wherever it is under a folder.
fn type_docs(folder: &Path, name: &str) -> Result<String> {
    let docs = find_type(folder, name)?;
    docs.with_context(|| format!("no documentation of {name} in {}", folder.display()))
}

fn find_type(folder: &Path, name: &str) -> Result<Option<String>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let found = if path.is_dir() {
            find_type(&path, name)?
        } else {
            docs_of(&fs::read_to_string(&path)?, name)
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The documentation of a type in a file, without its example.
fn docs_of(code: &str, name: &str) -> Option<String> {
    let lines: Vec<_> = code.lines().collect();
    let declared = [format!("pub struct {name};"), format!("pub struct {name} {{")];
    let at = lines.iter().position(|line| declared.iter().any(|with| line.starts_with(with)))?;
    let above = lines[..at].iter().rev().skip_while(|line| line.starts_with("#["));
    let mut docs: Vec<_> = above.map_while(|line| line.strip_prefix("///")).collect();
    docs.reverse();
    let docs = docs.iter().map(|line| line.strip_prefix(' ').unwrap_or(line));
    // Examples are for those who write Rust.
    let docs: Vec<_> = docs.take_while(|line| !line.starts_with("```")).collect();
    Some(docs.join("\n").trim_end().to_owned()).filter(|docs| !docs.is_empty())
}

/// Documentation without links into the code: of those the words stay.
fn plain(docs: &str) -> Result<String> {
    let with_path = Regex::new(r"\[([^\]\[]+)\]\((?:fn@|mod@)?\w+(?:::\w+)+\)")?;
    let without = Regex::new(r"\[(`[^`\]]+`)\]([^(]|$)")?;
    let docs = with_path.replace_all(docs, "$1");
    Ok(without.replace_all(&docs, "$1$2").into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_is_read_from_code() {
        let code = "//! One.\n//!\n//! Two.\n\nuse x;\n\n/// First,\n/// second.\n///\n/// ```\n/// f();\n/// ```\n#[derive(Debug)]\npub struct Thing;\n";
        assert_eq!(module_docs(code), "One.\n\nTwo.");
        assert_eq!(docs_of(code, "Thing").unwrap(), "First,\nsecond.");
        assert_eq!(docs_of(code, "Other"), None);
    }

    #[test]
    fn links_into_the_code_lose_their_target_and_intervals_stay() {
        let docs = "see [`boundary`](crate::boundary), [`Factor`]s in [0, 1], [the paper](https://x.org/a)";
        assert_eq!(
            plain(docs).unwrap(),
            "see `boundary`, `Factor`s in [0, 1], [the paper](https://x.org/a)"
        );
    }

    #[test]
    fn links_to_code_lead_to_the_repository() {
        let text = "[a](../../examples/models/src/a.rs), [b](../random.md), [c](gpu.md)";
        let there =
            format!("[a]({REPOSITORY}examples/models/src/a.rs), [b](../random.md), [c](gpu.md)");
        assert_eq!(chapter(text).unwrap(), there);
        // From the pages of papers, whose results lie in a folder with their pictures.
        let text = "[`a`](../../crates/core/src/a.rs), [b](results/cpso.md), ![c](cpso-figure-8.svg), \
                    [d](../../ARCHITECTURE.md#decisions)";
        let there = format!(
            "[`a`]({REPOSITORY}crates/core/src/a.rs), [b](results/cpso.md), ![c](cpso-figure-8.svg), \
             [d]({REPOSITORY}ARCHITECTURE.md#decisions)"
        );
        assert_eq!(chapter(text).unwrap(), there);
    }

    #[test]
    fn every_algorithm_and_problem_has_a_page() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for info in algorithms::ALL {
            let page = algorithm(root, info).unwrap();
            assert!(page.contains("**Equations**") || page.contains("**Source.**"), "{page}");
            assert!(!page.contains("crate::"), "{page}");
        }
        for info in problems::all() {
            let page = problem(root, info).unwrap();
            assert!(page.contains(info.source) && !page.contains("crate::"), "{page}");
        }
    }
}
