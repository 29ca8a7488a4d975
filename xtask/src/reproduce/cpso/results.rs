//! What was measured, beside what the paper printed.

use super::paper::{self, Column, ROWS, Row};
use crate::reproduce::measure::{Cell, Plan};
use crate::reproduce::page::{Figure, Page, Records};
use crate::reproduce::table::{Table, integer, number};
use warpswarm_statistics::Summary;

const SCALED: &str = "*";
const MISPRINT: &str = "†";

/// The measurements, one cell per row of the paper's tables.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    pub(crate) plan: Plan,
    /// The machine's processor.
    pub(crate) processor: String,
    /// What ran CPSO, in words: backend and device.
    pub(crate) cpso_backend: String,
    pub(crate) spso: Vec<Cell>,
    pub(crate) cpso: Vec<Cell>,
    /// The schedule that CPSO ran in, per cell.
    pub(crate) schedules: Vec<String>,
}

impl Results {
    /// Tables IV, V and VI.
    pub(crate) fn tables(&self) -> [Table; 3] {
        [self.spso_table(), self.cpso_table(), self.speedup_table()]
    }

    fn spso_table(&self) -> Table {
        let printed = |row: &Row| {
            Column::ALL.map(|column| {
                let mark = paper::misprint(row.particles, column).map_or("", |_| MISPRINT);
                format!("{}{mark}", row.spso[column as usize])
            })
        };
        let mut notes = vec![format!("Ours: one thread of {}.", self.processor)];
        notes.extend(paper::MISPRINTS.map(|m| {
            let (particles, column) = (integer(m.particles.into()), m.column.name());
            let likely = m.likely;
            format!("{MISPRINT} misprint: the {column} at {particles} is probably {likely}.")
        }));
        notes.extend(scaled_note(&self.spso));
        let title = "Table IV: serial SPSO on the CPU, milliseconds for 100,000 iterations";
        times_table(title, &self.spso, printed, notes)
    }

    fn cpso_table(&self) -> Table {
        let mut notes = vec![format!(
            "Ours: {}. The paper's: GeForce RTX 3080 Laptop; its rows are those of three repetitions.",
            self.cpso_backend
        )];
        notes.extend(scaled_note(&self.cpso));
        let title = "Table V: CPSO, milliseconds for 100,000 iterations";
        let mut table = times_table(title, &self.cpso, |row| row.cpso.map(String::from), notes);
        table.columns.push("schedule".into());
        table.groups[3].1 += 1;
        for (row, schedule) in table.rows.iter_mut().zip(&self.schedules) {
            row.push(schedule.clone());
        }
        table
    }

    fn speedup_table(&self) -> Table {
        let cells = self.spso.iter().zip(&self.cpso);
        let rows = ROWS.iter().zip(cells).map(|(row, (spso, cpso))| {
            let mark = paper::misprint(row.particles, Column::Mean).map_or("", |_| MISPRINT);
            vec![
                integer(row.particles.into()),
                format!("{}{mark}", row.spso[Column::Mean as usize]),
                row.cpso[Column::Mean as usize].into(),
                row.speedup.into(),
                marked(mean(spso), spso.is_scaled()),
                marked(mean(cpso), cpso.is_scaled()),
                ratio(speedup(spso, cpso), spso.is_scaled() || cpso.is_scaled()),
            ]
        });
        let names = ["particles", "SPSO", "CPSO", "speed-up", "SPSO", "CPSO", "speed-up"];
        let mut notes = vec!["Mean of SPSO over mean of CPSO.".to_string()];
        notes.push(format!(
            "{MISPRINT} printed so here too; the paper's speed-up is that of 24,865.50."
        ));
        if self.spso.iter().chain(&self.cpso).any(Cell::is_scaled) {
            notes.push(format!("{SCALED} from a scaled time: see Tables IV and V."));
        }
        Table {
            title: "Table VI: speed-up of CPSO over SPSO, milliseconds for 100,000 iterations"
                .into(),
            groups: vec![(String::new(), 1), ("paper".into(), 3), ("ours".into(), 3)],
            columns: names.map(String::from).to_vec(),
            rows: rows.collect(),
            notes,
        }
    }

    /// What was done, in a few sentences.
    pub(crate) fn method(&self) -> String {
        let Plan { most, repetitions, seconds, .. } = self.plan;
        let limit = if seconds.is_finite() {
            format!(
                "Where {repetitions} repetitions would take more than {seconds} s, they do fewer \
                 iterations. "
            )
        } else {
            String::new()
        };
        format!(
            "f(x, y) = sqrt(x^2 + y^2) on [-100, 100]^2 in f32, w = 1, c1 = c2 = 2 (preset cpso-paper), \
             {repetitions} repetitions of at most {} iterations. {limit}Times with fewer than {} \
             iterations are scaled in proportion and marked {SCALED}. A time is that of all \
             iterations; set-up (driver, memory, kernels, first placement) is excluded.",
            integer(most),
            integer(paper::ITERATIONS),
        )
    }

    /// All of it, with these pictures.
    pub(crate) fn page(&self, figure_8: String, figure_6: String) -> Page {
        let figure = |name, title: &str, svg| Figure { name, title: title.into(), svg };
        Page {
            title: "CPSO, reproduced".into(),
            method: self.method(),
            tables: self.tables().into(),
            figures: vec![
                figure("figure-8", "Figure 8: execution time against particles", figure_8),
                figure(
                    "figure-6",
                    "Figure 6: 5,000 particles at iterations 0, 100 and 200",
                    figure_6,
                ),
            ],
            records: vec![self.times(), self.speedups(), self.repetitions()],
        }
    }

    /// Tables IV and V as one record per (algorithm, source, particles); times in milliseconds for
    /// 100,000 iterations.
    fn times(&self) -> Records {
        let head = vec![
            "algorithm",
            "source",
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
        for (algorithm, cells) in [("SPSO", &self.spso), ("CPSO", &self.cpso)] {
            for (row, cell) in ROWS.iter().zip(cells) {
                let printed = if algorithm == "SPSO" { row.spso } else { row.cpso };
                let particles = row.particles.to_string();
                let mut record = vec![algorithm.into(), "paper".into(), particles.clone()];
                record.extend(printed.map(|p| p.replace(',', "")));
                record.extend([paper::ITERATIONS.to_string(), paper::REPETITIONS.to_string()]);
                let misprint = paper::MISPRINTS
                    .iter()
                    .find(|m| algorithm == "SPSO" && m.particles == row.particles)
                    .map(|m| format!("misprint: {} probably {}", m.column.name(), m.likely));
                record.push(misprint.unwrap_or_default());
                rows.push(record);

                let mut record = vec![algorithm.into(), "ours".into(), particles];
                record.extend(summary(cell).columns().map(|x| x.to_string()));
                record.extend([cell.work.to_string(), cell.seconds.len().to_string()]);
                record.push(if cell.is_scaled() { "scaled" } else { "" }.into());
                rows.push(record);
            }
        }
        Records { name: "times", head, rows }
    }

    /// Table VI.
    fn speedups(&self) -> Records {
        let cells = self.spso.iter().zip(&self.cpso);
        let rows = ROWS.iter().zip(cells).map(|(row, (spso, cpso))| {
            let scaled = spso.is_scaled() || cpso.is_scaled();
            vec![
                row.particles.to_string(),
                row.speedup.into(),
                speedup(spso, cpso).to_string(),
                if scaled { "scaled" } else { "" }.into(),
            ]
        });
        let head = vec!["particles", "paper_speedup", "our_speedup", "note"];
        Records { name: "speedups", head, rows: rows.collect() }
    }

    /// Every repetition as it was measured, unscaled.
    fn repetitions(&self) -> Records {
        let mut rows = Vec::new();
        for (algorithm, cells) in [("SPSO", &self.spso), ("CPSO", &self.cpso)] {
            for (row, cell) in ROWS.iter().zip(cells) {
                for (i, seconds) in cell.seconds.iter().enumerate() {
                    rows.push(vec![
                        algorithm.into(),
                        row.particles.to_string(),
                        (i + 1).to_string(),
                        cell.work.to_string(),
                        seconds.to_string(),
                    ]);
                }
            }
        }
        let head = vec!["algorithm", "particles", "repetition", "iterations", "seconds"];
        Records { name: "repetitions", head, rows }
    }
}

/// Of milliseconds for the paper's iterations.
fn summary(cell: &Cell) -> Summary {
    Summary::of(&cell.scaled_seconds().map(|s| s * 1e3).collect::<Vec<_>>())
}

/// The mean time in milliseconds for the paper's iterations.
pub(crate) fn mean(cell: &Cell) -> f64 {
    summary(cell).mean
}

fn speedup(spso: &Cell, cpso: &Cell) -> f64 {
    mean(spso) / mean(cpso)
}

fn marked(x: f64, scaled: bool) -> String {
    format!("{}{}", number(x), if scaled { SCALED } else { "" })
}

fn ratio(x: f64, scaled: bool) -> String {
    let decimals = if x < 10.0 { 2 } else { 1 };
    format!("{x:.decimals$}{}", if scaled { SCALED } else { "" })
}

fn scaled_note(cells: &[Cell]) -> Option<String> {
    let note = format!(
        "{SCALED} scaled to 100,000 iterations, in proportion, from as many as the column \
         \"measured iterations\" says."
    );
    cells.iter().any(Cell::is_scaled).then_some(note)
}

/// The five columns of the paper beside ours.
fn times_table(
    title: &str,
    cells: &[Cell],
    printed: impl Fn(&Row) -> [String; 5],
    notes: Vec<String>,
) -> Table {
    let rows = ROWS.iter().zip(cells).map(|(row, cell)| {
        let mut line = vec![integer(row.particles.into())];
        line.extend(printed(row));
        line.extend(summary(cell).columns().map(|x| marked(x, cell.is_scaled())));
        line.push(integer(cell.work));
        line
    });
    let names = Column::ALL.map(|column| column.name().to_string());
    let mut columns = vec!["particles".to_string()];
    columns.extend(names.clone());
    columns.extend(names);
    columns.push("iterations".into());
    Table {
        title: title.into(),
        groups: vec![
            (String::new(), 1),
            ("paper".into(), 5),
            ("ours".into(), 5),
            ("measured".into(), 1),
        ],
        columns,
        rows: rows.collect(),
        notes,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Made-up measurements: SPSO is linear in the particles and scaled from 8,192 on, CPSO flat.
    pub(crate) fn made_up() -> Results {
        let cell = |work: u64, seconds: f64| Cell {
            wanted: 100_000,
            work,
            seconds: (0..10).map(|i| seconds * (1.0 + 0.01 * f64::from(i))).collect(),
        };
        let spso = ROWS.map(|row| {
            let n = row.particles;
            let iterations = if n < 8_192 { 100_000 } else { 12_000 };
            cell(iterations, f64::from(n) * iterations as f64 * 2e-8)
        });
        let cpso = ROWS.map(|_| cell(100_000, 0.3));
        Results {
            plan: Plan { least: 1, most: 100_000, repetitions: 10, seconds: 60.0 },
            processor: "a processor".into(),
            cpso_backend: "gpu, a device".into(),
            spso: spso.to_vec(),
            cpso: cpso.to_vec(),
            schedules: vec!["resident".into(); ROWS.len()],
        }
    }

    #[test]
    fn scaled_times_are_marked_and_only_those() {
        let [spso, cpso, speedups] = made_up().tables();
        for (i, row) in ROWS.iter().enumerate() {
            let scaled = row.particles >= 8_192;
            assert!(spso.rows[i][6..11].iter().all(|cell| cell.ends_with('*') == scaled));
            assert!(!spso.rows[i][1..6].iter().any(|cell| cell.ends_with('*')));
            assert_eq!(spso.rows[i][11], if scaled { "12,000" } else { "100,000" });
            assert!(!cpso.rows[i][1..].iter().any(|cell| cell.ends_with('*')));
            assert_eq!(speedups.rows[i][6].ends_with('*'), scaled);
        }
    }

    #[test]
    fn the_paper_is_shown_as_printed_with_its_misprints_marked() {
        let [spso, cpso, speedups] = made_up().tables();
        assert_eq!(spso.rows[6][3], "4,865.50†");
        assert_eq!(spso.rows[10][1], "93,643†");
        assert_eq!(speedups.rows[6][1], "4,865.50†");
        let marks = spso.rows.iter().flatten().filter(|cell| cell.contains('†')).count();
        assert_eq!(marks, 2);
        assert_eq!(cpso.rows[0][1..6], ["5,405", "5,432", "5,422.33", "5,430", "15.04"]);
        assert!(spso.text().contains("probably 24,865.50"));
    }

    #[test]
    fn records_hold_what_was_measured() {
        let results = made_up();
        let Page { records, .. } = results.page(String::new(), String::new());
        let [times, speedups, repetitions] = &records[..] else { panic!("three files") };
        assert_eq!((times.rows.len(), speedups.rows.len()), (48, 12));
        for records in &records {
            assert!(records.rows.iter().all(|row| row.len() == records.head.len()));
        }
        assert_eq!(repetitions.rows.len(), 240);
        let last_spso = &repetitions.rows[119];
        assert_eq!((&last_spso[1][..], &last_spso[3][..]), ("65536", "12000"));
        let measured: f64 = last_spso[4].parse().unwrap();
        assert_eq!(measured, results.spso[11].seconds[9]);
    }
}
