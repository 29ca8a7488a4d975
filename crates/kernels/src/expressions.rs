//! Expressions: the pieces of PTX from which the host builds an objective, and the objective of the emulator.

// Only pieces use these imports, and a build for the host has no pieces.
#[allow(unused_imports)]
use warpswarm_core::{
    expression::{Expression, Greatest, Least, Operation},
    launch::ObjectiveArgs,
    sum::{Product, Sum},
};

macro_rules! export_operations {
    ($($operation:ident: $arity:literal),*) => {
        warpswarm_device::pieces! {
            $(concat!("piece_", stringify!($operation), "_f32") =>
                apply [f32, { Operation::$operation as u32 }],
            concat!("piece_", stringify!($operation), "_f64") =>
                apply [f64, { Operation::$operation as u32 }],)*
        }
    };
}

warpswarm_core::for_each_operation!(export_operations);

macro_rules! export_forms {
    ($($form:ident)*) => { $(
        export_forms! { @ f32 $form "f32" }
        export_forms! { @ f64 $form "f64" }
    )* };
    (@ $real:ident $form:ident $name:literal) => {
        warpswarm_device::pieces! {
            concat!("piece_show_", $name, "_", stringify!($form)) =>
                show [$real, crate::export_objective!(@form $form $real)],
            concat!("piece_coordinate_", $name, "_", stringify!($form)) =>
                coordinate [$real, crate::export_objective!(@form $form $real)],
            concat!("piece_fold_Sum_", $name, "_", stringify!($form)) =>
                fold [$real, crate::export_objective!(@form $form $real), Sum],
            concat!("piece_fold_Product_", $name, "_", stringify!($form)) =>
                fold [$real, crate::export_objective!(@form $form $real), Product],
            concat!("piece_fold_Least_", $name, "_", stringify!($form)) =>
                fold [$real, crate::export_objective!(@form $form $real), Least],
            concat!("piece_fold_Greatest_", $name, "_", stringify!($form)) =>
                fold [$real, crate::export_objective!(@form $form $real), Greatest],
        }
    };
}

export_forms! { x1k2 x1k16 column x8k4 x16k8 x32k1 warp thread }

warpswarm_device::pieces! {
    "piece_number_f32" => number [f32],
    "piece_number_f64" => number [f64],
    "piece_datum_f32" => datum [f32] (args: ObjectiveArgs<f32, Expression>),
    "piece_datum_f64" => datum [f64] (args: ObjectiveArgs<f64, Expression>),
    "piece_own_f32" => own [f32] (args: ObjectiveArgs<f32, Expression>),
    "piece_own_f64" => own [f64] (args: ObjectiveArgs<f64, Expression>),
    "piece_own_of_fit_f32" => own_of_fit [f32] (args: ObjectiveArgs<f32, Expression>),
    "piece_own_of_fit_f64" => own_of_fit [f64] (args: ObjectiveArgs<f64, Expression>),
}

warpswarm_device::on_host! {
crate::export_objective! { @ any plain expression ["Expression"] Expression, Expression }
}
