//! Problems: built-in ones, which have names, and problem files.

#[cfg(feature = "problem-files")]
pub mod bbob;
#[cfg(feature = "problem-files")]
pub mod problem_file;
pub mod problems;
