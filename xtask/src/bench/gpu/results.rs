//! The table: our times, those of the peers, the best of them, and the limit of the device.

use super::line::{Line, Measured};
use super::peers::{PEERS, Said};
use crate::reproduce::page::Records;
use crate::reproduce::table::{Table, number};
use warpswarm_statistics::Summary;

/// The limits of one H200 (132 multiprocessors at 1.98 GHz), in microseconds per iteration. They are rough estimates by
/// hand:
///
/// * Memory: 20 bytes per coordinate at 4.3 TB/s, the throughput of a copy: 488 for 1,048,576 x 100.
/// * Arithmetic: about 50 instructions per coordinate; 132 x 128 lanes execute one per cycle each: 3.0 for 65,536 x 30
///   coordinates, 0.9 to 1 for 64,000 x 10, 0.2 for 65,536 x 2.
/// * Latency of the dependent operations in a particle's iteration: 0.1, about 200 cycles.
/// * Exchange of the best in each iteration: 0.2 within a block, 0.35 within a cluster, 0.7 to 0.8 between all blocks.
///   Swarms that exchange it less often can be below the limit.
///
/// Other methods, with Rastrigin's term, per coordinate: 57 instructions in `de` (counted in the assembly of a thread's
/// loop over four coordinates); about 105 in `sa` (45 of them for a normal number); 80 in `solis-wets`, which draws no
/// normal number when it mirrors a step; 60 plus five times 120 in `epso`, whose replicas draw twice. The arithmetic
/// takes longer than reading the rows from the second-level cache, for which 5 TB/s are assumed. The exception is `de`,
/// where each individual reads its own row and three others: 6.3 for 65,536. With 768 individuals, all blocks
/// synchronise in each iteration; a row that another block has just written arrives after about 0.3. Scatter search
/// synchronises in 6 of 26 iterations. `cmepso` makes six attempts with 100 instructions per coordinate.
///
/// In f64:
///
/// * Memory and the second-level cache: twice the bytes, 975 for 1,048,576 x 100 and 12.6 for the rows of `de`, whose
///   arithmetic takes less time.
/// * Arithmetic: 29 operations on doubles per coordinate, counted in the assembly (12 of the move, 17 of Rastrigin's
///   term and its sum); 132 x 64 lanes execute one per cycle each: 3.4 for 65,536 x 30 coordinates, 1.1 for 64,000 x
///   10. Integer operations, such as Philox, take no longer than in f32, and run in parallel. Of about 55 instructions
///   of all kinds (14 of Philox, 8 selections in clamps), 128 lanes issue one per cycle each: 3.2 for 65,536 x 30,
///   which is less.
const LIMITS: [(&str, f64); 22] = [
    ("n32_d2", 0.1),
    ("n1k_d2", 0.3),
    ("n64k_d2", 1.0),
    ("n768_d30", 0.45),
    ("n64k_d30", 3.0),
    ("n1m_d100", 488.0),
    ("batch1000", 0.9),
    ("de_n768_d30", 1.15),
    ("de_n64k_d30", 6.3),
    ("de_batch1000", 1.1),
    ("sa_n768_d30", 0.85),
    ("sa_n64k_d30", 6.2),
    ("solis_wets_n768_d30", 0.85),
    ("solis_wets_n64k_d30", 4.7),
    ("scatter_n768_d30", 0.5),
    ("epso_n768_d30", 1.2),
    ("epso_n64k_d30", 39.0),
    ("cmepso_1000", 29.0),
    ("n64k_d30_f64", 3.4),
    ("n1m_d100_f64", 975.0),
    ("batch1000_f64", 1.1),
    ("de_n64k_d30_f64", 12.6),
];

/// All measurements.
#[derive(Clone, Debug, Default)]
pub(super) struct Results {
    /// The device and its driver.
    pub(super) device: String,
    pub(super) quick: bool,
    /// Our measurements of each round, in the same order.
    pub(super) ours: Vec<Vec<Measured>>,
    /// The outputs of the peers in any order; `None` if they were not run.
    pub(super) peers: Option<Vec<Said>>,
}

/// The numbers of a row, in microseconds per iteration.
struct Row<'a> {
    case: &'a Measured,
    ours: f64,
    /// In the order of [`PEERS`].
    peers: Vec<Option<f64>>,
}

impl Row<'_> {
    fn of_best_peer(&self) -> Option<f64> {
        self.peers.iter().copied().flatten().min_by(f64::total_cmp).map(|best| self.ours / best)
    }

    fn of_limit(&self) -> Option<f64> {
        let limit = LIMITS.iter().find(|(case, _)| *case == self.case.case);
        limit.map(|(_, limit)| self.ours / limit)
    }

    fn cells(&self) -> Vec<String> {
        let Measured { case, individuals, dimensions, .. } = self.case;
        let time = |each: Option<f64>| each.map_or_else(String::new, number);
        let ratio =
            |ratio: Option<f64>| ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        let mut cells =
            vec![case.clone(), individuals.clone(), dimensions.clone(), number(self.ours)];
        cells.extend(self.peers.iter().map(|each| time(*each)));
        cells.extend((!self.peers.is_empty()).then(|| ratio(self.of_best_peer())));
        cells.push(ratio(self.of_limit()));
        cells
    }
}

impl Results {
    fn said(&self) -> impl Iterator<Item = &Said> {
        self.peers.iter().flatten()
    }

    /// All measurements of peers.
    fn theirs(&self) -> impl Iterator<Item = &Measured> {
        let lines = self.said().flat_map(|said| &said.lines);
        lines.filter_map(|line| match line {
            Line::Measured(measured) => Some(measured),
            Line::Missing { .. } => None,
        })
    }

    fn row<'a>(&'a self, case: &'a Measured) -> Row<'a> {
        let same = |other: &&Measured| {
            (&other.case, &other.individuals) == (&case.case, &case.individuals)
        };
        let ours: Vec<f64> = self.ours.iter().flatten().filter(same).map(Measured::each).collect();
        // For each peer, the best of its variants counts.
        let best = |prefix: &str| {
            let of_peer = |line: &&Measured| line.system.split('_').next() == Some(prefix);
            let each = self.theirs().filter(same).filter(of_peer).map(Measured::each);
            each.min_by(f64::total_cmp)
        };
        let peers = match self.peers {
            Some(_) => PEERS.iter().map(|peer| best(peer.prefix)).collect(),
            None => Vec::new(),
        };
        Row { case, ours: Summary::of(&ours).median, peers }
    }

    pub(super) fn table(&self) -> Table {
        let peers = PEERS.iter().filter(|_| self.peers.is_some()).map(|peer| peer.name);
        let ratio = self.peers.is_some().then_some("/ best peer");
        let columns = ["case", "individuals", "dimensions", "warpswarm"].into_iter();
        let columns = columns.chain(peers).chain(ratio).chain(["/ limit"]);
        Table {
            title: format!("Microseconds an iteration, on {}", self.device),
            groups: Vec::new(),
            columns: columns.map(String::from).collect(),
            rows: self.ours.iter().take(1).flatten().map(|case| self.row(case).cells()).collect(),
            notes: self.notes(),
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!(
            "warpswarm: the median of {} rounds, each of which is a median of three. Ratios are our time to theirs. \
             Limits are estimates for an H200, of swarms that agree on their best in each iteration: ours may do so less \
             often. PSO unless the name says another method, f32 unless it ends in f64.",
            self.ours.len()
        )];
        if self.peers.is_none() {
            return notes;
        }
        let times = if self.quick { "once" } else { "medians of three" };
        notes.push(format!(
            "Peers: {times}, between our rounds; of several ways the fastest, the CSV has all."
        ));
        let versions: Vec<&str> = self.said().filter_map(|said| said.versions.as_deref()).collect();
        notes.extend((!versions.is_empty()).then(|| format!("{}.", versions.join("; "))));
        let missing = self.said().flat_map(|said| &said.lines).filter_map(|line| match line {
            Line::Missing { what, why } => Some(format!("Missing: {what}: {why}")),
            Line::Measured(_) => None,
        });
        notes.extend(missing);
        notes
    }

    pub(super) fn records(&self) -> Records {
        let ours =
            (1..).zip(&self.ours).flat_map(|(round, lines)| lines.iter().map(move |l| (round, l)));
        let row = |(round, line): (u32, &Measured)| {
            let Measured { system, case, individuals, dimensions, iterations, seconds, best } =
                line;
            let each = format!("{:.4}", line.each());
            let words = [system, case, individuals, dimensions].map(Clone::clone);
            let numbers = [iterations.to_string(), seconds.to_string(), each, best.clone()];
            [round.to_string()].into_iter().chain(words).chain(numbers).collect()
        };
        Records {
            name: "gpu",
            head: vec![
                "round",
                "system",
                "case",
                "individuals",
                "dimensions",
                "iterations",
                "seconds",
                "microseconds_an_iteration",
                "best",
            ],
            rows: ours.chain(self.theirs().map(|line| (1, line))).map(row).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<Line> {
        text.lines().filter_map(Line::read).collect()
    }

    fn measured(text: &str) -> Vec<Measured> {
        let only = |line| match line {
            Line::Measured(measured) => measured,
            Line::Missing { what, why } => panic!("{what}: {why}"),
        };
        lines(text).into_iter().map(only).collect()
    }

    /// Output of the programs on an H200, where EvoX was not installed.
    fn results() -> Results {
        let ours = [
            "warpswarm cpso_paper 32 2 100000 0.0212 1 1.5  # resident/x1k2/b1/t32, 0.02 to 0.03 s
             warpswarm cpso_paper 64 2 100000 0.0424 1 1.5
             warpswarm n64k_d2 65536 2 10000 0.005 1 0
             warpswarm batch1000 64x1000 10 1000 0.0036 1 0
             warpswarm de_n768_d30 768 30 10000 0.05 1 0
             warpswarm fwa_n144 144 30 31000 0.0992 1 0",
            "warpswarm cpso_paper 32 2 100000 0.0222 1 1.5
             warpswarm cpso_paper 64 2 100000 0.0424 1 1.5
             warpswarm n64k_d2 65536 2 10000 0.004 1 0
             warpswarm batch1000 64x1000 10 1000 0.0036 1 0
             warpswarm de_n768_d30 768 30 10000 0.05 1 0
             warpswarm fwa_n144 144 30 31000 0.0992 1 0",
            "warpswarm cpso_paper 32 2 100000 0.9 1 1.5
             warpswarm cpso_paper 64 2 100000 0.0424 1 1.5
             warpswarm n64k_d2 65536 2 10000 0.0043 1 0
             warpswarm batch1000 64x1000 10 1000 0.0036 1 0
             warpswarm de_n768_d30 768 30 10000 0.05 1 0
             warpswarm fwa_n144 144 30 31000 0.0992 1 0",
        ];
        let said = |versions: Option<&str>, text: &str| Said {
            versions: versions.map(String::from),
            lines: lines(text),
        };
        let peers = vec![
            said(
                Some("NVIDIA H200, 132 multiprocessors"),
                "cuda_fused cpso_paper 32 2 100000 0.0333 1 0  # block
                 cuda_fused cpso_paper 64 2 100000 0.0339 1 0
                 #   try n64k_d2 grid/b128: 1.9 us/iteration
                 cuda_fused n64k_d2 65536 2 10000 0.0193 1 0
                 cuda_fused batch1000 64x1000 10 1000 0.0012 1 0",
            ),
            said(
                None,
                "paper_atomic cpso_paper 32 2 100000 0.853 1 0\npaper_host cpso_paper 32 2 5000 0.1375 1 0",
            ),
            said(
                Some("jax 0.11.2 NVIDIA H200"),
                "jax_scan n64k_d2 65536 2 10000 0.12 1 0\njax_tuned n64k_d2 65536 2 10000 0.0844 1 0",
            ),
            said(None, "# skip torch_eager n1k_d2: its time was over"),
            Said {
                versions: None,
                lines: vec![Line::Missing {
                    what: "EvoX".into(),
                    why: "No module named 'evox'".into(),
                }],
            },
            said(
                Some("evosax 0.3.2"),
                "evosax_pso n768_d30 768 30 1000 0.01 1 0\nevosax_de n768_d30 768 30 1000 0.056 1 0",
            ),
        ];
        Results {
            device: "NVIDIA H200".into(),
            quick: false,
            ours: ours.map(measured).to_vec(),
            peers: Some(peers),
        }
    }

    #[test]
    fn rows_by_hand() {
        let results = results();
        let table = results.table();
        let expected = [
            // 0.0222 s / 100,000; the faster variant of the paper's kernels; 0.222 / 0.333.
            ["cpso_paper", "32", "2", "0.2220", "0.3330", "8.530", "", "", "", "", "0.67", ""],
            ["cpso_paper", "64", "2", "0.4240", "0.3390", "", "", "", "", "", "1.25", ""],
            // The limit is 1.0; 0.43 / 1.93.
            ["n64k_d2", "65536", "2", "0.4300", "1.930", "", "8.440", "", "", "", "0.22", "0.43"],
            // 3.6 / 1.2, and 3.6 / 0.9.
            ["batch1000", "64x1000", "10", "3.600", "1.200", "", "", "", "", "", "3.00", "4.00"],
            // evosax's PSO of the same size is another case.
            ["de_n768_d30", "768", "30", "5.000", "", "", "", "", "", "56.00", "0.09", "4.35"],
            ["fwa_n144", "144", "30", "3.200", "", "", "", "", "", "", "", ""],
        ];
        assert_eq!(table.rows, expected);
        assert_eq!(table.columns.len(), expected[0].len());
        assert_eq!(table.columns[8..], ["EvoX", "evosax", "/ best peer", "/ limit"]);
    }

    #[test]
    fn what_is_missing_is_said() {
        let notes = results().notes();
        assert_eq!(
            notes[2],
            "NVIDIA H200, 132 multiprocessors; jax 0.11.2 NVIDIA H200; evosax 0.3.2."
        );
        let missing = ["torch_eager n1k_d2: its time was over", "EvoX: No module named 'evox'"];
        assert_eq!(notes[3..], missing.map(|what| format!("Missing: {what}")));
    }

    #[test]
    fn without_peers_there_are_no_columns_for_them() {
        let table = Results { peers: None, ..results() }.table();
        let expected = ["case", "individuals", "dimensions", "warpswarm", "/ limit"];
        assert_eq!(table.columns, expected);
        assert_eq!(table.rows[2], ["n64k_d2", "65536", "2", "0.4300", "0.43"]);
        assert_eq!(table.notes.len(), 1);
    }

    #[test]
    fn every_way_and_round_is_in_the_records() {
        let text = String::from_utf8(results().records().csv().unwrap()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + 18 + 4 + 2 + 2 + 2);
        assert_eq!(lines[7], "2,warpswarm,cpso_paper,32,2,100000,0.0222,0.2220,1.5");
        assert!(lines.contains(&"1,paper_host,cpso_paper,32,2,5000,0.1375,27.5000,0"));
    }

    /// Recomputes the limits that follow from a few numbers.
    #[test]
    fn the_limits_of_memory_and_of_doubles() {
        let limit = |name| LIMITS.iter().find(|(case, _)| *case == name).unwrap().1;
        let memory = |bytes: f64| (bytes * f64::from(1 << 20) * 100.0 / 4.3e12 * 1e6).round();
        assert_eq!(limit("n1m_d100"), memory(20.0));
        assert_eq!(limit("n1m_d100_f64"), memory(40.0));
        let tenths = |microseconds: f64| (microseconds * 10.0).round() / 10.0;
        let doubles = |coordinates: f64| tenths(29.0 * coordinates / (132.0 * 64.0 * 1980.0));
        assert_eq!(limit("n64k_d30_f64"), doubles(65_536.0 * 30.0));
        assert_eq!(limit("batch1000_f64"), doubles(64_000.0 * 10.0));
        let rows = |bytes: f64| tenths(4.0 * bytes * 65_536.0 * 30.0 / 5e12 * 1e6);
        assert_eq!(limit("de_n64k_d30"), rows(4.0));
        assert_eq!(limit("de_n64k_d30_f64"), rows(8.0));
    }
}
