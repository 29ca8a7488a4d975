//! Failures and their exit codes.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use warpswarm::Error;
use warpswarm::algorithms::{self, AlgorithmInfo};

use crate::shown;

/// The exit code of a process.
pub(crate) type Code = u8;

/// Success.
pub(crate) const SUCCESS: Code = 0;
/// A failure while running.
pub(crate) const RUNNING: Code = 1;
/// Wrong usage or input.
pub(crate) const INPUT: Code = 2;
/// Ctrl-C: 128 plus the number of SIGINT.
pub(crate) const INTERRUPTED: Code = 130;

/// Why a command did not complete.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The user's input is wrong.
    Input(String),
    /// A failure while running, such as a full disk or a lost device.
    Running(String),
    /// Ctrl-C, if there is nothing else to print.
    Interrupted,
    /// A failure with this exit code, for which a message has already been printed, here or by another rank.
    Unsaid(u8),
    /// The reader of our output has closed the pipe, so no message is printed.
    NobodyReads,
}

impl Failure {
    /// Prints the message to stderr and returns the exit code.
    pub(crate) fn report(self) -> Code {
        let code = self.code();
        if !matches!(self, Failure::Unsaid(_) | Failure::NobodyReads) {
            // If stderr is closed too, only the exit code reports the failure.
            let _ = writeln!(io::stderr(), "error: {}", shown::message(&self.message()));
        }
        code
    }

    pub(crate) fn code(&self) -> Code {
        match self {
            Failure::Input(_) => INPUT,
            Failure::Running(_) => RUNNING,
            Failure::Interrupted => INTERRUPTED,
            Failure::Unsaid(code) => *code,
            Failure::NobodyReads => 0,
        }
    }

    /// The message.
    pub(crate) fn message(self) -> String {
        match self {
            Failure::Input(message) | Failure::Running(message) => message,
            Failure::Interrupted => "interrupted".into(),
            Failure::Unsaid(_) | Failure::NobodyReads => String::new(),
        }
    }

    /// The same failure with an addition to its message.
    pub(crate) fn and(self, more: &str) -> Failure {
        match self {
            Failure::Input(message) => Failure::Input(format!("{message}; and {more}")),
            Failure::Running(message) => Failure::Running(format!("{message}; and {more}")),
            other => other,
        }
    }

    /// A file that is named by an argument cannot be read.
    pub(crate) fn unreadable(path: &Path, error: &dyn Display) -> Failure {
        Failure::Input(format!("{} cannot be read: {error}", path.display()))
    }

    /// A file that is named by an option cannot be written.
    pub(crate) fn file(option: &str, path: &Path, error: &io::Error) -> Failure {
        Failure::Input(format!(
            "{option} is {}, which cannot be written ({error}); allowed: a path in an existing \
             folder that you may write to",
            path.display()
        ))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let message = in_words(&error);
        if error.is_input() { Failure::Input(message) } else { Failure::Running(message) }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::NobodyReads,
            _ => Failure::Running(format!("cannot write the output: {error}")),
        }
    }
}

/// The message of the library's error, with the names of command-line options instead of those of settings.
fn in_words(error: &Error) -> String {
    match error {
        Error::NoSuch { what, .. } => {
            format!("{error} (`warpswarm list {what}s` shows all)")
        }
        Error::UnknownParameter { .. } | Error::Parameter { .. } => format!("--set: {error}"),
        Error::UnknownName { what: "preset", .. } => format!("--set: {error}"),
        Error::Setting { field: "restart", value, allowed } if allowed.contains("stagnation") => {
            format!(
                "--restart {value} and --stagnation exclude each other, as a run cannot both restart and stop: leave one \
                 of them out"
            )
        }
        Error::Setting { field: "split", allowed, .. } => format!("--split works only {allowed}"),
        Error::Setting { field, value, allowed } => {
            format!("{} is {value}; allowed: {allowed}", option(field))
        }
        Error::TooFewEvaluations { evaluations, individuals } => format!(
            "--evaluations is {evaluations}; allowed: at least the {individuals} individuals \
             (--individuals), each of which is evaluated once at the start"
        ),
        Error::BoundRange { lower, upper, precision, .. } => format!(
            "--lower is {lower:?} and --upper is {upper:?}; allowed: both, and their difference, \
             numbers that {precision} has (--precision)"
        ),
        Error::TooLarge { runs, individuals, dimensions } => format!(
            "--runs x --individuals x --dim is {runs} x {individuals} x {dimensions}; allowed: an \
             amount of memory that can be addressed"
        ),
        Error::Unsupported { what, backend, allowed } => {
            format!("--backend is {backend}, on which {what} does not run; allowed: {allowed}")
        }
        Error::Schedule { schedule, reason, alternatives } => format!(
            "--schedule is {schedule}, which is impossible: {reason}; allowed: {alternatives}"
        ),
        Error::NoDriver
        | Error::NoDevice { .. }
        | Error::NoKernels
        | Error::DriverTooOld { .. }
        | Error::UnsupportedArchitecture { .. } => format!(
            "the backend gpu cannot be used: {error} (`warpswarm doctor` says what is missing; \
             `--backend auto` takes the CPU where there is no GPU)"
        ),
        Error::UnknownName { what: "topology", .. } => format!("--islands: {error}"),
        error => error.to_string(),
    }
}

/// The option that sets a field of the library's settings, or a parameter that depends on them.
fn option(field: &str) -> impl Display {
    let mut parameters = algorithms::ALL.iter().flat_map(AlgorithmInfo::parameters);
    match field {
        "dimensions" => "--dim".to_string(),
        field if parameters.any(|parameter| parameter.name == field) => {
            format!("--set: parameter {field}")
        }
        field => format!("--{}", field.replace('_', "-")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_option_the_value_and_what_is_allowed() {
        let error = Error::Setting { field: "dimensions", value: "1".into(), allowed: "2".into() };
        assert_eq!(in_words(&error), "--dim is 1; allowed: 2");
        let error = Error::Setting { field: "neighbours", value: "3".into(), allowed: "2".into() };
        assert_eq!(in_words(&error), "--set: parameter neighbours is 3; allowed: 2");
        let error = Error::TooFewEvaluations { evaluations: 5, individuals: 8 };
        assert!(in_words(&error).starts_with("--evaluations is 5; allowed: at least the 8"));
        let error = warpswarm::problems::find("sphare").unwrap_err();
        let message = in_words(&error);
        assert!(message.contains("`sphare`") && message.contains("sphere"), "{message}");
        assert!(message.contains("`warpswarm list problems`"), "{message}");
    }

    #[test]
    fn a_reader_who_has_gone_is_no_failure() {
        let gone = io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(matches!(Failure::from(gone), Failure::NobodyReads));
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert!(matches!(Failure::from(full), Failure::Running(_)));
    }
}
