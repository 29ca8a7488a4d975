//! Cuts the one PTX text of a crate into one small module per entry.
//!
//! A module has its entry and everything that the entry reaches: functions, tables, declarations. Three things that
//! rustc cannot write are added:
//!
//! * The comment `// warpswarm.maxntid N`, in the entry or in a function that it reaches, becomes the entry's directive
//!   `.maxntid N, 1, 1`, with `.minnctapersm 1`. The assembler then uses the registers that such a block leaves,
//!   instead of spilling them for the sake of a second block.
//! * The comment `// warpswarm.target T`, at the same places, makes T the module's target, unless the text has a later
//!   one.
//! * A use of the name `warpswarm_shared` adds its declaration, the block's dynamic shared memory.

use std::collections::{BTreeSet, HashMap};

use crate::ptx::{Item, Kind, Ptx, parse};

/// The name of dynamic shared memory in kernels.
const SHARED: &str = "warpswarm_shared";
const SHARED_LINE: &str = ".extern .shared .align 16 .b8 warpswarm_shared[];";
/// Functions that the driver provides.
const OF_THE_DRIVER: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];
/// The largest block of any GPU.
const MOST_THREADS: u32 = 1024;

/// One entry with everything that it needs, ready for a driver.
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
    /// The least version of our modules: that of CUDA 12.0, which drivers must support, and the first one with bulk
    /// copies.
    pub const LOWEST: Self = Self { major: 8, minor: 0 };

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

/// Why a PTX text cannot be cut. Lines are those of the text, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CutError {
    /// A directive is missing at the top.
    #[error("the PTX has no {directive} directive")]
    NoHeader {
        /// The directive.
        directive: &'static str,
    },
    /// A top-level item that is no function, variable or alias; perhaps debug information.
    #[error("line {line} of the PTX begins with `{word}`, which this cutter does not know")]
    Unexpected {
        /// The line where it begins.
        line: usize,
        /// The word.
        word: String,
    },
    /// The text ends within an item, a comment or a string.
    #[error("what begins in line {line} of the PTX has no end")]
    Unfinished {
        /// The line where it begins.
        line: usize,
    },
    /// A closing bracket without its opening one.
    #[error("the item in line {line} of the PTX closes more brackets than it opens")]
    Unbalanced {
        /// The line where it begins.
        line: usize,
    },
    /// Two items of the same kind have the same name.
    #[error("`{name}` is defined twice in the PTX")]
    Twice {
        /// The name.
        name: String,
    },
    /// A call of a function without a body.
    #[error("`{caller}` calls `{name}`, which is not defined in the PTX")]
    Missing {
        /// The function that calls.
        caller: String,
        /// The missing function.
        name: String,
    },
    /// A function calls itself, directly or through others.
    #[error("`{name}` calls itself, which needs a stack of unknown size")]
    Recursion {
        /// The function.
        name: String,
    },
    /// `warpswarm.maxntid` is followed by something other than one number from 1 to 1024.
    #[error("`{entry}` says warpswarm.maxntid {said}, where one number from 1 to 1024 should be")]
    MaxThreads {
        /// The entry.
        entry: String,
        /// Everything that follows it.
        said: String,
    },
}

/// Cuts `ptx` into one module per entry, in the order of the entries. Modules have at least the version `lowest`, or
/// that of the text if it is higher.
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

/// The number of an architecture: 90 for `sm_90` and for `sm_90a`, 0 for anything else.
pub fn number(target: &str) -> u32 {
    let digits = target.trim_start_matches("sm_");
    digits.trim_end_matches(|letter: char| !letter.is_ascii_digit()).parse().unwrap_or(0)
}

/// The items of each name: its definition and its declarations.
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
                // Entries are never called; an entry's name in another item is a local name there.
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
