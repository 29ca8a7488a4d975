//! Runs under way: what drives them, what finishes them, and what they report.

pub(crate) mod history;
pub(crate) mod optimiser;
pub(crate) mod own_method;
pub(crate) mod polish;
pub(crate) mod population;
pub(crate) mod report;
