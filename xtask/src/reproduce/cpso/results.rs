//! Our measurements, compared with the numbers printed in the paper.

use super::layout::Cpso;
use super::paper::{self, Column, ROWS, Row};
use crate::reproduce::measure::{Cell, Plan};
use crate::reproduce::page::{Figure, Page};
use crate::reproduce::table::{Table, integer, number};
use warpswarm_statistics::Summary;

const SCALED: &str = "*";
const MISPRINT: &str = "†";

/// The note if the paper's kernels could not be measured.
const NO_SCHEDULES: &str = "The paper's three kernels (schedule stepwise) are missing: the CPU has no schedules. \
                            With --backend gpu or --backend emulator they are measured too.";

/// The measurements, with one cell per row of the paper's tables.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    pub(crate) plan: Plan,
    /// The name of the machine's processor.
    pub(crate) processor: String,
    pub(crate) spso: Vec<Cell>,
    /// CPSO in each layout of the backend. The first layout is the program's choice.
    pub(crate) cpso: Vec<Cpso>,
}

impl Results {
    /// Tables IV, V (one for each layout) and VI.
    pub(crate) fn tables(&self) -> Vec<Table> {
        let mut tables = vec![self.spso_table()];
        tables.extend(self.cpso.iter().map(|cpso| self.cpso_table(cpso)));
        tables.push(self.speedup_table());
        tables
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

    fn cpso_table(&self, cpso: &Cpso) -> Table {
        let mut notes = vec![format!(
            "Ours: {}. The paper's: GeForce RTX 3080 Laptop, blocks of {} threads; its rows are those of three \
             repetitions.",
            cpso.backend(),
            paper::BLOCK_SIZE
        )];
        notes.extend(scaled_note(&cpso.cells));
        let mut title = "Table V: CPSO, milliseconds for 100,000 iterations".to_string();
        if self.cpso.len() == 1 {
            notes.push(NO_SCHEDULES.into());
        } else if cpso.layout.is_auto() {
            title += "; ours in the schedule that the program picks";
        } else {
            title += &format!("; ours in the paper's three kernels ({})", cpso.head());
        }
        let mut table = times_table(&title, &cpso.cells, |row| row.cpso.map(String::from), notes);
        table.columns.extend(["schedule".into(), "block".into()]);
        table.groups[3].1 += 2;
        for (row, place) in table.rows.iter_mut().zip(&cpso.places) {
            let block = place.block_size.map_or("-".into(), integer);
            row.extend([place.schedule.clone(), block]);
        }
        table
    }

    fn speedup_table(&self) -> Table {
        let mut names = vec!["particles", "SPSO", "CPSO", "speed-up", "SPSO"];
        let mut groups = vec![(String::new(), 1), ("paper".into(), 3), ("ours".into(), 1)];
        for cpso in &self.cpso {
            names.extend(["CPSO", "speed-up"]);
            groups.push((cpso.head(), 2));
        }
        if self.cpso.len() == 1 {
            groups.splice(2.., [("ours".into(), 3)]);
        }
        let row = |(i, row): (usize, &Row)| {
            let (spso, mark) = (&self.spso[i], paper::misprint(row.particles, Column::Mean));
            let mark = mark.map_or("", |_| MISPRINT);
            let mut line = vec![
                integer(row.particles.into()),
                format!("{}{mark}", row.spso[Column::Mean as usize]),
                row.cpso[Column::Mean as usize].into(),
                row.speedup.into(),
                marked(mean(spso), spso.is_scaled()),
            ];
            for cell in self.cpso.iter().map(|cpso| &cpso.cells[i]) {
                line.push(marked(mean(cell), cell.is_scaled()));
                line.push(ratio(speedup(spso, cell), spso.is_scaled() || cell.is_scaled()));
            }
            line
        };
        let mut notes = vec!["Mean of SPSO over mean of CPSO.".to_string()];
        notes.push(format!(
            "{MISPRINT} printed so here too; the paper's speed-up is that of 24,865.50."
        ));
        let mut cells = self.spso.iter().chain(self.cpso.iter().flat_map(|cpso| &cpso.cells));
        if cells.any(Cell::is_scaled) {
            notes.push(format!("{SCALED} from a scaled time: see Tables IV and V."));
        }
        if self.cpso.len() == 1 {
            notes.push(NO_SCHEDULES.into());
        }
        Table {
            title: "Table VI: speed-up of CPSO over SPSO, milliseconds for 100,000 iterations"
                .into(),
            groups,
            columns: names.into_iter().map(String::from).collect(),
            rows: ROWS.iter().enumerate().map(row).collect(),
            notes,
        }
    }

    /// A short description of the method.
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
             iterations; set-up (driver, memory, kernels, first placement) is excluded.{}",
            integer(most),
            integer(paper::ITERATIONS),
            self.layouts()
        )
    }

    /// A description of the columns of CPSO, if there are several.
    fn layouts(&self) -> String {
        let [auto, stepwise, ..] = &self.cpso[..] else { return String::new() };
        let heads: Vec<String> = self.cpso[1..].iter().map(Cpso::head).collect();
        let mut text = format!(
            " CPSO's column {} is the schedule that the program picks by itself. {} are the paper's three kernels \
             (velocity; position; best, by a tree reduction), each launched once an iteration, with the paper's \
             block size and with the program's own.",
            auto.head(),
            heads.join(" and "),
        );
        if stepwise.plan.repetitions != self.plan.repetitions {
            let repetitions = stepwise.plan.repetitions;
            text += &format!(" Those two have {repetitions} repetitions.");
        }
        text
    }

    /// The complete page, with these pictures.
    pub(crate) fn page(&self, figure_8: String, figure_6: String) -> Page {
        let figure = |name, title: &str, svg| Figure { name, title: title.into(), svg };
        Page {
            title: "CPSO, reproduced".into(),
            method: self.method(),
            tables: self.tables(),
            figures: vec![
                figure("figure-8", "Figure 8: execution time against particles", figure_8),
                figure(
                    "figure-6",
                    "Figure 6: 5,000 particles at iterations 0, 100 and 200",
                    figure_6,
                ),
            ],
            records: self.records(),
        }
    }
}

/// A summary of the milliseconds for the paper's number of iterations.
pub(super) fn summary(cell: &Cell) -> Summary {
    Summary::of(&cell.scaled_seconds().map(|s| s * 1e3).collect::<Vec<_>>())
}

/// The mean time in milliseconds for the paper's number of iterations.
pub(crate) fn mean(cell: &Cell) -> f64 {
    summary(cell).mean
}

pub(super) fn speedup(spso: &Cell, cpso: &Cell) -> f64 {
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

/// A table with the paper's five columns and ours.
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
    use super::super::layout::Layout;
    use super::*;
    use crate::reproduce::program::Place;

    /// Invented measurements: the time of SPSO is linear in the particles and extrapolated from 8,192 on; that of CPSO
    /// is constant.
    pub(crate) fn made_up() -> Results {
        let cell = |work: u64, seconds: f64, repetitions: i32| Cell {
            wanted: 100_000,
            work,
            seconds: (0..repetitions).map(|i| seconds * (1.0 + 0.01 * f64::from(i))).collect(),
        };
        let plan = Plan { least: 1, most: 100_000, repetitions: 10, seconds: 60.0 };
        let spso = ROWS.map(|row| {
            let n = row.particles;
            let iterations = if n < 8_192 { 100_000 } else { 12_000 };
            cell(iterations, f64::from(n) * iterations as f64 * 2e-8, 10)
        });
        let place = |schedule: &str, block| Place {
            backend: "gpu".into(),
            device: "a device".into(),
            schedule: schedule.into(),
            block_size: Some(block),
        };
        let seconds = [0.3, 0.9, 0.6];
        let auto = ROWS.map(|row| place("resident", u64::from(row.particles.min(512))));
        let stepwise = |block| vec![place("stepwise", block); ROWS.len()];
        let places = [auto.to_vec(), stepwise(32), stepwise(128)];
        let mut cpso = Vec::new();
        for (k, places) in places.into_iter().enumerate() {
            let layout = Layout::ALL[k];
            let plan = Plan { repetitions: if layout.is_auto() { 10 } else { 3 }, ..plan };
            let cells = vec![cell(100_000, seconds[k], plan.repetitions as i32); ROWS.len()];
            cpso.push(Cpso { layout, plan, cells, places });
        }
        Results { plan, processor: "a processor".into(), spso: spso.to_vec(), cpso }
    }

    /// The same for the CPU backend.
    pub(crate) fn made_up_on_cpu() -> Results {
        let mut results = made_up();
        results.cpso.truncate(1);
        for place in &mut results.cpso[0].places {
            (place.schedule, place.block_size) = ("-".into(), None);
        }
        results
    }

    #[test]
    fn scaled_times_are_marked_and_only_those() {
        let tables = made_up().tables();
        let [spso, auto, paper, ours, speedups] = &tables[..] else { panic!("five tables") };
        for (i, row) in ROWS.iter().enumerate() {
            let scaled = row.particles >= 8_192;
            assert!(spso.rows[i][6..11].iter().all(|cell| cell.ends_with('*') == scaled));
            assert!(!spso.rows[i][1..6].iter().any(|cell| cell.ends_with('*')));
            assert_eq!(spso.rows[i][11], if scaled { "12,000" } else { "100,000" });
            for cpso in [auto, paper, ours] {
                assert!(!cpso.rows[i][1..].iter().any(|cell| cell.ends_with('*')));
            }
            for speedup in [6, 8, 10] {
                assert_eq!(speedups.rows[i][speedup].ends_with('*'), scaled);
            }
        }
    }

    #[test]
    fn each_layout_has_its_columns() {
        let results = made_up();
        let tables = results.tables();
        let [_, auto, paper, ours, speedups] = &tables[..] else { panic!("five tables") };
        assert!(auto.title.ends_with("ours in the schedule that the program picks"));
        assert!(paper.title.ends_with("the paper's three kernels (stepwise, block 32)"));
        assert!(ours.title.ends_with("the paper's three kernels (stepwise, block 128)"));
        assert_eq!(paper.columns[11..], ["iterations", "schedule", "block"]);
        assert_eq!(paper.rows[0][11..], ["100,000", "stepwise", "32"]);
        assert_eq!(ours.rows[11][12..], ["stepwise", "128"]);
        assert_eq!(auto.rows[11][12..], ["resident", "512"]);
        for table in &tables {
            let spanned: usize = table.groups.iter().map(|(_, span)| span).sum();
            assert_eq!(spanned, table.columns.len(), "{}", table.title);
            assert!(table.rows.iter().all(|row| row.len() == spanned), "{}", table.title);
        }
        let heads: Vec<&str> = speedups.groups[3..].iter().map(|(head, _)| &head[..]).collect();
        assert_eq!(heads, ["auto", "stepwise, block 32", "stepwise, block 128"]);
        // Means of 0.3, 0.9 and 0.6 s; times increase by 1 % from one repetition to the next.
        let row = &speedups.rows[5];
        assert_eq!(row[4..], ["2,140", "313.5", "6.83", "909.0", "2.35", "606.0", "3.53"]);
        let method = results.method();
        assert!(method.contains("stepwise, block 32 and stepwise, block 128 are the paper's"));
        assert!(method.ends_with("Those two have 3 repetitions."), "{method}");
    }

    #[test]
    fn without_schedules_the_papers_kernels_are_left_out_and_that_is_said() {
        let results = made_up_on_cpu();
        let tables = results.tables();
        let [spso, cpso, speedups] = &tables[..] else { panic!("three tables") };
        assert!(!spso.text().contains("schedules"));
        assert!(cpso.text().contains("the CPU has no schedules"));
        assert!(speedups.text().contains("the CPU has no schedules"));
        assert_eq!(cpso.rows[0][12..], ["-", "-"]);
        assert_eq!(speedups.rows[0].len(), 7);
        assert_eq!(speedups.groups[2], ("ours".into(), 3));
        assert!(cpso.title.ends_with("iterations"));
        assert!(!results.method().contains("stepwise"));
    }

    #[test]
    fn the_paper_is_shown_as_printed_with_its_misprints_marked() {
        let tables = made_up().tables();
        let [spso, cpso, _, _, speedups] = &tables[..] else { panic!("five tables") };
        assert_eq!(spso.rows[6][3], "4,865.50†");
        assert_eq!(spso.rows[10][1], "93,643†");
        assert_eq!(speedups.rows[6][1], "4,865.50†");
        let marks = spso.rows.iter().flatten().filter(|cell| cell.contains('†')).count();
        assert_eq!(marks, 2);
        assert_eq!(cpso.rows[0][1..6], ["5,405", "5,432", "5,422.33", "5,430", "15.04"]);
        assert!(spso.text().contains("probably 24,865.50"));
    }
}
