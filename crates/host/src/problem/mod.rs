//! Problems that are there: known by their names, or written down in files.

#[cfg(feature = "problem-files")]
pub mod bbob;
#[cfg(feature = "problem-files")]
pub mod problem_file;
pub mod problems;
