//! The local search at the end of a run: functions without constraints, engineering problems, properties.

mod constrained;
mod engineering;
mod functions;
mod problems;
mod properties;
mod unconstrained;
