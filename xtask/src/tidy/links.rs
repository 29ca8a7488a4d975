//! Checks the links from pages to files of the repository, and the names in their texts.

use std::path::{Component, Path, PathBuf};

use regex::Regex;

use super::source::has_word;
use super::{File, Tree};

/// Folders of pages that the book generates; they do not exist in the repository.
const OF_THE_BOOK: [&str; 2] = ["docs/algorithms", "docs/problems"];

/// Relative Markdown links must lead to existing files and folders. If the text of a link is a name in code, the file
/// must contain that name. Pages of `docs` that are mentioned in code or pages must exist.
pub(crate) fn links(tree: &Tree) -> Vec<String> {
    let link = Regex::new(r"\[([^\]]*)\]\(([^)\s]+)\)").expect("a pattern");
    let page = Regex::new(r"`(docs/[\w/-]+\.md)`").expect("a pattern");
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
        for (number, line) in unfenced(&file.text) {
            for found in link.captures_iter(line) {
                if let Some(what) = broken(tree, file, &found[1], &found[2]) {
                    findings.push(format!("{}:{number}: {what}", file.path));
                }
            }
        }
    }
    for file in tree.files.iter().filter(|file| !file.path.ends_with("CHANGELOG.md")) {
        let lines = file.text.lines().enumerate().filter(|(_, line)| line.contains("`docs/"));
        for (number, line) in lines {
            for found in page.captures_iter(line).filter(|found| !is_there(tree, &found[1])) {
                findings.push(format!("{}:{}: no {}", file.path, number + 1, &found[1]));
            }
        }
    }
    findings
}

/// The lines outside code fences, with their numbers. Code may contain links that are valid elsewhere.
fn unfenced(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(i, line)| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        (!fenced && !is_fence).then_some((i + 1, line))
    })
}

/// What is wrong with a link; `None` if it is correct.
fn broken(tree: &Tree, file: &File, text: &str, target: &str) -> Option<String> {
    let (path, _) = target.split_once('#').unwrap_or((target, ""));
    if path.is_empty() || target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let folder = Path::new(&file.path).parent().unwrap_or(Path::new(""));
    let path = plain(&folder.join(path));
    if !is_there(tree, &path) {
        return Some(format!("a link to {path}, which is not there"));
    }
    let target = tree.files.iter().find(|file| file.path == path)?;
    let name = text.strip_prefix('`')?.strip_suffix('`')?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    if !path.ends_with(".rs") || !name.chars().all(is_name) || has_word(&target.text, name) {
        return None;
    }
    Some(format!("`{name}` is not in {path}"))
}

/// Whether a file, or a folder with files, exists.
fn is_there(tree: &Tree, path: &str) -> bool {
    if OF_THE_BOOK
        .iter()
        .any(|page| path.strip_prefix(page).is_some_and(|rest| rest.starts_with(['.', '/'])))
    {
        return true;
    }
    let inside = format!("{}/", path.trim_end_matches('/'));
    tree.files.iter().any(|file| file.path == path || file.path.starts_with(&inside))
}

/// A normalised path from the root, without `.` and `..`.
fn plain(path: &Path) -> String {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::Normal(name) => plain.push(name),
            _ => {}
        }
    }
    plain.to_string_lossy().replace('\\', "/")
}
