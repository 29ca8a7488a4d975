//! Objectives of one's own, with their data and GPU kernels.

use std::sync::Arc;

use warpswarm_core::Float;

use super::data::{Data, LaidOut};
use crate::machine::kernels::Kernels;

/// An objective of one's own with GPU kernels, which run it with every algorithm.
///
/// It is [exported](Kernels::new) in a crate that is compiled for GPUs, under the name that is given here:
/// `export_objective! { few model, "Model", Model, Model }`. Where no kernels were compiled it runs on the CPU.
/// A built-in problem that takes data ([`ImageRegistration`](crate::problem::problems::ImageRegistration)) needs no kernels of
/// its own. With `derivatives` at the end of the export there are kernels that compute gradients, too, which
/// [`Optimiser::derivatives`](crate::Optimiser::derivatives) compares with the CPU's; for the emulator, [`Kernels::with_emulated`] takes the function `gradients`
/// of the module that the export makes.
///
/// ```
/// use warpswarm::{Algorithm, Bounds, Kernels, Objective, OwnObjective, Point, Real, Settings, Stop, minimise};
///
/// #[repr(C)]
/// #[derive(Clone, Copy)]
/// struct Model {
///     centre: f64,
/// }
///
/// impl<R: Real> Objective<R> for Model {
///     fn value<P: Point<R>>(&self, x: &P) -> R {
///         x.sum(|_, x| (x - R::from_f64(self.centre)).abs())
///     }
/// }
///
/// // No kernels here: those are what a build script has compiled.
/// let model = OwnObjective::new("Model", Model { centre: 0.5 }).with_kernels(Kernels::new(&[]));
/// let settings = Settings { individuals: 16, stop: Stop::iterations(200), ..Settings::default() };
/// let report = minimise::<f64, _>(&model, &Bounds::uniform(2, -1.0, 1.0)?, &Algorithm::default(), &settings)?;
/// assert!(report.best().position.iter().all(|x| (x - 0.5).abs() < 1e-6));
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OwnObjective<R, O> {
    pub(crate) name: &'static str,
    pub(crate) objective: O,
    pub(crate) kernels: Option<Kernels>,
    pub(crate) data: Arc<LaidOut<R>>,
}

impl<R: Float, O> OwnObjective<R, O> {
    /// The objective that was exported under that name.
    pub fn new(name: &'static str, objective: O) -> Self {
        OwnObjective { name, objective, kernels: None, data: Arc::default() }
    }

    /// The same with kernels, for GPUs.
    pub fn with_kernels(self, kernels: Kernels) -> Self {
        OwnObjective { kernels: Some(kernels), ..self }
    }

    /// The same with the data that its tables are of.
    pub fn with_data(self, data: Data<R>) -> Self {
        OwnObjective { data: Arc::new(data.laid_out()), ..self }
    }
}
