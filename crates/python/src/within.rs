//! Within which bounds runs search, and where they begin.

use warpswarm::{Bounds, Result, Scale};

/// What a run has for itself: lower and upper bounds, if they are not those of all, and points with which it begins.
pub(crate) type OwnRun = (Option<Vec<f64>>, Option<Vec<f64>>, Vec<Vec<f64>>);

/// What each run has for itself.
pub(crate) struct OwnRuns(pub(crate) Vec<OwnRun>);

impl OwnRuns {
    /// Those bounds in each run's own way.
    pub(crate) fn bounds(&self, all: &Bounds) -> Result<Bounds> {
        let of_run = |(lower, upper, begin): &OwnRun| {
            let bounds = match (lower, upper) {
                (Some(lower), Some(upper)) => {
                    let scales = all.scales().iter().copied();
                    Bounds::new(lower.clone(), upper.clone())?.with_scales(scales)?
                }
                _ => all.clone(),
            };
            if begin.is_empty() { Ok(bounds) } else { bounds.beginning_at(begin) }
        };
        Bounds::of_runs(self.0.iter().map(of_run).collect::<Result<Vec<_>>>()?)
    }
}

/// What is said of bounds and first points beside what a problem says.
#[derive(Clone, Copy)]
pub(crate) enum Within<'a> {
    /// Points with which every run begins, or none.
    Begin(&'a [Vec<f64>]),
    /// What each run has for itself.
    Own(&'a OwnRuns),
}

impl Within<'_> {
    /// Bounds that Python gives: lower and upper ones, and how each variable is spread.
    pub(crate) fn bounds(
        self,
        (lower, upper, scales): (Vec<f64>, Vec<f64>, Vec<String>),
    ) -> Result<Bounds> {
        let scale = |name: &String| match name.as_str() {
            "log" => Scale::Log,
            "integer" => Scale::Integer,
            _ => Scale::Linear,
        };
        let bounds = Bounds::new(lower, upper)?.with_scales(scales.iter().map(scale))?;
        match self {
            Within::Begin(points) => bounds.beginning_at(points),
            Within::Own(runs) => runs.bounds(&bounds),
        }
    }
}
