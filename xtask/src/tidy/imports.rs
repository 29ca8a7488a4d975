//! Finds the imports between the files of a crate.
//!
//! A path in a `use` or in other code counts as an import of the file to which it leads. A declaration of a module does
//! not count. Unit tests, and files that only tests use, are ignored. Modules inside a file, and paths created by
//! macros, are not detected.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::LazyLock;

use regex::Regex;

use super::Tree;
use super::source::bare;

/// The folder of the program's files.
const PROGRAM: &str = "crates/cli/src/";
/// The crates whose rooms are drawn: name in the drawing, and folder.
pub(super) const WITH_ROOMS: [(&str, &str); 2] = [("cli", PROGRAM), ("host", "crates/host/src/")];

/// The path of a module, starting at the crate's root.
type Module = Vec<String>;

/// From each importing file or room to the imported ones.
pub(super) type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The imports between the files of a crate, by their paths in its folder. `main.rs` is a separate crate, and is
/// omitted.
pub(super) fn between_files(tree: &Tree, folder: &str) -> Arrows {
    let files = tree.rust().filter_map(|file| {
        let path = file.path.strip_prefix(folder).filter(|path| *path != "main.rs")?;
        Some((module(path), (path, code(&file.text))))
    });
    let mut files: BTreeMap<Module, (&str, String)> = files.collect();
    let only_tests = only_tests(tree, folder);
    files.retain(|module, _| !only_tests.iter().any(|tests| module.starts_with(tests)));
    let imports = |(module, (path, code)): (&Module, &(&str, String))| {
        let targets = paths(code).into_iter().filter_map(|path| resolved(module, &path, &files));
        let targets = targets.filter(|target| target != module);
        let targets = targets.map(|target| files[&target].0.to_owned()).collect();
        ((*path).to_owned(), targets)
    };
    files.iter().map(imports).collect()
}

/// The imports between rooms, which are the modules in the crate's root. The root itself is not a room.
pub(super) fn between_rooms(files: &Arrows) -> Arrows {
    let mut rooms = Arrows::new();
    for (file, targets) in files {
        let Some(from) = room(file) else { continue };
        let targets = targets.iter().filter_map(|target| room(target));
        let others = targets.filter(|to| *to != from).map(String::from);
        rooms.entry(from.to_owned()).or_default().extend(others);
    }
    rooms
}

/// The room of a file.
fn room(file: &str) -> Option<&str> {
    let name = file.split(['/', '.']).next()?;
    (file != "lib.rs").then_some(name)
}

/// The imports between the files of the program must have no cycles, neither direct nor indirect. The same applies to
/// rooms.
pub(super) fn circle(tree: &Tree) -> Vec<String> {
    let files = between_files(tree, PROGRAM);
    let mut findings: Vec<String> = circles(&files)
        .iter()
        .map(|chain| format!("{PROGRAM}{}: a circle of imports: {}", chain[0], chain.join(" -> ")))
        .collect();
    let of_rooms = circles(&between_rooms(&files)).into_iter();
    findings.extend(of_rooms.map(|chain| {
        let through = chain.windows(2).map(|pair| through(&files, &pair[0], &pair[1]));
        let through = through.collect::<Vec<_>>().join(", ");
        format!("{PROGRAM}: a circle of rooms: {} ({through})", chain.join(" -> "))
    }));
    findings
}

/// An example of an import by which one room depends on another.
fn through(files: &Arrows, from: &str, to: &str) -> String {
    let all = files.iter().filter(|(file, _)| room(file) == Some(from));
    let mut found = all.filter_map(|(file, targets)| {
        let target = targets.iter().find(|target| room(target) == Some(to))?;
        Some(format!("{file} -> {target}"))
    });
    found.next().unwrap_or_default()
}

/// Cycles of imports, each from a member back to itself. Of cycles with a common arrow only one is reported, because
/// removing one arrow may resolve all of them.
fn circles(arrows: &Arrows) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    for start in arrows.keys() {
        let Some(chain) = shortest_way_back(arrows, start) else { continue };
        let mut told = found.iter().flat_map(|chain| chain.windows(2));
        if !told.any(|arrow| chain.windows(2).any(|other| other == arrow)) {
            found.push(chain);
        }
    }
    found
}

/// The shortest path of arrows from a member back to itself.
fn shortest_way_back(arrows: &Arrows, start: &str) -> Option<Vec<String>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut next = VecDeque::from([start]);
    while let Some(at) = next.pop_front() {
        for to in arrows.get(at).into_iter().flatten() {
            if to == start {
                let before = |at: &&str| came_from.get(*at).copied();
                let mut chain: Vec<String> =
                    std::iter::successors(Some(at), before).map(String::from).collect();
                chain.reverse();
                chain.push(start.to_owned());
                return Some(chain);
            }
            if !came_from.contains_key(to.as_str()) {
                came_from.insert(to, at);
                next.push_back(to);
            }
        }
    }
    None
}

/// The module of a file.
fn module(path: &str) -> Module {
    let mut names: Module = path.trim_end_matches(".rs").split('/').map(String::from).collect();
    if names.last().is_some_and(|name| name == "mod") || names == ["lib"] {
        names.pop();
    }
    names
}

/// The code of a file before its unit tests. A declaration of a separate test file does not end the code.
fn code(text: &str) -> String {
    static TESTS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^#\[cfg\(test\)\]\nmod \w+ \{").expect("a pattern"));
    let mut code = bare(text);
    code.truncate(TESTS.find(&code).map_or(code.len(), |tests| tests.start()));
    code
}

/// The modules that exist only in tests.
fn only_tests(tree: &Tree, folder: &str) -> Vec<Module> {
    let declared = Regex::new(r"(?m)^#\[cfg\(test\)\]\n(?:pub(?:\(\w+\))? )?mod (\w+);");
    let declared = declared.expect("a pattern");
    let mut found = Vec::new();
    for file in tree.rust() {
        let Some(path) = file.path.strip_prefix(folder) else { continue };
        for name in declared.captures_iter(&file.text) {
            found.push([module(path), vec![name[1].to_owned()]].concat());
        }
    }
    found
}

/// All paths with several names in code; those of `use` are expanded over their braces.
fn paths(code: &str) -> Vec<Vec<String>> {
    static USES: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\buse\s+([^;]+);").expect("a pattern"));
    static PATH: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:^|[^:\w.])((?:\w+::)+\w+)").expect("a pattern"));
    let mut found = Vec::new();
    for of in USES.captures_iter(code) {
        expand(&of[1], &[], &mut found);
    }
    let rest = USES.replace_all(code, " ");
    let names = |path: &str| path.split("::").map(String::from).collect();
    found.extend(PATH.captures_iter(&rest).map(|of| names(&of[1])));
    found
}

/// Expands `a::{b, c::{d, e}}` after a prefix.
fn expand(tree: &str, prefix: &[String], found: &mut Vec<Vec<String>>) {
    let (path, group) = match tree.split_once('{') {
        Some((path, group)) => (path, group.rsplit_once('}').map(|(group, _)| group)),
        None => (tree, None),
    };
    // A path `::a` leads to another crate.
    if path.trim_start().starts_with("::") {
        return;
    }
    let path = path.split_once(" as ").map_or(path, |(path, _)| path);
    let names = path.split("::").map(str::trim).filter(|name| !name.is_empty());
    let mut whole = prefix.to_vec();
    // `self` at the end of a path means the path before it.
    whole.extend(names.filter(|name| prefix.is_empty() || *name != "self").map(String::from));
    let Some(group) = group else {
        return found.push(whole);
    };
    let (mut depth, mut start) = (0, 0);
    for (at, c) in group.char_indices().chain([(group.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = &group[start..at];
                if !part.trim().is_empty() {
                    expand(part, &whole, found);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// The module to which a path in another module leads; `None` if it belongs to another crate.
fn resolved(
    module: &Module,
    path: &[String],
    files: &BTreeMap<Module, (&str, String)>,
) -> Option<Module> {
    let inside = |of: &Module, name: &String| {
        let mut inside = of.clone();
        inside.push(name.clone());
        files.contains_key(&inside).then_some(inside)
    };
    let mut names = path.iter().peekable();
    let mut at = match names.next()?.as_str() {
        "crate" => Module::new(),
        "self" => module.clone(),
        "super" => module[..module.len().checked_sub(1)?].to_vec(),
        _ => inside(module, &path[0])?,
    };
    while names.next_if(|name| *name == "super").is_some() {
        at.pop();
    }
    while let Some(next) = names.next().and_then(|name| inside(&at, name)) {
        at = next;
    }
    files.contains_key(&at).then_some(at)
}
