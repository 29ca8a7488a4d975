//! The tables as CSV: the paper's numbers and ours, and every repetition.

use super::layout::Cpso;
use super::paper::{self, ROWS};
use super::results::{Results, speedup, summary};
use crate::reproduce::measure::Cell;
use crate::reproduce::page::Records;

impl Results {
    /// All CSV files.
    pub(super) fn records(&self) -> Vec<Records> {
        vec![self.times(), self.speedups(), self.repetitions()]
    }

    /// The cells of SPSO, and of CPSO in each layout.
    fn measured(&self) -> impl Iterator<Item = (&'static str, Option<&Cpso>, &[Cell])> {
        let cpso = self.cpso.iter().map(|cpso| ("CPSO", Some(cpso), &cpso.cells[..]));
        std::iter::once(("SPSO", None, &self.spso[..])).chain(cpso)
    }

    /// Tables IV and V, with one record per (algorithm, source, layout, particles). Times are in milliseconds
    /// for 100,000 iterations.
    fn times(&self) -> Records {
        let head = vec![
            "algorithm",
            "source",
            "layout",
            "schedule",
            "block_size",
            "particles",
            "min_ms",
            "max_ms",
            "mean_ms",
            "median_ms",
            "deviation_ms",
            "measured_iterations",
            "repetitions",
            "note",
        ];
        let mut rows = Vec::new();
        rows.extend(ROWS.iter().map(|row| printed("SPSO", row)));
        rows.extend(ROWS.iter().map(|row| printed("CPSO", row)));
        for (algorithm, cpso, cells) in self.measured() {
            for (i, cell) in cells.iter().enumerate() {
                let mut record = vec![algorithm.into(), "ours".into()];
                record.extend(place(cpso, i));
                record.push(ROWS[i].particles.to_string());
                record.extend(summary(cell).columns().map(|x| x.to_string()));
                record.extend([cell.work.to_string(), cell.seconds.len().to_string()]);
                record.push(if cell.is_scaled() { "scaled" } else { "" }.into());
                rows.push(record);
            }
        }
        Records { name: "times", head, rows }
    }

    /// Table VI, with one record per layout and number of particles.
    fn speedups(&self) -> Records {
        let mut rows = Vec::new();
        for cpso in &self.cpso {
            for (i, (row, spso)) in ROWS.iter().zip(&self.spso).enumerate() {
                let cell = &cpso.cells[i];
                let scaled = spso.is_scaled() || cell.is_scaled();
                let mut record = vec![row.particles.to_string()];
                record.extend(place(Some(cpso), i));
                record.extend([row.speedup.into(), speedup(spso, cell).to_string()]);
                record.push(if scaled { "scaled" } else { "" }.into());
                rows.push(record);
            }
        }
        let head = vec![
            "particles",
            "layout",
            "schedule",
            "block_size",
            "paper_speedup",
            "our_speedup",
            "note",
        ];
        Records { name: "speedups", head, rows }
    }

    /// Every repetition as measured, without scaling.
    fn repetitions(&self) -> Records {
        let mut rows = Vec::new();
        for (algorithm, cpso, cells) in self.measured() {
            let [layout, ..] = place(cpso, 0);
            for (row, cell) in ROWS.iter().zip(cells) {
                for (i, seconds) in cell.seconds.iter().enumerate() {
                    rows.push(vec![
                        algorithm.into(),
                        layout.clone(),
                        row.particles.to_string(),
                        (i + 1).to_string(),
                        cell.work.to_string(),
                        seconds.to_string(),
                    ]);
                }
            }
        }
        let head = vec!["algorithm", "layout", "particles", "repetition", "iterations", "seconds"];
        Records { name: "repetitions", head, rows }
    }
}

/// A row of the paper's Table IV or V.
fn printed(algorithm: &str, row: &paper::Row) -> Vec<String> {
    let is_spso = algorithm == "SPSO";
    let (times, block) =
        if is_spso { (row.spso, String::new()) } else { (row.cpso, paper::BLOCK_SIZE.to_string()) };
    let mut record = vec![algorithm.into(), "paper".into(), String::new(), String::new(), block];
    record.push(row.particles.to_string());
    record.extend(times.map(|time| time.replace(',', "")));
    record.extend([paper::ITERATIONS.to_string(), paper::REPETITIONS.to_string()]);
    let misprint = paper::MISPRINTS.iter().find(|m| is_spso && m.particles == row.particles);
    let note = misprint.map(|m| format!("misprint: {} probably {}", m.column.name(), m.likely));
    record.push(note.unwrap_or_default());
    record
}

/// Layout, schedule and block size of a cell of CPSO; empty for SPSO.
fn place(cpso: Option<&Cpso>, cell: usize) -> [String; 3] {
    let Some(Cpso { layout, places, .. }) = cpso else { return Default::default() };
    let block = places[cell].block_size.map_or_else(String::new, |block| block.to_string());
    [layout.id.into(), places[cell].schedule.clone(), block]
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::{made_up, made_up_on_cpu};

    #[test]
    fn records_hold_what_was_measured() {
        let results = made_up();
        let records = results.records();
        let [times, speedups, repetitions] = &records[..] else { panic!("three files") };
        assert_eq!((times.rows.len(), speedups.rows.len()), (2 * 12 + 4 * 12, 3 * 12));
        for records in &records {
            assert!(records.rows.iter().all(|row| row.len() == records.head.len()));
        }
        assert_eq!(repetitions.rows.len(), 12 * (10 + 10 + 3 + 3));
        let last_spso = &repetitions.rows[119];
        assert_eq!((&last_spso[2][..], &last_spso[4][..]), ("65536", "12000"));
        let measured: f64 = last_spso[5].parse().unwrap();
        assert_eq!(measured, results.spso[11].seconds[9]);
        let last = times.rows.last().unwrap();
        assert_eq!(last[..6], ["CPSO", "ours", "stepwise", "stepwise", "128", "65536"]);
        assert_eq!(speedups.rows[12][..4], ["32", "stepwise-32", "stepwise", "32"]);
        assert_eq!(times.rows[12][..6], ["CPSO", "paper", "", "", "32", "32"]);
    }

    #[test]
    fn without_schedules_there_is_one_layout() {
        let records = made_up_on_cpu().records();
        assert_eq!(records[0].rows.len(), 4 * 12);
        assert_eq!(records[1].rows[0][1..4], ["auto", "-", ""]);
    }
}
