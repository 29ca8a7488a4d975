//! Follows the ways to begin in README.md, from `git clone` to a picture, with the packages instead of a published
//! version.
//!
//! The commands are those of README.md, line by line. A script takes the place of cargo: `cargo xtask run` runs the
//! program that the tests use, and other commands compile fast, share the compiled dependencies and
//! download nothing.

use std::env;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::{FLAGS, Folders, SHARED};
use crate::shell::{self, program, quoted};
use warpswarm_ptx_builder::toolchain::{NONE, RUSTC_VARIABLE};

/// The repository that the commands of README.md clone.
const PUBLISHED: &str = "https://github.com/warpswarm/warpswarm";
/// The ways of README.md: the largest number of commands, and the picture file.
const WAYS: [(usize, &str); 3] = [
    (3, "warpswarm/convergence.png"),
    (4, "warpswarm/convergence.png"),
    (6, "my-fit/convergence.png"),
];
/// The smallest width, height and number of bytes of a picture that shows something.
const LEAST: (u32, u32, usize) = (800, 400, 10_000);

/// Follows all ways, the last of which creates the crate of [`Folders::own`].
pub(super) fn follow(folders: &Folders, built: &Path) -> Result<()> {
    let page = fs::read_to_string(shell::root().join("README.md"))?;
    let blocks = blocks(&page, "Three ways to begin")?;
    ensure!(blocks.len() == WAYS.len(), "README.md has {} ways to begin", blocks.len());
    let path = put_script(folders, built)?;
    let mut pictures = Vec::new();
    for (block, (most, file)) in blocks.iter().zip(WAYS) {
        let count = commands(block)?;
        ensure!(count <= most, "{count} commands, not {most}:\n{block}");
        shell::remove(&folders.begin)?;
        fs::create_dir_all(&folders.begin)?;
        let mut shell = program("sh", &["-euc", block]);
        shell.current_dir(&folders.begin).env("PATH", &path);
        shell.envs([
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", &format!("url.{}.insteadOf", shell::root().display())),
            ("GIT_CONFIG_VALUE_0", PUBLISHED),
        ]);
        shell.env(RUSTC_VARIABLE, NONE).env("RUSTFLAGS", FLAGS);
        shell::output(&mut shell)?;
        let picture = fs::read(folders.begin.join(file)).with_context(|| file.to_owned())?;
        let (width, height) = size(&picture).with_context(|| format!("{file} is no PNG"))?;
        let shows = width >= LEAST.0 && height >= LEAST.1 && picture.len() >= LEAST.2;
        ensure!(shows, "{file} has {width} x {height} pixels and {} bytes", picture.len());
        ensure!(!pictures.contains(&picture), "the same picture twice");
        pictures.push(picture);
    }
    let source = folders.own.join("objective/src/lib.rs");
    let before = fs::read(source.with_extension("rs.bak"))?;
    ensure!(fs::read(&source)? != before, "the edit of README.md changes nothing");
    println!("the {} ways of README.md end with pictures", pictures.len());
    Ok(())
}

/// The blocks of commands in a section of a page.
fn blocks<'a>(page: &'a str, section: &str) -> Result<Vec<&'a str>> {
    let heading = format!("\n## {section}\n");
    let (_, rest) = page.split_once(&heading).with_context(|| format!("no section {section}"))?;
    let section = rest.split("\n## ").next().unwrap_or(rest);
    let blocks = section.split("```sh\n").skip(1);
    blocks.map(|rest| Ok(rest.split_once("```").context("a block has no end")?.0)).collect()
}

/// The number of typed commands; a here-document (`<<'END'`) belongs to its command.
fn commands(block: &str) -> Result<usize> {
    let (mut count, mut lines) = (0, block.lines());
    while let Some(line) = lines.next() {
        count += 1;
        if let Some((_, end)) = line.split_once("<<'") {
            let end = end.trim_end_matches('\'');
            ensure!(lines.any(|line| line == end), "no {end} after `{line}`");
        }
    }
    Ok(count)
}

/// Writes the script that takes the place of cargo, and returns the search path for programs that begins with it.
fn put_script(folders: &Folders, built: &Path) -> Result<std::ffi::OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    let script = format!(
        "#!/bin/sh\n\
        set -eu\n\
        if [ \"$1\" = xtask ]; then\n\
        \tshift 3\n\
        \tif [ \"$1\" != new ]; then exec {built} \"$@\"; fi\n\
        \t{built} new \"$2\" --library {crates}\n\
        \texec cp {lock} \"$2\"\n\
        fi\n\
        command=$1\n\
        shift\n\
        PATH={path} exec {cargo} \"$command\" {options} \"$@\"\n",
        built = quoted(built),
        crates = quoted(&folders.crates),
        lock = quoted(shell::root().join("Cargo.lock")),
        // Without this script.
        path = quoted(&path),
        cargo = quoted(shell::cargo(&[]).get_program()),
        options = SHARED
            .iter()
            .map(quoted)
            .chain(["--target-dir".to_owned(), quoted(&folders.build)])
            .collect::<Vec<_>>()
            .join(" "),
    );
    let file = folders.script.join("cargo");
    fs::create_dir_all(&folders.script)?;
    shell::put_script(&file, &script)?;
    let first = std::iter::once(folders.script.clone());
    Ok(env::join_paths(first.chain(env::split_paths(&path)))?)
}

/// Width and height of a PNG, in pixels.
fn size(png: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from_be_bytes(png.get(at..at + 4)?.try_into().ok()?));
    let whole = png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xae\x42\x60\x82");
    whole.then_some((number(16)?, number(20)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_counted() {
        assert_eq!(commands("a\nb | c\n").unwrap(), 2);
        assert_eq!(commands("a\ncat > x <<'END'\nb\n\nc\nEND\nd\n").unwrap(), 3);
        assert!(commands("cat > x <<'END'\nb\n").is_err());
        let page = "\n## A\n```sh\na\n```\n\n## B\n```sh\nb\n```\n";
        assert_eq!(blocks(page, "A").unwrap(), ["a\n"]);
    }
}
