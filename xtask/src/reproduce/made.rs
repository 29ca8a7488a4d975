//! The origin of a page: date, machine, command and version, which published numbers must state.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use serde_json::Value;

use super::program::Program;
use super::{Options, measure};

/// The head of a page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Made {
    /// Year, month and day, UTC.
    pub(crate) date: String,
    /// GPUs, if there are any, and the processor.
    pub(crate) machine: String,
    /// The command as typed in the repository.
    pub(crate) command: String,
    /// The version of the measured program, with its commit.
    pub(crate) version: String,
    /// Warnings for readers who compare numbers.
    pub(crate) warnings: Vec<&'static str>,
}

const QUICK: &str = "A quick run: a part of the paper's work, which shows that everything runs. Not for comparison.";
const NO_GPU: &str = "No GPU took part: values are those that a GPU gives, bit for bit, but times are a processor's.";

impl Made {
    /// The origin of a page created now by this command; `commit` is that of the source, if it is known.
    pub(super) fn now(
        command: String,
        options: &Options,
        program: &Program,
        commit: Option<&str>,
    ) -> Result<Made> {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let warnings = [(options.quick, QUICK), (options.backend != "gpu", NO_GPU)];
        let commit = commit.map_or("unknown commit".into(), |commit| format!("commit {commit}"));
        Ok(Made {
            date: date(seconds / 86_400),
            machine: machine(&program.doctor()?),
            command,
            version: format!("{}, {commit}", program.version()?),
            warnings: warnings
                .into_iter()
                .filter(|(is_so, _)| *is_so)
                .map(|(_, what)| what)
                .collect(),
        })
    }

    /// The origin of a page about the library in this program, built from these sources; for pages without times and
    /// GPUs.
    pub(crate) fn of_library(command: String, source: &str) -> Result<Made> {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        Ok(Made {
            date: date(seconds / 86_400),
            machine: measure::processor(),
            command,
            version: format!("warpswarm {}, {source}", env!("CARGO_PKG_VERSION")),
            warnings: Vec::new(),
        })
    }

    /// The head below a page's title.
    pub(crate) fn markdown(&self) -> String {
        let Made { date, machine, command, version, warnings } = self;
        let warnings: String = warnings.iter().map(|what| format!("**{what}**\n\n")).collect();
        format!(
            "<!-- Written by the command below. -->\n\n{warnings}| | |\n|---|---|\n| date | {date} |\n| machine | {machine} \
             |\n| command | `{command}` |\n| version | {version} |\n"
        )
    }

    /// The same for a terminal, in one sentence.
    pub(crate) fn text(&self) -> String {
        let Made { date, machine, version, warnings, .. } = self;
        let warnings: String = warnings.iter().map(|what| format!(" {what}")).collect();
        format!("{version}, {date}, on {machine}.{warnings}")
    }
}

/// The commit of the source in the current folder, if git knows one, with a mark if files differ from it.
pub(crate) fn commit() -> Option<String> {
    let git = |words: &[&str]| {
        let output = Command::new("git").args(words).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changed.is_empty() { commit } else { format!("{commit} with changes") })
}

/// A description of the machine, from the output of `warpswarm doctor --json`.
fn machine(doctor: &Value) -> String {
    let names = doctor["devices"].as_array().into_iter().flatten();
    let names: Vec<&str> = names.filter_map(|device| device["name"].as_str()).collect();
    let mut parts = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let count = names.iter().filter(|other| *other == name).count();
        if names[..i].contains(name) {
            continue;
        }
        parts.push(if count == 1 { name.to_string() } else { format!("{count} x {name}") });
    }
    if let Some(cuda) = doctor["driver"]["cuda"].as_str() {
        parts.push(format!("driver for CUDA {cuda}"));
    }
    let threads = doctor["backends"]["cpu_threads"].as_u64().unwrap_or(1);
    parts.push(format!("{}, {threads} threads", measure::processor()));
    parts.join("; ")
}

/// The date in the Gregorian calendar, from the number of days since 1 January 1970.
fn date(days: u64) -> String {
    // Use years that begin in March, in eras of 400 years.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{}-{month:02}-{of_month:02}", era * 400 + year + next)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An invented origin.
    pub(crate) fn made() -> Made {
        Made {
            date: "2026-11-25".into(),
            machine: "NVIDIA H200; a processor, 16 threads".into(),
            command: "cargo xtask reproduce cpso".into(),
            version: "warpswarm 0.1.0, commit 0123456789ab".into(),
            warnings: vec![QUICK],
        }
    }

    #[test]
    fn days_by_hand() {
        let days =
            [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_782, "2026-11-25")];
        for (n, day) in days {
            assert_eq!(date(n), day);
        }
    }

    #[test]
    fn the_head_of_a_page() {
        let expected = "\
<!-- Written by the command below. -->

**A quick run: a part of the paper's work, which shows that everything runs. Not for comparison.**

| | |
|---|---|
| date | 2026-11-25 |
| machine | NVIDIA H200; a processor, 16 threads |
| command | `cargo xtask reproduce cpso` |
| version | warpswarm 0.1.0, commit 0123456789ab |
";
        assert_eq!(made().markdown(), expected);
        assert!(
            made()
                .text()
                .starts_with("warpswarm 0.1.0, commit 0123456789ab, 2026-11-25, on NVIDIA")
        );
    }

    #[test]
    fn machines_in_words() {
        let json = r#"{"driver":{"cuda":"13.0"},"devices":[{"name":"NVIDIA H200"},{"name":"NVIDIA H200"},
            {"name":"NVIDIA T4"}],"backends":{"cpu_threads":16}}"#;
        let words = machine(&serde_json::from_str(json).unwrap());
        assert!(words.starts_with("2 x NVIDIA H200; NVIDIA T4; driver for CUDA 13.0; "), "{words}");
        assert!(words.ends_with(", 16 threads"), "{words}");
        let none = r#"{"driver":{"missing":"no driver","fix":null},"devices":[],"backends":{"cpu_threads":2}}"#;
        let words = machine(&serde_json::from_str(none).unwrap());
        assert!(!words.contains("CUDA") && words.ends_with(", 2 threads"), "{words}");
    }
}
