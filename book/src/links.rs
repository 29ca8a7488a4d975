//! Links of pages that mdBook has written: to other pages, to places in them, to pictures.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use regex::Regex;

/// What a page has: the names of its places, and where its links lead.
#[derive(Debug, Default)]
struct Page {
    places: BTreeSet<String>,
    links: Vec<String>,
}

/// Every link of the pages under a folder that leads to no page, place or file there; links to other hosts are not
/// followed.
///
/// # Errors
///
/// Where a page cannot be read.
pub fn broken(html: &Path) -> Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    read(html, &mut pages)?;
    let mut broken = Vec::new();
    for (path, page) in &pages {
        for link in page.links.iter().filter(|link| !leads_elsewhere(link)) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => plain(&path.parent().unwrap_or(html).join(file)),
            };
            let there = match pages.get(&target) {
                Some(page) => place.is_empty() || page.places.contains(place),
                None => target.exists(),
            };
            if !there {
                broken.push(format!("{}: {link}", path.strip_prefix(html)?.display()));
            }
        }
    }
    Ok(broken)
}

fn leads_elsewhere(link: &str) -> bool {
    ["http:", "https:", "mailto:", "data:", "javascript:"].iter().any(|with| link.starts_with(with))
}

fn read(folder: &Path, pages: &mut BTreeMap<PathBuf, Page>) -> Result<()> {
    let links = Regex::new(r#"<(?:a|img|link|script)\b[^>]*?\s(?:href|src)="([^"]*)""#)?;
    let places = Regex::new(r#"\sid="([^"]*)""#)?;
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            read(&path, pages)?;
        } else if path.extension().is_some_and(|ending| ending == "html") {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let all = |what: &Regex| -> Vec<String> {
                what.captures_iter(&text).map(|found| found[1].replace("&amp;", "&")).collect()
            };
            let page = Page { places: all(&places).into_iter().collect(), links: all(&links) };
            pages.insert(path, page);
        }
    }
    Ok(())
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("picture.svg", "");
        write("a.html", r#"<h1 id="top">A</h1> <a class="x" href="deep/b.html#there">b</a>"#);
        write(
            "deep/b.html",
            r##"<p id="there"> <a href="../a.html#top">a</a> <img src="../picture.svg">
            <a href="https://example.org/x">elsewhere</a> <a href="#there">here</a>
            <a href="../a.html#bottom">no place</a> <a href="c.html">no page</a> <img src="no.png">"##,
        );
        let broken = broken(folder.path()).unwrap();
        let expected = ["../a.html#bottom", "c.html", "no.png"];
        assert_eq!(broken, expected.map(|link| format!("deep/b.html: {link}")));
    }
}
