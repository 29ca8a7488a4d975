//! The file that holds a crate's kernels: a PTX module per entry, found by name, compressed together with similar
//! modules.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | the magic `WSPTX 4\n` |
//! | 8 | 8 | FNV-1a (64 bits) of everything that follows, little-endian |
//! | 16 | 4 | length of the index, little-endian |
//! | 20 | | the index, lines of text |
//! | after it | | streams of Brotli, each of the coded texts of some modules, one after the other |
//!
//! The index's first line is the architecture (`sm_80`), its second the compiler, its third this crate's version and
//! the sources' fingerprint in hexadecimal digits. Then comes one line per module, `name offset stored start length`.
//! These are the offset of its stream from the end of the index and the stored length of that stream, then the start of
//! its coded text in the text of the stream and its length, all in bytes. A coded text has distances in place of
//! register numbers (`distances.rs`).
//!
//! Kernels repeat each other's code, at distances that need a large window. In this form the workspace's 45.4 MB of PTX
//! take 3.4 MB, and with register numbers 6.8 MB.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use brotli_decompressor::Decompressor;

use crate::distances;

const MAGIC: &[u8; 8] = b"WSPTX 4\n";
/// Kernels, objectives and the library that links them agree on registers and on structs in memory. These may change
/// with any version, so all must be of the same one.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The longest stream, so that a forged index cannot make the reader allocate all memory.
const LONGEST_STREAM: usize = 1 << 28;
/// The most bytes in the text of a stream of several modules, which are decompressed together in some milliseconds.
#[cfg(feature = "build")]
const TOGETHER: usize = 1 << 20;
/// The compression quality, of at most 11: higher ones take many times as long.
#[cfg(feature = "build")]
const QUALITY: i32 = 9;
/// Bytes that are decompressed at once.
const BUFFER: usize = 1 << 16;

/// Why bytes are not a package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// There are no bytes: the library was built without GPU kernels.
    #[error("built without GPU kernels")]
    Empty,
    /// The bytes begin differently.
    #[error("not a package of PTX modules, or one of another version")]
    Magic,
    /// The bytes are shorter or longer than they should be, or a bit has flipped.
    #[error("the package of PTX modules is damaged (its checksum differs)")]
    Checksum,
    /// Made by another version of this crate than the one that reads it.
    #[error(
        "made by warpswarm-ptx-builder {by}, while this is {}: compile the kernels again",
        VERSION
    )]
    Version {
        /// The version that made it.
        by: String,
    },
    /// The checksum is right, but a line of the index makes no sense.
    #[error("the package of PTX modules has a wrong index at line {line}")]
    Index {
        /// The line, counted from 1.
        line: usize,
    },
}

/// A package, opened for reading.
#[derive(Debug)]
pub struct Package<'a> {
    arch: &'a str,
    toolchain: &'a str,
    sources: u64,
    modules: BTreeMap<&'a str, Place<'a>>,
    /// The stream that was decompressed last, by its address: modules that are linked together are often in one stream.
    last: Mutex<Option<(usize, Arc<[u8]>)>>,
}

/// The place of a module.
#[derive(Clone, Copy, Debug)]
struct Place<'a> {
    stream: &'a [u8],
    start: usize,
    length: usize,
}

impl<'a> Package<'a> {
    /// Opens a package and checks its checksum and its index; modules are decompressed when they are requested.
    pub fn open(bytes: &'a [u8]) -> Result<Self, PackageError> {
        if bytes.is_empty() {
            return Err(PackageError::Empty);
        }
        let after_magic = bytes.strip_prefix(MAGIC).ok_or(PackageError::Magic)?;
        let (sum, body) = after_magic.split_first_chunk::<8>().ok_or(PackageError::Checksum)?;
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(PackageError::Checksum);
        }
        let (length, rest) = body.split_first_chunk::<4>().ok_or(PackageError::Checksum)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (index, streams) = rest.split_at_checked(length).ok_or(PackageError::Checksum)?;
        let index = std::str::from_utf8(index).map_err(|_| PackageError::Index { line: 1 })?;
        let mut lines = index.lines();
        let arch = lines.next().ok_or(PackageError::Index { line: 1 })?;
        let toolchain = lines.next().ok_or(PackageError::Index { line: 2 })?;
        let (by, sources) = lines.next().and_then(origin).ok_or(PackageError::Index { line: 3 })?;
        if by != VERSION {
            return Err(PackageError::Version { by: by.into() });
        }
        let mut modules = BTreeMap::new();
        for (number, line) in lines.enumerate() {
            let wrong = PackageError::Index { line: number + 4 };
            let (name, place) = parse_line(line, streams).ok_or(wrong.clone())?;
            if modules.insert(name, place).is_some() {
                return Err(wrong);
            }
        }
        Ok(Self { arch, toolchain, sources, modules, last: Mutex::new(None) })
    }

    /// The architecture the modules were compiled for, such as `sm_80`. Later ones run them too.
    pub fn arch(&self) -> &'a str {
        self.arch
    }

    /// The compiler that made the modules.
    pub fn toolchain(&self) -> &'a str {
        self.toolchain
    }

    /// The [`fingerprint`](crate::sources::fingerprint) of the sources.
    pub fn sources(&self) -> u64 {
        self.sources
    }

    /// The names of all modules, in order. A module holds the one entry of its name.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &'a str> {
        self.modules.keys().copied()
    }

    /// The PTX of the module `name`; `None` if the package has none of that name.
    pub fn module(&self, name: &str) -> Option<String> {
        let &Place { stream, start, length } = self.modules.get(name)?;
        let text = self.text(stream)?;
        let module = text.get(start..start.checked_add(length)?)?;
        Some(distances::decoded(std::str::from_utf8(module).ok()?))
    }

    /// The text of a stream.
    fn text(&self, stream: &'a [u8]) -> Option<Arc<[u8]>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((at, text)) if *at == stream.as_ptr() as usize => Some(text.clone()),
            _ => {
                let mut text = Vec::new();
                let most = LONGEST_STREAM as u64;
                Decompressor::new(stream, BUFFER).take(most).read_to_end(&mut text).ok()?;
                let text: Arc<[u8]> = text.into();
                *last = Some((stream.as_ptr() as usize, text.clone()));
                Some(text)
            }
        }
    }
}

/// The version and the fingerprint.
fn origin(line: &str) -> Option<(&str, u64)> {
    let (by, sources) = line.split_once(' ')?;
    Some((by, u64::from_str_radix(sources, 16).ok()?))
}

fn parse_line<'a>(line: &'a str, streams: &'a [u8]) -> Option<(&'a str, Place<'a>)> {
    let mut fields = line.split(' ');
    let name = fields.next().filter(|name| !name.is_empty())?;
    let mut number = || {
        let field = fields.next()?;
        field.parse::<usize>().ok().filter(|_| field.as_bytes()[0] != b'+')
    };
    let [offset, stored, start, length] = [number()?, number()?, number()?, number()?];
    let stream = streams.get(offset..offset.checked_add(stored)?)?;
    let is_short = start.checked_add(length)? <= LONGEST_STREAM;
    (is_short && fields.next().is_none()).then_some((name, Place { stream, start, length }))
}

/// FNV-1a with 64 bits, which detects every changed bit and every changed byte.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// The origin of a package.
#[cfg(feature = "build")]
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The architecture the modules were compiled for.
    pub arch: &'a str,
    /// The compiler.
    pub toolchain: &'a str,
    /// The sources' [`fingerprint`](crate::sources::fingerprint).
    pub sources: u64,
}

/// Writes a package: `modules` in one file, with their origin.
///
/// # Panics
///
/// If a name or the architecture is empty or has white space in it; PTX names and architectures do not.
#[cfg(feature = "build")]
pub fn pack(origin: Origin<'_>, modules: &[crate::Module]) -> Vec<u8> {
    let Origin { arch, toolchain, sources } = origin;
    let plain = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
    assert!(plain(arch), "the architecture {arch:?} is not one word");
    let toolchain = toolchain.replace(['\n', '\r'], " ");
    let mut index = format!("{arch}\n{toolchain}\n{VERSION} {sources:016x}\n");
    let mut streams = Vec::new();
    // Modules whose names begin alike are similar.
    let mut modules: Vec<_> =
        modules.iter().map(|module| (&module.name, distances::coded(&module.text))).collect();
    modules.sort();
    let mut rest = &modules[..];
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |(_, text): &&(&String, String)| {
            bytes += text.len();
            bytes <= TOGETHER
        };
        let count = rest.iter().take_while(fits).count().max(1);
        let (together, others) = rest.split_at(count);
        let text: String = together.iter().map(|(_, text)| text.as_str()).collect();
        let stream = compressed(text.as_bytes());
        let mut start = 0;
        for (name, text) in together {
            assert!(plain(name), "the module name {name:?} is not one word");
            let (offset, stored, length) = (streams.len(), stream.len(), text.len());
            index.push_str(&format!("{name} {offset} {stored} {start} {length}\n"));
            start += length;
        }
        streams.extend_from_slice(&stream);
        rest = others;
    }
    let mut body = (index.len() as u32).to_le_bytes().to_vec();
    body.extend_from_slice(index.as_bytes());
    body.extend_from_slice(&streams);
    [MAGIC.as_slice(), &checksum(&body).to_le_bytes(), &body].concat()
}

#[cfg(feature = "build")]
fn compressed(mut text: &[u8]) -> Vec<u8> {
    let parameters =
        brotli::enc::BrotliEncoderParams { quality: QUALITY, lgwin: 22, ..Default::default() };
    let mut stream = Vec::new();
    let done = brotli::BrotliCompress(&mut text, &mut stream, &parameters);
    done.unwrap_or_else(|error| unreachable!("both are memory: {error}"));
    stream
}

#[cfg(all(test, feature = "build"))]
mod tests {
    use super::*;
    use crate::Module;

    fn sample() -> (Vec<Module>, Vec<u8>) {
        let module = |name: &str, text: &str| Module { name: name.into(), text: text.into() };
        let modules = vec![
            module("b_f32", &".version 7.8\nadd.s32 %r12, %r9, 1;\n".repeat(20)),
            module("a_f64", "// a\n"),
            module("empty", ""),
        ];
        let origin = Origin { arch: "sm_80", toolchain: "rustc 1.96.0", sources: 7 };
        let bytes = pack(origin, &modules);
        (modules, bytes)
    }

    #[test]
    fn what_was_packed_is_read() {
        let (modules, bytes) = sample();
        let package = Package::open(&bytes).unwrap();
        assert_eq!((package.arch(), package.toolchain()), ("sm_80", "rustc 1.96.0"));
        assert_eq!(package.sources(), 7);
        assert_eq!(package.names().collect::<Vec<_>>(), ["a_f64", "b_f32", "empty"]);
        for module in &modules {
            assert_eq!(package.module(&module.name).as_ref(), Some(&module.text));
        }
        assert_eq!(package.module("a_f32"), None);
    }

    #[test]
    fn a_package_without_modules_is_one() {
        let bytes = pack(Origin { arch: "sm_90", toolchain: "rustc\nx", sources: u64::MAX }, &[]);
        let package = Package::open(&bytes).unwrap();
        assert_eq!((package.toolchain(), package.names().len()), ("rustc x", 0));
    }

    #[test]
    fn no_bytes_are_their_own_error() {
        assert_eq!(Package::open(&[]).unwrap_err(), PackageError::Empty);
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_an_error() {
        let (_, bytes) = sample();
        for at in 0..bytes.len() {
            assert!(Package::open(&bytes[..at]).is_err(), "cut at {at}");
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                assert!(Package::open(&damaged).is_err(), "bit {bit} of byte {at}");
            }
        }
        assert!(Package::open(&[bytes.as_slice(), b"x"].concat()).is_err());
    }

    /// A package with any index, and a valid checksum.
    fn forged(index: &str, streams: &[u8]) -> Vec<u8> {
        let mut body = (index.len() as u32).to_le_bytes().to_vec();
        body.extend_from_slice(index.as_bytes());
        body.extend_from_slice(streams);
        [MAGIC.as_slice(), &checksum(&body).to_le_bytes(), &body].concat()
    }

    #[test]
    fn a_package_of_another_version_is_an_error() {
        let error = Package::open(&forged("sm_80\nrustc\n0.0.9 0\n", b"")).unwrap_err();
        assert_eq!(error, PackageError::Version { by: "0.0.9".into() });
        assert!(error.to_string().contains("0.0.9, while this is "), "{error}");
        for line in ["", "0.1.0", "0.1.0 x"] {
            let error =
                Package::open(&forged(&format!("sm_80\nrustc\n{line}\n"), b"")).unwrap_err();
            assert_eq!(error, PackageError::Index { line: 3 }, "{line}");
        }
    }

    /// A wrong index under a valid checksum: nothing panics, and nothing is read beyond the end.
    #[test]
    fn a_forged_index_is_an_error() {
        for line in [
            "a",
            "a 0",
            "a 0 1",
            "a 0 1 2",
            "a 0 1 2 3 4",
            "a 0 100 2 3",
            "a 100 0 2 3",
            "a 0 1 0 99999999999",
            "a 0 1 18446744073709551615 2",
            "a +0 1 2 3",
            "a -1 1 2 3",
            "a  1 2 3",
            " 0 1 2 3",
            "a 18446744073709551615 2 2 2",
            "a 0 1 2 3\na 0 1 2 3",
        ] {
            let bytes = forged(&format!("sm_80\nrustc\n{VERSION} 0\n{line}\n"), b"streams");
            let error = Package::open(&bytes).unwrap_err();
            assert!(matches!(error, PackageError::Index { .. }), "{line}: {error}");
        }
    }

    /// An invalid stream, or one shorter than the index states: no module, no panic.
    #[test]
    fn a_forged_stream_is_no_module() {
        let stream = compressed(&[b'a'; 1000]);
        let index = format!(
            "sm_80\nrustc\n{VERSION} 0\nbad 0 7 0 100\nlong 7 {0} 1 1000\nright 7 {0} 1 999\n",
            stream.len()
        );
        let package = forged(&index, &[b"streams", &stream[..]].concat());
        let package = Package::open(&package).unwrap();
        assert_eq!((package.module("bad"), package.module("long")), (None, None));
        assert_eq!(package.module("right"), Some("a".repeat(999)));
    }

    /// Modules of several streams; one module is longer than several may be together.
    #[test]
    fn long_modules_are_read() {
        let text = |k: usize, length: usize| format!("{k:04} ").repeat(length / 5);
        let module = |k| Module {
            name: format!("m{k:02}"),
            text: text(k, if k == 3 { TOGETHER + 5 } else { TOGETHER / 3 }),
        };
        let modules: Vec<_> = (0..9).rev().map(module).collect();
        let bytes = pack(Origin { arch: "sm_80", toolchain: "rustc", sources: 0 }, &modules);
        let package = Package::open(&bytes).unwrap();
        for module in &modules {
            assert!(package.module(&module.name).as_ref() == Some(&module.text), "{}", module.name);
        }
    }
}
