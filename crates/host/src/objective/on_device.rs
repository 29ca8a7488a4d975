//! Points that other code evaluates on the GPU on which the individuals move.

use std::sync::Arc;

use crate::error::Result;
use crate::machine::{Loan, Stream};

/// Points in the memory of a GPU that are to be evaluated there: a matrix with one point per row, without gaps, in the
/// precision of the search.
///
/// The memory is valid as long as this value or a clone of it exists. The next iteration overwrites its contents.
///
/// ```
/// use warpswarm::{AskTell, Backend, Bounds, DeParams, DeviceValues, Settings};
/// let bounds = Bounds::uniform(1, 0.0, 1.0)?;
/// let settings = Settings { individuals: 64, backend: Backend::Gpu, ..Settings::default() };
/// // Where there is a GPU.
/// if let Ok(mut search) = AskTell::<f32>::new(&bounds, &DeParams::default().into(), &settings) {
///     let points = search.ask_on_device()?.expect("the first individuals");
///     assert_eq!((points.len(), points.dimensions(), points.device()), (64, 1, 0));
///     // Of f(x) = x the points are the values.
///     let values = DeviceValues { count: 64, values: points.address(), violations: None, stream: None };
///     search.tell_on_device(&values)?;
/// }
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DevicePoints {
    pub(crate) memory: Arc<dyn Loan>,
    pub(crate) count: usize,
    pub(crate) dimensions: usize,
    pub(crate) runs: RunsOfPoints,
}

/// The runs to which points belong.
#[derive(Clone, Debug)]
pub(crate) struct RunsOfPoints {
    pub(crate) first: u64,
    /// The number of places of each run.
    pub(crate) each: u32,
    /// The index of each point among all places; `None` if all places are evaluated, in order.
    pub(crate) places: Option<Arc<[u32]>>,
}

impl DevicePoints {
    /// The address of the first coordinate of the first point.
    pub fn address(&self) -> u64 {
        self.memory.address()
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of coordinates of each point.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The number of the GPU, as the driver counts.
    pub fn device(&self) -> u32 {
        self.memory.device()
    }

    /// The stream in which the points are written.
    pub fn stream(&self) -> Stream {
        self.memory.stream()
    }

    /// The number of the run to which each point belongs.
    pub fn runs(&self) -> Vec<u64> {
        let RunsOfPoints { first, each, places } = &self.runs;
        let run = |place: u32| first + u64::from(place / each);
        match places {
            Some(places) => places.iter().copied().map(run).collect(),
            None => (0..self.count as u32).map(run).collect(),
        }
    }

    /// Lets work that is enqueued in a stream of the same GPU from now on wait until the points are written. The host
    /// does not wait.
    ///
    /// # Errors
    ///
    /// If the driver fails.
    pub fn ready_for(&self, stream: Stream) -> Result<()> {
        self.memory.ready_for(stream)
    }
}

/// The results of evaluating [`DevicePoints`]: addresses of arrays on the same GPU, without gaps, with one number per
/// point in the precision of the search. An address that is not in the memory of that GPU is refused. The arrays must
/// exist until the next points are requested.
///
/// ```
/// use warpswarm::{Backend, Bounds, DeParams, DeviceValues, HostObjective, Settings, minimise};
/// // Of f(x) = x the points are the values.
/// let same = HostObjective::<f64>::on_device(|points| {
///     DeviceValues { count: points.len(), values: points.address(), violations: None, stream: None }
/// });
/// let settings = Settings { individuals: 16, backend: Backend::Cpu, ..Settings::default() };
/// let result = minimise(&same, &Bounds::uniform(1, 0.0, 1.0)?, &DeParams::default().into(), &settings);
/// let error = result.unwrap_err().to_string();
/// assert!(error.contains("an objective that evaluates on a GPU"), "{error}");
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DeviceValues {
    /// The number of points.
    pub count: usize,
    /// The values.
    pub values: u64,
    /// The constraint violation of each point, 0 if it is feasible; `None` if all are feasible.
    pub violations: Option<u64>,
    /// The stream in which the values are written; `None` if they are written already.
    pub stream: Option<Stream>,
}
