//! `warpswarm list`.

use std::io::{self, Write};
use std::slice;

use serde::Serialize;
use warpswarm::algorithms::{self, AlgorithmInfo, ParameterInfo};
use warpswarm::problems::{self, Constraint, Dimensions, ProblemInfo};
use warpswarm::{Bounds, bbob};
use warpswarm_pictures::counted;

use crate::args::{ListArgs, Listed};
use crate::failure::{Code, Failure, SUCCESS};
use crate::output::number::parameter as json;
use crate::output::summary;

/// The width of a line in a list; longer descriptions are truncated.
const WIDTH: usize = 110;

/// Lists problems or algorithms, or describes one of them.
pub(crate) fn run(args: &ListArgs) -> Result<Code, Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let name = args.name.as_deref();
    match args.what {
        Listed::Problems => {
            let (problems, functions) = name.map_or_else(|| Ok(every_problem()), named_problem)?;
            if args.json {
                let of_suite = functions.iter().map(Problem::of_suite);
                let rows: Vec<Problem> = problems.iter().map(Problem::of).chain(of_suite).collect();
                print_json(&mut out, &rows)?;
            } else if name.is_some() {
                problems.iter().try_for_each(|problem| print_problem(&mut out, problem))?;
                functions.iter().try_for_each(|function| print_function(&mut out, function))?;
            } else {
                print_problems(&mut out)?;
            }
        }
        Listed::Algorithms => {
            let found = name.map(algorithms::find).transpose()?;
            let all = found.map_or(algorithms::ALL, slice::from_ref);
            if args.json {
                let rows: Vec<Algorithm> = all.iter().map(Algorithm::of).collect();
                print_json(&mut out, &rows)?;
            } else if name.is_some() {
                all.iter().try_for_each(|algorithm| print_algorithm(&mut out, algorithm))?;
            } else {
                print_algorithms(&mut out)?;
            }
        }
    }
    out.flush()?;
    Ok(SUCCESS)
}

/// Built-in problems and BBOB functions.
type Problems = (&'static [ProblemInfo], &'static [bbob::Function]);

fn every_problem() -> Problems {
    (problems::all(), bbob::all())
}

fn named_problem(name: &str) -> Result<Problems, Failure> {
    Ok(match crate::problem::Problem::is_bbob(name) {
        true => (&[], slice::from_ref(bbob::find(name)?)),
        false => (slice::from_ref(problems::find(name)?), &[]),
    })
}

fn print_json(out: &mut impl Write, rows: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, rows).map_err(io::Error::from)?;
    writeln!(out)
}

/// Prints one line per problem: its name, dimensions and formula.
fn print_problems(out: &mut impl Write) -> io::Result<()> {
    let width = problems::all().iter().map(|problem| problem.id.len()).max().unwrap_or(0);
    let mut line = |id: &str, dimensions: &str, what: &str| {
        let head = format!("{id:width$}  {dimensions:<13}  ");
        writeln!(out, "{head}{}", cut(what, WIDTH - head.len()))
    };
    line("name", "dimensions", "formula")?;
    for problem in problems::all() {
        let constraints = match problem.constraints.len() as u64 {
            0 => String::new(),
            count => format!("; {}", counted(count, "constraint")),
        };
        let what = format!("{}{constraints}", problem.formula);
        line(problem.id, &in_short(problem.dimensions), &what)?;
    }
    let suite = format!("{} to {}", bbob::MIN_DIMENSIONS, bbob::MAX_DIMENSIONS);
    for function in bbob::all() {
        line(function.id, &suite, function.name)?;
    }
    writeln!(
        out,
        "\n`warpswarm list problems NAME` describes one; `warpswarm solve NAME` minimises it."
    )
}

/// The allowed dimensions in a few letters.
fn in_short(dimensions: Dimensions) -> String {
    match dimensions {
        Dimensions { least, most, .. } if least == most => least.to_string(),
        Dimensions { least, most: usize::MAX, multiple_of: 1 } => format!("{least} or more"),
        Dimensions { least, most, multiple_of: 1 } => format!("{least} to {most}"),
        Dimensions { least, multiple_of, .. } => {
            format!("{least}, {}, {}, ...", least + multiple_of, least + 2 * multiple_of)
        }
    }
}

/// Prints one line per algorithm: its name and title.
fn print_algorithms(out: &mut impl Write) -> io::Result<()> {
    let width = algorithms::ALL.iter().map(|algorithm| algorithm.id.len()).max().unwrap_or(0);
    for algorithm in algorithms::ALL {
        let what = cut(algorithm.title, WIDTH - width - 2);
        writeln!(out, "{:width$}  {what}", algorithm.id)?;
    }
    writeln!(
        out,
        "\n`warpswarm list algorithms NAME` shows its parameters; `warpswarm solve PROBLEM --algorithm NAME` uses it."
    )
}

/// The text, truncated to the available width.
fn cut(text: &str, room: usize) -> String {
    match text.char_indices().nth(room.saturating_sub(3)) {
        Some((end, _)) if text.chars().count() > room => format!("{}...", text[..end].trim_end()),
        _ => text.into(),
    }
}

/// Prints all information on a built-in problem.
fn print_problem(out: &mut impl Write, problem: &ProblemInfo) -> io::Result<()> {
    writeln!(out, "{}: {}", problem.id, problem.formula)?;
    for Constraint { name, formula } in problem.constraints {
        writeln!(out, "  constraint  {name} = {formula} <= 0")?;
    }
    let said = Problem::of(problem);
    writeln!(out, "  dimensions  {}{}", problem.dimensions, named(problem))?;
    writeln!(out, "  bounds      {}", said.bounds_in_words())?;
    if let Some(optimum) = said.optimum_in_words(problem.dimensions) {
        writeln!(out, "  best known  {optimum}")?;
    }
    writeln!(out, "  source      {}", problem.source)
}

/// Prints all information on a BBOB function.
fn print_function(out: &mut impl Write, function: &bbob::Function) -> io::Result<()> {
    let said = Problem::of_suite(function);
    let (least, most) = (bbob::MIN_DIMENSIONS, bbob::MAX_DIMENSIONS);
    writeln!(out, "{}: {}", function.id, function.name)?;
    writeln!(out, "  dimensions  {least} to {most}, {} by default", bbob::USUAL_DIMENSIONS)?;
    writeln!(out, "  bounds      {}", said.bounds_in_words())?;
    writeln!(
        out,
        "  instances   1 to {} (--instance), which differ in where the optimum is, and in its value",
        bbob::MAX_INSTANCE
    )?;
    writeln!(out, "  source      {}", said.source)
}

/// The names of the coordinates, such as `: d, D, P`, if they have any.
fn named(problem: &ProblemInfo) -> String {
    match problem.coordinates {
        [] => String::new(),
        names => format!(": {}", names.join(", ")),
    }
}

/// Prints all information on an algorithm.
fn print_algorithm(out: &mut impl Write, algorithm: &AlgorithmInfo) -> io::Result<()> {
    let backends: Vec<&str> = algorithm.backends.iter().map(|b| b.name()).collect();
    writeln!(out, "{}: {}", algorithm.id, algorithm.title)?;
    writeln!(out, "  source    {}", algorithm.source)?;
    writeln!(out, "  backends  {}", backends.join(", "))?;
    for preset in algorithm.presets {
        writeln!(out, "  --set preset={}: {}", preset.name, preset.source)?;
    }
    let parameters = algorithm.parameters().into_iter();
    let rows: Vec<_> = parameters.map(|p| (format!("--set {}={}", p.name, p.default), p)).collect();
    let width = rows.iter().map(|(set, _)| set.len()).max().unwrap_or(0);
    for (set, ParameterInfo { meaning, range, .. }) in rows {
        writeln!(out, "  {set:width$}  {meaning} ({range})")?;
    }
    Ok(())
}

/// A problem. Bounds and optimum are those in its default dimensions.
#[derive(Debug, Serialize)]
struct Problem {
    id: &'static str,
    formula: &'static str,
    source: &'static str,
    dimensions: Allowed,
    /// The largest instance number.
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
    /// `None` if there is no limit.
    most: Option<usize>,
    multiple_of: usize,
    usual: usize,
}

#[derive(Debug, Serialize)]
struct Named {
    name: &'static str,
    formula: &'static str,
}

/// The best known point.
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

    /// A BBOB function, whose optimum depends on the instance.
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

    /// The bounds as text; a single range if all coordinates have the same.
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
        Some(format!("{value}{usual}{}", at.unwrap_or_default()))
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
