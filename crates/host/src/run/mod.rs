//! Runs in progress: what drives, polishes and reports them.

pub(crate) mod history;
pub(crate) mod optimiser;
pub(crate) mod own_method;
pub(crate) mod polish;
pub(crate) mod population;
pub(crate) mod report;
