//! Completions, manual pages, help and colours.

use crate::common::{fails, program, run, stdout, succeeds};

const COMMANDS: [&str; 15] = [
    "fit",
    "solve",
    "check",
    "rerun",
    "resume",
    "checkpoint",
    "compare",
    "tune",
    "report",
    "new",
    "list",
    "doctor",
    "setup",
    "completions",
    "man",
];

#[test]
fn every_command_has_examples() {
    for command in COMMANDS {
        let help = succeeds(&[command, "--help"]);
        assert!(help.contains("Examples:\n  warpswarm "), "{command}: {help}");
    }
    let help = succeeds(&["--help"]);
    for command in COMMANDS {
        assert!(help.contains(&format!("\n  {command} ")), "{command} is not in {help}");
    }
    // All commands are covered.
    let listed = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    assert_eq!(listed.lines().filter(|line| !line.starts_with("   ")).count(), COMMANDS.len() + 1);
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let text = succeeds(&["completions", shell]);
        for word in COMMANDS.iter().chain(&["checkpoint", "population-every"]) {
            assert!(text.contains(word), "{shell} lacks {word}");
        }
    }
    fails(&["completions", "tcsh"], 2, &["'tcsh'", "bash", "zsh"]);
}

#[test]
fn manual_pages_are_written() {
    let page = succeeds(&["man"]);
    assert!(page.contains(".TH warpswarm 1") && page.contains("warpswarm\\-solve(1)"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    succeeds(&["man", "--out", folder.path().to_str().unwrap()]);
    for command in COMMANDS {
        let page = folder.path().join(format!("warpswarm-{command}.1"));
        assert!(std::fs::read_to_string(page).unwrap().contains("Examples:"), "{command}");
    }
}

#[test]
fn no_color_is_heeded() {
    let coloured = |variables: &[(&str, &str)]| {
        let mut command = program();
        command.env_remove("NO_COLOR").env_remove("CLICOLOR").env_remove("CLICOLOR_FORCE");
        let output = command.args(["--help"]).envs(variables.iter().copied()).output().unwrap();
        stdout(&output).contains('\u{1b}')
    };
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]), "nothing would be seen to be heeded");
    assert!(!coloured(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "0")]));
    assert!(!coloured(&[]), "into a pipe");
    let progress = ["solve", "sphere", "--seconds", "1.2", "--progress", "plain"];
    assert!(!run(&progress).stderr.contains(&0x1b));
}
