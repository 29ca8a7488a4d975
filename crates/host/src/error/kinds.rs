//! The errors that there are.

use std::ops::Range;
use std::path::PathBuf;

use super::place::pointed_at;
use crate::settings::choices::Schedule;

/// Why something could not be done. Its text is one line, but for an expression, which is shown below.
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
    /// There are no runs to go on with: the time, or an interrupt, ended them while their first individuals were placed.
    #[error(
        "stopped before the first individuals had been evaluated; allowed: more seconds, or fewer individuals"
    )]
    Stopped,
    /// A name that nothing has.
    #[error("unknown {what} `{name}`; known: {}", known.join(", "))]
    UnknownName {
        /// What should have the name: `backend`, `boundary`, ...
        what: &'static str,
        /// The name that was given.
        name: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// A name that nothing has, of a registry; the nearest names come first.
    #[error("unknown {what} `{name}`; did you mean {}?", nearest.join(", "))]
    NoSuch {
        /// `problem` or `algorithm`.
        what: &'static str,
        /// The name that was given.
        name: String,
        /// The names most like it, at least one.
        nearest: Vec<&'static str>,
    },
    /// An algorithm has no such parameter.
    #[error("algorithm `{algorithm}` has no parameter `{key}`; it has: {}", known.join(", "))]
    UnknownParameter {
        /// The algorithm.
        algorithm: &'static str,
        /// The name that was given.
        key: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// A parameter of an algorithm is out of its range, or no number.
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
    /// Fewer evaluations are allowed than the first placement of the individuals takes.
    #[error(
        "evaluations is {evaluations}, fewer than the {individuals} individuals; \
         allowed: at least one evaluation an individual"
    )]
    TooFewEvaluations {
        /// The limit that was given.
        evaluations: u64,
        /// The individuals of a run.
        individuals: u64,
    },
    /// The two lists of bounds have different lengths.
    #[error("there are {lower} lower bounds and {upper} upper bounds; allowed: as many of each")]
    BoundLengths {
        /// Lower bounds given.
        lower: usize,
        /// Upper bounds given.
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
    /// A bound, or the distance between two, is too large for the run's number type.
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
    /// Bounds are not allowed on their scale.
    #[error("variable {index} is {value}; allowed: {allowed}")]
    BoundScale {
        /// The coordinate, counted from 0.
        index: usize,
        /// What was given.
        value: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A point from which individuals were to begin is not within the bounds.
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
    /// A problem file, or a file of its data, cannot be read, or something in it is not allowed.
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
        /// What it is the expression of.
        key: String,
        /// The expression.
        text: String,
        /// The bytes of it that are wrong.
        at: Range<usize>,
        /// What is wrong with them.
        message: String,
    },
    /// The state of the runs does not fit in an address space.
    #[error(
        "runs x individuals x dimensions is {runs} x {individuals} x {dimensions}; \
         allowed: an amount of memory that can be addressed"
    )]
    TooLarge {
        /// Runs.
        runs: u64,
        /// Individuals of a run.
        individuals: u64,
        /// Coordinates of an individual.
        dimensions: u64,
    },
    /// The chosen backend cannot do what was asked.
    #[error("{what} does not run on backend {backend}; allowed: {allowed}")]
    Unsupported {
        /// What was asked.
        what: String,
        /// The backend.
        backend: &'static str,
        /// What would do.
        allowed: &'static str,
    },
    /// Data are not in whole rows, or not as many for each run.
    #[error(
        "{len} numbers of data are no whole {what} of {groups}; allowed: multiples of {groups}"
    )]
    DataLength {
        /// Numbers.
        len: usize,
        /// How many they were to be divided into.
        groups: usize,
        /// What those are.
        what: &'static str,
    },
    /// A number of the data is NaN.
    #[error("number {index} of a table of data is NaN")]
    DataNan {
        /// Which, from 0.
        index: usize,
    },
    /// There are too many data.
    #[error("{numbers} numbers of data; allowed: up to 4294967295")]
    DataSize {
        /// Numbers.
        numbers: u64,
    },
    /// What each run has for itself is there for another number of runs.
    #[error("{what} of {given} runs for {runs} runs; allowed: as many as there are runs")]
    Runs {
        /// What it is.
        what: &'static str,
        /// Runs that have it.
        given: u64,
        /// Runs.
        runs: u64,
    },
    /// An objective of the host panicked.
    #[error("the objective panicked: {message}")]
    Objective {
        /// What it said.
        message: String,
    },
    /// There are more or fewer fitnesses than points.
    #[error("{found} fitnesses for {expected} points; allowed: one for each point asked for")]
    Told {
        /// Points.
        expected: usize,
        /// Fitnesses.
        found: usize,
    },
    /// The state of runs whose individuals have no fitness yet.
    #[error("there is no state before the first individuals have been told of")]
    NotPlaced,
    /// The chosen schedule is impossible for this size.
    #[error("schedule {schedule} is impossible: {reason}; allowed: {alternatives}")]
    Schedule {
        /// The schedule.
        schedule: Schedule,
        /// Why.
        reason: String,
        /// What would do.
        alternatives: &'static str,
    },
    /// A state does not belong to the optimiser into which it was to be restored, or is none of any.
    #[error("the state has {what} {found}; allowed: {expected}")]
    State {
        /// What differs.
        what: &'static str,
        /// The optimiser's.
        expected: String,
        /// The state's.
        found: String,
    },
    /// A file cannot be read, or not be written.
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
        /// How many were asked for.
        threads: usize,
        /// What the operating system said.
        message: String,
    },
    /// Ranks that were to work together do not agree, or one of them has failed or cannot be reached.
    #[error("{message}")]
    Ranks {
        /// What is wrong, and with which rank.
        message: String,
        /// Whether the input is at fault.
        input: bool,
    },
    /// The state does not fit in the machine's memory.
    #[error("out of memory: {bytes} bytes asked for")]
    HostMemory {
        /// What was asked for.
        bytes: u64,
    },
    /// There is no NVIDIA driver on this machine.
    #[error("no NVIDIA driver: the library libcuda was not found")]
    NoDriver,
    /// There is a driver, and no GPU that it shows us.
    #[error("no NVIDIA GPU: the driver shows no device{}", reason.as_deref().map(|r| format!(" ({r})")).unwrap_or_default())]
    NoDevice {
        /// What the driver said, if it said something.
        reason: Option<String>,
    },
    /// The driver is older than what the kernels need.
    #[error("the NVIDIA driver supports CUDA {found}; needed: CUDA {needed} or later")]
    DriverTooOld {
        /// The CUDA version that the driver supports.
        found: String,
        /// The lowest that will do.
        needed: String,
    },
    /// The GPU is older than what the kernels were compiled for.
    #[error("{device} has architecture {found}; the kernels need {needed} or later")]
    UnsupportedArchitecture {
        /// The device's name.
        device: String,
        /// Its architecture, such as `sm_70`.
        found: String,
        /// The one that the kernels were compiled for.
        needed: String,
    },
    /// This library was built where no device toolchain was found.
    #[error("built without GPU kernels: run `warpswarm setup` and build again")]
    NoKernels,
    /// An objective of one's own has no kernels for points of the form that this run has.
    #[error(
        "there is no `{objective}`: the line `export_objective!` exports for `any` number of dimensions, for up \
         to `two`, for a `few` (3 to 32) or for `many` (3 and more)"
    )]
    NotExported {
        /// The name that is missing.
        objective: String,
    },
    /// The kernels that were built in are damaged.
    #[error("the GPU kernels that were built in cannot be read: {message}")]
    BadKernels {
        /// What is wrong with them.
        message: String,
    },
    /// There are kernels, but none of that name.
    #[error("no GPU kernel `{kernel}` was built in")]
    NoSuchKernel {
        /// The kernel.
        kernel: String,
    },
    /// The library was built without the feature `emulator`.
    #[error("built without the emulator: build with the feature `emulator`")]
    NoEmulator,
    /// The device's memory is full.
    #[error("out of device memory: {bytes} bytes asked for, {free} free")]
    OutOfMemory {
        /// What was asked for.
        bytes: u64,
        /// What was free.
        free: u64,
    },
    /// A kernel could not be launched, or failed while it ran.
    #[error("kernel {kernel} failed: {message} (code {code})")]
    Launch {
        /// The kernel.
        kernel: String,
        /// The driver's code; 0 for the emulator.
        code: u32,
        /// What the driver or the emulator says.
        message: String,
    },
    /// Another call to the driver failed.
    #[error("{call} failed: {message} (code {code})")]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// The driver's code.
        code: u32,
        /// What the driver says.
        message: String,
    },
    /// An earlier failure has made the device unusable for the rest of this process.
    #[error("the GPU was lost: {cause}")]
    DeviceLost {
        /// The failure.
        cause: String,
    },
}
