//! The time of whole solves until a target is reached: one table with our program's rows and those of the installed
//! peers.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result};

use super::Args;
use crate::shell;

/// The names of the peers for `targets.py`, and seconds for each; with our program, at most eight minutes. The last two
/// need a part of their time for compilation.
const PEERS: [(&str, u32); 4] = [("scipy", 55), ("pycma", 45), ("evosax", 105), ("evox", 90)];
/// Additional seconds in which a peer may finish its current solve.
const GRACE: u32 = 15;

/// Measures, and writes `targets.csv`.
pub(super) fn run(folder: &Path, args: &Args, out: &Path) -> Result<()> {
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let path = out.join("targets.csv");
    let mut table = Targets::of(&shell::output(&mut ours(folder, args))?);
    // Write our rows before the peers run, so that they are not lost if a peer disturbs the machine.
    table.write(&path)?;
    for (peer, seconds) in PEERS.iter().filter(|_| !args.no_peers) {
        eprintln!("{peer}");
        table.add(peer, theirs(folder, args, (peer, *seconds)).output());
        table.write(&path)?;
    }
    table.text.lines().filter(|line| line.starts_with('#')).for_each(|line| println!("{line}"));
    println!("written to {}", path.display());
    Ok(())
}

fn ours(folder: &Path, args: &Args) -> Command {
    let mut command = Command::new(folder.join("gpu"));
    command.arg("--targets");
    asked(&mut command, args);
    command
}

fn theirs(folder: &Path, args: &Args, (peer, seconds): (&str, u32)) -> Command {
    let mut command = Command::new("timeout");
    command.arg((seconds + GRACE).to_string()).arg("python3");
    command.arg(folder.join("peers").join("targets.py"));
    command.args(["--system", peer, "--budget", &seconds.to_string()]);
    asked(&mut command, args);
    command.stdin(Stdio::null());
    command
}

fn asked(command: &mut Command, args: &Args) {
    command.args(args.quick.then_some("--quick"));
    if !args.only.is_empty() {
        command.args(["--only", &args.only.join(",")]);
    }
}

/// The table: a header, rows, and remarks that begin with `#`.
struct Targets {
    text: String,
    /// The number of columns of a row.
    columns: usize,
}

impl Targets {
    /// Reads the table of our program.
    fn of(text: &str) -> Targets {
        let header = text.lines().find(|line| !line.starts_with('#')).unwrap_or("");
        Targets { text: text.into(), columns: header.split(',').count() }
    }

    /// Adds the rows and remarks from a peer's output. Other lines are ignored, because libraries may print anything.
    fn add(&mut self, peer: &str, output: std::io::Result<Output>) {
        let output = match output {
            Ok(output) => output,
            Err(error) => return self.push(&format!("# skip {peer}: {error}")),
        };
        let text = String::from_utf8_lossy(&output.stdout);
        let before = self.text.len();
        for line in text.lines() {
            let is_row = line.starts_with(peer) && line.split(',').count() == self.columns;
            if is_row || line.starts_with("# ") {
                self.push(line);
            }
        }
        if output.status.code() == Some(124) {
            self.push(&format!("# skip {peer}: the rest: its time was over"));
        } else if !output.status.success() {
            self.push(&format!("# skip {peer}: the rest: {}", super::peers::last_words(&output)));
        } else if self.text.len() == before {
            self.push(&format!("# skip {peer}: it said nothing"));
        }
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn write(&self, path: &Path) -> Result<()> {
        fs::write(path, &self.text).with_context(|| format!("cannot write {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(script: &str) -> String {
        let mut table = Targets::of("# gpu: H200\nsystem,method,seconds\nwarpswarm,auto,0.5\n");
        table.add("scipy", Command::new("sh").args(["-c", script]).output());
        table.text.lines().skip(3).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn rows_and_remarks_of_peers_are_kept() {
        let script = "echo scipy,dual_annealing,1.5; echo 'Warning: a, b'; echo scipy,b; echo '# scipy 1.17'";
        assert_eq!(after(script), "scipy,dual_annealing,1.5|# scipy 1.17");
    }

    #[test]
    fn how_peers_end_is_said() {
        assert_eq!(
            after("echo scipy,de,1; exit 124"),
            "scipy,de,1|# skip scipy: the rest: its time was over"
        );
        assert_eq!(after("echo 'no module' >&2; exit 1"), "# skip scipy: the rest: no module");
        assert_eq!(after("echo 'Warning: a'"), "# skip scipy: it said nothing");
        let mut table = Targets::of("system\n");
        table.add("evox", Command::new("no-such-program-anywhere").output());
        assert!(table.text.starts_with("system\n# skip evox: "));
    }

    #[test]
    fn what_is_asked_for_is_passed_on() {
        let args =
            Args { quick: true, only: vec!["sphere".into(), "spring".into()], ..Args::default() };
        let words = |command: &Command| {
            command.get_args().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        let expected = ["--targets", "--quick", "--only", "sphere,spring"];
        assert_eq!(words(&ours(Path::new("/f"), &args)), expected);
        let theirs = words(&theirs(Path::new("/f"), &args, ("pycma", 40)));
        assert_eq!(
            theirs.join(" "),
            "55 python3 /f/peers/targets.py --system pycma --budget 40 --quick --only sphere,spring"
        );
    }
}
