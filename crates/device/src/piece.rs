//! Pieces of an expression, from which the host builds an objective.
//!
//! On `nvptx64` each piece is an entry that reads and writes registers of agreed names; `ptx-builder`'s `Composer`
//! joins them in sequence. The emulator has no pieces: there an expression is one objective,
//! [`Expression`](warpswarm_core::expression::Expression).

/// Exports pieces, each a call of a function of this module. On the host there are none.
#[cfg(target_arch = "nvptx64")]
#[macro_export]
macro_rules! pieces {
    ($($name:expr => $function:ident $([$($of:tt)*])? $(($args:ident: $type:ty))?),* $(,)?) => {
        $(const _: () = {
            /// # Safety
            /// Only to be inserted where the registers that it reads exist, with everything else that it reads.
            #[unsafe(export_name = $name)]
            #[allow(improper_ctypes_definitions)]
            unsafe extern "ptx-kernel" fn entry($($args: $type)?) {
                // SAFETY: the composer inserts it at such a place.
                unsafe { $crate::piece::$function::<$($($of)*)?>($(&$args as &$type)?) }
            }
        };)*
    };
}

/// Exports pieces: on the host there are none.
#[cfg(not(target_arch = "nvptx64"))]
#[macro_export]
macro_rules! pieces {
    ($($name:expr => $function:ident $([$($of:tt)*])? $(($args:ident: $type:ty))?),* $(,)?) => {};
}

#[cfg(target_arch = "nvptx64")]
pub use on_device::*;

#[cfg(target_arch = "nvptx64")]
mod on_device {
    use warpswarm_core::data::Data;
    use warpswarm_core::expression::{Expression, Operation};
    use warpswarm_core::launch::ObjectiveArgs;
    use warpswarm_core::sum::Operator;

    use crate::objective::{Form, LinkAbi};
    use crate::view::DeviceReal;
    use crate::{data, machine, warp};

    /// An operation, by its code.
    ///
    /// # Safety
    ///
    /// As for every piece: it is inserted where its registers exist.
    #[inline(always)]
    pub unsafe fn apply<R: DeviceReal, const OPERATION: u32>() {
        R::give(Operation::ALL[OPERATION as usize].apply(R::arguments()));
    }

    /// A whole number as a floating-point number.
    ///
    /// # Safety
    ///
    /// As for every piece.
    #[inline(always)]
    pub unsafe fn number<R: DeviceReal>() {
        R::give(R::from_u32(machine::piece_index()));
    }

    /// Makes each lane's coordinates visible to the other lanes that share the point.
    ///
    /// # Safety
    ///
    /// As for every piece; all lanes execute it.
    #[inline(always)]
    pub unsafe fn show<R: DeviceReal, P: Form<R>>() {
        P::handed_over().show();
    }

    /// A coordinate.
    ///
    /// # Safety
    ///
    /// As for every piece; the coordinates have been shown.
    #[inline(always)]
    pub unsafe fn coordinate<R: DeviceReal, P: Form<R>>() {
        R::give(P::handed_over().get(machine::piece_index() as usize));
    }

    /// A number of the expression's data.
    ///
    /// # Safety
    ///
    /// As for every piece; the data are as the host passes them, and have that place.
    #[inline(always)]
    pub unsafe fn datum<R: DeviceReal>(args: &ObjectiveArgs<R, Expression>) {
        let place = args.objective.data.start() + machine::piece_index() as usize;
        // SAFETY: the caller upholds this.
        R::give(unsafe { data::shared(&args.data, place) });
    }

    /// A number of the run's own data.
    ///
    /// # Safety
    ///
    /// As for every piece; the data are as the host passes them.
    #[inline(always)]
    pub unsafe fn own<R: DeviceReal>(args: &ObjectiveArgs<R, Expression>) {
        // SAFETY: the caller upholds this.
        let data = unsafe { data::DeviceData::of_block(&args.data) };
        R::give(data.number(args.objective.own, machine::piece_index() as usize));
    }

    /// A number of the own data of this thread's fit.
    ///
    /// # Safety
    ///
    /// As for every piece; the data are as the host passes them.
    #[inline(always)]
    pub unsafe fn own_of_fit<R: DeviceReal>(args: &ObjectiveArgs<R, Expression>) {
        // SAFETY: the caller upholds this.
        let data = unsafe { data::DeviceData::of_run(&args.data, machine::piece_fit()) };
        R::give(data.number(args.objective.own, machine::piece_index() as usize));
    }

    /// A reduction.
    ///
    /// # Safety
    ///
    /// As for every piece; all lanes execute it.
    #[inline(always)]
    pub unsafe fn fold<R: DeviceReal, P: Form<R>, O: Operator<R>>() {
        // The compiler does not duplicate code around a warp operation into two branches.
        if P::COLLECTIVE {
            warp::sync();
        }
        let n = machine::piece_count() as usize;
        R::give(P::handed_over().fold_terms::<O>(n, |k| R::term(k as u32)));
    }
}
