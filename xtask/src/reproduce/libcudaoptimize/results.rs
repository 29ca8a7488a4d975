//! Tables and records of the measurements.

use super::methods::Method;
use super::models::MODELS;
use super::runs::Point;
use super::{notes, paper, sets};
use crate::reproduce::page::Records;
use crate::reproduce::table::{Table, integer, number, scientific};

const SCALED: &str = "*";

/// The points of both figures, all with the same methods.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    pub(crate) processor: String,
    pub(crate) methods: &'static [Method],
    /// Figure 4.
    pub(crate) generations: Vec<Point>,
    /// Figure 5.
    pub(crate) particles: Vec<Point>,
    /// The times of both sets at once and one by one.
    pub(crate) turns: Vec<sets::Turns>,
}

impl Results {
    pub(crate) fn has_gpu(&self) -> bool {
        self.methods.contains(&Method::Gpu)
    }

    /// The numbers of Figures 4 and 5, and those of the sets one by one. Notes that apply to both figures are below the
    /// second.
    pub(crate) fn tables(&self) -> [Table; 3] {
        let mut first = self.table(
            format!("Figure 4: milliseconds over generations, {} particles", paper::PARTICLES),
            ("generations", |point| point.size.generations),
            &self.generations,
        );
        let mut second = self.table(
            format!("Figure 5: milliseconds over particles, {} generations", paper::GENERATIONS),
            ("particles", |point| point.size.particles),
            &self.particles,
        );
        first.notes = notes::of_figure_4(self);
        second.notes = notes::of_figure_5(self);
        second.notes.extend(notes::of_both(self));
        [first, second, sets::table(&self.turns)]
    }

    fn table(
        &self,
        title: String,
        (name, along): (&str, fn(&Point) -> u64),
        points: &[Point],
    ) -> Table {
        let mut groups =
            vec![(String::new(), 1), ("median of whole runs".into(), self.methods.len())];
        let mut columns = vec![name.to_string()];
        columns.extend(self.methods.iter().map(|method| method.name().into()));
        let slower: &[Method] = if self.has_gpu() { &[Method::Cpu, Method::Hosted] } else { &[] };
        if self.has_gpu() {
            groups.push(("speed-up of GPU over".into(), slower.len()));
            columns.extend(slower.iter().map(|method| method.name().into()));
        }
        groups.push(("best value, median".into(), MODELS.len()));
        columns.extend(MODELS.map(|model| format!("{} parameters", model.parameters)));
        let row = |point: &Point| {
            let mark = if point.is_scaled() { SCALED } else { "" };
            let mut row = vec![integer(along(point))];
            row.extend(point.timed.iter().map(|t| format!("{}{mark}", number(t.time()))));
            let speedups = slower.iter().filter_map(|over| point.speedup(*over));
            row.extend(speedups.map(|x| format!("{}{mark}", number(x))));
            let best = (0..MODELS.len()).map(|set| scientific(point.median_best(set)));
            row.extend(best.map(|value| format!("{value}{mark}")));
            row
        };
        Table { title, groups, columns, rows: points.iter().map(row).collect(), notes: Vec::new() }
    }

    /// Every repetition as measured, without scaling.
    pub(crate) fn times(&self) -> Records {
        let mut rows = Vec::new();
        self.each(|figure, point| {
            for timed in &point.timed {
                for (i, seconds) in timed.cell.seconds.iter().enumerate() {
                    rows.push(vec![
                        figure.into(),
                        timed.method.name().into(),
                        timed.schedule.clone(),
                        point.size.particles.to_string(),
                        timed.cell.wanted.to_string(),
                        (i + 1).to_string(),
                        timed.cell.work.to_string(),
                        seconds.to_string(),
                    ]);
                }
            }
        });
        let head = vec![
            "figure",
            "implementation",
            "schedule",
            "particles",
            "wanted_generations",
            "repetition",
            "generations",
            "seconds",
        ];
        Records { name: "times", head, rows }
    }

    /// The best value of every set, which is the same for all implementations.
    pub(crate) fn values(&self) -> Records {
        let mut rows = Vec::new();
        self.each(|figure, point| {
            for (i, sets) in point.best.iter().enumerate() {
                for (set, value) in sets.iter().enumerate() {
                    let numbers = [
                        point.size.particles,
                        point.timed[0].cell.work,
                        i as u64 + 1,
                        set as u64 + 1,
                    ];
                    let mut row = vec![figure.to_string()];
                    row.extend(numbers.map(|n| n.to_string()));
                    row.push(value.to_string());
                    rows.push(row);
                }
            }
        });
        let head = vec!["figure", "particles", "generations", "repetition", "set", "best"];
        Records { name: "values", head, rows }
    }

    fn each(&self, mut take: impl FnMut(&str, &Point)) {
        self.generations.iter().for_each(|point| take("4", point));
        self.particles.iter().for_each(|point| take("5", point));
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::reproduce::libcudaoptimize::methods::Size;
    use crate::reproduce::libcudaoptimize::runs::tests::made_up as point;
    use crate::reproduce::libcudaoptimize::sets::tests::made_up as turns;

    /// Invented times: that of the CPU is linear in the particles; CPU + GPU starts at 100 microseconds with half the
    /// slope; the GPU is constant. From 2,000 generations on, they are extrapolated.
    pub(crate) fn made_up(methods: &'static [Method]) -> Results {
        let at = |generations, particles| {
            let n = particles as f64;
            let micros = [4.0 * n, 3.0 * n, 100.0 + 2.0 * n, 10.0];
            point(methods, Size { generations, particles }, micros, 1.8)
        };
        Results {
            processor: "a processor".into(),
            methods,
            generations: paper::ALONG_GENERATIONS.map(|g| at(g, paper::PARTICLES)).into(),
            particles: paper::ALONG_PARTICLES.map(|n| at(paper::GENERATIONS, n)).into(),
            turns: turns(methods),
        }
    }

    #[test]
    fn tables_have_what_was_measured() {
        let [generations, particles, in_turn] = made_up(&Method::ALL).tables();
        assert_eq!(in_turn.rows.len(), 4);
        for table in [&generations, &particles] {
            let widths: usize = table.groups.iter().map(|(_, span)| span).sum();
            assert_eq!(widths, table.columns.len());
            assert!(table.rows.iter().all(|row| row.len() == widths));
        }
        assert_eq!(
            generations.rows[1],
            ["200", "51.20", "38.40", "45.60", "2.000", "25.60", "22.80", "1.25E+00", "2.50E-01"]
        );
        let scaled = |row: &Vec<String>| row[1..].iter().all(|cell| cell.ends_with(SCALED));
        assert_eq!(generations.rows.iter().filter(|row| scaled(row)).count(), 3);
        assert_eq!(particles.rows[4][1..], generations.rows[1][1..]);
    }

    #[test]
    fn without_a_gpu_there_are_two_lines() {
        let [generations, particles, _] = made_up(&Method::ALL[..2]).tables();
        let columns = ["generations", "CPU", "CPU, threads", "16 parameters", "14 parameters"];
        assert_eq!(generations.columns, columns);
        assert_eq!(particles.rows[0], ["16", "12.80", "9.600", "1.25E+00", "2.50E-01"]);
    }

    #[test]
    fn every_repetition_is_a_record() {
        let results = made_up(&Method::ALL);
        let (times, values) = (results.times(), results.values());
        assert_eq!(times.rows.len(), (7 + 11) * 4 * 4);
        assert_eq!(values.rows.len(), (7 + 11) * 4 * 2);
        for records in [times, values] {
            assert!(records.rows.iter().all(|row| row.len() == records.head.len()));
        }
    }
}
