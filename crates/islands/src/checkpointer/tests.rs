use warpswarm::{Bounds, Fitness, Optimiser, RunProgress, Settings, problems::Sphere};

use super::*;
use crate::threads;

/// The states of these islands.
fn states(islands: Range<u32>, iterations: u64) -> Checkpoint<f64> {
    let bounds = Bounds::uniform(2, -1.0, 2.0).unwrap();
    let settings = Settings {
        individuals: 4,
        runs: u64::from(islands.end - islands.start),
        first_run: islands.start.into(),
        threads: Some(1),
        ..Settings::default()
    };
    let mut optimiser = Optimiser::new(&Sphere, &bounds, &Default::default(), &settings).unwrap();
    optimiser.step(iterations).unwrap();
    let run = |island: u32| RunProgress {
        iterations,
        evaluations: island.into(),
        best: Fitness { violation: 0.0, value: 1.0 },
        population: None,
    };
    // The first rank has computed longest.
    let seconds = 2.0 - 0.25 * f64::from(islands.start);
    let runs = islands.map(run).collect();
    let record = Progress { iterations, limit: None, seconds: 0.0, runs, maximised: false };
    Checkpoint { states: optimiser.state().unwrap(), seconds, history: vec![record] }
}

/// Stores five islands, of two ranks, at an iteration.
fn keep(folder: &Path, at: u64) -> Vec<Result<()>> {
    let rank = |others: crate::Threads| {
        let own = if others.rank() == 0 { 0..2 } else { 2..5 };
        let mut checkpointer = Checkpointer::new(folder, Interval::Iterations(100), "about".into());
        checkpointer.keep(&others, own.clone(), at, Ok(states(own, at)))
    };
    std::thread::scope(|scope| {
        let all: Vec<_> =
            threads(2).into_iter().map(|others| scope.spawn(move || rank(others))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn any_number_of_ranks_reads_what_two_have_written() {
    let all = tempfile::tempdir().unwrap();
    let folder = all.path().join("new/kept");
    assert_eq!(keep(&folder, 100), [Ok(()), Ok(())]);
    let kept = CheckpointFolder::open(&folder).unwrap();
    assert_eq!((kept.about(), kept.precision(), kept.islands()), ("about", "f64", 5));
    assert_eq!(kept.iterations(), 100);
    let whole = states(0..5, 100);
    for ranks in 1..=5 {
        let islands = crate::Islands { count: 5, ..Default::default() };
        for own in (0..ranks).map(|rank| islands.of_rank(rank, ranks)) {
            let places = own.start as usize..own.end as usize;
            let read = kept.checkpoint::<f64>(own).unwrap();
            assert_eq!(read.states, whole.states[places.clone()]);
            assert_eq!(read.history[0].runs, whole.history[0].runs[places.clone()]);
            assert_eq!(read.seconds, if places.start < 2 { 2.0 } else { 1.5 });
        }
    }
    assert!(kept.checkpoint::<f64>(3..6).is_err());
    assert!(kept.checkpoint::<f32>(0..5).is_err());
}

#[test]
fn the_epoch_before_goes_when_the_next_is_complete() {
    let all = tempfile::tempdir().unwrap();
    keep(all.path(), 100);
    keep(all.path(), 200);
    assert_eq!(names(all.path()), ["epoch-200", "last"]);
    // For example of another run: the complete epoch is not overwritten.
    keep(all.path(), 200);
    assert_eq!(names(all.path()), ["epoch-200-again", "last"]);
    keep(all.path(), 0);
    assert_eq!(names(all.path()), ["epoch-0", "last"]);
    assert_eq!(
        CheckpointFolder::open(all.path()).unwrap().checkpoint::<f64>(0..1).unwrap().history[0]
            .iterations,
        0
    );
}

#[test]
fn an_epoch_that_is_not_complete_is_not_there() {
    let all = tempfile::tempdir().unwrap();
    keep(all.path(), 100);
    // The state after a rank is killed while it writes.
    let half = all.path().join("epoch-200");
    fs::create_dir(&half).unwrap();
    fs::write(half.join("islands-0-1.warpswarm-part"), "half").unwrap();
    let kept = CheckpointFolder::open(all.path()).unwrap();
    assert_eq!(kept.checkpoint::<f64>(0..5).unwrap().states, states(0..5, 100).states);
    // It is replaced.
    keep(all.path(), 200);
    assert_eq!(names(all.path()), ["epoch-200", "last"]);
    assert_eq!(names(&half), ["islands-0-1", "islands-2-4"]);
}

#[test]
fn where_one_rank_cannot_write_none_has() {
    let all = tempfile::tempdir().unwrap();
    let folder = all.path().join("file");
    fs::write(&folder, "no folder").unwrap();
    let done = keep(&folder, 100);
    let message = done[0].as_ref().unwrap_err().to_string();
    assert!(message.contains("file cannot be written"), "{message}");
    assert_eq!(done[0], done[1]);
}

#[test]
fn what_is_damaged_is_said() {
    let all = tempfile::tempdir().unwrap();
    keep(all.path(), 100);
    let check = |what: &str| {
        let kept = CheckpointFolder::open(all.path()).and_then(|kept| kept.checkpoint::<f64>(0..5));
        let message = kept.unwrap_err().to_string();
        assert!(message.contains(what), "{message}");
    };
    let epoch = all.path().join("epoch-100");
    let second = epoch.join("islands-2-4");
    let bytes = fs::read(&second).unwrap();
    fs::write(&second, &bytes[1..]).unwrap();
    check("islands-2-4 cannot be read: it is not a checkpoint");
    fs::write(&second, &bytes).unwrap();
    fs::rename(&second, epoch.join("islands-2-5")).unwrap();
    check("islands-2-5 cannot be read: it has other islands than its name says");
    fs::rename(epoch.join("islands-2-5"), epoch.join("islands-3-4")).unwrap();
    check("epoch-100 cannot be read: islands are missing");
    fs::write(all.path().join(LAST), "../elsewhere").unwrap();
    check("last cannot be read: it names no epoch");
}

#[test]
fn names_say_which_islands() {
    assert_eq!(islands_of("islands-0-3"), Some(0..4));
    for wrong in ["islands-3-2", "islands-3", "islands--1-2", "islands-0-3.warpswarm-part", "last"]
    {
        assert_eq!(islands_of(wrong), None, "{wrong}");
    }
}

#[test]
fn epochs_are_counted_until_it_is_time() {
    let mut checkpointer =
        Checkpointer::new(Path::new("there"), Interval::Iterations(100), String::new());
    checkpointer.last.1 = 30;
    assert_eq!(
        [30, 60, 125, 129, 130, 500].map(|at| checkpointer.due_in(at, 30)),
        [4, 3, 1, 1, 1, 1]
    );
    assert_eq!([30, 129, 130].map(|at| checkpointer.is_due(at)), [false, false, true]);
    checkpointer.every = Interval::Time(Duration::from_secs(1000));
    assert_eq!((checkpointer.due_in(30, 30), checkpointer.is_due(1_000_000)), (u64::MAX, false));
}
