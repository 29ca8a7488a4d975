//! The bounds of runs, and their starting points.

use warpswarm::{Bounds, Result, Scale};

/// The settings of a single run: lower and upper bounds, if they differ from the common ones, and starting points.
pub(crate) type OwnRun = (Option<Vec<f64>>, Option<Vec<f64>>, Vec<Vec<f64>>);

/// The settings of each run.
pub(crate) struct OwnRuns(pub(crate) Vec<OwnRun>);

impl OwnRuns {
    /// The common bounds, with the settings of each run.
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

/// Bounds and starting points in addition to those of the problem.
#[derive(Clone, Copy)]
pub(crate) enum Within<'a> {
    /// Starting points for every run, or none.
    Begin(&'a [Vec<f64>]),
    /// The settings of each run.
    Own(&'a OwnRuns),
}

impl Within<'_> {
    /// Bounds from Python: lower and upper bounds, and the scale of each variable.
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
