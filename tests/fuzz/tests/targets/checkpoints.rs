//! Checkpoints with a correct checksum: they are read, and runs continue from them.

use std::cell::LazyCell;
use std::fs;
use std::path::Path;

use tempfile::TempDir;
use warpswarm::algorithms::{self, AlgorithmInfo};
use warpswarm::problems::Rastrigin;
use warpswarm::{
    Backend, Bounds, CheckpointFile, Error, Optimiser, Precise, Precision, Settings, Stop,
};

/// The length of the unchanged parts: the format's name and version before the payload, and the length and the
/// checksum.
const BEFORE: usize = 20;
const BEHIND: usize = 12;

fn optimiser<R: Precise>(info: &'static AlgorithmInfo) -> Optimiser<R> {
    let bounds = Bounds::uniform(3, -2.0, 3.0).unwrap();
    let settings = Settings {
        individuals: 12,
        runs: 2,
        seed: 5,
        stop: Stop { stagnation: Some(50), ..Stop::iterations(100) },
        backend: Backend::Cpu,
        threads: Some(1),
        record_every: Some(2),
        ..Settings::default()
    };
    let mut algorithm = info.algorithm();
    // With these parameters, few individuals are sufficient.
    for (key, value) in [("slaves", "3"), ("best_set", "3"), ("diverse_set", "3")] {
        if algorithm.parameters().iter().any(|(name, _)| *name == key) {
            algorithm.set(key, value).unwrap();
        }
    }
    Optimiser::new(&Rastrigin, &bounds, &algorithm, &settings).unwrap()
}

/// The payload of a checkpoint of every algorithm in both precisions, and a folder for changed ones.
struct Originals {
    folder: TempDir,
    all: Vec<Original>,
}

struct Original {
    info: &'static AlgorithmInfo,
    precision: Precision,
    head: Vec<u8>,
    payload: Vec<u8>,
}

thread_local! {
    static ORIGINALS: LazyCell<Originals> = const { LazyCell::new(Originals::make) };
}

impl Originals {
    fn make() -> Originals {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let mut all = Vec::new();
        for info in algorithms::ALL {
            for precision in Precision::ALL.iter().copied() {
                match precision {
                    Precision::F32 => write::<f32>(info, &path),
                    Precision::F64 => write::<f64>(info, &path),
                }
                let bytes = fs::read(&path).unwrap();
                let (head, payload) = (&bytes[..BEFORE], &bytes[BEFORE..bytes.len() - BEHIND]);
                all.push(Original { info, precision, head: head.into(), payload: payload.into() });
            }
        }
        Originals { folder, all }
    }
}

fn write<R: Precise + serde::Serialize>(info: &'static AlgorithmInfo, path: &Path) {
    let mut optimiser = optimiser::<R>(info);
    optimiser.step(6).unwrap();
    let progress = optimiser.progress().unwrap();
    let mut checkpoint = optimiser.checkpoint().unwrap();
    checkpoint.history.push(progress);
    checkpoint.write("about", path).unwrap();
}

/// The first byte selects the algorithm and the precision; the other bytes are changes.
pub(crate) fn read(input: &[u8]) {
    let Some((first, changes)) = input.split_first() else { return };
    ORIGINALS.with(|originals| {
        let all = &originals.all;
        let original = &all[usize::from(*first) % all.len()];
        let payload = fuzz::changed(&original.payload, changes);
        let length = (payload.len() as u64).to_le_bytes();
        let mut bytes = [&original.head[..], &payload, &length].concat();
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        let path = originals.folder.path().join("read");
        fs::write(&path, bytes).unwrap();
        let done = match original.precision {
            Precision::F32 => go_on::<f32>(original.info, &path),
            Precision::F64 => go_on::<f64>(original.info, &path),
        };
        match done {
            // The payload is unchanged, so an error is a failure.
            Err(error) if payload == original.payload => panic!("{error}"),
            Err(error) => assert!(error.is_input(), "{error}"),
            Ok(()) => {}
        }
    });
}

fn go_on<R>(info: &'static AlgorithmInfo, path: &Path) -> Result<(), Error>
where
    R: Precise + serde::de::DeserializeOwned,
{
    let mut optimiser = optimiser::<R>(info);
    let file = CheckpointFile::open(path)?;
    optimiser.resume(file.checkpoint()?)?;
    optimiser.step(2)?;
    let report = optimiser.run_observed(&mut |_, runs| drop(runs.checkpoint().unwrap()))?;
    assert_eq!(report.runs.len(), 2);
    Ok(())
}
