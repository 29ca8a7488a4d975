//! Table 4, Figures 10 and 11: the time of GPU-FWA compared with the serial times of FWA and PSO.

use anyhow::Result;
use warpswarm_pictures::{Axis, BLUE, Dash, Dot, Line, Mark, Panel, Picture, VERMILION};

use super::methods::{Method, Question};
use super::notes;
use super::paper::{self, FUNCTIONS, Function, SPEEDS, Speed};
use crate::reproduce::Options;
use crate::reproduce::measure::{self, Cell, Plan};
use crate::reproduce::page::Records;
use crate::reproduce::program::Program;
use crate::reproduce::table::{Table, integer, number};
use warpswarm_statistics::Summary;

const SCALED: &str = "*";

/// The fraction of the budget for a timed cell. The budget is meant for the trials of Table 2.
const SHARE: f64 = 0.2;

/// The times of all methods on one function with one number of fireworks, in the order of
/// [`Method::ALL`].
#[derive(Clone, Debug)]
pub(crate) struct Times {
    pub(crate) function: &'static Function,
    pub(crate) fireworks: u64,
    pub(crate) cells: [Cell; 3],
}

impl Times {
    fn cell(&self, method: Method) -> &Cell {
        &self.cells[method as usize]
    }

    /// Mean time for the evaluations of GPU-FWA, in seconds.
    fn mean(&self, method: Method) -> f64 {
        Summary::of(&self.cell(method).scaled_seconds().collect::<Vec<_>>()).mean
    }

    fn speedup(&self, over: Method) -> f64 {
        self.mean(over) / self.mean(Method::GpuFwa)
    }

    fn is_scaled(&self, methods: &[Method]) -> bool {
        methods.iter().any(|method| self.cell(*method).is_scaled())
    }
}

/// All times, and the place where they were measured.
#[derive(Clone, Debug)]
pub(crate) struct Speeds {
    pub(crate) times: Vec<Times>,
    pub(crate) processor: String,
    /// The place where GPU-FWA ran.
    pub(crate) place: String,
}

/// The function of Table 4, Rosenbrock's.
const OF_TABLE_4: &str = "f4";

/// Times all methods on all functions, with all numbers of fireworks. With `quick`, only the function of Table 4.
pub(crate) fn measure(options: &Options, program: &Program) -> Result<Speeds> {
    let mut place = String::new();
    let mut times = Vec::new();
    for function in FUNCTIONS.iter().filter(|f| !options.quick || f.id == OF_TABLE_4) {
        for Speed { fireworks, .. } in SPEEDS {
            let cell = |method| cell(options, program, (function, fireworks), method);
            let (fwa, _) = cell(Method::Fwa)?;
            let (pso, _) = cell(Method::Pso)?;
            let (gpu_fwa, there) = cell(Method::GpuFwa)?;
            place = there;
            let all = Times { function, fireworks, cells: [gpu_fwa, fwa, pso] };
            eprintln!(
                "{:>15}, {fireworks:>3} fireworks: GPU-FWA {} s, {} times as fast as FWA, {} as PSO",
                function.name,
                number(all.mean(Method::GpuFwa)),
                number(all.speedup(Method::Fwa)),
                number(all.speedup(Method::Pso)),
            );
            times.push(all);
        }
    }
    Ok(Speeds { times, processor: measure::processor(), place })
}

fn cell(
    options: &Options,
    program: &Program,
    (function, fireworks): (&Function, u64),
    method: Method,
) -> Result<(Cell, String)> {
    let wanted = paper::evaluations_made(fireworks);
    let plan = Plan {
        least: method.fewest_evaluations(fireworks),
        most: if options.quick { wanted / 10 } else { wanted },
        repetitions: if options.quick { 1 } else { 3 },
        seconds: options.budget * SHARE,
    };
    let parallel = format!("--backend {} --precision f32", options.backend);
    let more = if method == Method::GpuFwa {
        &parallel
    } else {
        "--backend cpu --threads 1 --precision f32"
    };
    let mut place = String::new();
    let cell = measure::cell(wanted, &plan, &mut |load| {
        let problem = function.problem;
        let (evaluations, seed) = (load.work, load.seed);
        let solved =
            Question { method, problem, fireworks, evaluations, seed, more }.ask(program)?;
        place = solved.place.in_words();
        // The initial individuals are evaluated before the time starts, and the last iteration ends at
        // or before the given number of evaluations.
        let timed = solved.runs[0].evaluations - method.individuals(fireworks);
        Ok(solved.seconds * load.work as f64 / timed as f64)
    })?;
    Ok((cell, place))
}

impl Speeds {
    fn of(&self, function: &str) -> impl Iterator<Item = &Times> {
        self.times.iter().filter(move |times| times.function.id == function)
    }

    /// Table 4.
    pub(crate) fn table(&self) -> Table {
        let rows = SPEEDS.iter().zip(self.of(OF_TABLE_4)).map(|(printed, times)| {
            let n = printed.fireworks;
            let counted = paper::evaluations_counted(n) as f64 / paper::evaluations_made(n) as f64;
            let marked = |x: f64, methods: &[Method]| {
                format!("{}{}", number(x), if times.is_scaled(methods) { SCALED } else { "" })
            };
            let time = |method| marked(times.mean(method), &[method]);
            let speedup = |over, part| marked(times.speedup(over) * part, &[Method::GpuFwa, over]);
            let mut row = vec![n.to_string()];
            let Speed { fwa, pso, gpu_fwa, over_fwa, over_pso, .. } = printed;
            row.extend([fwa, pso, gpu_fwa, over_fwa, over_pso].map(|s| s.to_string()));
            row.extend([Method::Fwa, Method::Pso, Method::GpuFwa].map(time));
            row.extend(Method::OTHERS.map(|over| speedup(over, 1.0)));
            row.extend(Method::OTHERS.map(|over| speedup(over, counted)));
            row
        });
        let names = ["FWA s", "PSO s", "GPU-FWA s", "/ FWA", "/ PSO"];
        let columns = ["n"].into_iter().chain(names).chain(names).chain(["/ FWA", "/ PSO"]);
        Table {
            title: "Table 4: seconds on Rosenbrock's function, and speed-up of GPU-FWA".into(),
            groups: vec![
                (String::new(), 1),
                ("paper".into(), 5),
                ("ours, equal evaluations".into(), 5),
                ("as the paper counts".into(), 2),
            ],
            columns: columns.map(String::from).collect(),
            rows: rows.collect(),
            notes: self.notes(),
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!(
            "Ours: FWA and PSO on one thread of {}, GPU-FWA on {}; the paper's: Core i5-2310, GeForce GTX \
             560 Ti. All in f32, set-up excluded; the paper says neither.",
            self.processor, self.place
        )];
        if self.times.iter().any(|times| times.is_scaled(&Method::ALL)) {
            notes.push(format!(
                "{SCALED} scaled, in proportion, from the evaluations that times.csv has."
            ));
        }
        notes.extend(notes::SPEED.map(String::from));
        notes
    }

    /// Figure 10 or 11: the speed-up over one method, with a panel per function.
    pub(crate) fn figure(&self, number: u32, over: Method) -> Result<String> {
        let ours = |function: &Function| Line {
            name: "".into(),
            color: BLUE,
            width: 2,
            dash: Dash::Solid,
            mark: Mark::Disc,
            mark_size: 5,
            points: self
                .of(function.id)
                .map(|times| Dot {
                    x: times.fireworks as f64,
                    y: times.speedup(over).log10(),
                    hollow: times.is_scaled(&[Method::GpuFwa, over]),
                })
                .collect(),
        };
        let printed = |row: &Speed| {
            let speedup = if over == Method::Fwa { row.over_fwa } else { row.over_pso };
            Dot { x: row.fireworks as f64, y: paper::number(speedup).log10(), hollow: false }
        };
        let theirs = Line {
            name: "".into(),
            color: VERMILION,
            width: 2,
            dash: Dash::Dashed,
            mark: Mark::Triangle,
            mark_size: 3,
            points: SPEEDS.iter().map(printed).collect(),
        };
        let functions: Vec<_> =
            FUNCTIONS.iter().filter(|function| self.of(function.id).next().is_some()).collect();
        let lines = functions.iter().map(|function| match function.id {
            OF_TABLE_4 => vec![theirs.clone(), ours(function)],
            _ => vec![ours(function)],
        });
        let lines: Vec<Vec<Line>> = lines.collect();
        let heights = lines.iter().flatten().flat_map(|line| &line.points).map(|dot| dot.y);
        let y = Axis::decades("speed-up", heights);
        let x = Axis::new(
            "fireworks",
            (36.0, 156.0),
            SPEEDS.iter().map(|row| row.fireworks as f64).collect(),
            |x| integer(x as u64),
        );
        let panel = |(function, lines): (&Function, Vec<Line>)| Panel {
            title: format!("{}: {}", function.id, function.name),
            x: x.clone(),
            y: y.clone(),
            areas: Vec::new(),
            lines,
        };
        let mut notes = vec![
            format!(
                "discs, solid: ours, {} on one thread of {}, GPU-FWA on {}, as many evaluations",
                over.name(),
                self.processor,
                self.place
            ),
            "triangles, dashed: the paper's Table 4, on Rosenbrock's function".into(),
        ];
        if self.times.iter().any(|times| times.is_scaled(&[Method::GpuFwa, over])) {
            notes.push("hollow: from a time that is scaled".into());
        }
        let picture = Picture {
            has_legend: false,
            title: format!("Figure {number}: speed-up of GPU-FWA over {}", over.name()),
            notes,
            columns: 4,
            size: (320, 280),
            panels: functions.into_iter().zip(lines).map(panel).collect(),
        };
        Ok(picture.svg()?)
    }

    /// Every repetition as measured, without scaling.
    pub(crate) fn records(&self) -> Records {
        let mut rows = Vec::new();
        for times in &self.times {
            for method in Method::ALL {
                let cell = times.cell(method);
                for (i, seconds) in cell.seconds.iter().enumerate() {
                    rows.push(vec![
                        times.function.id.into(),
                        times.function.problem.into(),
                        times.fireworks.to_string(),
                        method.name().into(),
                        cell.wanted.to_string(),
                        (i + 1).to_string(),
                        cell.work.to_string(),
                        seconds.to_string(),
                    ]);
                }
            }
        }
        let head = vec![
            "function",
            "problem",
            "fireworks",
            "method",
            "wanted_evaluations",
            "repetition",
            "evaluations",
            "seconds",
        ];
        Records { name: "times", head, rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::page::tests::assert_whole;

    /// Invented times: GPU-FWA takes 1 s, FWA 20 s and PSO 40 s; PSO is extrapolated from a tenth.
    fn made_up() -> Speeds {
        let mut times = Vec::new();
        for function in &FUNCTIONS {
            for Speed { fireworks, .. } in SPEEDS {
                let cell = |wanted: u64, work: u64, seconds: f64| Cell {
                    wanted,
                    work,
                    seconds: vec![seconds, seconds],
                };
                let wanted = 1_000 * fireworks;
                let cells = [
                    cell(wanted, wanted, 1.0),
                    cell(wanted, wanted, 20.0),
                    cell(wanted, wanted / 10, 4.0),
                ];
                times.push(Times { function, fireworks, cells });
            }
        }
        Speeds { times, processor: "a processor".into(), place: "a device".into() }
    }

    #[test]
    fn speed_ups_and_what_is_scaled() {
        let table = made_up().table();
        let widths: usize = table.groups.iter().map(|(_, span)| span).sum();
        assert_eq!(widths, table.columns.len());
        assert_eq!(table.rows.len(), 4);
        let ours = ["20.00", "40.00*", "1.000", "20.00", "40.00*"];
        assert_eq!(table.rows[0][6..11], ours);
        // 768,000 of 23,088,048 evaluations.
        assert_eq!(table.rows[0][11..], ["0.6653", "1.331*"]);
        assert!(table.text().contains("* scaled"));
    }

    #[test]
    fn pictures_are_whole() {
        let speeds = made_up();
        let [fwa, pso] = [(10, Method::Fwa), (11, Method::Pso)]
            .map(|(number, over)| speeds.figure(number, over).unwrap());
        assert_whole(&fwa);
        assert_whole(&pso);
        assert!(!fwa.contains("hollow:") && pso.contains("hollow:"));
    }

    #[test]
    fn every_repetition_is_a_record() {
        let records = made_up().records();
        assert_eq!(records.rows.len(), 8 * 4 * 3 * 2);
        assert!(records.rows.iter().all(|row| row.len() == records.head.len()));
    }
}
