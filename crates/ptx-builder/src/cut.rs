//! Cuts the one PTX text of a crate into one small module per entry.
//!
//! A module holds its entry and whatever that reaches: functions, tables, declarations. Three things
//! that rustc cannot write are added on the way:
//!
//! * the comment `// warpswarm.maxntid N`, in the entry or in a function it reaches, becomes the
//!   entry's directive `.maxntid N, 1, 1`, with `.minnctapersm 1`, so that the assembler uses the
//!   registers that such a block leaves instead of spilling for the sake of a second block;
//! * the comment `// warpswarm.target T`, there too, makes T the module's target, unless all have a later one;
//! * a use of the name `warpswarm_shared` brings its declaration, the block's dynamic shared memory.

use std::collections::{BTreeSet, HashMap};

use crate::ptx::{Item, Kind, Ptx, parse};

/// The name under which kernels reach dynamic shared memory.
const SHARED: &str = "warpswarm_shared";
const SHARED_LINE: &str = ".extern .shared .align 16 .b8 warpswarm_shared[];";
/// Functions that the driver brings.
const OF_THE_DRIVER: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];
/// No block has more threads.
const MOST_THREADS: u32 = 1024;

/// One entry with all it needs, ready for a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The entry's name.
    pub name: String,
    /// PTX.
    pub text: String,
}

/// A version of the PTX language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// 7 of 7.8.
    pub major: u32,
    /// 8 of 7.8.
    pub minor: u32,
}

impl Version {
    /// What our modules say at least: that of CUDA 12.0, which drivers must support, and the first with bulk copies.
    pub const LOWEST: Self = Self { major: 8, minor: 0 };

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

/// Why a PTX text cannot be cut. Lines are of that text, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CutError {
    /// A directive is missing at the top.
    #[error("the PTX has no {directive} directive")]
    NoHeader {
        /// Which.
        directive: &'static str,
    },
    /// Something at the top level that is no function, variable or alias; debug information, perhaps.
    #[error("line {line} of the PTX begins with `{word}`, which this cutter does not know")]
    Unexpected {
        /// Where it begins.
        line: usize,
        /// The word.
        word: String,
    },
    /// The text ends within an item, a comment or a string.
    #[error("what begins in line {line} of the PTX has no end")]
    Unfinished {
        /// Where it begins.
        line: usize,
    },
    /// A closing bracket without its opening one.
    #[error("the item in line {line} of the PTX closes more brackets than it opens")]
    Unbalanced {
        /// Where it begins.
        line: usize,
    },
    /// Two items of the same kind have the same name.
    #[error("`{name}` is defined twice in the PTX")]
    Twice {
        /// The name.
        name: String,
    },
    /// A call of a function whose body is not there.
    #[error("`{caller}` calls `{name}`, which is not defined in the PTX")]
    Missing {
        /// The function that calls.
        caller: String,
        /// The function that is not there.
        name: String,
    },
    /// A function calls itself, directly or through others.
    #[error("`{name}` calls itself, which needs a stack of unknown size")]
    Recursion {
        /// The function.
        name: String,
    },
    /// `warpswarm.maxntid` says something else than one number from 1 to 1024.
    #[error("`{entry}` says warpswarm.maxntid {said}, where one number from 1 to 1024 should be")]
    MaxThreads {
        /// The entry.
        entry: String,
        /// All that is said.
        said: String,
    },
}

/// Cuts `ptx` into one module per entry, in the order of the entries. `lowest` lifts the version
/// that the modules say; a version above it stays.
///
/// ```
/// let ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry e() { ret; }\n";
/// let modules = warpswarm_ptx_builder::cut(ptx, None)?;
/// assert_eq!(modules[0].name, "e");
/// # Ok::<(), warpswarm_ptx_builder::CutError>(())
/// ```
pub fn cut(ptx: &str, lowest: Option<Version>) -> Result<Vec<Module>, CutError> {
    let ptx = parse(ptx)?;
    let index = index(&ptx.items)?;
    let version = lowest.map_or(ptx.version, |lowest| lowest.max(ptx.version));
    ptx.items
        .iter()
        .enumerate()
        .filter(|(_, item)| item.kind == Kind::Entry)
        .map(|(at, _)| module(&ptx, &index, version, at))
        .collect()
}

/// The number of an architecture: 90 of `sm_90` and of `sm_90a`, 0 of what is none.
pub fn number(target: &str) -> u32 {
    let digits = target.trim_start_matches("sm_");
    digits.trim_end_matches(|letter: char| !letter.is_ascii_digit()).parse().unwrap_or(0)
}

/// Where each name stands: its definition and its declarations.
fn index<'a>(items: &[Item<'a>]) -> Result<HashMap<&'a str, Vec<usize>>, CutError> {
    let mut index: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        let same = index.entry(item.name).or_default();
        if item.body.is_some() && same.iter().any(|&other| items[other].body.is_some()) {
            return Err(CutError::Twice { name: item.name.into() });
        }
        same.push(at);
    }
    Ok(index)
}

/// The items that the entry at `entry` reaches, itself included, in the order of the text.
fn reached(
    ptx: &Ptx<'_>,
    index: &HashMap<&str, Vec<usize>>,
    entry: usize,
) -> Result<BTreeSet<usize>, CutError> {
    let mut reached = BTreeSet::from([entry]);
    let mut open = vec![entry];
    while let Some(at) = open.pop() {
        let item = &ptx.items[at];
        for &callee in &item.calls {
            let here = index.get(callee).into_iter().flatten();
            let defined = here
                .into_iter()
                .any(|&at| ptx.items[at].body.is_some() || ptx.items[at].kind == Kind::Alias);
            if !defined && !OF_THE_DRIVER.contains(&callee) {
                return Err(CutError::Missing { caller: item.name.into(), name: callee.into() });
            }
        }
        for word in &item.words {
            for &other in index.get(word).into_iter().flatten() {
                // An entry is never called; its name in another one's text is that text's own.
                if ptx.items[other].kind != Kind::Entry && reached.insert(other) {
                    open.push(other);
                }
            }
        }
    }
    Ok(reached)
}

/// Whether a function's calls lead back to it.
fn calls_itself(ptx: &Ptx<'_>, index: &HashMap<&str, Vec<usize>>, item: &Item<'_>) -> bool {
    let mut called: BTreeSet<&str> = BTreeSet::new();
    let mut open = item.calls.clone();
    while let Some(name) = open.pop() {
        if called.insert(name) {
            let defined = index.get(name).into_iter().flatten();
            open.extend(defined.flat_map(|&at| &ptx.items[at].calls).copied());
        }
    }
    called.contains(item.name)
}

fn module(
    ptx: &Ptx<'_>,
    index: &HashMap<&str, Vec<usize>>,
    Version { major, minor }: Version,
    entry: usize,
) -> Result<Module, CutError> {
    let reached = reached(ptx, index, entry)?;
    let items = || reached.iter().map(|&at| &ptx.items[at]);
    if let Some(item) = items().find(|item| calls_itself(ptx, index, item)) {
        return Err(CutError::Recursion { name: item.name.into() });
    }
    let targets = items().filter_map(|item| item.target).chain([ptx.target]);
    let target = targets.max_by_key(|target| number(target)).unwrap_or(ptx.target);
    let mut text =
        format!(".version {major}.{minor}\n.target {target}\n.address_size {}\n", ptx.address_size);
    if items().any(|item| item.words.contains(SHARED)) && !items().any(|item| item.name == SHARED) {
        text.push_str(&format!("\n{SHARED_LINE}\n"));
    }
    let said: BTreeSet<&str> = items().flat_map(|item| item.max_threads.iter().copied()).collect();
    for item in items() {
        text.push('\n');
        match (item.kind, item.body) {
            (Kind::Entry, Some(body)) => {
                text.push_str(item.text[..body].trim_end());
                text.push('\n');
                if !said.is_empty() {
                    text.push_str(&format!(
                        ".maxntid {}, 1, 1\n.minnctapersm 1\n",
                        max_threads(item.name, &said)?
                    ));
                }
                text.push_str(&item.text[body..]);
            }
            _ => text.push_str(item.text),
        }
        text.push('\n');
    }
    Ok(Module { name: ptx.items[entry].name.into(), text })
}

fn max_threads(entry: &str, said: &BTreeSet<&str>) -> Result<u32, CutError> {
    let one = said.first().filter(|_| said.len() == 1).and_then(|said| said.parse().ok());
    one.filter(|threads| (1..=MOST_THREADS).contains(threads)).ok_or_else(|| {
        let said: Vec<&str> = said.iter().copied().collect();
        CutError::MaxThreads { entry: entry.into(), said: said.join(" and ") }
    })
}

#[cfg(test)]
mod tests;
