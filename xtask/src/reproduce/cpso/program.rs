//! Timing one run of the program `warpswarm`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::measure::Load;

/// The program `warpswarm`.
#[derive(Debug)]
pub(crate) struct Program {
    path: PathBuf,
}

/// A run that was timed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    /// Seconds of all iterations, set-up excluded.
    pub(crate) seconds: f64,
    pub(crate) place: Place,
}

/// Where a run was carried out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) backend: String,
    pub(crate) device: String,
    /// `-` on the CPU.
    pub(crate) schedule: String,
}

impl Place {
    pub(crate) fn in_words(&self) -> String {
        format!("{} (backend {})", self.device, self.backend)
    }
}

impl Program {
    /// The one that was named, or the one that lies beside this program.
    pub(crate) fn find(named: Option<&Path>) -> Result<Program> {
        let path = match named {
            Some(path) => path.to_owned(),
            None => std::env::current_exe()?.with_file_name("warpswarm"),
        };
        ensure!(
            path.is_file(),
            "there is no program {}; copy `warpswarm` there or name it with --program",
            path.display()
        );
        Ok(Program { path: path.canonicalize()? })
    }

    /// Minimises the paper's function with its coefficients.
    pub(crate) fn run(
        &self,
        algorithm: &str,
        backend: &str,
        threads: Option<u32>,
        load: Load,
    ) -> Result<Run> {
        let mut command = Command::new(&self.path);
        command.args(["solve", "euclidean", "--dim", "2", "--lower", "-100", "--upper", "100"]);
        command.args(["--set", "preset=cpso-paper", "--precision", "f32"]);
        command.args(["--algorithm", algorithm, "--backend", backend]);
        command.args(["--individuals", &load.particles.to_string()]);
        command.args(["--iterations", &load.iterations.to_string()]);
        command.args(["--seed", &load.seed.to_string(), "--json", "-", "--quiet"]);
        if let Some(threads) = threads {
            command.args(["--threads", &threads.to_string()]);
        }
        let output = command
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", self.path.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_string();
            bail!("{} failed ({}): {said}", self.path.display(), output.status);
        }
        read(&output.stdout, load)
    }
}

/// Reads the program's JSON, and sees that it did what it was asked to do.
fn read(json: &[u8], load: Load) -> Result<Run> {
    let json: serde_json::Value = serde_json::from_slice(json).context("no JSON came back")?;
    let text = |name: &str| json[name].as_str().map(String::from);
    let done = json["runs"][0]["iterations"].as_u64();
    ensure!(done == Some(load.iterations), "{done:?} iterations were done: {load:?}");
    Ok(Run {
        seconds: json["seconds"].as_f64().context("no time in the JSON")?,
        place: Place {
            backend: text("backend").context("no backend in the JSON")?,
            device: text("device").context("no device in the JSON")?,
            schedule: text("schedule").unwrap_or_else(|| "-".into()),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: Load = Load { particles: 32, iterations: 7, seed: 1 };

    #[test]
    fn the_programs_json_is_read() {
        let json = br#"{"backend": "gpu", "device": "a GPU", "schedule": "resident",
            "runs": [{"iterations": 7}], "seconds": 0.25, "setup_seconds": 1}"#;
        let run = read(json, LOAD).unwrap();
        assert_eq!(run.seconds, 0.25);
        assert_eq!(run.place.schedule, "resident");
        assert_eq!(run.place.in_words(), "a GPU (backend gpu)");
    }

    #[test]
    fn a_run_that_ended_early_is_an_error() {
        let json = br#"{"backend": "cpu", "device": "CPU", "schedule": null,
            "runs": [{"iterations": 6}], "seconds": 0.25}"#;
        assert!(read(json, LOAD).unwrap_err().to_string().contains("Some(6)"));
    }
}
