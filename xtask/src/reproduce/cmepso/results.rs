//! Our results, with those printed in the paper and the best known ones.

use super::known::Known;
use super::paper::{Column, Form};
use crate::reproduce::page::Records;
use crate::reproduce::program::Run;
use crate::reproduce::table::{Table, integer, number, scientific};
use warpswarm_statistics::Summary;

/// All runs of one algorithm on one form of a problem.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) method: &'static str,
    /// Whether its parameters are the paper's.
    pub(crate) of_the_paper: bool,
    pub(crate) runs: Vec<Run>,
    /// The times of some single runs, in seconds.
    pub(crate) seconds: Vec<f64>,
}

impl Cell {
    /// The best run, by violation first and value second.
    pub(crate) fn best(&self) -> &Run {
        let order = |a: &&Run, b: &&Run| {
            (a.violation.total_cmp(&b.violation)).then(a.value.total_cmp(&b.value))
        };
        self.runs.iter().min_by(order).expect("a cell has runs")
    }

    fn feasible(&self) -> impl Iterator<Item = f64> {
        self.runs.iter().filter(|run| run.violation == 0.0).map(|run| run.value)
    }
}

/// All cells of one form of a problem.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    pub(crate) form: &'static Form,
    pub(crate) known: Known,
    pub(crate) cells: Vec<Cell>,
}

/// The texts of a point in a table.
struct Shown {
    x: Vec<String>,
    g: Vec<String>,
    violations: String,
    fitness: String,
    /// The relative difference from the best known value.
    above: String,
    /// For our runs only: mean of the feasible ones, number of feasible ones, evaluations, seconds.
    runs: [String; 4],
}

impl Results {
    /// The paper's table for this form.
    pub(crate) fn table(&self) -> Table {
        let Form { table, name, columns, coordinates, constraints, notes, .. } = self.form;
        let mut shown: Vec<Shown> = columns.iter().map(|column| self.printed(column)).collect();
        shown.push(self.best_known());
        shown.extend(self.cells.iter().map(|cell| self.ours(cell)));

        let mut names = vec![""];
        names.extend(columns.iter().map(|column| column.name));
        names.push("known");
        names.extend(self.cells.iter().map(|cell| cell.method));
        let by =
            |of_the_paper| self.cells.iter().filter(|c| c.of_the_paper == of_the_paper).count();
        let mut groups = vec![(String::new(), 1)];
        if !columns.is_empty() {
            groups.push(("paper".into(), columns.len()));
        }
        groups.push(("best".into(), 1));
        groups.push(("ours, the paper's values, f32".into(), by(true)));
        groups.push(("ours, defaults, f64".into(), by(false)));

        let row = |name: String, cell: &dyn Fn(&Shown) -> String| -> Vec<String> {
            std::iter::once(name).chain(shown.iter().map(cell)).collect()
        };
        let mut rows = Vec::new();
        for (i, name) in coordinates.iter().enumerate() {
            rows.push(row(name.to_string(), &|of| of.x[i].clone()));
        }
        for i in 0..*constraints {
            rows.push(row(format!("G{}", i + 1), &|of| of.g[i].clone()));
        }
        rows.push(row("violations".into(), &|of| of.violations.clone()));
        rows.push(row("fitness".into(), &|of| of.fitness.clone()));
        rows.push(row("above known".into(), &|of| of.above.clone()));
        let of_runs = ["mean fitness", "feasible runs", "evaluations", "seconds a run"];
        for (i, name) in of_runs.iter().enumerate() {
            rows.push(row(name.to_string(), &|of| of.runs[i].clone()));
        }
        Table {
            title: format!("Table {table}: {name}"),
            groups,
            columns: names.into_iter().map(String::from).collect(),
            rows,
            notes: notes.iter().map(|note| note.to_string()).collect(),
        }
    }

    fn above(&self, value: f64) -> String {
        let known = self.known.value;
        scientific((value - known) / known.abs())
    }

    fn printed(&self, column: &Column) -> Shown {
        let all = |printed: &[&str]| printed.iter().map(|text| text.to_string()).collect();
        // Printed values are rounded, so a difference below half a unit in the last digit counts as 0.
        let value: f64 = column.fitness.parse().expect("the paper's tables hold numbers");
        let decimals = column.fitness.split_once('.').map_or(0, |(_, digits)| digits.len());
        let rounded = format!("{:.decimals$}", self.known.value) == column.fitness;
        let seconds = self.form.seconds.filter(|_| column.name == "CMEPSO").unwrap_or("");
        Shown {
            x: all(column.x),
            g: all(column.g),
            violations: column.violations.into(),
            fitness: column.fitness.into(),
            above: if rounded { "0".into() } else { self.above(value) },
            runs: ["", "", "", seconds].map(String::from),
        }
    }

    fn best_known(&self) -> Shown {
        let Known { x, g, value } = &self.known;
        Shown {
            x: x.iter().map(|x| decimal(*x)).collect(),
            g: g.iter().map(|g| decimal(*g)).collect(),
            violations: "0".into(),
            fitness: decimal(*value),
            above: "0".into(),
            runs: Default::default(),
        }
    }

    fn ours(&self, cell: &Cell) -> Shown {
        let best = cell.best();
        let feasible: Vec<f64> = cell.feasible().collect();
        let mean =
            if feasible.is_empty() { "-".into() } else { decimal(Summary::of(&feasible).mean) };
        let of = format!("{} of {}", feasible.len(), cell.runs.len());
        let seconds = number(Summary::of(&cell.seconds).mean);
        Shown {
            x: best.position.iter().map(|x| decimal(*x)).collect(),
            g: best.constraints.iter().map(|g| decimal(*g)).collect(),
            violations: best.constraints.iter().filter(|g| **g > 0.0).count().to_string(),
            fitness: decimal(best.value),
            above: self.above(best.value),
            runs: [mean, of, integer(best.evaluations), seconds],
        }
    }

    /// The best point of every run, as rows of [`runs`].
    fn rows_of_runs(&self) -> impl Iterator<Item = Vec<String>> {
        self.cells.iter().flat_map(move |cell| {
            cell.runs.iter().enumerate().map(move |(i, run)| {
                let joined = |numbers: &[f64]| {
                    let texts: Vec<String> = numbers.iter().map(f64::to_string).collect();
                    texts.join(" ")
                };
                let mut row = self.label(cell, i);
                row.extend([run.value, run.violation].map(|x| x.to_string()));
                row.extend([joined(&run.position), joined(&run.constraints)]);
                row.extend([run.evaluations.to_string(), run.iterations.to_string()]);
                row
            })
        })
    }

    fn rows_of_times(&self) -> impl Iterator<Item = Vec<String>> {
        self.cells.iter().flat_map(move |cell| {
            cell.seconds.iter().enumerate().map(move |(i, seconds)| {
                let mut row = self.label(cell, i);
                row.push(seconds.to_string());
                row
            })
        })
    }

    fn label(&self, cell: &Cell, number: usize) -> Vec<String> {
        let values = if cell.of_the_paper { "paper" } else { "default" };
        let number = (number + 1).to_string();
        vec![self.form.problem.into(), cell.method.into(), values.into(), number]
    }
}

/// The best point of every run. Several numbers in a field are separated by spaces.
pub(crate) fn runs(results: &[Results]) -> Records {
    let head = vec![
        "problem",
        "algorithm",
        "values",
        "run",
        "fitness",
        "violation",
        "x",
        "g",
        "evaluations",
        "iterations",
    ];
    Records { name: "runs", head, rows: results.iter().flat_map(Results::rows_of_runs).collect() }
}

/// The times of single runs.
pub(crate) fn times(results: &[Results]) -> Records {
    let head = vec!["problem", "algorithm", "values", "run", "seconds"];
    let rows = results.iter().flat_map(Results::rows_of_times).collect();
    Records { name: "times", head, rows }
}

/// A number with six decimals, as in the paper, and without a minus sign before zero.
fn decimal(x: f64) -> String {
    let text = format!("{x:.6}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|c| c == '0' || c == '.') => digits.into(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::cmepso::known;
    use crate::reproduce::cmepso::paper::FORMS;

    /// Two invented runs of one algorithm; the one with the smaller value is not feasible.
    fn made_up(form: &'static Form) -> Results {
        let known = known::best(form.problem).unwrap();
        let run = |value: f64, violation: f64| Run {
            value,
            violation,
            position: known.x.clone(),
            constraints: known.g.iter().map(|g| g + violation).collect(),
            evaluations: 2_000,
            iterations: 5,
        };
        let runs = vec![run(known.value * 0.5, 1e-3), run(known.value * 1.5, 0.0)];
        let cell = |of_the_paper| Cell {
            method: "PSO",
            of_the_paper,
            runs: runs.clone(),
            seconds: vec![0.25, 0.75],
        };
        let cells = vec![cell(true), cell(false)];
        Results { form, known, cells }
    }

    #[test]
    fn tables_are_whole() {
        for form in &FORMS {
            let table = made_up(form).table();
            let widths: usize = table.groups.iter().map(|(_, span)| span).sum();
            assert_eq!(widths, table.columns.len());
            assert_eq!(table.rows.len(), form.coordinates.len() + form.constraints + 7);
            assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
        }
    }

    #[test]
    fn the_paper_what_is_known_and_ours_stand_side_by_side() {
        let table = made_up(&FORMS[0]).table();
        assert_eq!(table.columns, ["", "CMEPSO", "{1}", "known", "PSO", "PSO"]);
        let row = |name: &str| table.rows.iter().find(|row| row[0] == name).unwrap();
        assert_eq!(row("D")[1..4], ["0.282023", "0.279604", "0.282023"]);
        assert_eq!(row("G1")[3], "0.000000");
        // The feasible run is better.
        assert_eq!(row("fitness")[1..5], ["0.002820", "0.002878", "0.002820", "0.004230"]);
        assert_eq!(row("above known")[1..5], ["0", "2.05E-02", "0", "5.00E-01"]);
        assert_eq!(row("feasible runs")[1..5], ["", "", "", "1 of 2"]);
        assert_eq!(row("seconds a run")[1..5], ["1.9833", "", "", "0.5000"]);
    }

    #[test]
    fn every_run_and_time_is_a_record() {
        let results: Vec<Results> = FORMS.iter().map(made_up).collect();
        for records in [runs(&results), times(&results)] {
            assert_eq!(records.rows.len(), 7 * 2 * 2);
            assert!(records.rows.iter().all(|row| row.len() == records.head.len()));
        }
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(decimal(-3.6e-7), "0.000000");
        assert_eq!(decimal(-0.0019531), "-0.001953");
    }
}
