//! Links every kernel with objectives, assembles it for each architecture, and rejects what makes a kernel slow or
//! wrong: spilled registers, stack frames, and calls of `core`'s panics.

mod pairs;

pub(crate) use pairs::{OBJECTIVE, linked};

use std::fs;
use std::path::Path;
use std::process;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use warpswarm_ptx_builder::cut::number;
use warpswarm_ptx_builder::package::checksum;
use warpswarm_ptx_builder::{Module, lower};

use crate::ptxas::{Ptxas, Usage, usage};
use crate::{build_ptx, setup, shell};

/// The architecture for which entries are compiled, and those for which they are assembled: Turing, for which they are
/// lowered, Ampere, Hopper and Blackwell.
const COMPILED_FOR: &str = "sm_80";
const ARCHS: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_120"];
/// The resources that an entry uses on each of these architectures.
type Row = [Option<Usage>; ARCHS.len()];

/// An entry that may have a stack frame or spills, up to a limit.
struct Allowed {
    /// The first characters of the name of the pair "kernel problem". If it is the whole name, `--quick` links the
    /// pair, too.
    prefix: &'static str,
    /// Bytes of stack frame.
    stack: u32,
    /// Bytes of spill stores, and of spill loads.
    spill: u32,
    /// Why this is acceptable.
    reason: &'static str,
}

impl Allowed {
    const fn new(prefix: &'static str, stack: u32, spill: u32, reason: &'static str) -> Self {
        Allowed { prefix, stack, spill, reason }
    }

    fn covers(&self, entry: &str) -> bool {
        entry.starts_with(self.prefix)
    }
}

const MORE_WARPS: &str =
    "at the 128 registers that 512 threads leave: twice the warps take less time all the same";
const NO_MORE: &str = "at the 255 registers that a thread can have";

const LEVEL: &str = "the run's level, read beside a violation and a value, at the 128 or 168 registers of blocks as large as they are fastest";
const MINIMA: &str = "a fit beside the costs of 16 minima and the points of 8, which are read at the end of a start only";
const FITS: &str = "a fit's state beside the sums over a block, a group of blocks and all rows, at 255 registers a thread";
const TRIANGLE: &str =
    "a function, called from one place, turns each row into a triangle that it is handed in memory";
const NULL_VECTORS: &str =
    "the null vectors of a fit that the data do not determine, which is rare";

/// Entries that may have a stack frame or spills, each with its reason. Device toolchains differ by a few
/// registers, so an entry may need its exception with one toolchain and not with another.
const ALLOWED: &[Allowed] = &[
    Allowed {
        prefix: "pso_resident_grid_f64_x1k2_constrained ThreeBarTruss",
        stack: 24,
        spill: 24,
        reason: "a violation beside the value, in each candidate, at 128 registers a thread",
    },
    Allowed {
        prefix: "pso_streaming_f32_x16k8",
        stack: 16,
        spill: 12,
        reason: "a few objectives want a register more than 384 threads leave, which others want to stay",
    },
    Allowed {
        prefix: "pso_resident_cluster_f64_x16k8 Levy",
        stack: 24,
        spill: 56,
        reason: NO_MORE,
    },
    Allowed {
        prefix: "pso_resident_cluster_f64_x16k8_constrained Levy",
        stack: 24,
        spill: 56,
        reason: NO_MORE,
    },
    Allowed {
        prefix: "epso_f32_x8k4 ImageRegistration",
        stack: 120,
        spill: 192,
        reason: "two loops over the tables of a model, and six attempts, at 168 registers a thread",
    },
    Allowed { prefix: "epso_f64_x8k4 ImageRegistration", stack: 168, spill: 300, reason: NO_MORE },
    Allowed { prefix: "auto_", stack: 576, spill: 1480, reason: MORE_WARPS },
    Allowed { prefix: "cma_es_", stack: 256, spill: 680, reason: MORE_WARPS },
    Allowed { prefix: "shade_f32_x8k4", stack: 128, spill: 160, reason: MORE_WARPS },
    Allowed { prefix: "pso_epochs_grid_f64_x16k8", stack: 64, spill: 80, reason: NO_MORE },
    Allowed {
        prefix: "pso_resident_grid_f64_x16k8_constrained Levy",
        stack: 8,
        spill: 16,
        reason: NO_MORE,
    },
    Allowed::new("pso_resident_grid_f64_x16k8 Michalewicz", 8, 8, NO_MORE),
    Allowed {
        prefix: "pso_resident_grid_f64_x16k8_constrained Michalewicz",
        stack: 16,
        spill: 32,
        reason: NO_MORE,
    },
    Allowed {
        prefix: "pso_epochs_grid_f64_x1k2_constrained Expression",
        stack: 8,
        spill: 4,
        reason: "the run's level, read beside a violation and a value, at 168 registers a thread",
    },
    Allowed {
        prefix: "pso_epochs_grid_f32_x1k2_constrained Expression",
        stack: 8,
        spill: 8,
        reason: "the run's level, read beside a violation and a value, at 128 registers a thread",
    },
    Allowed::new("de_f32_x8k4_constrained Expression", 24, 40, LEVEL),
    Allowed::new("sa_f32_x8k4_constrained Expression", 32, 40, LEVEL),
    Allowed::new("epso_f32_x8k4_constrained Expression", 8, 8, LEVEL),
    Allowed::new("solis_wets_f32_x8k4_constrained Expression", 8, 8, LEVEL),
    Allowed::new("combine_f64_n2", 16, 0, "a sum of a few numbers, copied as a whole"),
    Allowed::new("combine_f64_n4", 496, 0, TRIANGLE),
    Allowed::new("combine_f64_n5", 696, 0, TRIANGLE),
    Allowed::new("combine_f64_n6", 928, 0, TRIANGLE),
    Allowed::new("combine_f64_n8", 1488, 0, TRIANGLE),
    Allowed::new("combine_f64_n12", 3008, 32, TRIANGLE),
    Allowed::new("fit_Expression_f32_n8", 600, 520, FITS),
    Allowed::new("fit_Expression_f32_n12", 2008, 4452, FITS),
    Allowed::new("fit_Expression_f32", 192, 0, NULL_VECTORS),
    Allowed::new("fit_Expression_f64_n4", 560, 0, TRIANGLE),
    Allowed::new("fit_Expression_f64_n5", 848, 88, FITS),
    Allowed::new("fit_Expression_f64_n6", 1296, 1352, FITS),
    Allowed::new("fit_Expression_f64_n8", 2496, 4748, FITS),
    Allowed::new("fit_Expression_f64_n12", 5760, 13632, FITS),
    Allowed::new("fit_Expression_f64", 120, 0, NULL_VECTORS),
    Allowed::new("search_Expression_f32_n2", 176, 0, MINIMA),
    Allowed::new("search_Expression_f32_n3", 224, 0, MINIMA),
    Allowed::new("search_Expression_f32_n4", 256, 0, MINIMA),
    Allowed::new("search_Expression_f32_n5", 296, 0, MINIMA),
    Allowed::new("search_Expression_f32_n6", 344, 128, MINIMA),
    Allowed::new("search_Expression_f32_n8", 832, 904, MINIMA),
    Allowed::new("search_Expression_f32_n12", 2048, 4660, MINIMA),
    Allowed::new("search_Expression_f64_n2", 336, 0, MINIMA),
    Allowed::new("search_Expression_f64_n3", 424, 152, MINIMA),
    Allowed::new("search_Expression_f64_n4", 712, 820, MINIMA),
    Allowed::new("search_Expression_f64_n5", 1112, 1760, MINIMA),
    Allowed::new("search_Expression_f64_n6", 1512, 2728, MINIMA),
    Allowed::new("search_Expression_f64_n8", 2496, 6312, MINIMA),
    Allowed::new("search_Expression_f64_n12", 4928, 15200, MINIMA),
    Allowed::new("sums_Expression_f64_n12", 232, 376, FITS),
];

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Link every kernel with some objectives only, and every objective with one kernel of each form;
    /// assemble all of those for Hopper, and of each sixteen one for the other architectures
    #[arg(long)]
    quick: bool,
}

/// `--quick` assembles one of this many entries for all architectures, and the others for `QUICK_ARCH` only.
const QUICK: usize = 16;
const QUICK_ARCH: &str = "sm_90";

/// How long the output of ptxas for a text is cached.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The largest resource usage of an entry over all architectures.
fn most(row: &Row) -> Usage {
    row.iter().flatten().copied().fold(Usage::default(), Usage::most)
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let ptxas = setup::ptxas()?;
    let built = build_ptx::build(COMPILED_FOR)?;
    let start = Instant::now();
    let modules = pairs::linked(&built.modules, args.quick)?;
    let (table, assembled) = assemble_all(&ptxas, &modules, args.quick)?;
    print_table(&modules, &table);
    println!(
        "{} pairs of kernel and objective for {}: {assembled} assembled now, the others known, {:.1} s",
        modules.len(),
        ARCHS.join(", "),
        start.elapsed().as_secs_f64()
    );
    let rows: Vec<_> = modules.iter().zip(table.iter().map(most)).collect();
    let findings = findings(&rows, ALLOWED);
    if !findings.is_empty() {
        bail!("{} findings:\n  {}", findings.len(), findings.join("\n  "));
    }
    Ok(())
}

/// Assembles each module for each architecture, unless the cache contains the result. Returns
/// a row per module, and the number of texts assembled now.
fn assemble_all(ptxas: &Ptxas, modules: &[Module], quick: bool) -> Result<(Vec<Row>, usize)> {
    let known = shell::cache()?.join("ptxas");
    fs::create_dir_all(&known)?;
    forget(&known)?;
    let jobs = modules.len() * ARCHS.len();
    let one = |job: usize| -> Result<Option<(Usage, bool)>> {
        let (entry, arch) = (job / ARCHS.len(), ARCHS[job % ARCHS.len()]);
        let module = &modules[entry];
        let is_left_out = quick && arch != QUICK_ARCH && !entry.is_multiple_of(QUICK);
        if is_left_out || !runs_on(module, arch) {
            return Ok(None);
        }
        let (said, new) = said(ptxas, arch, (module, job), &known)?;
        let found = usage(&said)?;
        let found = found.values().next().with_context(|| module.name.clone())?;
        Ok(Some((*found, new)))
    };
    let results: Vec<_> = (0..jobs).into_par_iter().map(one).collect::<Result<_>>()?;
    let assembled = results.iter().flatten().filter(|(_, new)| *new).count();
    let usages: Vec<_> = results.iter().map(|result| result.map(|(usage, _)| usage)).collect();
    let rows =
        usages.chunks_exact(ARCHS.len()).map(|row| [row[0], row[1], row[2], row[3]]).collect();
    Ok((rows, assembled))
}

/// Removes old entries from the cache.
fn forget(known: &Path) -> Result<()> {
    for entry in fs::read_dir(known)? {
        let entry = entry?;
        // Another checkout may remove the file at the same time.
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        if modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > KEPT)) {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// Whether a module can run on an architecture; it may need a later one.
fn runs_on(module: &Module, arch: &str) -> bool {
    let target = module.text.lines().find_map(|line| line.strip_prefix(".target "));
    target.map_or(0, lower::oldest) <= number(arch)
}

/// The output of ptxas for a module, from the cache if possible; and whether it is new.
fn said(
    ptxas: &Ptxas,
    arch: &str,
    (module, job): (&Module, usize),
    known: &Path,
) -> Result<(String, bool)> {
    let lowered = lower::for_architecture(&module.text, number(arch));
    let key = checksum(format!("{}\n{arch}\n{lowered}", ptxas.version).as_bytes());
    let known = known.join(format!("{key:016x}"));
    if let Ok(said) = fs::read_to_string(&known) {
        return Ok((said, false));
    }
    // The file name is unique, because two pairs may have the same text, and other checkouts use the same cache.
    let own = format!("{}-{job}", process::id());
    let text = known.with_extension(format!("{own}.ptx"));
    fs::write(&text, lowered.as_bytes())?;
    let said = ptxas.assemble(arch, &text).with_context(|| module.name.clone())?;
    fs::remove_file(&text)?;
    // Write to another name and rename, so that an interrupted run leaves no incomplete file.
    let part = known.with_extension(format!("{own}.part"));
    fs::write(&part, &said)?;
    fs::rename(&part, &known)?;
    Ok((said, true))
}

fn print_table(modules: &[Module], table: &[Row]) {
    let width = modules.iter().map(|module| module.name.len()).max().unwrap_or(0).max(5);
    let [a, b, c, d] = ARCHS.map(|arch| arch.trim_start_matches("sm_"));
    println!(
        "{:width$}  registers on {a}, {b}, {c}, {d}   stack  spill stores  spill loads  shared",
        "entry"
    );
    for (module, row) in modules.iter().zip(table) {
        let most = most(row);
        let registers = |usage: Option<Usage>| {
            usage.map_or_else(|| "-".into(), |usage| usage.registers.to_string())
        };
        let [a, b, c, d] = row.map(registers);
        println!(
            "{:width$}  {a:>12} {b:>5} {c:>5} {d:>6} {:8} {:13} {:12} {:7}",
            module.name, most.stack, most.spill_stores, most.spill_loads, most.shared
        );
    }
}

fn findings(rows: &[(&Module, Usage)], allowed: &[Allowed]) -> Vec<String> {
    let mut findings = Vec::new();
    let mut used = vec![false; allowed.len()];
    for (module, usage) in rows {
        let row = allowed.iter().position(|row| row.covers(&module.name));
        let (stack, spill) = row.map_or((0, 0), |row| (allowed[row].stack, allowed[row].spill));
        if let Some(row) = row {
            used[row] = true;
        }
        let mut said = Vec::new();
        if usage.stack > stack {
            said.push(format!("a stack frame of {} bytes", usage.stack));
        }
        let (stores, loads) = (usage.spill_stores, usage.spill_loads);
        if stores.max(loads) > spill {
            said.push(format!("{stores} bytes of spill stores, {loads} of spill loads"));
        }
        let panics = panics(&module.text);
        if !panics.is_empty() {
            said.push(format!("may panic ({})", panics.join(", ")));
        }
        if !said.is_empty() {
            findings.push(format!("{}: {}", module.name, said.join("; ")));
        }
    }
    for (row, _) in allowed.iter().zip(used).filter(|(_, used)| !used) {
        let Allowed { prefix, reason, .. } = row;
        findings.push(format!("{prefix}: an exception of no entry ({reason})"));
    }
    findings
}

/// The panic functions of `core` that a module calls, such as `panic_bounds_check`, as short names.
/// `panic_fmt` is included only if there is no more precise name.
fn panics(ptx: &str) -> Vec<&str> {
    let words = ptx.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$');
    let of_core = words.filter(|word| word.contains("4core") && !word.contains("_param_"));
    let short = |word| last_name(word).unwrap_or(word);
    let mut found: Vec<&str> = of_core
        .filter(|word| ["panic", "unwrap_", "_fail"].iter().any(|part| word.contains(part)))
        .map(short)
        .collect();
    found.sort_unstable();
    found.dedup();
    if found.len() > 1 {
        found.retain(|name| *name != "panic_fmt");
    }
    found
}

/// Returns `panic_fmt` for `_RNvNtCs1_4core9panicking9panic_fmt`: in mangled names, each name follows its length.
fn last_name(mangled: &str) -> Option<&str> {
    (1..mangled.len()).find_map(|at| {
        let digits = mangled[..at].bytes().rev().take_while(u8::is_ascii_digit).count();
        let length: usize = mangled[at - digits..at].parse().ok()?;
        (length == mangled.len() - at).then_some(&mangled[at..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(text: &str) -> Module {
        Module { name: "pso_f32".into(), text: text.into() }
    }

    const ROW: Allowed = Allowed { prefix: "pso_", stack: 16, spill: 8, reason: "a reason" };

    #[test]
    fn stack_and_spills_are_findings_unless_allowed() {
        let module = module("");
        let with = |stack, spill_stores, spill_loads, allowed: &[Allowed]| {
            let usage = Usage { stack, spill_stores, spill_loads, ..Usage::default() };
            findings(&[(&module, usage)], allowed).len()
        };
        assert_eq!(with(0, 0, 0, &[]), 0);
        assert_eq!(with(8, 0, 0, &[]), 1);
        assert_eq!(with(0, 4, 0, &[]), 1);
        assert_eq!(with(0, 0, 4, &[]), 1);
        assert_eq!(with(8, 4, 4, &[]), 1, "one line for each entry");
        assert_eq!(with(16, 8, 8, &[ROW]), 0);
        assert_eq!(with(24, 8, 8, &[ROW]), 1);
        assert_eq!(with(16, 8, 12, &[ROW]), 1);
        assert_eq!(with(0, 0, 0, &[ROW]), 0);
        let other = Allowed { prefix: "de_", ..ROW };
        assert_eq!(with(0, 0, 0, &[other]), 1, "an exception of no entry");
    }

    #[test]
    fn panics_are_findings() {
        let text = "call.uni _RNvNtCsanIojcP8aaR_4core9panicking18panic_bounds_check, (param0);
            .param .b64 _RNvNtCsanIojcP8aaR_4core9panicking18panic_bounds_check_param_0,
            call.uni _RNvNtCsanIojcP8aaR_4core6option13unwrap_failed, ();
            call.uni _RNvNtCsanIojcP8aaR_4core9panicking9panic_fmt, ();
            call.uni _RNvNtCsanIojcP8aaR_4core3num3add, ();";
        assert_eq!(panics(text), ["panic_bounds_check", "unwrap_failed",]);
        let expected = "pso_f32: may panic (panic_bounds_check, unwrap_failed)";
        assert_eq!(findings(&[(&module(text), Usage::default())], &[]), [expected]);
        let alone = "call.uni _RNvNtCsanIojcP8aaR_4core9panicking9panic_fmt, ();";
        assert_eq!(panics(alone), ["panic_fmt"]);
        assert_eq!(panics("call.uni _RNvNtCsanIojcP8aaR_4core9panickingx, ();").len(), 1);
    }
}
