//! The rules of style that a program can check. Each rule is a function from the tree to its findings.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde_json::Value;

use crate::shell;

pub(crate) use source::without_tests;

mod drawing;
mod imports;
mod links;
mod rules;
mod source;
#[cfg(test)]
mod tests;

/// A file that git tracks or does not ignore.
#[derive(Debug, Default)]
pub(crate) struct File {
    /// The path from the repository's root, with slashes.
    pub(crate) path: String,
    /// Empty if the file is not text.
    pub(crate) text: String,
    pub(crate) bytes: u64,
}

/// A dependency of one package of the workspace on another.
#[derive(Debug)]
pub(crate) struct Dependency {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) optional: bool,
}

/// The input of the rules.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
    /// The dependencies, without those of tests.
    pub(crate) dependencies: Vec<Dependency>,
}

impl Tree {
    /// The Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }
}

pub(crate) fn run() -> Result<()> {
    let tree = read()?;
    let mut count = 0;
    let found: Vec<_> = rules::ALL.par_iter().map(|(name, rule)| (name, rule(&tree))).collect();
    for (name, findings) in found {
        for finding in findings {
            println!("{name}: {finding}");
            count += 1;
        }
    }
    if count > 0 {
        bail!("tidy: {count} findings");
    }
    println!("tidy: {} rules, {} files, no finding", rules::ALL.len(), tree.files.len());
    Ok(())
}

/// The number of uses of `unsafe` in each package that has any.
pub(crate) fn unsafe_counts() -> Result<BTreeMap<String, usize>> {
    Ok(rules::unsafe_counts(&read()?))
}

fn read() -> Result<Tree> {
    let mut files = Vec::new();
    for path in shell::files()? {
        let content = fs::read(shell::root().join(&path)).with_context(|| path.clone())?;
        let bytes = content.len() as u64;
        let text = String::from_utf8(content).unwrap_or_default();
        files.push(File { path, text, bytes });
    }
    let metadata = shell::output(&mut shell::cargo(&[
        "metadata",
        "--format-version=1",
        "--no-deps",
        "--offline",
    ]))?;
    Ok(Tree { files, dependencies: dependencies(&serde_json::from_str(&metadata)?)? })
}

/// The dependencies between packages of the workspace, from `cargo metadata`.
fn dependencies(metadata: &Value) -> Result<Vec<Dependency>> {
    let packages = metadata["packages"].as_array().context("cargo metadata has no packages")?;
    let mut found = Vec::new();
    for package in packages {
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            // Only packages of the workspace have a path.
            if dependency["path"].is_null() || dependency["kind"] == "dev" {
                continue;
            }
            let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            found.push(Dependency {
                from: name(&package["name"]),
                to: name(&dependency["name"]),
                optional: dependency["optional"] == true,
            });
        }
    }
    Ok(found)
}
