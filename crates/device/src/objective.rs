//! Objectives and the kernels that call them, which are compiled separately and linked when a kernel is loaded.
//!
//! A kernel computes the fitness at a point with [`judge`]; the objective is not known when the kernel is compiled. An
//! objective is exported with [`objectives!`](crate::objectives), in the forms that points have in kernels. The number
//! of compiled texts is therefore the sum of kernels and objectives, and not their product.
//!
//! On `nvptx64` the two are linked as text: `ptx-builder` inserts the objective's instructions at the kernel's call,
//! between registers of agreed names. On the host the launch passes a function.

use warpswarm_core::data::WithData;
#[doc(hidden)]
pub use warpswarm_core::launch::ObjectiveArgs;
#[cfg(target_arch = "nvptx64")]
use warpswarm_core::launch::column_len;
use warpswarm_core::objective::{Objective, Point};
use warpswarm_core::order::Fitness;
#[cfg(not(target_arch = "nvptx64"))]
use warpswarm_core::real::Float;

use crate::data::DeviceData;
use crate::point::{ColumnPoint, ThreadPoint, TilePoint, WarpPoint};
#[cfg(target_arch = "nvptx64")]
use crate::shared::SharedArray;
use crate::view::DeviceReal;
#[cfg(target_arch = "nvptx64")]
use crate::view::View;
use crate::{machine, warp};

/// A point that a kernel can pass to the objective that it is linked with.
pub trait Form<R: DeviceReal>: Point<R> + Copy + 'static {
    /// Whether the lanes of a warp evaluate it together.
    const COLLECTIVE: bool;

    /// Makes each lane's coordinates visible to the other lanes that share the point; collective if the form is.
    fn show(&self);

    /// The fitness at this point by the linked objective, not yet canonical.
    #[cfg(target_arch = "nvptx64")]
    fn hand_over(&self) -> Fitness<R>;

    /// The point that the kernel has passed; in an objective only.
    #[cfg(target_arch = "nvptx64")]
    fn handed_over() -> Self;
}

/// The fitness at `point` by the objective that this kernel is linked with, not yet canonical: see
/// [`Objective::judge`]. The violation is zero unless `CONSTRAINED`.
///
/// Collective in the warp, unless the point belongs to one thread. What the lanes wrote before is visible to all of
/// them.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn judge<R: DeviceReal, P: Form<R>, const CONSTRAINED: bool>(point: &P) -> Fitness<R> {
    // After the lanes have written the point. In addition, the compiler does not duplicate code around a warp operation
    // into two branches.
    if P::COLLECTIVE {
        warp::sync();
    }
    #[cfg(target_arch = "nvptx64")]
    let Fitness { violation, value } = point.hand_over();
    #[cfg(not(target_arch = "nvptx64"))]
    let Fitness { violation, value } = machine::judge(point);
    Fitness { violation: if CONSTRAINED { violation } else { R::ZERO }, value }
}

/// [`judge`], with the canonical bits that results have.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn evaluate<R: DeviceReal, P: Form<R>, const CONSTRAINED: bool>(point: &P) -> Fitness<R> {
    judge::<R, P, CONSTRAINED>(point).canonical()
}

/// The fitness at a point that the kernel has passed.
///
/// # Safety
///
/// The data are as [`DeviceData::of_block`] requires.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn at<R: DeviceReal, O: Objective<R>, P: Form<R>>(
    args: &ObjectiveArgs<R, O>,
    point: &P,
) -> Fitness<R> {
    if O::GATHERS {
        point.show();
    }
    // SAFETY: the caller upholds this.
    let data = unsafe { DeviceData::of_block(&args.data) };
    args.objective.judge(&WithData { point: *point, data })
}

/// The whole body of an objective's entry.
///
/// # Safety
///
/// The data are as [`DeviceData::of_block`] requires.
#[cfg(target_arch = "nvptx64")]
#[doc(hidden)]
#[inline(always)]
pub unsafe fn answer<R: DeviceReal, O: Objective<R>, P: Form<R>>(args: &ObjectiveArgs<R, O>) {
    // SAFETY: the caller upholds this.
    let fitness = unsafe { at::<R, O, P>(args, &P::handed_over()) };
    R::answer(fitness);
}

/// A number that kernels pass to the objective that they are linked with.
#[cfg(not(target_arch = "nvptx64"))]
pub trait LinkAbi {}
#[cfg(not(target_arch = "nvptx64"))]
impl<R: Float> LinkAbi for R {}

/// A number that kernels pass to the objective that they are linked with.
#[cfg(target_arch = "nvptx64")]
pub trait LinkAbi: Sized {
    /// The fitness at a lane's part of a point, by the linked objective: see
    /// [`Form::hand_over`](crate::objective::Form::hand_over).
    fn judge_tile<const K: usize>(own: &[Self; K], dimensions: u32, stage: u32) -> Fitness<Self>;
    /// The coordinates that the kernel passed.
    fn handed_coordinates<const K: usize>() -> [Self; K];
    /// The fitness at a row in memory, by the linked objective.
    fn judge_row(row: u64, dimensions: u32) -> Fitness<Self>;
    /// Passes the fitness to the kernel.
    fn answer(fitness: Fitness<Self>);
    /// The operands of an operation's [piece](crate::piece).
    fn arguments() -> [Self; 3];
    /// Term `k` of a reduction.
    fn term(k: u32) -> Self;
    /// Passes a piece's result on.
    fn give(result: Self);
    /// Passes parameters and the number of the fit to the linked model: see [`model`](crate::model).
    fn begin_model<const N: usize>(x: [Self; N], fit: u32);
    /// The linked model's prediction for a row, and its derivatives.
    fn model_row<const N: usize>(row: u32) -> (Self, [Self; N]);
}

#[cfg(target_arch = "nvptx64")]
macro_rules! link_abi {
    ($real:ty, $judge_tile:ident, $handed_coordinates:ident, $judge_row:ident, $answer:ident,
        $arguments:ident, $term:ident, $give:ident, $begin:ident, $row:ident) => {
        impl LinkAbi for $real {
            #[inline(always)]
            fn judge_tile<const K: usize>(
                own: &[Self; K],
                dimensions: u32,
                stage: u32,
            ) -> Fitness<Self> {
                let (violation, value) =
                    machine::$judge_tile(own.map(Self::to_bits), dimensions, stage);
                Fitness { violation: Self::from_bits(violation), value: Self::from_bits(value) }
            }
            #[inline(always)]
            fn handed_coordinates<const K: usize>() -> [Self; K] {
                machine::$handed_coordinates().map(Self::from_bits)
            }
            #[inline(always)]
            fn judge_row(row: u64, dimensions: u32) -> Fitness<Self> {
                let (violation, value) = machine::$judge_row(row, dimensions);
                Fitness { violation: Self::from_bits(violation), value: Self::from_bits(value) }
            }
            #[inline(always)]
            fn answer(fitness: Fitness<Self>) {
                machine::$answer(fitness.violation.to_bits(), fitness.value.to_bits());
            }
            #[inline(always)]
            fn arguments() -> [Self; 3] {
                machine::$arguments().map(Self::from_bits)
            }
            #[inline(always)]
            fn term(k: u32) -> Self {
                Self::from_bits(machine::$term(k))
            }
            #[inline(always)]
            fn give(result: Self) {
                machine::$give(result.to_bits());
            }
            #[inline(always)]
            fn begin_model<const N: usize>(x: [Self; N], fit: u32) {
                machine::$begin(x.map(Self::to_bits), fit);
            }
            #[inline(always)]
            fn model_row<const N: usize>(row: u32) -> (Self, [Self; N]) {
                let (value, partials) = machine::$row(row);
                (Self::from_bits(value), partials.map(Self::from_bits))
            }
        }
    };
}

#[cfg(target_arch = "nvptx64")]
link_abi!(
    f32,
    judge_tile_32,
    handed_coordinates_32,
    judge_row_32,
    answer_32,
    piece_arguments_32,
    piece_term_32,
    piece_answer_32,
    begin_model_32,
    model_row_32
);
#[cfg(target_arch = "nvptx64")]
link_abi!(
    f64,
    judge_tile_64,
    handed_coordinates_64,
    judge_row_64,
    answer_64,
    piece_arguments_64,
    piece_term_64,
    piece_answer_64,
    begin_model_64,
    model_row_64
);

/// A point in a row of memory, read by a thread or a warp.
macro_rules! of_a_row {
    ($point:ident, $collective:literal) => {
        impl<R: DeviceReal> Form<R> for $point<R> {
            const COLLECTIVE: bool = $collective;

            #[inline(always)]
            fn show(&self) {}

            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            fn hand_over(&self) -> Fitness<R> {
                R::judge_row(self.row.address(), self.dimensions() as u32)
            }
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            fn handed_over() -> Self {
                let (row, dimensions) = row();
                $point::new(row, dimensions)
            }
        }
    };
}

of_a_row!(ThreadPoint, false);
of_a_row!(WarpPoint, true);

impl<R: DeviceReal, const LANES: u32, const K: usize> Form<R> for TilePoint<R, LANES, K> {
    const COLLECTIVE: bool = LANES > 1;

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn show(&self) {
        TilePoint::show(self);
    }

    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    fn hand_over(&self) -> Fitness<R> {
        R::judge_tile(&self.own, self.dimensions() as u32, self.stage.start())
    }
    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    fn handed_over() -> Self {
        let dimensions = machine::handed_dimensions() as usize;
        // SAFETY: the kernel has passed a stage with a place for each coordinate of the tile.
        let stage = unsafe { SharedArray::at_start(machine::handed_stage(), LANES * K as u32) };
        TilePoint::new(R::handed_coordinates(), dimensions, stage)
    }
}

impl<R: DeviceReal> Form<R> for ColumnPoint<R> {
    const COLLECTIVE: bool = false;

    #[inline(always)]
    fn show(&self) {}

    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    fn hand_over(&self) -> Fitness<R> {
        R::judge_tile::<1>(&[R::ZERO], self.dimensions() as u32, self.column.start())
    }
    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    fn handed_over() -> Self {
        let dimensions = machine::handed_dimensions();
        // SAFETY: the kernel has passed a column.
        let column =
            unsafe { SharedArray::at_start(machine::handed_stage(), column_len(dimensions)) };
        ColumnPoint::new(column, dimensions as usize)
    }
}

/// The row that the kernel has passed.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
fn row<R: DeviceReal>() -> (View<R>, usize) {
    let dimensions = machine::handed_dimensions() as usize;
    let row = warpswarm_core::launch::Ptr::at(machine::handed_row());
    // SAFETY: the kernel has passed a view of at least this many coordinates.
    (unsafe { View::new(row, dimensions) }, dimensions)
}

/// Exports an objective, each row for one form of points.
///
/// ```ignore
/// objectives! {
///     /// My objective.
///     pub fn mine {
///         "objective_Mine_f32_x8k4" => (f32, Mine, TilePoint<f32, 8, 4>),
///         "objective_Mine_f32_warp" => (f32, Mine, WarpPoint<f32>),
///     }
/// }
/// ```
///
/// On `nvptx64` each row becomes a piece of PTX of that name, which takes the objective by value. On
/// the host it becomes a row of the table that the function (here `mine`) returns, for the emulator.
#[cfg(target_arch = "nvptx64")]
#[macro_export]
macro_rules! objectives {
    ($(#[$doc:meta])* pub fn $table:ident {
        $($name:expr => ($real:ty, $objective:ty, $point:ty),)*
    }) => {
        $(const _: () = {
            /// # Safety
            /// Only to be linked with a kernel that passes points of this form, with data that exist.
            #[unsafe(export_name = $name)]
            #[allow(improper_ctypes_definitions)]
            unsafe extern "ptx-kernel" fn entry(
                args: $crate::objective::ObjectiveArgs<$real, $objective>,
            ) {
                // SAFETY: the host passes the data.
                unsafe { $crate::objective::answer::<$real, $objective, $point>(&args) }
            }
        };)*
    };
}

/// Exports an objective, each row for one form of points: the table on the host.
#[cfg(not(target_arch = "nvptx64"))]
#[macro_export]
macro_rules! objectives {
    ($(#[$doc:meta])* pub fn $table:ident {
        $($name:expr => ($real:ty, $objective:ty, $point:ty),)*
    }) => {
        $(#[$doc])*
        pub fn $table() -> &'static [$crate::emulator::Linkable] {
            const { &[$($crate::emulator::Linkable::new::<$real, $objective, $point>($name),)*] }
        }
    };
}
