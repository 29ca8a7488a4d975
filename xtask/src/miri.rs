//! Runs tests under Miri, which checks every memory access, if it is installed.

use anyhow::Result;
use warpswarm_ptx_builder::toolchain;

use crate::shell;

/// Tests of the emulator with few threads, because Miri uses an operating-system thread for each.
const TESTS: [(&str, &str); 6] = [
    ("--lib", "halves_of_a_wide_element"),
    ("--test=bulk", "copies_that_the_gpu_does_not_take"),
    ("--test=views", "fields_and_counters"),
    ("--test=views", "streams_of_four"),
    ("--test=views", "threads_know_where_they_are"),
    ("--test=views", "the_table_of_entries_is_what_the_macro_was_given"),
];

pub(crate) fn run() -> Result<()> {
    let nightly = toolchain::NIGHTLY;
    if !shell::succeeds("rustup", &["run", nightly, "cargo", "miri", "--version"]) {
        println!("miri: {nightly} has none, so that nothing runs under it");
        return Ok(());
    }
    for (program, test) in TESTS {
        let mut miri = shell::program("rustup", &["run", nightly, "cargo", "miri", "test"]);
        miri.args(["--package", "warpswarm-device", program, "--", "--exact"]);
        // The names of unit tests include their module.
        let module = if program == "--lib" { "emulator::memory::tests::" } else { "" };
        miri.arg(format!("{module}{test}")).current_dir(shell::root());
        miri.env("CARGO_TARGET_DIR", shell::target()?.join("miri"));
        // Kernels receive arrays as integer addresses.
        shell::run(miri.env("MIRIFLAGS", "-Zmiri-permissive-provenance"))?;
    }
    println!("reliability: tests under Miri = {}", TESTS.len());
    Ok(())
}
