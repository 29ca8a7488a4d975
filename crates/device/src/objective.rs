//! Objectives and the kernels that call them, compiled apart and linked when a kernel is loaded.
//!
//! A kernel asks for the fitness at a point with [`judge`]; which objective answers is not known when
//! it is compiled. An objective is exported for the forms that points have in kernels, with
//! [`objectives!`](crate::objectives). So kernels and objectives add up where they would multiply.
//!
//! On `nvptx64` the two meet in the text: `ptx-builder` puts the objective's instructions where the
//! kernel asks, between registers of agreed names. On the host the launch brings a function.

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

/// A point that a kernel can hand to the objective that it is linked with.
pub trait Form<R: DeviceReal>: Point<R> + Copy + 'static {
    /// Whether the lanes of a warp evaluate it together.
    const COLLECTIVE: bool;

    /// Lets lanes that share the point see each other's coordinates; collective where the form is.
    fn show(&self);

    /// The fitness at this point, by the linked objective, as it comes.
    #[cfg(target_arch = "nvptx64")]
    fn hand_over(&self) -> Fitness<R>;

    /// The point that was handed over; in an objective only.
    #[cfg(target_arch = "nvptx64")]
    fn handed_over() -> Self;
}

/// The fitness at `point`, by the objective that this kernel is linked with, as it comes: see
/// [`Objective::judge`]. The violation is zero unless `CONSTRAINED`.
///
/// Collective in the warp, what whose lanes have written before is there for all; but for points that a thread has for itself.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn judge<R: DeviceReal, P: Form<R>, const CONSTRAINED: bool>(point: &P) -> Fitness<R> {
    // Where the lanes have written the point; and beside an operation of the warp the compiler copies nothing into two
    // branches.
    if P::COLLECTIVE {
        warp::sync();
    }
    #[cfg(target_arch = "nvptx64")]
    let Fitness { violation, value } = point.hand_over();
    #[cfg(not(target_arch = "nvptx64"))]
    let Fitness { violation, value } = machine::judge(point);
    Fitness { violation: if CONSTRAINED { violation } else { R::ZERO }, value }
}

/// [`judge`], in the bits that results have.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn evaluate<R: DeviceReal, P: Form<R>, const CONSTRAINED: bool>(point: &P) -> Fitness<R> {
    judge::<R, P, CONSTRAINED>(point).canonical()
}

/// The fitness at a point that was handed over.
///
/// # Safety
///
/// The data are as [`DeviceData::of_block`] wants them.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn at<R: DeviceReal, O: Objective<R>, P: Form<R>>(
    args: &ObjectiveArgs<R, O>,
    point: &P,
) -> Fitness<R> {
    if O::GATHERS {
        point.show();
    }
    // SAFETY: the caller's.
    let data = unsafe { DeviceData::of_block(&args.data) };
    args.objective.judge(&WithData { point: *point, data })
}

/// The whole of an objective's entry.
///
/// # Safety
///
/// The data are as [`DeviceData::of_block`] wants them.
#[cfg(target_arch = "nvptx64")]
#[doc(hidden)]
#[inline(always)]
pub unsafe fn answer<R: DeviceReal, O: Objective<R>, P: Form<R>>(args: &ObjectiveArgs<R, O>) {
    // SAFETY: the caller's.
    let fitness = unsafe { at::<R, O, P>(args, &P::handed_over()) };
    R::answer(fitness);
}

/// A number that kernels hand to the objective that they are linked with.
#[cfg(not(target_arch = "nvptx64"))]
pub trait Handed {}
#[cfg(not(target_arch = "nvptx64"))]
impl<R: Float> Handed for R {}

/// A number that kernels hand to the objective that they are linked with.
#[cfg(target_arch = "nvptx64")]
pub trait Handed: Sized {
    /// The fitness at a lane's share of a point, by the linked objective: see
    /// [`Form::hand_over`](crate::objective::Form::hand_over).
    fn judge_tile<const K: usize>(own: &[Self; K], dimensions: u32, stage: u32) -> Fitness<Self>;
    /// The coordinates that were handed over.
    fn handed_coordinates<const K: usize>() -> [Self; K];
    /// The fitness at a row in memory, by the linked objective.
    fn judge_row(row: u64, dimensions: u32) -> Fitness<Self>;
    /// Gives the kernel its answer.
    fn answer(fitness: Fitness<Self>);
    /// What an operation's [piece](crate::piece) is of.
    fn arguments() -> [Self; 3];
    /// The term of a number that a reduction's piece asks for.
    fn term(k: u32) -> Self;
    /// Gives a piece's result.
    fn give(result: Self);
    /// Hands parameters to the linked model, and the number of the fit: see [`model`](crate::model).
    fn begin_model<const N: usize>(x: [Self; N], fit: u32);
    /// What the linked model predicts of a row, and its derivatives.
    fn model_row<const N: usize>(row: u32) -> (Self, [Self; N]);
}

#[cfg(target_arch = "nvptx64")]
macro_rules! handed {
    ($real:ty, $judge_tile:ident, $handed_coordinates:ident, $judge_row:ident, $answer:ident,
        $arguments:ident, $term:ident, $give:ident, $begin:ident, $row:ident) => {
        impl Handed for $real {
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
handed!(
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
handed!(
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

/// A point in a row of memory, whoever walks it.
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
        // SAFETY: the kernel has handed over a stage with a place for each coordinate of the tile.
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
        // SAFETY: the kernel has handed over a column.
        let column =
            unsafe { SharedArray::at_start(machine::handed_stage(), column_len(dimensions)) };
        ColumnPoint::new(column, dimensions as usize)
    }
}

/// The row that was handed over.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
fn row<R: DeviceReal>() -> (View<R>, usize) {
    let dimensions = machine::handed_dimensions() as usize;
    let row = warpswarm_core::launch::Ptr::at(machine::handed_row());
    // SAFETY: the kernel has handed over a view of at least so many coordinates.
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
            /// Only to be linked with a kernel that hands over points of this form, with data that are there.
            #[unsafe(export_name = $name)]
            #[allow(improper_ctypes_definitions)]
            unsafe extern "ptx-kernel" fn entry(
                args: $crate::objective::ObjectiveArgs<$real, $objective>,
            ) {
                // SAFETY: the host brings the data.
                unsafe { $crate::objective::answer::<$real, $objective, $point>(&args) }
            }
        };)*
    };
}

/// Exports an objective, each row for one form of points: the host's table of them.
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
