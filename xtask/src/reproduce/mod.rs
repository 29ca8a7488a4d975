//! `cargo xtask reproduce cpso`: the CPSO paper's tables and figures, ours beside theirs.
#[cfg(test)] use tempfile as _;
mod figures; mod frames; mod measure; mod paper; mod results; mod statistics; mod table;
