//! From a crate of GPU kernels to PTX that a driver can load.
//!
//! Reading a package ([`Package`]), linking an objective with a kernel ([`link`](link())) and building the objective of
//! an expression ([`Composer`]) are always available; the host library does these at run time. Making a package needs
//! the feature `build`:
//!
//! 1. `DeviceToolchain::find` looks for a rustc with library sources;
//! 2. `Kernels::compile` turns a crate into one PTX text;
//! 3. `cut::cut` cuts that into one module per entry, so that a driver compiles only what a run uses;
//! 4. `package::pack` puts the modules into one compressed file.
//!
//! A build script needs one call, `for_build_script`. The feature `setup` adds the installation of a toolchain.

#[cfg(feature = "build")]
pub mod build_script;
#[cfg(feature = "build")]
pub mod compile;
pub mod compose;
pub mod cut;
mod distances;
#[cfg(feature = "build")]
pub mod halves;
pub mod known;
pub mod link;
pub mod lower;
pub mod package;
mod ptx;
#[cfg(feature = "setup")]
pub mod setup;
#[cfg(feature = "build")]
pub mod sources;
#[cfg(feature = "build")]
pub mod toolchain;
#[cfg(feature = "build")]
mod words;

#[cfg(feature = "build")]
pub use build_script::{BuildScript, for_build_script};
#[cfg(feature = "build")]
pub use compile::{CompileError, Kernels};
pub use compose::Composer;
pub use cut::{CutError, Module, Version, cut};
pub use link::{LinkError, link};
#[cfg(feature = "build")]
pub use package::{Origin, pack};
pub use package::{Package, PackageError};
#[cfg(feature = "build")]
pub use toolchain::{DeviceToolchain, ToolchainError};
