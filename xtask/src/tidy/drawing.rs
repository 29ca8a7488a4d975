//! Checks the drawing of crates and rooms in `ARCHITECTURE.md`.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::imports::{Arrows, WITH_ROOMS, between_files, between_rooms};
use super::{File, Tree};

const PAGE: &str = "ARCHITECTURE.md";
/// Packages in the drawing that are not in `crates`.
const OUTSIDE: [&str; 2] = ["book", "xtask"];

/// The drawing must have exactly the existing arrows. An arrow goes from a crate to each crate of the workspace on
/// which it depends, with `?` after it if the dependency is optional; and from each room (a top-level module of the
/// program or the library) to those from which it imports.
pub(super) fn drawing(tree: &Tree) -> Vec<String> {
    let mut there = between_crates(tree);
    let is_there = |folder: &str| {
        tree.files.iter().any(|file| file.path.strip_prefix(folder) == Some("lib.rs"))
    };
    for (name, folder) in WITH_ROOMS.into_iter().filter(|(_, folder)| is_there(folder)) {
        let named = |room: &String| format!("{name}/{room}");
        let rooms = between_rooms(&between_files(tree, folder)).into_iter();
        there.extend(rooms.map(|(room, to)| (named(&room), to.iter().map(named).collect())));
    }
    let page = tree.files.iter().find(|file| file.path == PAGE);
    let mut findings = Vec::new();
    let drawn = page.map_or_else(BTreeMap::new, |page| drawn(page, &mut findings));
    for (from, targets) in &there {
        let Some((shown, line)) = drawn.get(from) else {
            let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
            let targets = if targets.is_empty() { "none".into() } else { targets.join(", ") };
            findings.push(format!("{PAGE}: the drawing lacks the line {from} -> {targets}"));
            continue;
        };
        let mut say = |what, arrows: Vec<&String>| {
            let said =
                arrows.iter().map(|to| format!("{PAGE}:{line}: the drawing {what} {from} -> {to}"));
            findings.extend(said);
        };
        say("lacks the arrow", targets.difference(shown).collect());
        say("has an arrow that is not there:", shown.difference(targets).collect());
    }
    for (name, (_, line)) in drawn.iter().filter(|(name, _)| !there.contains_key(*name)) {
        findings.push(format!("{PAGE}:{line}: {name} is neither a crate nor a room of one"));
    }
    findings
}

/// The dependencies between the crates of the drawing, by the names of their folders.
fn between_crates(tree: &Tree) -> Arrows {
    let name = Regex::new(r#"(?m)^name = "([^"]+)"$"#).expect("a pattern");
    let crates = tree.files.iter().filter_map(|file| {
        let folder = file.path.strip_suffix("/Cargo.toml")?;
        let known = folder.strip_prefix("crates/").filter(|folder| !folder.contains('/'));
        let folder = known.or(OUTSIDE.contains(&folder).then_some(folder))?;
        Some((name.captures(&file.text)?[1].to_owned(), folder))
    });
    let crates: BTreeMap<String, &str> = crates.collect();
    let mut arrows: Arrows =
        crates.values().map(|folder| (folder.to_string(), BTreeSet::new())).collect();
    // Required dependencies come first, so that they take precedence over optional ones.
    let mut dependencies: Vec<_> = tree.dependencies.iter().collect();
    dependencies.sort_by_key(|dependency| dependency.optional);
    for dependency in dependencies {
        let ends = (crates.get(&dependency.from), crates.get(&dependency.to));
        let (Some(from), Some(to)) = ends else { continue };
        let targets = arrows.entry(from.to_string()).or_default();
        if !targets.contains(*to) {
            targets.insert(if dependency.optional { format!("{to}?") } else { to.to_string() });
        }
    }
    arrows
}

/// The arrows of the page's drawing, with the line numbers of their starts. A text block belongs to the drawing if its
/// first line that is not a comment is an arrow.
fn drawn(page: &File, findings: &mut Vec<String>) -> BTreeMap<String, (BTreeSet<String>, usize)> {
    let arrow = Regex::new(r"^([\w/-]+)\s+->\s+(none|[\w/-]+\??(?:,\s*[\w/-]+\??)*)$");
    let arrow = arrow.expect("a pattern");
    let mut found: BTreeMap<String, (BTreeSet<String>, usize)> = BTreeMap::new();
    // Whether the block belongs to the drawing, if already known.
    let (mut in_text, mut is_drawing) = (false, None);
    for (number, line) in (1..).zip(page.text.lines().map(str::trim)) {
        if line.starts_with("```") {
            (in_text, is_drawing) = (!in_text && line == "```text", None);
            continue;
        }
        if !in_text || line.is_empty() || line.starts_with('#') || is_drawing == Some(false) {
            continue;
        }
        let Some(of) = arrow.captures(line) else {
            if *is_drawing.get_or_insert(false) {
                findings.push(format!("{PAGE}:{number}: `{line}` is no line of the drawing"));
            }
            continue;
        };
        is_drawing = Some(true);
        let targets = of[2].split(',').map(str::trim).filter(|to| *to != "none").map(String::from);
        if found.insert(of[1].to_owned(), (targets.collect(), number)).is_some() {
            findings.push(format!("{PAGE}:{number}: the drawing has {} twice", &of[1]));
        }
    }
    found
}
