//! The tasks of the repository: `cargo xtask TASK`. Each task has its own file.

use std::process::ExitCode;

use clap::Parser;

mod bench;
mod book;
mod build_ptx;
mod check_ptx;
mod deny;
mod dieharder;
mod fuzz;
mod gpu_test;
mod miri;
mod new_problem;
mod package;
mod ptxas;
mod reliability;
mod reproduce;
mod run;
mod setup;
mod shell;
mod test;
mod tidy;
mod wheel;

#[derive(Debug, Parser)]
#[command(name = "xtask", bin_name = "cargo xtask", about = "The tasks of the repository")]
enum Task {
    /// Find or install what compiles kernels: a device toolchain, and NVIDIA's assembler to check with
    Setup,
    /// Compile the kernels to PTX, one file per entry, in target/ptx
    BuildPtx(build_ptx::Args),
    /// Assemble every entry for each architecture; fail on spills, stack frames and panics
    CheckPtx(check_ptx::Args),
    /// Add a benchmark problem: a file to complete, and its lines in the registry, the tests and the changelog
    NewProblem(new_problem::Args),
    /// Run all tests that need no GPU
    Test(test::Args),
    /// Fuzz every reader of files
    Fuzz(fuzz::Args),
    /// Build a folder with the GPU tests that needs no Rust where it runs, and run it here
    GpuTest(gpu_test::Args),
    /// Find out in numbers what the library survives: faults, bad input, pressure
    Reliability(reliability::Args),
    /// Make the crates as they are published, kernels inside, and use them as their users would
    Package,
    /// Build the Python package as a wheel, and test it where it is installed
    Wheel(wheel::Args),
    /// Check the rules of style that a program can check
    Tidy,
    /// Check licences, bans, sources and known flaws of dependencies, by cargo-deny, without GitHub
    Deny,
    /// Measure this library beside its peers
    Bench(bench::Args),
    /// Reproduce a paper's tables and figures
    Reproduce(reproduce::ReproduceArgs),
    /// Build the book: the chapters of docs, a page of every algorithm and problem; check its links and samples
    Book(book::Args),
    /// Run the program; on a machine with an NVIDIA GPU, set up the device toolchain first
    Run(run::Args),
}

fn main() -> ExitCode {
    let done = match Task::parse() {
        Task::Setup => setup::run(),
        Task::BuildPtx(args) => build_ptx::run(&args),
        Task::CheckPtx(args) => check_ptx::run(&args),
        Task::NewProblem(args) => new_problem::run(&args),
        Task::Test(args) => test::run(&args),
        Task::Fuzz(args) => fuzz::run(&args),
        Task::GpuTest(args) => gpu_test::run(&args),
        Task::Reliability(args) => reliability::run(&args),
        Task::Package => package::run(),
        Task::Wheel(args) => wheel::run(&args),
        Task::Tidy => tidy::run(),
        Task::Deny => deny::run(),
        Task::Bench(args) => bench::run(&args),
        Task::Reproduce(args) => reproduce::run(&args),
        Task::Book(args) => book::run(&args),
        Task::Run(args) => return run::run(&args),
    };
    shell::exit_code(done)
}
