//! Checks dependencies with cargo-deny. The advisories are those in the folder `advisories`, so GitHub is not needed.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::shell::{self, program};

/// The repository from which cargo-deny clones advisories.
const DATABASE: &str = "https://github.com/RustSec/advisory-db";

/// An invented advisory about a package on which the tasks depend.
const PLANTED: &str = r#"```toml
[advisory]
id = "RUSTSEC-1970-0001"
package = "anyhow"
date = "1970-01-01"

[versions]
patched = []
```

# Planted, to see it found
"#;

pub(crate) fn run() -> Result<()> {
    let lock = fs::read_to_string(shell::root().join("Cargo.lock"))?;
    let looked_up = fs::read_to_string(shell::root().join("advisories/looked-up.txt"))?;
    let missing = not_looked_up(&lock, &looked_up);
    if !missing.is_empty() {
        bail!("no advisories were looked up for {}: see advisories/README.md", missing.join(", "));
    }
    finds_what_is_planted()?;
    shell::run(&mut cargo_deny(&shell::root().join("advisories"), &["check"])?)
}

/// Fails unless cargo-deny reports a planted advisory. Otherwise a check that never reports anything would go
/// unnoticed.
fn finds_what_is_planted() -> Result<()> {
    let folder = shell::target()?.join("advisories/planted");
    fs::create_dir_all(folder.join("crates/anyhow"))?;
    fs::write(folder.join("crates/anyhow/RUSTSEC-1970-0001.md"), PLANTED)?;
    let output = cargo_deny(&folder, &["check", "advisories"])?.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() || !said.contains("RUSTSEC-1970-0001") {
        bail!("cargo-deny does not find a planted advisory\n{}", said.trim_end());
    }
    Ok(())
}

/// A cargo-deny that clones the advisories from a local folder instead of GitHub.
fn cargo_deny(advisories: &Path, arguments: &[&str]) -> Result<Command> {
    let repository = shell::target()?.join("advisories/repository");
    shell::remove(&repository)?;
    let git = |arguments: &[&str]| {
        let mut git = program(
            "git",
            &["-c", "user.name=xtask", "-c", "user.email=", "-c", "commit.gpgSign=false"],
        );
        git.arg("--git-dir").arg(&repository).arg("--work-tree").arg(advisories).args(arguments);
        shell::output(git.current_dir(advisories))
    };
    git(&["init", "--initial-branch=main"])?;
    git(&["add", "--force", "crates"])?;
    git(&["commit", "--no-verify", "--message=advisories"])?;
    let mut deny = shell::cargo(&["deny", "--log-level", "error"]);
    deny.args(arguments).env("GIT_CONFIG_COUNT", "1");
    deny.env("GIT_CONFIG_KEY_0", format!("url.file://{}.insteadOf", repository.display()));
    deny.env("GIT_CONFIG_VALUE_0", DATABASE);
    Ok(deny)
}

/// Packages from registries in a `Cargo.lock` that are missing in a list with one package per line.
fn not_looked_up<'a>(lock: &'a str, list: &str) -> Vec<&'a str> {
    let value = |package: &'a str, key| package.lines().find_map(|line| line.strip_prefix(key));
    let mut names: Vec<&str> = lock
        .split("[[package]]")
        .filter(|package| value(package, "source = ").is_some())
        .filter_map(|package| Some(value(package, "name = ")?.trim_matches('"')))
        .filter(|name| !list.lines().any(|line| line == *name))
        .collect();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_new_is_named() {
        let lock = r#"version = 4

[[package]]
name = "known"
version = "1.0.0"
source = "registry"

[[package]]
name = "new"
version = "1.0.0"
source = "registry"
dependencies = [
 "known",
]

[[package]]
name = "new"
version = "2.0.0"
source = "registry"

[[package]]
name = "ours"
version = "0.1.0"
"#;
        assert_eq!(not_looked_up(lock, "a\nknown\n"), ["new"]);
        assert_eq!(not_looked_up(lock, "know\nnewer\n"), ["known", "new"]);
        assert!(not_looked_up(lock, "known\nnew\n").is_empty());
    }

    #[test]
    fn files_are_where_their_advisories_say() {
        let crates = shell::root().join("advisories/crates");
        let list = |folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut count = 0;
        for file in list(crates.clone()).flat_map(list) {
            let text = fs::read_to_string(&file).unwrap();
            let value = |key| {
                text.lines().find_map(|line| line.strip_prefix(key)).unwrap().trim_matches('"')
            };
            let place = format!("{}/{}.md", value("package = "), value("id = "));
            assert_eq!(file, crates.join(place));
            count += 1;
        }
        assert!(count > 0);
    }
}
