//! Checkpoints in files.
//!
//! | bytes | |
//! |---|---|
//! | 16 | `warpswarm state\n` |
//! | 4 | the format's version |
//! | length | the header and the runs, as [postcard](https://postcard.jamesmunns.com/wire-format) writes them |
//! | 8 | length |
//! | 4 | the CRC-32 of everything before |
//!
//! Numbers are little-endian. The structs below define the format: a change of them requires a new version.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use warpswarm_core::Float;
use warpswarm_core::launch::Control;
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_cpu_ref::{RunId, Swarm};

use super::restart::{OfEarlier, OfLegs, OfParked};
use super::{Checkpoint, write_whole};
use crate::error::{Error, Result};
use crate::run::report::Progress;

const MAGIC: &[u8; 16] = b"warpswarm state\n";
const VERSION: u32 = 5;
const BEFORE: usize = MAGIC.len() + size_of::<u32>();
const BEHIND: usize = size_of::<u64>() + size_of::<u32>();

/// The header of a file.
#[derive(Debug, Deserialize, Serialize)]
struct Header {
    about: String,
    precision: String,
}

#[derive(Deserialize, Serialize)]
#[serde(bound(serialize = "R: Float + Serialize", deserialize = "R: Float + Deserialize<'de>"))]
struct Body<R> {
    seconds: f64,
    history: Vec<Progress<R>>,
    states: Vec<State<R>>,
}

/// A [`Swarm`]. Pairs are (violation, value).
#[derive(Deserialize, Serialize)]
struct State<R> {
    seed: u64,
    run: u64,
    dimensions: u64,
    stride: u64,
    positions: Vec<R>,
    velocities: Vec<R>,
    best_positions: Vec<R>,
    best: Vec<(R, R)>,
    numbers: Vec<R>,
    memory: Vec<R>,
    archive: Vec<R>,
    global: (R, R),
    global_index: u32,
    global_position: Vec<R>,
    iterations: u64,
    improved_at: u64,
    not_finite: u64,
    level_bits: u64,
    stopped: u32,
    legs: OfLegs,
    earlier: Option<OfEarlier<R>>,
    parked: Option<OfParked<R>>,
}

impl<R: Float> State<R> {
    fn of(swarm: Swarm<R>) -> Self {
        let pair = |fitness: Fitness<R>| (fitness.violation, fitness.value);
        State {
            seed: swarm.id.seed,
            run: swarm.id.run,
            dimensions: swarm.dimensions as u64,
            stride: swarm.stride as u64,
            positions: swarm.positions,
            velocities: swarm.velocities,
            best_positions: swarm.best_positions,
            best: swarm.best.into_iter().map(pair).collect(),
            numbers: swarm.numbers,
            memory: swarm.memory,
            archive: swarm.archive,
            global: pair(swarm.global.fitness),
            global_index: swarm.global.index,
            global_position: swarm.global_position,
            iterations: swarm.control.iterations,
            improved_at: swarm.control.improved_at,
            not_finite: swarm.control.not_finite,
            level_bits: swarm.control.level_bits,
            stopped: swarm.control.stopped,
            legs: OfLegs::of(swarm.legs),
            earlier: swarm.earlier.map(|earlier| OfEarlier::of(*earlier)),
            parked: swarm.parked.map(|parked| OfParked::of(*parked)),
        }
    }

    fn swarm(self) -> Swarm<R> {
        let fitness = |(violation, value)| Fitness { violation, value };
        Swarm {
            id: RunId { seed: self.seed, run: self.run },
            dimensions: self.dimensions as usize,
            stride: self.stride as usize,
            positions: self.positions,
            velocities: self.velocities,
            best_positions: self.best_positions,
            best: self.best.into_iter().map(fitness).collect(),
            numbers: self.numbers,
            memory: self.memory,
            archive: self.archive,
            global: Candidate {
                fitness: fitness(self.global),
                index: self.global_index,
                reserved: 0,
            },
            global_position: self.global_position,
            control: Control {
                iterations: self.iterations,
                improved_at: self.improved_at,
                not_finite: self.not_finite,
                level_bits: self.level_bits,
                stopped: self.stopped,
                ticket: 0,
            },
            legs: self.legs.legs(),
            earlier: self.earlier.map(|earlier| Box::new(earlier.earlier())),
            parked: self.parked.map(|parked| Box::new(parked.parked())),
        }
    }
}

impl<R: Float + Serialize> Checkpoint<R> {
    /// Writes a file atomically: [completely](write_whole) or not at all. `about` is the caller's text, with what is
    /// needed to create the optimiser that continues.
    ///
    /// ```
    /// use warpswarm::{Algorithm, Bounds, CheckpointFile, Optimiser, Settings, problems::Sphere};
    /// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
    /// let settings = Settings { individuals: 32, ..Settings::default() };
    /// let optimiser = || Optimiser::<f32>::new(&Sphere, &bounds, &Algorithm::default(), &settings);
    /// let mut first = optimiser()?;
    /// first.step(100)?;
    /// let path = std::env::temp_dir().join(format!("warpswarm-{}", std::process::id()));
    /// first.checkpoint()?.write("sphere", &path)?;
    ///
    /// let file = CheckpointFile::open(&path)?;
    /// assert_eq!((file.about(), file.precision()), ("sphere", "f32"));
    /// let mut second = optimiser()?;
    /// second.resume(file.checkpoint()?)?;
    /// assert_eq!(first.run()?.runs, second.run()?.runs);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::File`]; an existing file is then unchanged.
    /// [`Error::File`]; a file that was there before is then as it was.
    pub fn write(self, about: &str, path: &Path) -> Result<()> {
        let Checkpoint { states, seconds, history } = self;
        let header = Header { about: about.into(), precision: R::NAME.into() };
        let body = Body { seconds, history, states: states.into_iter().map(State::of).collect() };
        let written = write_whole(path, &mut |out| encode(&header, &body, out));
        written.map_err(|error| failed("written", path, error.to_string()))
    }
}

fn encode(header: &Header, body: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut out = Summed { out, sum: crc32fast::Hasher::new(), bytes: 0 };
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    let encoded = postcard::to_io(header, &mut out).and_then(|out| postcard::to_io(body, out));
    // The encoder's errors do not contain the writer's error, so flush the writer to get it.
    encoded.map(|_| ()).or_else(|error| out.flush().and(Err(io::Error::other(error))))?;
    let length = out.bytes - BEFORE as u64;
    out.write_all(&length.to_le_bytes())?;
    let sum = out.sum.clone().finalize();
    out.write_all(&sum.to_le_bytes())
}

/// A writer that computes the checksum of everything written.
struct Summed<'a> {
    out: &'a mut dyn Write,
    sum: crc32fast::Hasher,
    bytes: u64,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sum.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A checkpoint file that has been read and is undamaged.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, CheckpointFile, Optimiser, Settings, problems::Sphere};
/// let (bounds, settings) = (Bounds::uniform(2, -1.0, 1.0)?, Settings { individuals: 8, ..Settings::default() });
/// let mut optimiser = Optimiser::<f64>::new(&Sphere, &bounds, &Algorithm::default(), &settings)?;
/// let path = std::env::temp_dir().join(format!("warpswarm-f64-{}", std::process::id()));
/// optimiser.checkpoint()?.write("two coordinates", &path)?;
///
/// let file = CheckpointFile::open(&path)?;
/// assert_eq!(file.checkpoint::<f64>()?.states, optimiser.state()?);
/// let error = file.checkpoint::<f32>().unwrap_err().to_string();
/// assert!(error.ends_with("its runs are in f64, not in f32"));
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Debug)]
pub struct CheckpointFile {
    path: PathBuf,
    header: Header,
    body: Vec<u8>,
}

impl CheckpointFile {
    /// Reads a file.
    ///
    /// ```
    /// use warpswarm::CheckpointFile;
    /// let path = std::env::temp_dir().join(format!("warpswarm-letter-{}", std::process::id()));
    /// std::fs::write(&path, "Dear all,")?;
    /// let error = CheckpointFile::open(&path).unwrap_err().to_string();
    /// assert!(error.ends_with("cannot be read: it is not a checkpoint"));
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::File`] if it cannot be read, is not a checkpoint, is damaged, or has the format of another version.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |message: &str| failed("read", path, message.into());
        let unreadable = |error: io::Error| failed(&error.to_string());
        // Something other than a file, such as a pipe, might never end, or block when opened.
        if !fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(failed("it is not a checkpoint, because it is not a file"));
        }
        let mut file = File::open(path).map_err(unreadable)?;
        if !begins(&mut file).map_err(unreadable)? {
            return Err(failed("it is not a checkpoint"));
        }
        let mut bytes = MAGIC.to_vec();
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        let damaged = || failed("it is damaged");
        let length = bytes.len().checked_sub(BEFORE + BEHIND).ok_or_else(damaged)?;
        let (summed, sum) = bytes.split_at(bytes.len() - size_of::<u32>());
        let said = &summed[BEFORE + length..];
        if crc32fast::hash(summed).to_le_bytes() != sum || (length as u64).to_le_bytes() != said {
            return Err(damaged());
        }
        let version = &bytes[MAGIC.len()..BEFORE];
        if version != VERSION.to_le_bytes() {
            return Err(failed("another version of warpswarm wrote it, in another format"));
        }
        bytes.truncate(BEFORE + length);
        let read = postcard::take_from_bytes::<Header>(&bytes[BEFORE..]);
        let (header, rest) = read.map_err(|_| damaged())?;
        let body = bytes.len() - rest.len();
        bytes.drain(..body);
        Ok(CheckpointFile { path: path.into(), header, body: bytes })
    }

    /// Whether the file at a path begins like a checkpoint, damaged or not.
    ///
    /// ```
    /// use warpswarm::CheckpointFile;
    /// assert!(!CheckpointFile::is_at("no/such/file".as_ref()));
    /// ```
    pub fn is_at(path: &Path) -> bool {
        let is_file = fs::metadata(path).is_ok_and(|there| there.is_file());
        is_file && File::open(path).and_then(|mut file| begins(&mut file)).unwrap_or(false)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text that the writer stored.
    pub fn about(&self) -> &str {
        &self.header.about
    }

    /// The name of the runs' number type, as in [`Precision`](crate::Precision).
    pub fn precision(&self) -> &str {
        &self.header.precision
    }

    /// The runs.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if they have another number type.
    pub fn checkpoint<R: Float + DeserializeOwned>(&self) -> Result<Checkpoint<R>> {
        let failed = |message: String| failed("read", &self.path, message);
        if self.precision() != R::NAME {
            return Err(failed(format!(
                "its runs are in {}, not in {}",
                self.precision(),
                R::NAME
            )));
        }
        let read = postcard::take_from_bytes::<Body<R>>(&self.body);
        let whole = read.ok().filter(|(_, rest)| rest.is_empty());
        let (body, _) = whole.ok_or_else(|| failed("it is damaged".into()))?;
        let states = body.states.into_iter().map(State::swarm).collect();
        Ok(Checkpoint { states, seconds: body.seconds, history: body.history })
    }
}

/// Whether a file begins like a checkpoint.
fn begins(file: &mut File) -> io::Result<bool> {
    let mut first = Vec::new();
    file.take(MAGIC.len() as u64).read_to_end(&mut first)?;
    Ok(first == MAGIC)
}

fn failed(doing: &'static str, path: &Path, message: String) -> Error {
    Error::File { doing, path: path.into(), message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Algorithm, Backend, Bounds, Optimiser, Settings, problems::Sphere};

    fn checkpoint() -> Checkpoint<f32> {
        let bounds = Bounds::uniform(1, -1.0, 2.0).unwrap();
        let settings = Settings {
            individuals: 2,
            backend: Backend::Cpu,
            record_every: Some(1),
            ..Settings::default()
        };
        let mut optimiser =
            Optimiser::new(&Sphere, &bounds, &Algorithm::Pso(Default::default()), &settings)
                .unwrap();
        optimiser.step(3).unwrap();
        let record = optimiser.progress().unwrap();
        Checkpoint { history: vec![record], ..optimiser.checkpoint().unwrap() }
    }

    fn bytes() -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small");
        checkpoint().write("what it is", &path).unwrap();
        fs::read(path).unwrap()
    }

    /// The error for bytes that are not a checkpoint; the message contains the file.
    #[track_caller]
    fn refused(path: &Path, bytes: &[u8]) -> String {
        fs::write(path, bytes).unwrap();
        let read = CheckpointFile::open(path).and_then(|file| file.checkpoint::<f32>());
        let error = read.expect_err("read in spite of the damage");
        assert!(
            error.is_input() && matches!(error, Error::File { doing: "read", .. }),
            "{error:?}"
        );
        let message = error.to_string();
        assert!(message.starts_with(&path.display().to_string()), "{message}");
        message
    }

    /// The bytes with a corrected checksum.
    fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
        let end = bytes.len() - 4;
        let sum = crc32fast::hash(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&sum);
        bytes
    }

    fn with_payload(payload: &[u8]) -> Vec<u8> {
        let length = (payload.len() as u64).to_le_bytes();
        let parts = [&MAGIC[..], &VERSION.to_le_bytes(), payload, &length, &[0; 4]];
        summed(parts.concat())
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small");
        let written = checkpoint();
        written.clone().write("what it is", &path).unwrap();
        let file = CheckpointFile::open(&path).unwrap();
        assert_eq!((file.about(), file.precision()), ("what it is", "f32"));
        assert_eq!(file.checkpoint::<f32>().unwrap(), written);
        let error = file.checkpoint::<f64>().unwrap_err().to_string();
        assert!(error.ends_with("its runs are in f32, not in f64"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_cut_off_anywhere_is_refused() {
        let (folder, bytes) = (tempfile::tempdir().unwrap(), bytes());
        for length in 0..bytes.len() {
            refused(&folder.path().join("cut"), &bytes[..length]);
        }
        refused(&folder.path().join("longer"), &[&bytes[..], &[0]].concat());
    }

    #[test]
    fn any_flipped_bit_is_noticed() {
        let (folder, mut bytes) = (tempfile::tempdir().unwrap(), bytes());
        let path = folder.path().join("flipped");
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            refused(&path, &bytes);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        fs::write(&path, &bytes).unwrap();
        CheckpointFile::open(&path).unwrap();
    }

    #[test]
    fn another_version_says_so() {
        let (folder, mut bytes) = (tempfile::tempdir().unwrap(), bytes());
        bytes[MAGIC.len()] += 1;
        let message = refused(&folder.path().join("newer"), &summed(bytes));
        assert!(message.contains("another version of warpswarm"), "{message}");
        let message = refused(&folder.path().join("none"), b"something else");
        assert!(message.contains("it is not a checkpoint"), "{message}");
    }

    /// Lengths beyond the end of a file with a correct checksum are an error, and allocate no memory.
    #[test]
    fn a_length_beyond_the_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        let many = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        refused(&path, &with_payload(&many));
        let header = postcard::to_stdvec(&Header { about: "".into(), precision: "f32".into() });
        let header = header.unwrap();
        refused(&path, &with_payload(&header));
        // Seconds, then records; seconds, no records, then states; a state's positions.
        let seconds = [0; 8];
        refused(&path, &with_payload(&[&header[..], &seconds, &many].concat()));
        refused(&path, &with_payload(&[&header[..], &seconds, &[0], &many].concat()));
        let state = [0, 0, 1, 2];
        refused(&path, &with_payload(&[&header[..], &seconds, &[0, 1], &state, &many].concat()));
        // Additional bytes at the end.
        let all = bytes();
        let payload = &all[BEFORE..all.len() - BEHIND];
        refused(&path, &with_payload(&[payload, &[0]].concat()));
    }

    /// A writer with space for a number of bytes.
    struct Limited<'a> {
        out: &'a mut dyn Write,
        room: usize,
    }

    impl Write for Limited<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let fits = bytes.len().min(self.room);
            if fits == 0 && !bytes.is_empty() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.room -= fits;
            self.out.write(&bytes[..fits])
        }

        fn flush(&mut self) -> io::Result<()> {
            self.out.flush()
        }
    }

    /// Simulates a disk that is full after each number of bytes.
    #[test]
    fn a_full_disk_leaves_the_old_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("full");
        fs::write(&path, "old").unwrap();
        let header = Header { about: "what it is".into(), precision: "f32".into() };
        let Checkpoint { states, seconds, history } = checkpoint();
        let body = Body { seconds, history, states: states.into_iter().map(State::of).collect() };
        let write = |room| {
            write_whole(&path, &mut |out| encode(&header, &body, &mut Limited { out, room }))
        };
        let whole = bytes().len();
        for room in 0..whole {
            write(room).unwrap_err();
            assert_eq!(fs::read(&path).unwrap(), b"old");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "something is left");
        }
        write(whole).unwrap();
        assert_eq!(fs::read(&path).unwrap().len(), whole);
    }

    /// While many threads write the same file, a reader always gets the complete content of one of them.
    #[test]
    fn writers_at_once_do_not_mix() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one");
        let write = |letter: u8| {
            let bytes = vec![letter; 100_000];
            // Written in pieces, so that contents could mix.
            write_whole(&path, &mut |out| {
                bytes.chunks(1000).try_for_each(|piece| out.write_all(piece))
            })
        };
        write(b'a').unwrap();
        std::thread::scope(|scope| {
            let writers: Vec<_> = (b'b'..=b'e')
                .map(|letter| scope.spawn(move || (0..20).try_for_each(|_| write(letter))))
                .collect();
            while !writers.iter().all(|writer| writer.is_finished()) {
                let bytes = fs::read(&path).unwrap();
                assert!(bytes.len() == 100_000 && bytes.iter().all(|byte| *byte == bytes[0]));
            }
            writers.into_iter().for_each(|writer| writer.join().unwrap().unwrap());
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn only_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &Path| write_whole(path, &mut |out| out.write_all(b"new"));
        write(folder.path()).unwrap_err();
        write(&folder.path().join("none/file")).unwrap_err();
        if cfg!(unix) {
            write(Path::new("/dev/null")).unwrap_err();
            assert!(!Path::new("/dev/null").is_file());
        }
    }
}
