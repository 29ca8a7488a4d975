//! Runs the example program `matrix_pso`, and parses its output.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::reproduce::program::{beside, number, words};

/// The program.
#[derive(Debug)]
pub(super) struct Matrices {
    path: PathBuf,
}

/// The output of the program.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    /// The best value of each run.
    pub(super) values: Vec<f64>,
    /// The seconds of each run's iterations.
    pub(super) seconds: Vec<f64>,
    /// The first run's best point.
    pub(super) position: Vec<f64>,
    /// The comparison of the first run with the library's, if requested.
    pub(super) compared: Option<Compared>,
}

/// The comparison of a run with the library's.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Compared {
    pub(super) iterations: u64,
    /// The number of iterations, from the first on, in which all matrices have the library's bits.
    pub(super) equal: u64,
    /// Iterations, and the largest difference of a position, relative to the range of the bounds.
    pub(super) distances: Vec<(u64, f64)>,
}

impl Matrices {
    /// The program in the folder of this one.
    pub(super) fn find() -> Result<Matrices> {
        let path = beside("matrix_pso")?;
        ensure!(
            path.is_file(),
            "there is no program {}; copy `matrix_pso` there, an example of this repository",
            path.display()
        );
        Ok(Matrices { path })
    }

    /// Runs the program with the words of this text as arguments.
    pub(super) fn run(&self, text: &str) -> Result<Found> {
        let mut command = Command::new(&self.path);
        let output = command.args(words(text)).arg("--json").stdin(Stdio::null()).output();
        let output = output.with_context(|| format!("cannot start {}", self.path.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_string();
            bail!("{} {text} failed ({}): {said}", self.path.display(), output.status);
        }
        read(&output.stdout)
    }
}

fn read(json: &[u8]) -> Result<Found> {
    let json: Value = serde_json::from_slice(json).context("no JSON came back")?;
    let list = |name: &str| -> Result<Vec<f64>> {
        let list = json[name].as_array().with_context(|| format!("no {name} in the JSON"))?;
        list.iter().map(number).collect()
    };
    let compared = &json["compared"];
    Ok(Found {
        values: list("values")?,
        seconds: list("seconds")?,
        position: list("position")?,
        compared: if compared.is_null() { None } else { Some(read_compared(compared)?) },
    })
}

fn read_compared(json: &Value) -> Result<Compared> {
    let count = |json: &Value, name: &str| {
        json[name].as_u64().with_context(|| format!("no {name} in the JSON"))
    };
    let distances = json["distances"].as_array().context("no distances in the JSON")?;
    let distances =
        distances.iter().map(|line| Ok((count(line, "iteration")?, number(&line["distance"])?)));
    Ok(Compared {
        iterations: count(json, "iterations")?,
        equal: count(json, "equal")?,
        distances: distances.collect::<Result<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_json_is_read() {
        let json = br#"{"values": [1.5, "inf"], "seconds": [0.25, 0.5], "position": [1.0, -2.0],
            "compared": {"iterations": 7, "equal": 3, "best": 1.5,
                "distances": [{"iteration": 1, "distance": 1e-16}]}}"#;
        let found = read(json).unwrap();
        assert_eq!(
            (&found.values[..], &found.seconds[..]),
            (&[1.5, f64::INFINITY][..], &[0.25, 0.5][..])
        );
        assert_eq!(found.position, [1.0, -2.0]);
        let compared = Compared { iterations: 7, equal: 3, distances: vec![(1, 1e-16)] };
        assert_eq!(found.compared, Some(compared));
        let json = br#"{"values": [1], "seconds": [1], "position": [1], "compared": null}"#;
        assert_eq!(read(json).unwrap().compared, None);
        assert!(read(b"{}").is_err());
    }
}
