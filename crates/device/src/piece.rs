//! Pieces of an expression, from which the host puts an objective together.
//!
//! On `nvptx64` each is an entry that reads and writes registers of agreed names; `ptx-builder`'s `Composer` puts them
//! one after the other. The emulator has none: there an expression is one objective,
//! [`Expression`](warpswarm_core::expression::Expression).

/// Exports pieces, each a call of a function of this module. On the host there are none.
#[cfg(target_arch = "nvptx64")]
#[macro_export]
macro_rules! pieces {
    ($($name:expr => $function:ident $([$($of:tt)*])? $(($args:ident: $type:ty))?),* $(,)?) => {
        $(const _: () = {
            /// # Safety
            /// Only to be put where the registers are that it reads, with what it reads besides.
            #[unsafe(export_name = $name)]
            #[allow(improper_ctypes_definitions)]
            unsafe extern "ptx-kernel" fn entry($($args: $type)?) {
                // SAFETY: the composer puts it there.
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

    use crate::objective::{Form, Handed};
    use crate::view::DeviceReal;
    use crate::{data, machine, warp};

    /// An operation, by its code.
    ///
    /// # Safety
    ///
    /// As of every piece: it stands where its registers are.
    #[inline(always)]
    pub unsafe fn apply<R: DeviceReal, const OPERATION: u32>() {
        R::give(Operation::ALL[OPERATION as usize].apply(R::arguments()));
    }

    /// A whole number as a number.
    ///
    /// # Safety
    ///
    /// As of every piece.
    #[inline(always)]
    pub unsafe fn number<R: DeviceReal>() {
        R::give(R::from_u32(machine::piece_index()));
    }

    /// Lets lanes that share the point see each other's coordinates.
    ///
    /// # Safety
    ///
    /// As of every piece; all lanes come here.
    #[inline(always)]
    pub unsafe fn show<R: DeviceReal, P: Form<R>>() {
        P::handed_over().show();
    }

    /// A coordinate.
    ///
    /// # Safety
    ///
    /// As of every piece; coordinates have been shown.
    #[inline(always)]
    pub unsafe fn coordinate<R: DeviceReal, P: Form<R>>() {
        R::give(P::handed_over().get(machine::piece_index() as usize));
    }

    /// A datum of the expression's.
    ///
    /// # Safety
    ///
    /// As of every piece; the data are as the host brings them, and have that place.
    #[inline(always)]
    pub unsafe fn datum<R: DeviceReal>(args: &ObjectiveArgs<R, Expression>) {
        let place = args.objective.data.start() + machine::piece_index() as usize;
        // SAFETY: the caller's.
        R::give(unsafe { data::shared(&args.data, place) });
    }

    /// A number that the run has for itself.
    ///
    /// # Safety
    ///
    /// As of every piece; the data are as the host brings them.
    #[inline(always)]
    pub unsafe fn own<R: DeviceReal>(args: &ObjectiveArgs<R, Expression>) {
        // SAFETY: the caller's.
        let data = unsafe { data::DeviceData::of_block(&args.data) };
        R::give(data.number(args.objective.own, machine::piece_index() as usize));
    }

    /// A number that the fit has for itself that this thread is at.
    ///
    /// # Safety
    ///
    /// As of every piece; the data are as the host brings them.
    #[inline(always)]
    pub unsafe fn own_of_fit<R: DeviceReal>(args: &ObjectiveArgs<R, Expression>) {
        // SAFETY: the caller's.
        let data = unsafe { data::DeviceData::of_run(&args.data, machine::piece_fit()) };
        R::give(data.number(args.objective.own, machine::piece_index() as usize));
    }

    /// A reduction.
    ///
    /// # Safety
    ///
    /// As of every piece; all lanes come here.
    #[inline(always)]
    pub unsafe fn fold<R: DeviceReal, P: Form<R>, O: Operator<R>>() {
        // Beside an operation of the warp the compiler copies nothing into two branches.
        if P::COLLECTIVE {
            warp::sync();
        }
        let n = machine::piece_count() as usize;
        R::give(P::handed_over().fold_terms::<O>(n, |k| R::term(k as u32)));
    }
}
