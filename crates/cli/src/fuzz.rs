//! Fuzz tests of everything that the program reads: command lines, up to the point where a run would start, and the
//! files in the folder of a run.

use std::cell::LazyCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::{CommandFactory, Parser};
use fuzz::Target;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::TempDir;
use warpswarm::{Backend, CheckpointFile, Precise, Precision, algorithms, problems};

use crate::args::{Arguments, Command, OutputArgs};
use crate::commands::{check, checkpoint, compare, fit, new, report, rerun, resume, solve, tune};
use crate::failure::Failure;
use crate::output::run_folder::{POPULATION, RESULT, RUN, RunFolder, TRACE};
use crate::run::Run;
use crate::runs::saver::Saver;
use crate::study::task::Given;

#[test]
fn command_lines() {
    let target = Target::new("command lines");
    bolero::check!().with_iterations(0).for_each(|input: &[u8]| target.one(input, command_line));
    target.at_random(500, command_line);
}

#[test]
fn folders() {
    let target = Target::new("folders of runs");
    bolero::check!().with_iterations(0).for_each(|input: &[u8]| target.one(input, folder));
    target.at_random(150, folder);
}

/// Valid and invalid values of options.
const VALUES: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "3",
    "7",
    "30",
    "1000",
    "4194303",
    "4294967295",
    "2147483647",
    "18446744073709551615",
    "18446744073709551616",
    "1e-8",
    "1e308",
    "-1e308",
    "1e309",
    "0.5",
    "-0",
    "NaN",
    "inf",
    "-inf",
    "",
    " ",
    "-",
    "--",
    "=",
    ":",
    ",",
    "ä",
    "\u{0}",
    "auto",
    "cpu",
    "emulator",
    "hosted",
    "streaming",
    "f32",
    "f64",
    "bar",
    "none",
    "5s",
    "0.1s",
    "x.svg",
    "x.png",
    "swarm.gif",
    "x",
    "x.toml",
    "problems",
    "algorithms",
    "bash",
    "/",
    ".",
    "preset=",
    "preset=cpso-paper",
    "inertia=NaN",
    "inertia=-1e400",
    "boundary=reflect",
    "topology=ring",
    "neighbours=4294967295",
    "sphere:target=1e-4",
    "pso:individuals=0",
    "de:name=a",
    "a=b=c",
    "sphere,rastrigin",
    "pso,de",
    "0.1.0",
    "=1",
    "shift=0.5",
    "sphere:goal=1:dim=5",
    "1e-2,1e-8",
];

/// The words from which command lines are built: commands, options, names, parameters.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let command = Arguments::command();
    let mut words: Vec<String> = VALUES.iter().map(|value| value.to_string()).collect();
    for command in command.get_subcommands() {
        words.push(command.get_name().into());
        let options = command.get_arguments().filter_map(|argument| argument.get_long());
        words.extend(options.map(|name| format!("--{name}")));
    }
    words.extend(problems::all().iter().map(|problem| problem.id.into()));
    for algorithm in algorithms::ALL {
        words.push(algorithm.id.into());
        let parameters = algorithm.parameters().into_iter();
        words.extend(parameters.map(|parameter| format!("{}=1", parameter.name)));
    }
    words.sort();
    words.dedup();
    words
});

/// The first byte selects a command. Each following pair of bytes adds any word, a value of an option, or some bytes of
/// the input as text.
fn command_line(input: &[u8]) {
    const STARTS: [&[&str]; 8] = [
        &["solve"],
        &["solve", "rastrigin"],
        &["compare", "--problems", "sphere", "--algorithms", "pso"],
        &["tune", "pso", "--problems", "sphere"],
        &["resume", "none"],
        &["report", "none"],
        &["new"],
        &[],
    ];
    let Some((first, mut rest)) = input.split_first() else { return };
    let mut words = vec!["warpswarm".to_string()];
    words.extend(STARTS[usize::from(*first) % STARTS.len()].iter().map(|word| word.to_string()));
    while let [kind, which, behind @ ..] = rest {
        rest = behind;
        let number = usize::from(*which) + usize::from(kind & 0x0f) * 256;
        match kind >> 6 {
            0 | 1 => words.push(WORDS[number % WORDS.len()].clone()),
            2 => words.push(VALUES[number % VALUES.len()].into()),
            _ => {
                let (text, behind) = rest.split_at(rest.len().min(usize::from(*which % 16)));
                words.push(String::from_utf8_lossy(text).into_owned());
                rest = behind;
            }
        }
    }
    let Ok(Arguments { command }) = Arguments::try_parse_from(words) else { return };
    done(begin(&command));
}

/// Executes a command up to the point where a run would start.
fn begin(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Solve(args) => begun(&solve::asked(args, 1)?, None),
        Command::Rerun(args) => begun(&rerun::Before::read(&args.folder)?.again(&args.place), None),
        Command::Resume(args) if args.file.is_dir() => Ok(()),
        Command::Resume(args) => {
            let (run, file) = resume::asked(args)?;
            begun(&run, Some(&file))
        }
        Command::Checkpoint(args) => checkpoint::looked(args).map(drop),
        Command::Compare(args) => {
            let study = compare::study::Study::of(args, &Given::new())?;
            compare::plot::check(&args.plots, &study)
        }
        Command::Fit(args) => fit::asked(args).map(drop),
        Command::Check(args) => check::asked(args).map(drop),
        Command::Tune(args) => tune::Asked::of(args, &Given::new()).map(drop),
        Command::New(args) => new::asked(args).map(drop),
        Command::Report(args) => report::made(args).map(drop),
        // The parser has already checked everything that these commands need.
        Command::List(_)
        | Command::Doctor(_)
        | Command::Setup
        | Command::Completions(_)
        | Command::Man(_) => Ok(()),
    }
}

/// Creates the optimiser of a run, on the CPU.
fn begun(run: &Run, from: Option<&CheckpointFile>) -> Result<(), Failure> {
    fn of<R: Precise + DeserializeOwned>(
        run: &Run,
        from: Option<&CheckpointFile>,
    ) -> Result<(), Failure> {
        let mut settings = run.settings.clone();
        settings.backend = Backend::Cpu;
        let mut optimiser = run.problem.optimiser::<R>(&run.algorithm, &settings)?;
        if let Some(file) = from {
            optimiser.resume(file.checkpoint()?)?;
        }
        Ok(())
    }
    match run.precision {
        Precision::F32 => of::<f32>(run, from),
        Precision::F64 => of::<f64>(run, from),
    }
}

/// Checks that a failure has a message.
fn done(result: Result<(), Failure>) {
    match result {
        Err(Failure::Input(message) | Failure::Running(message)) => assert!(!message.is_empty()),
        Err(Failure::Interrupted | Failure::NobodyReads | Failure::Unsaid(_)) => {
            panic!("nobody has interrupted")
        }
        Ok(()) => {}
    }
}

const STATE: &str = "state";
const FILES: [&str; 5] = [RUN, RESULT, TRACE, POPULATION, STATE];

thread_local! {
    static FOLDERS: LazyCell<(TempDir, Vec<PathBuf>)> = const { LazyCell::new(folders_of_runs) };
}

/// Folders as `--out` writes them, each with a checkpoint.
fn folders_of_runs() -> (TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("line.toml");
    let line = "maximise = \"sum(i, -(y[i] - a * t[i])^2) + b\"\n[variables]\na = { lower = -2, upper = 2 }\n\
        b = { lower = 1, upper = 9, scale = \"log\" }\n[data]\nfile = \"points.csv\"\ncolumns = [\"t\", \"y\"]\n\
        [constraints]\nc = \"a <= 1\"\n";
    fs::write(&file, line).unwrap();
    fs::write(folder.path().join("points.csv"), "t,y\n1,2\n3,4\n").unwrap();
    let spring = ["spring", "--precision", "f64", "--algorithm", "de", "--seconds", "60"];
    let line =
        [file.to_str().unwrap(), "--algorithm", "pso", "--set", "topology=ring", "--target", "9"];
    let auto = ["rastrigin", "--dim", "2"];
    let lines = [
        &["sphere", "--dim", "2", "--algorithm", "de", "--set", "boundary=reflect"][..],
        &spring,
        &line,
        &auto,
    ];
    let paths = lines.iter().enumerate().map(|(number, line)| {
        let path = folder.path().join(number.to_string());
        let small = "--individuals 6 --runs 2 --iterations 3 --backend cpu --threads 1 --population-every 2";
        let out = [["--out", path.to_str().unwrap()], ["--checkpoint", "none"]].concat();
        let words = ["warpswarm", "solve"].into_iter().chain(line.iter().copied());
        let words = words.chain(small.split(' ')).chain(out);
        let Command::Solve(args) = Arguments::parse_from(words).command else { unreachable!() };
        let run = solve::asked(&args, 1).unwrap();
        match run.precision {
            Precision::F32 => write::<f32>(run, &args.output, &path),
            Precision::F64 => write::<f64>(run, &args.output, &path),
        }
        path
    });
    let paths = paths.collect();
    (folder, paths)
}

fn write<R: Precise + Serialize>(mut run: Run, output: &OutputArgs, path: &Path) {
    run.settings.record_every = Some(1);
    run.settings.record_statistics = true;
    run.settings.populations_every = output.population_every;
    let mut folder = RunFolder::new(path, output.population_every.is_some()).unwrap();
    let state = path.with_extension("state");
    let mut saver = Saver::new(&state, output.every, run.to_toml().unwrap());
    let mut optimiser = run.problem.optimiser::<R>(&run.algorithm, &run.settings).unwrap();
    let report = optimiser.run_observed(&mut |event, runs| {
        saver.see(&event, runs).unwrap();
        folder.see(&event, &run.problem).unwrap();
    });
    let report = report.unwrap();
    folder.finish(&run.done(&report), &report).unwrap();
    fs::rename(state, path.join(STATE)).unwrap();
}

/// The first byte selects a file of a folder, the others change it. Then every command that reads folders reads this
/// one.
fn folder(input: &[u8]) {
    let Some((first, changes)) = input.split_first() else { return };
    FOLDERS.with(|folders| {
        let (_, folders) = &**folders;
        let folder = &folders[usize::from(*first) % folders.len()];
        let path = folder.join(FILES[usize::from(*first) / folders.len() % FILES.len()]);
        let original = fs::read(&path).unwrap();
        let changed = fuzz::changed(&original, changes);
        fs::write(&path, &changed).unwrap();
        let (name, state) = (folder.to_str().unwrap(), folder.join(STATE));
        let mut lines = [
            vec!["rerun", name],
            vec!["report", name],
            vec!["resume", state.to_str().unwrap(), "--iterations", "2"],
        ];
        if path.ends_with(RESULT) {
            lines[1].extend([name, "--plot", "none.svg"]);
        }
        let all = lines.iter().map(|words| {
            let words = ["warpswarm"].iter().chain(words);
            let read = begin(&Arguments::parse_from(words).command);
            read.map_err(|failure| done(Err(failure))).is_ok()
        });
        let all: Vec<bool> = all.collect();
        fs::write(&path, &original).unwrap();
        assert!(changed != original || all == [true; 3], "what was written is not read: {all:?}");
        from_text(&changed, &path);
    });
}

/// What `resume` does with the text of `run.toml` in an intact checkpoint.
fn from_text(text: &[u8], path: &Path) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    done(Run::from_toml(text, path).and_then(|run| begun(&run, None)));
}
