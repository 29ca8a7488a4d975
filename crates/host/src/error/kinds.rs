//! The kinds of errors.

use std::ops::Range;
use std::path::PathBuf;

use super::nearest::suggestion;
use super::place::pointed_at;
use crate::settings::choices::Schedule;

/// What went wrong. The text is one line; errors in expressions add the expression with the mistake marked.
///
/// ```
/// use warpswarm::{Error, PsoParams, Algorithm};
/// let error = Algorithm::from(PsoParams { cognitive: -1.0, ..PsoParams::default() }).check().unwrap_err();
/// assert_eq!(error.to_string(), "parameter cognitive is -1; allowed: a number from 0 to 1e30");
/// assert!(matches!(error, Error::Parameter { name: "cognitive", .. }));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no state to continue from: the time limit or an interrupt ended the runs before all first individuals
    /// were evaluated.
    #[error(
        "stopped before the first individuals had been evaluated; allowed: more seconds, or fewer individuals"
    )]
    Stopped,
    /// An unknown name.
    #[error("unknown {what} `{name}`; known: {}", known.join(", "))]
    UnknownName {
        /// What the name denotes: `backend`, `boundary`, ...
        what: &'static str,
        /// The name that was given.
        name: String,
        /// The known names.
        known: Vec<&'static str>,
    },
    /// An unknown name of a problem or an algorithm. The error suggests similar names, if there are some.
    #[error("unknown {what} `{name}`; {}", suggestion(nearest))]
    NoSuch {
        /// `problem` or `algorithm`.
        what: &'static str,
        /// The name that was given.
        name: String,
        /// Similar names; none if no known name is similar.
        nearest: Vec<&'static str>,
    },
    /// The algorithm has no such parameter.
    #[error("algorithm `{algorithm}` has no parameter `{key}`; it has: {}", known.join(", "))]
    UnknownParameter {
        /// The algorithm.
        algorithm: &'static str,
        /// The name that was given.
        key: String,
        /// The known names.
        known: Vec<&'static str>,
    },
    /// A parameter of an algorithm is out of range, or not a number.
    #[error("parameter {name} is {value}; allowed: {allowed}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// The value as it was given.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// A setting is out of its range.
    #[error("{field} is {value}; allowed: {allowed}")]
    Setting {
        /// The setting.
        field: &'static str,
        /// The value as it was given.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// The limit of evaluations is smaller than the number of individuals, which are all evaluated first.
    #[error(
        "evaluations is {evaluations}, fewer than the {individuals} individuals; \
         allowed: at least one evaluation an individual"
    )]
    TooFewEvaluations {
        /// The limit that was given.
        evaluations: u64,
        /// The number of individuals in a run.
        individuals: u64,
    },
    /// The numbers of lower and upper bounds differ.
    #[error("there are {lower} lower bounds and {upper} upper bounds; allowed: as many of each")]
    BoundLengths {
        /// The number of lower bounds.
        lower: usize,
        /// The number of upper bounds.
        upper: usize,
    },
    /// A bound is NaN or infinite.
    #[error("{side} bound {index} is {value}; allowed: a finite number")]
    BoundNotFinite {
        /// `lower` or `upper`.
        side: &'static str,
        /// The coordinate, counted from 0.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A lower bound is above its upper bound.
    #[error(
        "lower bound {index} is {lower}, above the upper bound {upper}; allowed: lower <= upper"
    )]
    BoundOrder {
        /// The coordinate, counted from 0.
        index: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A bound, or the difference of two, is too large for the number type of the run.
    #[error(
        "bounds {index} are {lower:?} and {upper:?}; allowed: both, and their difference, numbers that {precision} has"
    )]
    BoundRange {
        /// The coordinate, counted from 0.
        index: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
        /// The number type.
        precision: &'static str,
    },
    /// The scale does not allow these bounds.
    #[error("variable {index} is {value}; allowed: {allowed}")]
    BoundScale {
        /// The coordinate, counted from 0.
        index: usize,
        /// What was given.
        value: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A point from which individuals should start is out of bounds.
    #[error(
        "coordinate {index} of first point {number} is {value}; allowed: {lower} to {upper}, its bounds"
    )]
    FirstPoint {
        /// The point, counted from 0.
        number: usize,
        /// The coordinate, counted from 0.
        index: usize,
        /// Its value.
        value: f64,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A problem file or one of its data files cannot be read, or something in it is not allowed.
    #[error("{file}: {message}")]
    ProblemFile {
        /// The file.
        file: String,
        /// What is wrong, and what is allowed.
        message: String,
    },
    /// An expression of a problem file is wrong.
    #[error("{file}: {key}: {message}\n{}", pointed_at(text, at))]
    Expression {
        /// The file.
        file: String,
        /// The key that has the expression.
        key: String,
        /// The expression.
        text: String,
        /// The byte range of the mistake.
        at: Range<usize>,
        /// What is wrong with it.
        message: String,
    },
    /// The state of the runs does not fit into the address space.
    #[error(
        "runs x individuals x dimensions is {runs} x {individuals} x {dimensions}; \
         allowed: an amount of memory that can be addressed"
    )]
    TooLarge {
        /// The number of runs.
        runs: u64,
        /// The number of individuals in a run.
        individuals: u64,
        /// The number of coordinates of an individual.
        dimensions: u64,
    },
    /// The chosen backend does not support the request.
    #[error("{what} does not run on backend {backend}; allowed: {allowed}")]
    Unsupported {
        /// The request.
        what: String,
        /// The backend.
        backend: &'static str,
        /// What is supported.
        allowed: &'static str,
    },
    /// The data do not fill whole rows, or cannot be divided equally among the runs.
    #[error("{len} numbers of data do not fill {groups} {what}; allowed: a multiple of {groups}")]
    DataLength {
        /// The count of numbers.
        len: usize,
        /// The number of groups into which they should divide.
        groups: usize,
        /// What the groups are.
        what: &'static str,
    },
    /// A number of the data is NaN, or the rows of a curve or a surface are no table.
    #[error("a table has {found}; allowed: {allowed}")]
    Table {
        /// What is wrong with it.
        found: String,
        /// What is allowed instead.
        allowed: &'static str,
    },
    /// There are too many numbers of data.
    #[error("{numbers} numbers of data; allowed: up to 4294967295")]
    DataSize {
        /// The count of numbers.
        numbers: u64,
    },
    /// A per-run setting was given for a different number of runs.
    #[error("{what} of {given} runs for {runs} runs; allowed: as many as there are runs")]
    Runs {
        /// The setting.
        what: &'static str,
        /// The number of runs for which it was given.
        given: u64,
        /// The number of runs.
        runs: u64,
    },
    /// An objective on the host panicked.
    #[error("the objective panicked: {message}")]
    Objective {
        /// The message of the panic.
        message: String,
    },
    /// The number of fitnesses differs from the number of points.
    #[error("{found} fitnesses for {expected} points; allowed: one for each point asked for")]
    Told {
        /// The number of points.
        expected: usize,
        /// The number of fitnesses.
        found: usize,
    },
    /// The state was requested before the first individuals have a fitness.
    #[error("there is no state before the first individuals have been told of")]
    NotPlaced,
    /// The chosen schedule is impossible for these sizes.
    #[error("schedule {schedule} is impossible: {reason}; allowed: {alternatives}")]
    Schedule {
        /// The schedule.
        schedule: Schedule,
        /// Why.
        reason: String,
        /// What is possible.
        alternatives: &'static str,
    },
    /// A state does not belong to the optimiser that should restore it, or is invalid.
    #[error("the state has {what} {found}; allowed: {expected}")]
    State {
        /// The property that differs.
        what: &'static str,
        /// The optimiser's value.
        expected: String,
        /// The state's value.
        found: String,
    },
    /// A file cannot be read or written.
    #[error("{} cannot be {doing}: {message}", path.display())]
    File {
        /// `read` or `written`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// The threads of the CPU backend could not be started.
    #[error("{threads} threads could not be started: {message}")]
    Threads {
        /// The requested number of threads.
        threads: usize,
        /// The message of the operating system.
        message: String,
    },
    /// Ranks that work together do not agree, or one of them has failed or cannot be reached.
    #[error("{message}")]
    Ranks {
        /// What is wrong, and with which rank.
        message: String,
        /// Whether the input is at fault.
        input: bool,
    },
    /// The state does not fit into the machine's memory.
    #[error("out of memory: {bytes} bytes asked for")]
    HostMemory {
        /// The number of bytes requested.
        bytes: u64,
    },
    /// There is no NVIDIA driver on this machine.
    #[error("no NVIDIA driver: the library libcuda was not found")]
    NoDriver,
    /// The NVIDIA driver shows no GPU.
    #[error("no NVIDIA GPU: the driver shows no device{}", reason.as_deref().map(|r| format!(" ({r})")).unwrap_or_default())]
    NoDevice {
        /// The driver's message, if there is one.
        reason: Option<String>,
    },
    /// The driver is older than the kernels need.
    #[error("the NVIDIA driver supports CUDA {found}; needed: CUDA {needed} or later")]
    DriverTooOld {
        /// The CUDA version that the driver supports.
        found: String,
        /// The lowest version that the kernels need.
        needed: String,
    },
    /// The GPU is older than the architecture for which the kernels were compiled.
    #[error("{device} has architecture {found}; the kernels need {needed} or later")]
    UnsupportedArchitecture {
        /// The device's name.
        device: String,
        /// Its architecture, such as `sm_70`.
        found: String,
        /// The architecture for which the kernels were compiled.
        needed: String,
    },
    /// The library was built without a device toolchain.
    #[error("built without GPU kernels: run `warpswarm setup` and build again")]
    NoKernels,
    /// A user-defined objective has no kernels for the number of dimensions of this run.
    #[error(
        "there is no `{objective}`: the line `export_objective!` exports for `any` number of dimensions, for up \
         to `two`, for a `few` (3 to 32) or for `many` (3 and more); in the emulator, \
         `Kernels::with_emulated_objectives` may be missing"
    )]
    NotExported {
        /// The missing name.
        objective: String,
    },
    /// The built-in kernels are damaged.
    #[error("the GPU kernels that were built in cannot be read: {message}")]
    BadKernels {
        /// What is wrong with them.
        message: String,
    },
    /// There is no kernel of this name.
    #[error("no GPU kernel `{kernel}` was built in")]
    NoSuchKernel {
        /// The kernel.
        kernel: String,
    },
    /// The library was built without the feature `emulator`.
    #[error("built without the emulator: build with the feature `emulator`")]
    NoEmulator,
    /// The memory of the device is full.
    #[error("out of device memory: {bytes} bytes asked for, {free} free")]
    OutOfMemory {
        /// The number of bytes requested.
        bytes: u64,
        /// The number of free bytes.
        free: u64,
    },
    /// A kernel could not be launched, or failed while it ran.
    #[error("kernel {kernel} failed: {message} (code {code})")]
    Launch {
        /// The kernel.
        kernel: String,
        /// The driver's error code; 0 for the emulator.
        code: u32,
        /// The message of the driver or the emulator.
        message: String,
    },
    /// Another call of the driver failed.
    #[error("{call} failed: {message} (code {code})")]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// The driver's error code.
        code: u32,
        /// The driver's message.
        message: String,
    },
    /// An earlier failure has made the device unusable for the rest of the process.
    #[error("the GPU was lost: {cause}")]
    DeviceLost {
        /// The failure.
        cause: String,
    },
}
