//! `cargo xtask bench growth-pictures`: plots how the time of an iteration grows, from the measurements of
//! `cargo xtask bench gpu --growth`.

use std::fs;

use anyhow::{Context, Result, ensure};
use plotters::style::RGBColor;
use warpswarm_pictures::{Axis, COLOURS, Dash, INK, Line, Panel, Picture};

use super::GrowthArgs;
use crate::reproduce::table::integer;

/// Colours in addition to [`COLOURS`], so that each of the ten methods has its own.
const MORE_COLOURS: [RGBColor; 4] =
    [RGBColor(0, 0, 0), RGBColor(117, 76, 165), RGBColor(140, 80, 40), RGBColor(130, 130, 130)];

/// A row of the file.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    algorithm: String,
    individuals: u64,
    dimensions: u64,
    runs: u64,
    microseconds: f64,
}

/// The variable and the contents of a picture.
struct Series {
    /// The suffix of the file's name.
    name: &'static str,
    axis: &'static str,
    title: &'static str,
    /// A note about the properties that all points share.
    note: &'static str,
    has: fn(&Point) -> bool,
    size: fn(&Point) -> u64,
    /// The sizes that are labelled on the axis.
    ticks: fn() -> Vec<u64>,
}

const SERIES: [Series; 3] = [
    Series {
        name: "individuals",
        axis: "individuals (particles, samples, chains)",
        title: "An iteration of one run, by individuals",
        note: "Rastrigin's function in 30 dimensions, f32, default parameters",
        has: |point| point.dimensions == 30 && point.runs == 1,
        size: |point| point.individuals,
        ticks: || (5..=22).step_by(3).map(|power| 1 << power).collect(),
    },
    Series {
        name: "dimensions",
        axis: "dimensions of the function",
        title: "An iteration of one run, by dimensions",
        note: "Rastrigin's function, 1,024 individuals, f32, default parameters",
        // CMEPSO divides its individuals among ten swarms, so it cannot have exactly 1,024.
        has: |point| (1015..=1024).contains(&point.individuals) && point.runs == 1,
        size: |point| point.dimensions,
        ticks: || (1..=10).map(|power| 1 << power).collect(),
    },
    Series {
        name: "runs",
        axis: "independent runs in one batch",
        title: "An iteration of all runs, by runs",
        note: "Rastrigin's function in 10 dimensions, each run with the method's usual individuals (64 in most), f32",
        has: |point| point.dimensions == 10 && point.individuals < 1000,
        size: |point| point.runs,
        ticks: || (0..=5).map(|power| 10_u64.pow(power)).collect(),
    },
];

/// Draws the three pictures.
pub(super) fn run(args: &GrowthArgs) -> Result<()> {
    let text = fs::read_to_string(&args.file)
        .with_context(|| format!("cannot read {}", args.file.display()))?;
    let points = read(&text).with_context(|| args.file.display().to_string())?;
    fs::create_dir_all(&args.out).with_context(|| format!("cannot make {}", args.out.display()))?;
    for series in &SERIES {
        let path = args.out.join(format!("growth-{}.svg", series.name));
        let svg = series.picture(&points).svg()?;
        fs::write(&path, svg).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// The rows of the file; lines that begin with `#` are remarks.
fn read(text: &str) -> Result<Vec<Point>> {
    let mut rows = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let headings = rows.headers()?.clone();
    let column = |name: &str| {
        let place = headings.iter().position(|heading| heading == name);
        place.with_context(|| format!("has no column {name}"))
    };
    let [algorithm, microseconds] = [column("algorithm")?, column("microseconds")?];
    let sizes = [column("individuals")?, column("dimensions")?, column("runs")?];
    let mut points = Vec::new();
    for row in rows.records() {
        let row = row?;
        let [individuals, dimensions, runs] =
            sizes.map(|column| row[column].parse::<u64>().ok().filter(|size| *size > 0));
        let us = row[microseconds].parse::<f64>().ok().filter(|us| *us > 0.0 && us.is_finite());
        let point = || {
            Some(Point {
                algorithm: row[algorithm].into(),
                individuals: individuals?,
                dimensions: dimensions?,
                runs: runs?,
                microseconds: us?,
            })
        };
        points.push(point().with_context(|| format!("no numbers above 0: {row:?}"))?);
    }
    ensure!(!points.is_empty(), "has no rows");
    Ok(points)
}

impl Series {
    fn picture(&self, points: &[Point]) -> Picture {
        let log = |size: u64| (size as f64).log10();
        // A method has the same style in all pictures.
        let mut names: Vec<&str> = Vec::new();
        for point in points {
            if !names.contains(&&*point.algorithm) {
                names.push(&point.algorithm);
            }
        }
        let line = |(number, name): (usize, &&str)| {
            let own = |point: &&Point| point.algorithm == *name && (self.has)(point);
            let mut places: Vec<(f64, f64)> = points
                .iter()
                .filter(own)
                .map(|point| (log((self.size)(point)), point.microseconds.log10()))
                .collect();
            places.sort_by(|a, b| a.0.total_cmp(&b.0));
            let look =
                Line { color: colour(number), width: 2, mark_size: 4, ..Line::numbered(number) };
            look.through(places).named(name.to_string())
        };
        let mut lines: Vec<Line> = names.iter().enumerate().map(line).collect();
        lines.retain(|line| !line.points.is_empty());
        let dots = || lines.iter().flat_map(|line| &line.points);
        let ticks: Vec<f64> = (self.ticks)().into_iter().map(log).collect();
        let least = dots().map(|dot| dot.x).fold(ticks[0], f64::min);
        let most = dots().map(|dot| dot.x).fold(least + 0.3, f64::max);
        let x = Axis::new(
            self.axis,
            (least - 0.05, most + 0.05),
            ticks.into_iter().filter(|tick| *tick <= most + 0.05).collect(),
            |tick| integer(10_f64.powf(tick).round() as u64),
        );
        let y = Axis::decades("microseconds an iteration", dots().map(|dot| dot.y));
        let lines = lines.into_iter().chain([proportional(&x, &y)]).collect();
        Picture {
            title: self.title.into(),
            notes: vec![
                self.note.into(),
                "thin dashed line: the slope of a cost that doubles when the number doubles".into(),
            ],
            has_legend: true,
            columns: 1,
            size: (800, 470),
            panels: vec![Panel { title: String::new(), x, y, areas: Vec::new(), lines }],
        }
    }
}

fn colour(number: usize) -> RGBColor {
    let more = MORE_COLOURS.get(number.wrapping_sub(COLOURS.len()));
    *more.unwrap_or(&COLOURS[number % COLOURS.len()])
}

/// A line in the lower right corner with the slope of proportional growth.
fn proportional(x: &Axis, y: &Axis) -> Line {
    let length = 1.0_f64.min(0.4 * (x.range.1 - x.range.0)).min(0.4 * (y.range.1 - y.range.0));
    let (right, low) = (x.range.1 - 0.1, y.range.0 + 0.15);
    let look = Line { color: INK, width: 1, dash: Dash::Dashed, ..Line::default() };
    look.through([(right - length, low), (right, low + length)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::page::tests::assert_whole;

    const FILE: &str =
        "algorithm,precision,individuals,dimensions,runs,schedule,microseconds,iterations
# pso 8 30: a remark, with a comma
pso,f32,32,30,1,resident,0.5,2000
pso,f32,1024,30,1,resident,1,2000
pso,f32,1024,10,1,resident,0.4,2000
cmepso,f32,1020,2,1,resident,20,2000
pso,f32,64,10,100,resident,100,1000
";

    #[test]
    fn rows_are_read_and_points_go_where_they_belong() {
        let points = read(FILE).unwrap();
        assert_eq!(points.len(), 5);
        assert_eq!((points[3].individuals, points[3].microseconds), (1020, 20.0));
        let places = |series: &Series| -> Vec<(String, Vec<(f64, f64)>)> {
            let lines = series.picture(&points).panels.remove(0).lines;
            let named = lines.iter().filter(|line| !line.name.is_empty());
            let dots = |line: &Line| line.points.iter().map(|dot| (dot.x, dot.y)).collect();
            named.map(|line| (line.name.to_string(), dots(line))).collect()
        };
        let log = |x: f64| x.log10();
        assert_eq!(
            places(&SERIES[0]),
            [("pso".to_string(), vec![(log(32.0), log(0.5)), (log(1024.0), 0.0)])]
        );
        let pso = vec![(1.0, log(0.4)), (log(30.0), 0.0)];
        let cmepso = vec![(log(2.0), log(20.0))];
        assert_eq!(places(&SERIES[1]), [("pso".into(), pso), ("cmepso".into(), cmepso)]);
        assert_eq!(places(&SERIES[2]), [("pso".into(), vec![(2.0, 2.0)])]);
    }

    #[test]
    fn ten_methods_have_ten_colours() {
        let all: Vec<RGBColor> = (0..10).map(colour).collect();
        assert!((0..10).all(|i| (0..i).all(|j| all[i] != all[j])));
        assert_eq!(colour(12), COLOURS[0]);
    }

    #[test]
    fn what_is_no_such_file_is_told() {
        let error = |text: &str| format!("{:#}", read(text).unwrap_err());
        assert!(error("a,b\n1,2\n").contains("has no column algorithm"));
        let heading = FILE.lines().next().unwrap();
        assert!(error(heading).contains("has no rows"));
        assert!(error(&format!("{heading}\npso,f32,0,1,1,resident,1,1\n")).contains("numbers"));
        assert!(error(&format!("{heading}\npso,f32,1,1,1,resident,inf,1\n")).contains("numbers"));
    }

    #[test]
    fn pictures_are_whole() {
        let points = read(FILE).unwrap();
        let expected = [("individuals", "\n256\n"), ("dimensions", "\n512\n"), ("runs", "\n100\n")];
        for (series, (axis, tick)) in SERIES.iter().zip(expected) {
            let svg = series.picture(&points).svg().unwrap();
            assert_whole(&svg);
            assert!(svg.contains("microseconds an iteration") && svg.contains(axis), "{axis}");
            assert_eq!(svg.contains(tick), axis != "dimensions", "{axis}");
        }
        // An empty picture can be drawn.
        assert!(SERIES[2].picture(&points[..1]).svg().is_ok());
    }
}
