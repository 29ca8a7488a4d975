//! User-defined objectives with their data and GPU kernels.

use std::sync::Arc;

use warpswarm_core::Float;

use super::data::{Data, LaidOut};
use crate::machine::kernels::Kernels;

/// A user-defined objective with GPU kernels, which works with every algorithm.
///
/// Its crate is compiled for GPUs and [exports](Kernels::new) it under the name given here: `export_objective! { few
/// model, "Model", Model, Model }`. If no kernels were compiled, it runs on the CPU. A built-in problem that takes data
/// ([`ImageRegistration`](crate::problem::problems::ImageRegistration)) needs no kernels of its own.
///
/// With `derivatives` at the end of the export, there are also kernels that compute gradients;
/// [`Optimiser::derivatives`](crate::Optimiser::derivatives) compares them with the CPU's. For the emulator, pass the
/// function `gradients` of the exported module to `Kernels::with_emulated`.
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
    /// The objective that was exported under this name.
    pub fn new(name: &'static str, objective: O) -> Self {
        OwnObjective { name, objective, kernels: None, data: Arc::default() }
    }

    /// This objective with kernels for GPUs.
    pub fn with_kernels(self, kernels: Kernels) -> Self {
        OwnObjective { kernels: Some(kernels), ..self }
    }

    /// This objective with the data to which its tables belong.
    pub fn with_data(self, data: Data<R>) -> Self {
        OwnObjective { data: Arc::new(data.laid_out()), ..self }
    }
}
