//! NVIDIA's assembler, and the resource usage that it reports for an entry.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// The program `ptxas`.
#[derive(Clone, Debug)]
pub(crate) struct Ptxas {
    pub(crate) path: PathBuf,
    pub(crate) version: String,
}

/// The resources that an entry uses on one architecture; for several functions the maximum of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) registers: u32,
    pub(crate) stack: u32,
    pub(crate) spill_stores: u32,
    pub(crate) spill_loads: u32,
    pub(crate) shared: u32,
}

impl Usage {
    pub(crate) fn most(self, other: Self) -> Self {
        Self {
            registers: self.registers.max(other.registers),
            stack: self.stack.max(other.stack),
            spill_stores: self.spill_stores.max(other.spill_stores),
            spill_loads: self.spill_loads.max(other.spill_loads),
            shared: self.shared.max(other.shared),
        }
    }
}

impl Ptxas {
    /// The program at a path, if it runs.
    pub(crate) fn at(path: &Path) -> Result<Self> {
        let said = shell::output(Command::new(path).arg("--version"))?;
        let release = said.lines().find(|line| line.contains("release"));
        let version = release.context("says no version")?.trim().to_owned();
        Ok(Self { path: path.to_owned(), version })
    }

    /// The program of an installed CUDA toolkit.
    pub(crate) fn installed() -> Result<Self> {
        let homes = ["CUDA_HOME", "CUDA_PATH"].map(env::var_os).into_iter().flatten();
        let paths = homes.map(|home| PathBuf::from(home).join("bin/ptxas"));
        let mut paths = paths.chain(["ptxas".into(), "/usr/local/cuda/bin/ptxas".into()]);
        paths.find_map(|path| Self::at(&path).ok()).context("no ptxas")
    }

    /// Assembles a file and discards the result. Returns the messages, for [`usage`].
    pub(crate) fn assemble(&self, arch: &str, file: &Path) -> Result<String> {
        let mut command = Command::new(&self.path);
        command.args(["-v", &format!("-arch={arch}"), "-o", "/dev/null"]).arg(file);
        let output = command.output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned()
            + &String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            bail!("{} for {arch}:\n{}", file.display(), said.trim_end());
        }
        Ok(said)
    }
}

/// Reads the output of `ptxas -v` by entry. The stack of a function counts for the entry compiled before it.
pub(crate) fn usage(said: &str) -> Result<BTreeMap<String, Usage>> {
    let mut entries: BTreeMap<String, Usage> = BTreeMap::new();
    let mut entry = None;
    for line in said.lines() {
        if let Some((_, name)) = line.split_once("Compiling entry function '") {
            let name = name.split('\'').next().unwrap_or_default();
            entry = Some(entries.entry(name.to_owned()).or_default());
        }
        let mut found = Usage::default();
        let text = line.split_once(" : ").map_or(line, |(_, text)| text);
        for field in text.split(',').map(str::trim) {
            let words: Vec<&str> = field.trim_start_matches("Used ").splitn(2, ' ').collect();
            let [count, what] = words[..] else { continue };
            let place = match what {
                "registers" => &mut found.registers,
                "bytes stack frame" => &mut found.stack,
                "bytes spill stores" => &mut found.spill_stores,
                "bytes spill loads" => &mut found.spill_loads,
                "bytes smem" => &mut found.shared,
                _ => continue,
            };
            *place = count.parse().with_context(|| format!("ptxas says {line:?}"))?;
        }
        if let Some(entry) = &mut entry {
            **entry = entry.most(found);
        }
    }
    if entries.is_empty() || entries.values().any(|usage| usage.registers == 0) {
        bail!("ptxas says nothing about registers:\n{said}");
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ptxas_says_is_read() {
        let said = "\
ptxas info    : 256 bytes gmem, 8 bytes cmem[4]
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Function properties for helper
    40 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 34 registers, used 1 barriers, 40 bytes cumulative stack size, 400 bytes smem
ptxas info    : Compile time = 9.000 ms
ptxas info    : Compiling entry function 'b' for 'sm_90'
ptxas info    : Function properties for b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
";
        let a = Usage { registers: 34, stack: 40, spill_stores: 8, spill_loads: 12, shared: 400 };
        let b = Usage { registers: 8, ..Usage::default() };
        let expected = BTreeMap::from([("a".to_owned(), a), ("b".to_owned(), b)]);
        assert_eq!(usage(said).unwrap(), expected);
    }

    #[test]
    fn silence_is_an_error() {
        assert!(usage("").is_err());
        assert!(usage("ptxas info    : Compiling entry function 'a' for 'sm_90'\n").is_err());
        assert!(usage("Compiling entry function 'a'\n : Used many registers\n").is_err());
    }
}
