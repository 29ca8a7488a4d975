//! Runs that are islands: `solve` with `--islands`, and what goes on from it.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::{Algorithm, Precise, Precision, Report};
use warpswarm_islands::{
    Alone, Archipelago, Event, Inhabitants, Interval, Islands, Keeper, Kept, Topology,
};

use crate::args::{Every, IslandArgs, OutputArgs, ProgressKind, ResumeArgs, SolveArgs};
use crate::compare::study;
use crate::failure::{Code, Failure};
use crate::files::Files;
use crate::perform::{self, Outputs, exit_code};
use crate::progress::Display;
use crate::ranks::Ranks;
use crate::resume;
use crate::run::Run;

/// The islands that the arguments ask for, on so many ranks.
pub(crate) fn asked(
    args: &SolveArgs,
    algorithm: &Algorithm,
    ranks: u32,
) -> Result<Option<Islands>, Failure> {
    let IslandArgs { migrate_every: every, migrants, select, replace, .. } = args.islands;
    let Some(topology) = args.islands.islands else {
        return Ok(None);
    };
    if args.runs != 1 {
        return Err(Failure::Input(format!(
            "--runs is {}; allowed: nothing with --islands, each of which is a run (--island-count)",
            args.runs
        )));
    }
    let usual = usual(args, algorithm, topology, ranks)?;
    let count = args.islands.island_count.unwrap_or(usual.count);
    let (selection, replacement) = (select, replace.unwrap_or(usual.replacement));
    let islands = Islands { count, every, migrants, selection, replacement, ..usual };
    islands.check()?;
    check_individuals(&args.output, WITH_ISLANDS)?;
    Ok(Some(islands))
}

/// The islands as they are where no more is said than who lives there, and how many there are if that is needed.
fn usual(
    args: &SolveArgs,
    algorithm: &Algorithm,
    topology: Topology,
    ranks: u32,
) -> Result<Islands, Failure> {
    let IslandArgs { island_count, island_set, .. } = &args.islands;
    let individuals = args.individuals.unwrap_or_else(|| algorithm.usual_individuals(1));
    let one = |text: &String| {
        let study::Entrant { algorithm, individuals, .. } =
            study::entrant("--island-set", text, args.individuals)?;
        Ok(Inhabitants { algorithm, individuals })
    };
    let inhabitants = match (island_set.as_slice(), topology, algorithm) {
        ([], Topology::Master, Algorithm::Cmepso(params)) => {
            return Ok(Islands::cmepso(*params, individuals)?);
        }
        ([], ..) => vec![Inhabitants { algorithm: *algorithm, individuals }],
        (set, ..) => set.iter().map(one).collect::<Result<_, Failure>>()?,
    };
    let count = island_count.or((ranks > 1).then_some(ranks.into())).ok_or_else(|| {
        Failure::Input("--islands in one process needs --island-count; allowed: 2 and more".into())
    })?;
    Ok(Islands { count, topology, inhabitants, ..Islands::default() })
}

/// What does not go together with what is not gathered.
const WITH_ISLANDS: &str = "with --islands";

/// What is not gathered from the ranks cannot be shown.
pub(crate) fn check_individuals(args: &OutputArgs, with: &str) -> Result<(), Failure> {
    let refuse = |what: String| {
        Err(Failure::Input(format!(
            "{what}; allowed: nothing {with}, where individuals stay where they are"
        )))
    };
    if let Some(every) = args.population_every {
        return refuse(format!("--population-every is {every}"));
    }
    match args.plots.iter().find(|plot| plot.shows_individuals()) {
        Some(plot) => refuse(format!("--plot is {plot}")),
        None => Ok(()),
    }
}

/// Goes on from a folder in which epochs are kept.
pub(crate) fn resume(ranks: &Ranks, args: &ResumeArgs) -> Result<Code, Failure> {
    let (run, kept) = ranks.agree("", left(args))?;
    let mut output = args.output.clone();
    output.checkpoint.get_or_insert_with(|| args.file.clone());
    let mut files = Files::new();
    files.reads("the checkpoint that is gone on from", &args.file);
    perform(ranks, run, Some((&kept, &args.file)), &output, files)
}

/// The run that is gone on with, and where it was left.
fn left(args: &ResumeArgs) -> Result<(Run, Kept), Failure> {
    let kept = Kept::open(&args.file)?;
    let mut run = Run::from_toml(kept.about(), &args.file)?.at(&args.place);
    let islands = run.islands.as_ref().map(|islands| islands.count);
    if islands != Some(kept.islands().into()) || run.precision.name() != kept.precision() {
        let path = args.file.display();
        return Err(Failure::Input(format!("{path} has other islands than it says")));
    }
    resume::on(&mut run, args, || Ok(kept.iterations()))?;
    check_individuals(&args.output, WITH_ISLANDS)?;
    Ok((run, kept))
}

/// Does islands from their beginning, or from a kept epoch, and writes what the arguments ask for.
pub(crate) fn perform(
    ranks: &Ranks,
    run: Run,
    from: Option<(&Kept, &Path)>,
    args: &OutputArgs,
    files: Files,
) -> Result<Code, Failure> {
    match run.precision {
        Precision::F32 => in_precision::<f32>(ranks, run, from, args, files),
        Precision::F64 => in_precision::<f64>(ranks, run, from, args, files),
    }
}

fn in_precision<R: Precise + Serialize + DeserializeOwned>(
    ranks: &Ranks,
    mut run: Run,
    from: Option<(&Kept, &Path)>,
    args: &OutputArgs,
    mut files: Files,
) -> Result<Code, Failure> {
    perform::prepare(&mut run, args);
    let about = run.to_toml();
    let what = about.as_ref().map_or("", String::as_str).to_owned();
    let threads = ranks.threads()?;
    let made = about.and_then(|about| {
        // The first rank writes what all have found.
        let outputs =
            ranks.is_first().then(|| Outputs::open(&run, args, &mut files)).transpose()?;
        if let (Some(folder), true) = (&args.checkpoint, ranks.is_first()) {
            files.checkpoint(folder, args.force, from.map(|(_, folder)| folder))?;
        }
        let mut started = Started::<R>::new(ranks, &run, threads)?;
        let own = started.archipelago.own();
        from.map_or(Ok(()), |(kept, _)| started.archipelago.resume(kept.checkpoint(own)?))?;
        if let Some(folder) = &args.checkpoint {
            started.archipelago.keep(keeper(folder, args.every, about));
        }
        Ok((started, outputs))
    });
    let (mut started, outputs) = ranks.agree(&what, made)?;
    let shown = ranks.is_first() && !args.quiet;
    let kind = if shown { args.progress } else { ProgressKind::None };
    let mut display = Display::new(kind, run.settings.stop.seconds);
    let report = started.run(ranks, &mut display)?;
    drop(display);

    let written = perform::finish_by_first(outputs, &run, &report, args);
    let kept = started.archipelago.not_kept().cloned();
    let kept = kept.map_or(Ok(()), |error| Err(Failure::Running(not_kept(&error))));
    ranks.agree("", written.and(kept))?;
    Ok(exit_code(&report))
}

/// Does islands once more, in this process alone.
pub(crate) fn again<R: Precise + Serialize + DeserializeOwned>(
    run: &Run,
    display: &mut Display,
) -> Result<Report<R>, Failure> {
    let ranks = Ranks::One(Alone);
    Started::new(&ranks, run, None)?.run(&ranks, display)
}

fn keeper(folder: &Path, every: Every, about: String) -> Keeper {
    let every = match every {
        Every::Iterations(iterations) => Interval::Iterations(iterations),
        Every::Time(time) => Interval::Time(time),
    };
    Keeper::new(folder, every, about)
}

fn not_kept(error: &warpswarm::Error) -> String {
    format!("the checkpoint (--checkpoint) {error}")
}

/// Islands that can begin: their individuals are placed.
struct Started<'a, R: Precise> {
    archipelago: Archipelago<'a, R>,
}

impl<'a, R: Precise + Serialize + DeserializeOwned> Started<'a, R> {
    /// Checks everything; with this many threads, unless the run says how many.
    fn new(ranks: &'a Ranks, run: &Run, threads: Option<usize>) -> Result<Self, Failure> {
        let mut settings = run.settings.clone();
        settings.threads = settings.threads.or(threads);
        settings.devices = ranks.devices(&settings);
        settings.stop.interrupt = Some(perform::interrupt()?);
        // A run without islands does not come here.
        let islands = run.islands.clone().unwrap_or_default();
        let mut optimiser =
            |algorithm: &_, settings: &_| run.problem.optimiser(algorithm, settings);
        let archipelago = Archipelago::new(ranks.others(), &islands, &settings, &mut optimiser)?;
        Ok(Started { archipelago })
    }

    /// Runs to the end.
    fn run(&mut self, ranks: &Ranks, display: &mut Display) -> Result<Report<R>, Failure> {
        let others = ranks.others();
        let place = match others.size() {
            1 => "islands".to_string(),
            size => format!("islands on {size} ranks"),
        };
        let mut warned = false;
        let report = self.archipelago.run_observed(&mut |event| match event {
            Event::Started(progress) => display.begin(progress, place.clone()),
            Event::Progress(progress) => display.show(progress),
            Event::NotKept(error) if others.rank() == 0 && !warned => {
                warned = true;
                // Where stderr is closed too, the exit code has to do.
                let _ = writeln!(io::stderr(), "warning: {}", not_kept(error));
            }
            _ => {}
        });
        report.map_err(|error| ranks.failed(error))
    }
}
