//! `warpswarm list`.

use std::io::{self, Write};

use serde::Serialize;
use warpswarm::algorithms::{self, AlgorithmInfo, ParameterInfo};
use warpswarm::problems::{self, Constraint, Dimensions, ProblemInfo};
use warpswarm::{Bounds, bbob};

use crate::args::{ListArgs, Listed};
use crate::failure::{Code, Failure, SUCCESS};
use crate::output::number::parameter as json;
use crate::output::summary;

/// Lists problems or algorithms.
pub(crate) fn run(args: &ListArgs) -> Result<Code, Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    match (args.what, args.json) {
        (Listed::Problems, false) => print_problems(&mut out)?,
        (Listed::Problems, true) => {
            let of_suite = bbob::all().iter().map(Problem::of_suite);
            let rows: Vec<Problem> =
                problems::all().iter().map(Problem::of).chain(of_suite).collect();
            print_json(&mut out, &rows)?;
        }
        (Listed::Algorithms, false) => print_algorithms(&mut out)?,
        (Listed::Algorithms, true) => {
            let rows: Vec<Algorithm> = algorithms::ALL.iter().map(Algorithm::of).collect();
            print_json(&mut out, &rows)?;
        }
    }
    out.flush()?;
    Ok(SUCCESS)
}

fn print_json(out: &mut impl Write, rows: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, rows).map_err(io::Error::from)?;
    writeln!(out)
}

fn print_problems(out: &mut impl Write) -> io::Result<()> {
    let width = problems::all().iter().map(|problem| problem.id.len()).max().unwrap_or(0);
    for problem in problems::all() {
        writeln!(out, "{:width$}  {}", problem.id, problem.formula)?;
        for Constraint { name, formula } in problem.constraints {
            writeln!(out, "{:width$}  {name} = {formula} <= 0", "")?;
        }
        let said = Problem::of(problem);
        writeln!(out, "{:width$}  dimensions {}{}", "", problem.dimensions, named(problem))?;
        writeln!(out, "{:width$}  bounds {}", "", said.bounds_in_words())?;
        if let Some(optimum) = said.optimum_in_words(problem.dimensions) {
            writeln!(out, "{:width$}  {optimum}", "")?;
        }
        writeln!(out, "{:width$}  {}", "", problem.source)?;
    }
    for function in bbob::all() {
        writeln!(out, "{:width$}  {}", function.id, function.name)?;
    }
    let said = Problem::of_suite(&bbob::all()[0]);
    let Allowed { least, most, .. } = said.dimensions;
    let (most, instances) = (most.unwrap_or(least), bbob::MAX_INSTANCE);
    writeln!(out, "{:width$}  dimensions {least} to {most}", "")?;
    writeln!(out, "{:width$}  bounds {}", "", said.bounds_in_words())?;
    writeln!(
        out,
        "{:width$}  --instance 1 to {instances}: where the optimum is, and its value",
        ""
    )?;
    writeln!(out, "{:width$}  {}", "", said.source)
}

/// `: d, D, P`, where the coordinates have names.
fn named(problem: &ProblemInfo) -> String {
    match problem.coordinates {
        [] => String::new(),
        names => format!(": {}", names.join(", ")),
    }
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
        let parameters = algorithm.parameters().into_iter();
        let rows: Vec<_> =
            parameters.map(|p| (format!("--set {}={}", p.name, p.default), p)).collect();
        let width = rows.iter().map(|(set, _)| set.len()).max().unwrap_or(0);
        for (set, ParameterInfo { meaning, range, .. }) in rows {
            writeln!(out, "  {set:width$}  {meaning} ({range})")?;
        }
    }
    Ok(())
}

/// A problem; bounds and optimum in its usual number of dimensions.
#[derive(Debug, Serialize)]
struct Problem {
    id: &'static str,
    formula: &'static str,
    source: &'static str,
    dimensions: Allowed,
    /// The largest number of an instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    instances: Option<u32>,
    coordinates: &'static [&'static str],
    constraints: Vec<Named>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    optimum: Optimum,
}

#[derive(Debug, Serialize)]
struct Allowed {
    least: usize,
    /// None for any number.
    most: Option<usize>,
    multiple_of: usize,
    usual: usize,
}

#[derive(Debug, Serialize)]
struct Named {
    name: &'static str,
    formula: &'static str,
}

/// The best that is known.
#[derive(Debug, Serialize)]
struct Optimum {
    value: Option<f64>,
    position: Option<Vec<f64>>,
}

impl Problem {
    fn of(info: &ProblemInfo) -> Problem {
        let Dimensions { least, most, multiple_of } = info.dimensions;
        let usual = info.dimensions.usual();
        let most = (most != usize::MAX).then_some(most);
        let constraints = info.constraints.iter();
        let bounds = info.bounds(usual).ok();
        let bound = |of: fn(&Bounds) -> &[f64]| bounds.as_ref().map_or(&[][..], of).to_vec();
        Problem {
            id: info.id,
            formula: info.formula,
            source: info.source,
            dimensions: Allowed { least, most, multiple_of, usual },
            instances: None,
            coordinates: info.coordinates,
            constraints: constraints.map(|g| Named { name: g.name, formula: g.formula }).collect(),
            lower: bound(Bounds::lower),
            upper: bound(Bounds::upper),
            optimum: Optimum {
                value: info.optimum_value(usual),
                position: info.optimum_position(usual),
            },
        }
    }

    /// A function of the BBOB suite, whose optimum depends on the instance.
    fn of_suite(function: &bbob::Function) -> Problem {
        let usual = bbob::USUAL_DIMENSIONS;
        let most = Some(bbob::MAX_DIMENSIONS);
        Problem {
            id: function.id,
            formula: function.name,
            source: "COCO's noiseless BBOB suite, INRIA RR-6829",
            dimensions: Allowed { least: bbob::MIN_DIMENSIONS, most, multiple_of: 1, usual },
            instances: Some(bbob::MAX_INSTANCE),
            coordinates: &[],
            constraints: Vec::new(),
            lower: vec![-5.0; usual],
            upper: vec![5.0; usual],
            optimum: Optimum { value: None, position: None },
        }
    }

    /// One range where all are the same.
    fn bounds_in_words(&self) -> String {
        let words = |(lower, upper): (&f64, &f64)| format!("{lower} to {upper}");
        let ranges: Vec<String> = self.lower.iter().zip(&self.upper).map(words).collect();
        match ranges.as_slice() {
            [first, rest @ ..] if rest.iter().all(|range| range == first) => first.clone(),
            all => all.join(", "),
        }
    }

    fn optimum_in_words(&self, dimensions: Dimensions) -> Option<String> {
        let value = self.optimum.value?;
        let usual = match dimensions.is_fixed() {
            true => String::new(),
            false => format!(" in {} dimensions", self.dimensions.usual),
        };
        let at = self
            .optimum
            .position
            .as_deref()
            .map(|x| format!(" at {}", summary::position(x, self.coordinates).0));
        Some(format!("best known {value}{usual}{}", at.unwrap_or_default()))
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
    allowed: String,
    default: serde_json::Value,
}

#[derive(Debug, Serialize)]
struct Preset {
    name: &'static str,
    source: &'static str,
}

impl Algorithm {
    fn of(info: &AlgorithmInfo) -> Algorithm {
        let parameters = info.parameters().into_iter().map(|parameter| {
            let ParameterInfo { name, meaning, range: allowed, default } = parameter;
            Parameter { name, meaning, allowed, default: json(default) }
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
