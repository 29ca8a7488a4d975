//! Lets calls fail, one after the other: see `warpswarm_tests::faults`.

use std::path::PathBuf;

use warpswarm::faults::{Call, at as faults_at};
use warpswarm::problems::Rastrigin;
use warpswarm::{Algorithm, Backend, Bounds, CheckpointFile, Error, Optimiser, Settings};
use warpswarm_tests::faults;

#[test]
fn every_call_to_the_device_fails_once() {
    // Use two threads; faults are specific to a thread.
    let half = |half| {
        let all = faults::scenarios(Backend::Emulator);
        let mine = all.into_iter().enumerate().filter(|(i, _)| i % 2 == half);
        faults::check(&mine.map(|(_, scenario)| scenario).collect::<Vec<_>>())
    };
    let [first, second] = std::thread::scope(|scope| {
        [0, 1].map(|i| scope.spawn(move || half(i))).map(|half| half.join().unwrap())
    });
    for injected in [first, second] {
        // Both ways to continue must occur.
        assert!(injected.went_on > 0 && injected.restored > 0, "{injected:?}");
    }
    println!("reliability: faults injected on the device = {}", first.faults + second.faults);
    println!("reliability: faults survived on the device = {}", first.survived + second.survived);
}

/// The scenarios cover all schedules and layouts.
#[test]
fn the_scenarios_have_all_schedules() {
    let plans: Vec<_> =
        faults::scenarios(Backend::Emulator).iter().map(|one| (one.name, one.plan())).collect();
    let has = |name: &str| plans.iter().find(|(of, _)| *of == name).expect(name).1;
    assert_eq!(has("pso in a block").blocks_per_run, 1);
    assert!(has("pso in a cluster").cluster);
    let grid = has("pso in a grid");
    assert!(grid.blocks_per_run > 1 && !grid.cluster, "{grid:?}");
    let tiles = ["de in warps", "de in tiles", "de in columns", "de, streaming"];
    let tiles = tiles.map(|name| has(name).tile.unwrap_or_default());
    assert_eq!(tiles, ["x32k1", "x8k4", "column", ""]);
    assert_eq!(has("pso in columns").tile.unwrap(), "column");
}

/// A checkpoint file and the previous one, in a temporary folder.
struct Checkpoints {
    folder: tempfile::TempDir,
    optimiser: Optimiser<f64>,
}

impl Checkpoints {
    fn new() -> Self {
        let bounds = Bounds::uniform(7, -4.0, 5.0).unwrap();
        let settings = Settings { individuals: 150, backend: Backend::Cpu, ..Settings::default() };
        let optimiser =
            Optimiser::new(&Rastrigin, &bounds, &Algorithm::Pso(Default::default()), &settings)
                .unwrap();
        Checkpoints { folder: tempfile::tempdir().unwrap(), optimiser }
    }

    fn write(&mut self) -> warpswarm::Result<()> {
        let path = self.path();
        self.optimiser.checkpoint()?.write("a run", &path)
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("run.state")
    }

    fn read(&self) -> Vec<u8> {
        std::fs::read(self.path()).unwrap()
    }
}

#[test]
fn every_step_of_writing_a_checkpoint_fails_once() {
    let mut checkpoints = Checkpoints::new();
    checkpoints.write().unwrap();
    let old = checkpoints.read();
    checkpoints.optimiser.step(1).unwrap();
    let mut calls = Vec::new();
    for n in 0.. {
        let (done, failed) = faults_at(n, || checkpoints.write());
        let Some(call) = failed else {
            done.unwrap();
            break;
        };
        let error = done.expect_err("a write that fails");
        let path = checkpoints.path();
        assert!(
            matches!(&error, Error::File { doing: "written", path: of, message } if *of == path && !message.is_empty()),
            "{call:?}: {error:?}"
        );
        let left: Vec<_> = std::fs::read_dir(checkpoints.folder.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "{call:?}: {left:?}");
        match call {
            // The file has already been renamed.
            Call::SyncFolder => {
                assert_ne!(checkpoints.read(), old);
                std::fs::write(&path, &old).unwrap();
            }
            _ => assert_eq!(checkpoints.read(), old, "{call:?}"),
        }
        calls.push(call);
    }
    let file = CheckpointFile::open(&checkpoints.path()).unwrap();
    assert_eq!(file.checkpoint::<f64>().unwrap().states, checkpoints.optimiser.state().unwrap());
    for call in [Call::Create, Call::Write, Call::Sync, Call::Rename, Call::SyncFolder] {
        assert!(calls.contains(&call), "{call:?} has not failed: {calls:?}");
    }
    println!("reliability: faults injected into files = {}", calls.len());
    println!("reliability: faults survived in files = {}", calls.len());
}
