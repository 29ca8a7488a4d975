//! Kernel entries: what the host launches by name.

use crate::machine;

/// Declares the largest block with which this entry is launched. `ptx-builder` passes it to the assembler, which then
/// uses no more registers than such a block leaves for each thread. Call it first in a kernel.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub fn max_block<const THREADS: u32>() {
    machine::max_block::<THREADS>();
}

/// Exports kernels, each for one type of parameter.
///
/// ```ignore
/// entries! {
///     /// Doubles every element.
///     pub fn mine {
///         "double_f32" => |args: Args<f32>| double(&args),
///         "double_f64" => |args: Args<f64>| double(&args),
///     }
/// }
/// ```
///
/// On `nvptx64` each row becomes an entry of that name, which takes the parameter by value. On the host it becomes a
/// row of the table for the emulator, which the function (here `mine`) returns.
#[cfg(target_arch = "nvptx64")]
#[macro_export]
macro_rules! entries {
    ($(#[$doc:meta])* pub fn $table:ident {
        $($name:expr => |$argument:ident: $type:ty| $body:expr,)*
    }) => {
        $(const _: () = {
            /// # Safety
            /// The host upholds the launch contract of the kernel.
            #[unsafe(export_name = $name)]
            #[allow(improper_ctypes_definitions)]
            unsafe extern "ptx-kernel" fn entry($argument: $type) {
                $body
            }
        };)*
    };
}

/// Exports kernels, each for one type of parameter: the table on the host.
#[cfg(not(target_arch = "nvptx64"))]
#[macro_export]
macro_rules! entries {
    ($(#[$doc:meta])* pub fn $table:ident {
        $($name:expr => |$argument:ident: $type:ty| $body:expr,)*
    }) => {
        $(#[$doc])*
        pub fn $table() -> &'static [$crate::emulator::Entry] {
            const { &[$($crate::emulator::Entry::new::<$type>($name, |$argument: $type| $body),)*] }
        }
    };
}
