//! The steps of a new user: the ways to start that README.md describes, from `git clone` to a picture.
//!
//! The commands are those of README.md, line by line. But the test clones the last commit of this repository, downloads
//! nothing beyond the dependencies of this build, and compiles programs fast instead of optimised.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository that the commands of README.md clone.
const PUBLISHED: &str = "https://github.com/warpswarm/warpswarm";
/// The ways of README.md: the largest number of commands, and the picture file.
const WAYS: [(usize, &str); 3] = [
    (3, "warpswarm/convergence.png"),
    (4, "warpswarm/convergence.png"),
    (6, "my-fit/convergence.png"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The blocks of commands in a section of a page.
fn blocks(page: &str, section: &str) -> Vec<String> {
    let heading = format!("\n## {section}\n");
    let (_, rest) = page.split_once(&heading).expect("the page has this section");
    let section = rest.split("\n## ").next().unwrap_or(rest);
    let block = |rest: &str| rest.split_once("```").expect("a block ends").0.to_owned();
    section.split("```sh\n").skip(1).map(block).collect()
}

/// The number of typed commands; a here-document (`<<'END'`) belongs to its command.
fn commands(block: &str) -> usize {
    let (mut count, mut lines) = (0, block.lines());
    while let Some(line) = lines.next() {
        count += 1;
        if let Some((_, end)) = line.split_once("<<'") {
            let end = end.trim_end_matches('\'');
            assert!(lines.any(|line| line == end), "no {end} after `{line}`");
        }
    }
    count
}

/// Cargo settings for a fast build, which override the manifests of all packages in the folder. The clone, the user's
/// crate and `cargo xtask package` use the same settings, so that they share compiled dependencies. The profile
/// settings in the clone's manifest must be repeated here; otherwise cargo would compile everything twice.
const FAST: &str = r#"
[profile.dev]
debug = false
incremental = false
[profile.release]
codegen-units = 16
debug = false
opt-level = 0
strip = "symbols"
"#;

/// Width and height of a PNG, in pixels.
fn size(png: &[u8]) -> (u32, u32) {
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xae\x42\x60\x82"));
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

/// The user's folders. They are empty, except for compiled dependencies.
struct User {
    /// A folder outside the repository, whose cargo configuration must not apply.
    home: tempfile::TempDir,
    target: PathBuf,
}

impl User {
    fn new() -> User {
        let home = tempfile::tempdir().unwrap();
        // All clones have the same file time, later than the builds of earlier tests, so that cargo builds the clone
        // exactly once.
        let hooks = home.path().join("template/hooks");
        fs::create_dir_all(&hooks).unwrap();
        let began = home.path().join("began");
        fs::write(&began, "").unwrap();
        let hook = hooks.join("post-checkout");
        let touch = "find . -name .git -prune -o -exec touch -h -r";
        let text = format!("#!/bin/sh\n{touch} '{}' {{}} +\n", began.display());
        fs::write(&hook, text).unwrap();
        assert!(Command::new("chmod").arg("+x").arg(&hook).status().unwrap().success());
        fs::create_dir(home.path().join(".cargo")).unwrap();
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-user");
        // Do not use environment variables, because variables that begin with `CARGO_` are part of sccache's key.
        let places = format!("[build]\ntarget-dir = {target:?}\n[net]\noffline = true\n");
        fs::write(home.path().join(".cargo/config.toml"), places + FAST).unwrap();
        User { home, target }
    }

    /// Executes the commands of a block in an empty folder, which is the same for all blocks, and returns the folder.
    fn follow(&self, block: &str) -> PathBuf {
        let folder = self.home.path().join("here");
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        fs::create_dir(&folder).unwrap();
        let mut shell = Command::new("sh");
        shell.arg("-euxc").arg(block).current_dir(&folder);
        let instead = format!("url.{}.insteadOf", root().display());
        shell.envs([
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", &instead),
            ("GIT_CONFIG_VALUE_0", PUBLISHED),
        ]);
        shell.env("GIT_TEMPLATE_DIR", self.home.path().join("template"));
        // As on a machine without a device toolchain.
        shell.env_remove("WARPSWARM_PTX").env("WARPSWARM_DEVICE_RUSTC", "none");
        shell.env_remove("CARGO_TARGET_DIR");
        // Override the flags in the clone's cargo configuration, which the user's crate does not have.
        shell.env("RUSTFLAGS", "-C debuginfo=0");
        let output = shell.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{block}\n{said}");
        folder
    }
}

#[test]
fn commands_are_counted() {
    assert_eq!(commands("a\nb | c\n"), 2);
    assert_eq!(commands("a\ncat > x <<'END'\nb\n\nc\nEND\nd\n"), 3);
    assert_eq!(blocks("\n## A\n```sh\na\n```\n\n## B\n```sh\nb\n```\n", "A"), ["a\n"]);
}

#[test]
fn the_ways_to_begin_end_with_pictures() {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let blocks = blocks(&page, "Three ways to begin");
    assert_eq!(blocks.len(), WAYS.len());
    let user = User::new();
    let mut pictures = Vec::new();
    for (block, (most, file)) in blocks.iter().zip(WAYS) {
        assert!(commands(block) <= most, "{} commands, not {most}:\n{block}", commands(block));
        let folder = user.follow(block);
        let read =
            |file: &str| fs::read(folder.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
        let picture = read(file);
        let (across, down) = size(&picture);
        assert!(across >= 800 && down >= 400 && picture.len() > 10_000, "{across} x {down}");
        assert!(!pictures.contains(&picture), "the same picture twice");
        // Keep the picture for inspection.
        let kept = format!("new-user-{}.png", pictures.len() + 1);
        fs::write(user.target.with_file_name(kept), &picture).unwrap();
        pictures.push(picture);
        if file.starts_with("my-fit") {
            let source = "my-fit/objective/src/lib.rs";
            assert_ne!(read(source), read(&format!("{source}.bak")), "the edit changes nothing");
        }
    }
}
