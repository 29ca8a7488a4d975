//! `warpswarm list`.

use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;
use warpswarm::algorithms::{self, AlgorithmInfo};
use warpswarm::problems::{self, ProblemInfo};

use crate::args::{ListArgs, Listed};
use crate::failure::Failure;
use crate::json;

/// Lists problems or algorithms.
pub(crate) fn run(args: &ListArgs) -> Result<ExitCode, Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    match (args.what, args.json) {
        (Listed::Problems, false) => print_problems(&mut out)?,
        (Listed::Problems, true) => {
            let rows: Vec<Problem> = problems::all().iter().map(Problem::of).collect();
            print_json(&mut out, &rows)?;
        }
        (Listed::Algorithms, false) => print_algorithms(&mut out)?,
        (Listed::Algorithms, true) => {
            let rows: Vec<Algorithm> = algorithms::ALL.iter().map(Algorithm::of).collect();
            print_json(&mut out, &rows)?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn print_json(out: &mut impl Write, rows: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, rows).map_err(io::Error::from)?;
    writeln!(out)
}

fn print_problems(out: &mut impl Write) -> io::Result<()> {
    let width = problems::all().iter().map(|problem| problem.id.len()).max().unwrap_or(0);
    for problem in problems::all() {
        let ProblemInfo { id, formula, source, min_dimensions, bounds, .. } = problem;
        let (lower, upper) = bounds;
        let least = if *min_dimensions > 1 {
            format!(", at least {min_dimensions} dimensions")
        } else {
            String::new()
        };
        writeln!(out, "{id:width$}  {formula}")?;
        writeln!(out, "{:width$}  bounds {lower} to {upper}{least}", "")?;
        writeln!(out, "{:width$}  {source}", "")?;
    }
    Ok(())
}

fn print_algorithms(out: &mut impl Write) -> io::Result<()> {
    for algorithm in algorithms::ALL {
        let backends: Vec<&str> = algorithm.backends.iter().map(|b| b.name()).collect();
        writeln!(out, "{}: {}", algorithm.id, algorithm.title)?;
        writeln!(out, "  source    {}", algorithm.source)?;
        writeln!(out, "  backends  {}", backends.join(", "))?;
        for preset in algorithm.presets {
            writeln!(out, "  --set preset={}: {}", preset.name, preset.source)?;
        }
        let width = algorithm.parameters.iter().map(|p| p.name.len() + p.default.len()).max();
        for parameter in algorithm.parameters {
            let set = format!("--set {}={}", parameter.name, parameter.default);
            let width = width.unwrap_or(0) + "--set =".len();
            writeln!(out, "  {set:width$}  {} ({})", parameter.meaning, parameter.range)?;
        }
    }
    Ok(())
}

#[derive(Debug, Serialize)]
struct Problem {
    id: &'static str,
    formula: &'static str,
    source: &'static str,
    min_dimensions: usize,
    lower: f64,
    upper: f64,
}

impl Problem {
    fn of(info: &ProblemInfo) -> Problem {
        let ProblemInfo { id, formula, source, min_dimensions, bounds: (lower, upper), .. } = *info;
        Problem { id, formula, source, min_dimensions, lower, upper }
    }
}

#[derive(Debug, Serialize)]
struct Algorithm {
    id: &'static str,
    title: &'static str,
    source: &'static str,
    backends: Vec<&'static str>,
    parameters: Vec<Parameter>,
    presets: Vec<Preset>,
}

#[derive(Debug, Serialize)]
struct Parameter {
    name: &'static str,
    meaning: &'static str,
    allowed: &'static str,
    default: serde_json::Value,
}

#[derive(Debug, Serialize)]
struct Preset {
    name: &'static str,
    source: &'static str,
}

impl Algorithm {
    fn of(info: &AlgorithmInfo) -> Algorithm {
        let defaults = info.algorithm().parameters();
        let parameters = info.parameters.iter().zip(defaults).map(|(parameter, (_, value))| {
            let (name, meaning, allowed) = (parameter.name, parameter.meaning, parameter.range);
            Parameter { name, meaning, allowed, default: json::json(value) }
        });
        let presets = info.presets.iter().map(|p| Preset { name: p.name, source: p.source });
        Algorithm {
            id: info.id,
            title: info.title,
            source: info.source,
            backends: info.backends.iter().map(|backend| backend.name()).collect(),
            parameters: parameters.collect(),
            presets: presets.collect(),
        }
    }
}
