//! The tests of the program, in a single executable.

mod attacks;
mod cases;
mod checkpoints;
mod cli;
mod common;
mod compare;
mod drivers;
mod fit;
mod gallery;
mod islands;
#[cfg(feature = "mpi")]
mod mpi;
mod new;
mod pages;
mod plot;
mod records;
mod report;
mod shell;
mod tables;
