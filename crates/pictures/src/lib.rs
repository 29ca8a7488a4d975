//! Pictures of optimisations, from plain data: SVG, PNG and animated GIF.
//!
//! * [`convergence`], [`distribution`], [`parameters`], [`constraints`], [`contours`], [`population`], [`frames`],
//!   [`profile`], [`distributions`], [`running_times`], [`speed_up`], [`fit`], [`beside`](fn@beside), [`fitted_sheet`],
//!   [`fitted_parameters`] each return a [`Picture`], which is written as SVG or PNG.
//! * [`animation`] shows a swarm over its iterations, as GIF.
//! * [`Picture`], [`Panel`], [`Axis`], [`Line`], [`Area`] are the parts of pictures, for other pictures than these.
//! * [`Kind`] and [`Format`] select a picture by a file's name.
//!
//! Colours are those of Okabe and Ito. No information is in colour alone: lines also differ in dashes, points in marks.
//! The same data give the same bytes on any machine, because nothing depends on installed fonts.
//!
//! ```
//! use warpswarm_pictures::{Along, Better, Group, Record, convergence};
//!
//! let record = |iteration: u64| Record {
//!     iteration,
//!     evaluations: 64 * (iteration + 1),
//!     seconds: 1e-3 * iteration as f64,
//!     value: 0.5_f64.powi(iteration as i32),
//!     violation: 0.0,
//! };
//! let run = (0..20).map(record).collect();
//! let group = Group { name: "pso".into(), runs: vec![run] };
//! let picture = convergence("sphere", &[group], Along::Iterations, Better::Less);
//! assert!(picture.svg()?.contains("sphere"));
//! # Ok::<(), warpswarm_pictures::Error>(())
//! ```

mod axis;
mod beside;
mod chart;
mod constraints;
mod convergence;
mod distribution;
mod fit;
mod kind;
mod line;
mod number;
mod parameters;
mod profile;
mod raster;
mod records;
mod reuse;
mod speed_up;
mod swarm;

pub use axis::{Axis, Scale};
pub use beside::{Beside, Panelled, beside, fitted_parameters, fitted_sheet};
pub use chart::{Area, BLUE, COLOURS, Canvas, FONT, GREEN, GRID, INK, Panel, Picture, VERMILION};
pub use constraints::constraints;
pub use convergence::{convergence, limit};
pub use distribution::{Finals, distribution, distributions};
pub use fit::{Model, Series, fit};
pub use kind::{Format, Kind, is_named};
pub use line::{Dash, Dot, Line, Mark};
pub use number::{counted, grouped, quantile, short};
pub use parameters::{Parameter, parameters};
pub use profile::{profile, running_times};
pub use raster::{png, small_png};
pub use records::{Along, Better, Curve, Final, Group, Measure, Record, curves};
pub use speed_up::speed_up;
pub use swarm::{Frame, Plane, animation, contours, frames, population};

/// Why there is no picture.
///
/// ```
/// use warpswarm_pictures::{Error, Kind};
/// let error = Kind::of("chart.bmp".as_ref()).unwrap_err();
/// assert!(matches!(error, Error::Name(_)));
/// assert_eq!(error.to_string(), "allowed: a file that ends in .svg, .png or (swarm) .gif");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It cannot be drawn.
    #[error("cannot draw: {0}")]
    Draw(String),
    /// It cannot be written in a format.
    #[error("cannot write {format}: {reason}")]
    Write {
        /// The format.
        format: &'static str,
        /// Why.
        reason: String,
    },
    /// A file's name stands for no picture.
    #[error("allowed: {0}")]
    Name(String),
}

impl<E: std::error::Error + Send + Sync> From<plotters::drawing::DrawingAreaErrorKind<E>>
    for Error
{
    fn from(error: plotters::drawing::DrawingAreaErrorKind<E>) -> Error {
        Error::Draw(error.to_string())
    }
}
