//! Runs the program `warpswarm`, and parses its output.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// The program `warpswarm`.
#[derive(Debug)]
pub(crate) struct Program {
    path: PathBuf,
}

/// The result of `warpswarm solve`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solved {
    /// Time of all iterations of all runs in seconds, without set-up.
    pub(crate) seconds: f64,
    pub(crate) place: Place,
    pub(crate) runs: Vec<Run>,
}

/// One run and its best point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) value: f64,
    pub(crate) violation: f64,
    pub(crate) position: Vec<f64>,
    /// Each constraint at the best point, at most zero if it is satisfied.
    pub(crate) constraints: Vec<f64>,
    pub(crate) evaluations: u64,
    pub(crate) iterations: u64,
}

/// The place where runs were executed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) backend: String,
    pub(crate) device: String,
    /// The schedule; `-` on the CPU.
    pub(crate) schedule: String,
    /// Threads per block; `None` on the CPU.
    pub(crate) block_size: Option<u64>,
}

impl Place {
    pub(crate) fn in_words(&self) -> String {
        format!("{} (backend {})", self.device, self.backend)
    }
}

impl Program {
    /// The named program, or the one in the folder of this program.
    pub(crate) fn find(named: Option<&Path>) -> Result<Program> {
        let path = match named {
            Some(path) => path.to_owned(),
            None => beside("warpswarm")?,
        };
        ensure!(
            path.is_file(),
            "there is no program {}; copy `warpswarm` there or name it with --program",
            path.display()
        );
        Ok(Program { path: path.canonicalize()? })
    }

    /// Its name and version.
    pub(crate) fn version(&self) -> Result<String> {
        let text = self.output(["--version"])?;
        Ok(String::from_utf8_lossy(&text).trim().to_string())
    }

    /// The output of `warpswarm doctor --json`.
    pub(crate) fn doctor(&self) -> Result<Value> {
        serde_json::from_slice(&self.output(["doctor", "--json"])?).context("no JSON came back")
    }

    /// Runs `warpswarm solve` with these words, without a local search, so that only the methods are compared.
    pub(crate) fn solve<S: AsRef<OsStr>>(
        &self,
        words: impl IntoIterator<Item = S>,
    ) -> Result<Solved> {
        let words: Vec<_> = words.into_iter().map(|word| word.as_ref().to_owned()).collect();
        let all = std::iter::once("solve".into()).chain(words);
        read(&self.output(all.chain(["--no-polish", "--json", "-", "--quiet"].map(Into::into)))?)
    }

    /// Runs the program, and returns its output.
    fn output<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Result<Vec<u8>> {
        let mut command = Command::new(&self.path);
        let output = command
            .args(words)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", self.path.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_string();
            bail!("{} failed ({}): {said}", self.path.display(), output.status);
        }
        Ok(output.stdout)
    }
}

/// The path of a program in the folder of this one. Tests are in a subfolder of the folder with programs.
pub(crate) fn beside(name: &str) -> Result<PathBuf> {
    let here = std::env::current_exe()?;
    let folder = here.parent().context("a program lies in a folder")?;
    let folder = if folder.ends_with("deps") { folder.with_file_name("") } else { folder.into() };
    Ok(folder.join(name))
}

/// The words of `text`, so that commands can be written as readable text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().map(String::from)
}

/// Parses the program's JSON.
fn read(json: &[u8]) -> Result<Solved> {
    let json: Value = serde_json::from_slice(json).context("no JSON came back")?;
    let text = |name: &str| json[name].as_str().map(String::from);
    let single = json["precision"] == "f32";
    let runs = json["runs"].as_array().context("no runs in the JSON")?;
    ensure!(!runs.is_empty(), "no run in the JSON");
    Ok(Solved {
        seconds: number(&json["seconds"])?,
        place: Place {
            backend: text("backend").context("no backend in the JSON")?,
            device: text("device").context("no device in the JSON")?,
            schedule: text("schedule").unwrap_or_else(|| "-".into()),
            block_size: json["block_size"].as_u64(),
        },
        runs: runs.iter().map(|json| run(json, single)).collect::<Result<_>>()?,
    })
}

/// Parses a run. With `single`, numbers are rounded to f32, because the program writes the shortest text of an f32.
fn run(json: &Value, single: bool) -> Result<Run> {
    let best = &json["best"];
    let count = |name: &str| json[name].as_u64().with_context(|| format!("no {name} in the JSON"));
    let list = |name: &str| best[name].as_array().with_context(|| format!("no {name} in the JSON"));
    let number = |json: &Value| -> Result<f64> {
        let x = number(json)?;
        Ok(if single { f64::from(x as f32) } else { x })
    };
    Ok(Run {
        value: number(&best["value"])?,
        violation: number(&best["violation"])?,
        position: list("position")?.iter().map(number).collect::<Result<_>>()?,
        constraints: list("constraints")?
            .iter()
            .map(|constraint| number(&constraint["value"]))
            .collect::<Result<_>>()?,
        evaluations: count("evaluations")?,
        iterations: count("iterations")?,
    })
}

/// Parses a number. NaN and infinity are strings in JSON.
pub(crate) fn number(json: &Value) -> Result<f64> {
    let spelled = || json.as_str().and_then(|text| text.parse().ok());
    json.as_f64().or_else(spelled).with_context(|| format!("{json} is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_json_is_read() {
        let json =
            br#"{"backend": "gpu", "device": "a GPU", "schedule": "resident", "block_size": 64,
            "runs": [{"best": {"value": -1.5, "violation": 0, "position": [1, 2.5],
                "constraints": [{"name": "g1", "value": -0.25}]},
                "evaluations": 70, "iterations": 7}], "seconds": 0.25, "setup_seconds": 1}"#;
        let solved = read(json).unwrap();
        assert_eq!(solved.seconds, 0.25);
        assert_eq!((&solved.place.schedule[..], solved.place.block_size), ("resident", Some(64)));
        assert_eq!(solved.place.in_words(), "a GPU (backend gpu)");
        let [run] = &solved.runs[..] else { panic!("{solved:?}") };
        assert_eq!((run.value, run.violation), (-1.5, 0.0));
        assert_eq!((&run.position[..], &run.constraints[..]), (&[1.0, 2.5][..], &[-0.25][..]));
        assert_eq!((run.evaluations, run.iterations), (70, 7));
    }

    #[test]
    fn single_precision_is_read_as_such() {
        let best = r#"{"value": 2906.1, "violation": 0, "position": [], "constraints": []}"#;
        let json = format!(r#"{{"best": {best}, "evaluations": 7, "iterations": 1}}"#);
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(run(&json, true).unwrap().value, 2_906.100_097_656_25);
        assert_eq!(run(&json, false).unwrap().value, 2906.1);
    }

    #[test]
    fn what_is_not_finite_is_read_too() {
        assert_eq!(number(&"-Infinity".into()).unwrap(), f64::NEG_INFINITY);
        assert!(number(&"NaN".into()).unwrap().is_nan());
        assert!(number(&Value::Null).is_err());
    }

    #[test]
    fn json_without_runs_is_an_error() {
        let json = br#"{"backend": "cpu", "device": "CPU", "runs": [], "seconds": 0.25}"#;
        assert!(read(json).unwrap_err().to_string().contains("no run"));
    }
}
