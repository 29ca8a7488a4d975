//! Numbers in the documentation that the same seed must reproduce.
//!
//! A page marks them in one of three ways:
//!
//! * `<!-- each row prints: warpswarm ... {1} ... -->` before a table: if `{1}` is replaced by the first cell of a row,
//!   and so on, the program prints every number of that row, possibly with more digits.
//! * `<!-- checked by: warpswarm ... => 1.25 -->` before a table whose own command takes long: a similar but short
//!   command, and a number that it prints. If this fails, random draws or arithmetic have changed, and the table must
//!   be measured again with its own command.
//! * A command in the text with its output below: the lines on the best point and the work are compared.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{program, stderr, stdout};

const ROW: &str = "<!-- each row prints: ";
const SHORT: &str = "<!-- checked by: ";
/// The lines of the output that do not depend on the machine.
const SAME_EVERYWHERE: [&str; 7] =
    ["best value", "position", "all runs", "stopped by", "work", "unchanged", "polish"];
/// The beginnings of commands in the text.
const TYPED: [&str; 2] = ["$ warpswarm ", "$ cargo xtask run -- "];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages in a folder and its subfolders.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

/// The outputs of the program, which runs once for each list of arguments, on the CPU; and the numbers of all pages
/// that it does not print.
#[derive(Default)]
struct Outputs {
    of: HashMap<String, String>,
    missing: Vec<String>,
}

impl Outputs {
    fn of(&mut self, arguments: &str) -> &str {
        self.of.entry(arguments.into()).or_insert_with(|| {
            let words = arguments.split_whitespace().chain(["--backend", "cpu"]);
            let output = program().args(words).current_dir(root()).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{arguments}: {}", stderr(&output));
            stdout(&output).into()
        })
    }

    /// Records a mismatch if the output for these arguments is not what a page shows.
    fn expect(&mut self, arguments: &str, promised: &str, is_so: impl Fn(&str) -> bool) {
        let output = self.of(arguments);
        if !is_so(output) {
            let missing = format!("{promised} is not what {arguments} prints:\n{output}");
            self.missing.push(missing);
        }
    }

    fn end(self) {
        assert!(self.missing.is_empty(), "{}", self.missing.join("\n"));
    }
}

/// Whether a text contains a number that rounds to the other one.
fn prints(text: &str, number: &str) -> bool {
    let number = number.replace(',', "");
    let (digits, _) = number.split_once('e').unwrap_or((&number, ""));
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let words = text.split([' ', ',', '(', ')', '\n']);
    words.filter_map(|word| word.parse::<f64>().ok()).any(|x| match number.contains('e') {
        true => format!("{x:.decimals$e}") == number,
        false => format!("{x:.decimals$}") == number,
    })
}

/// The cells of a table row, without the marks for bold text or code.
fn cells(row: &str) -> Vec<&str> {
    let row = row.trim().trim_matches('|');
    row.split('|').map(|cell| cell.trim().trim_matches(['*', '`'])).collect()
}

/// Checks the table below a mark; returns how many numbers were compared.
fn rows(command: &str, below: &[&str], outputs: &mut Outputs) -> usize {
    let table = below.iter().skip_while(|line| !line.starts_with('|'));
    let rows: Vec<_> = table.take_while(|line| line.starts_with('|')).skip(2).collect();
    let mut compared = 0;
    for row in rows {
        let (mut command, mut numbers) = (command.to_string(), Vec::new());
        for (i, cell) in cells(row).into_iter().enumerate() {
            let place = format!("{{{}}}", i + 1);
            if command.contains(&place) {
                command = command.replace(&place, cell);
            } else if cell.replace(',', "").parse::<f64>().is_ok() {
                numbers.push(cell);
            }
        }
        assert!(!numbers.is_empty(), "no number in the row {row}");
        for number in numbers {
            outputs.expect(&command, number, |output| prints(output, number));
            compared += 1;
        }
    }
    compared
}

/// Checks everything that a page marks; returns how many numbers and lines were compared.
fn page(text: &str, outputs: &mut Outputs) -> usize {
    // A command may continue on the next line.
    let text = text.replace(" \\\n", " ");
    let lines: Vec<&str> = text.lines().collect();
    let mut compared = 0;
    for (at, line) in lines.iter().enumerate() {
        let marked = |mark| line.strip_prefix(mark)?.strip_suffix(" -->");
        if let Some(command) = marked(ROW) {
            let command = command.strip_prefix("warpswarm ").expect("a command of the program");
            let found = rows(command, &lines[at + 1..], outputs);
            assert!(found > 0, "no table below {line}");
            compared += found;
        } else if let Some((command, number)) = marked(SHORT).and_then(|m| m.split_once(" => ")) {
            let command = command.strip_prefix("warpswarm ").expect("a command of the program");
            outputs.expect(command, number, |output| prints(output, number));
            compared += 1;
        } else if line.contains("<!-- each row") || line.contains("<!-- checked") {
            panic!("a mark that is not understood: {line}");
        }
        let typed = TYPED.iter().find_map(|typed| line.trim_start().strip_prefix(typed));
        let below = lines[at + 1..].iter().map(|line| line.trim_start());
        let below = below.take_while(|line| !line.is_empty() && !line.starts_with('$'));
        let below: Vec<_> = below
            .filter(|line| SAME_EVERYWHERE.iter().any(|with| line.starts_with(with)))
            .collect();
        if let (Some(arguments), false) = (typed, below.is_empty()) {
            for line in below {
                outputs.expect(arguments, line, |output| output.lines().any(|ours| ours == line));
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn what_pages_promise_is_what_the_program_prints() {
    let mut all = vec![root().join("README.md")];
    pages(&root().join("docs"), &mut all);
    let mut outputs = Outputs::default();
    let text = |path: &PathBuf| fs::read_to_string(path).unwrap();
    let compared: usize = all.iter().map(|path| page(&text(path), &mut outputs)).sum();
    outputs.end();
    assert!(compared >= 20, "{compared} numbers and lines compared");
}

#[test]
fn numbers_may_be_rounded_and_nothing_else() {
    let text = "best value  39.798096\nposition (1.7235936e-5, -1.5)\nwork 1,025,024 evaluations";
    for good in ["39.8", "39.798096", "1.72e-5", "-1.5", "40", "4.0e1"] {
        assert!(prints(text, good), "{good}");
    }
    for bad in ["39.7", "39.799", "1.73e-5", "1.5", "39.7980961"] {
        assert!(!prints(text, bad), "{bad}");
    }
}

/// All wrong numbers are reported together.
#[test]
fn numbers_that_are_wrong_fail() {
    let mark =
        "<!-- each row prints: warpswarm solve sphere --dim {1} --iterations 1 --individuals 4 -->";
    let mut outputs = Outputs::default();
    let text = format!("{mark}\n\n| dim | best |\n|---|---|\n| 2 | 99 |\n| 3 | 98 |\n");
    page(&text, &mut outputs);
    let missing: Vec<_> = outputs.missing.iter().map(|what| &what[..14]).collect();
    assert_eq!(missing, ["99 is not what", "98 is not what"]);
    assert!(std::panic::catch_unwind(|| outputs.end()).is_err());
}

#[test]
#[should_panic(expected = "a mark that is not understood")]
fn a_mark_with_a_slip_fails() {
    page("<!-- each row print: warpswarm solve sphere -->\n", &mut Outputs::default());
}

/// The numbered rows of the comparison with the papers, over all of its pages.
#[test]
fn every_row_of_the_papers_is_there_once() {
    let mut all = Vec::new();
    pages(&root().join("docs/papers"), &mut all);
    let number = |line: &str| line.strip_prefix("| ")?.split_once(" | ")?.0.parse::<u32>().ok();
    let of_page = |path: &PathBuf| -> Vec<u32> {
        let text = fs::read_to_string(path).unwrap();
        let rows = text.split_once("## The rows").map_or("", |(_, rows)| rows);
        rows.lines().filter_map(number).collect()
    };
    let mut rows: Vec<u32> = all.iter().flat_map(of_page).collect();
    rows.sort_unstable();
    assert_eq!(rows, (1..=71).collect::<Vec<_>>());
}
