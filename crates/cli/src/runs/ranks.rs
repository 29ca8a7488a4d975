//! The processes (ranks) that `mpirun` has started. Without `mpirun` there is only this process.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::num::NonZero;

use clap::Parser;
use warpswarm::{Communicator, Devices, Error, Settings};
use warpswarm_islands::{Alone, agreed};

use crate::args::{Arguments, Command};
use crate::failure::Failure;
use crate::run::VERSION;
use crate::shown;

/// The processes that work together.
pub(crate) enum Ranks {
    One(Alone),
    #[cfg(feature = "mpi")]
    Many(warpswarm_islands::Mpi),
}

/// The environment variables by which launchers pass the number of processes and the rank of this one.
#[cfg(not(feature = "mpi"))]
const LAUNCHERS: [(&str, &str); 2] =
    [("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"), ("PMI_SIZE", "PMI_RANK")];
/// The environment variables that show that a launcher has started this process.
#[cfg(feature = "mpi")]
const LAUNCHED: [&str; 4] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"];

impl Ranks {
    /// Connects to the other ranks, if there are any.
    #[cfg(feature = "mpi")]
    pub(crate) fn start() -> Result<Self, Failure> {
        if LAUNCHED.iter().all(|name| env::var_os(name).is_none()) {
            return Ok(Ranks::One(Alone));
        }
        let mpi = warpswarm_islands::initialise()?;
        // A single process behaves as if it was started by hand, and MPI is finalised.
        Ok(if mpi.size() == 1 { Ranks::One(Alone) } else { Ranks::Many(mpi) })
    }

    /// Checks that there is only one process: without MPI this program cannot communicate with others.
    #[cfg(not(feature = "mpi"))]
    pub(crate) fn start() -> Result<Self, Failure> {
        let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u32>().ok());
        let launched = LAUNCHERS
            .iter()
            .find_map(|(size, rank)| Some((number(size)?, number(rank)?)))
            .filter(|(size, _)| *size > 1);
        let Some((size, rank)) = launched else {
            return Ok(Ranks::One(Alone));
        };
        let failure = Failure::Input(format!(
            "{size} processes were started, but this program was built without MPI; allowed: one process, or a program \
             that was built with the feature `mpi`"
        ));
        if rank == 0 {
            return Err(failure);
        }
        // The launcher ends all processes as soon as one has failed. The delay lets the first process print the
        // message.
        std::thread::sleep(std::time::Duration::from_millis(500));
        Err(Failure::Unsaid(failure.code()))
    }

    pub(crate) fn others(&self) -> &dyn Communicator {
        match self {
            Ranks::One(alone) => alone,
            #[cfg(feature = "mpi")]
            Ranks::Many(mpi) => mpi,
        }
    }

    pub(crate) fn is_first(&self) -> bool {
        self.others().rank() == 0
    }

    pub(crate) fn are_many(&self) -> bool {
        self.others().size() > 1
    }

    /// Parses the command line. Several ranks must have the same one, and a command that ranks can share.
    pub(crate) fn command(&self, words: &[OsString]) -> Result<Command, Failure> {
        if !self.are_many() {
            return match Arguments::try_parse_from(words) {
                Ok(arguments) => Ok(arguments.command),
                // The message repeats the user's input and is therefore escaped. Help and version contain only our own
                // text.
                Err(error) if error.use_stderr() => {
                    let said = error.render().to_string();
                    let lines = said.lines().map(shown::escaped).collect::<Vec<_>>();
                    let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
                    Err(Failure::Unsaid(error.exit_code() as u8))
                }
                Err(error) => {
                    let _ = error.print();
                    Err(Failure::Unsaid(error.exit_code() as u8))
                }
            };
        }
        let same = words.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
        self.agree(&what_must_be_the_same(same), Ok(()))?;
        // All ranks have the same words, so that they take the same branches from here on.
        let command = match Arguments::try_parse_from(words) {
            Ok(arguments) => arguments.command,
            Err(error) => {
                if self.is_first() {
                    // If stderr is closed too, only the exit code reports the failure.
                    let _ = error.print();
                }
                return Err(Failure::Unsaid(error.exit_code() as u8));
            }
        };
        match &command {
            Command::Solve(args) if args.islands.islands.is_some() || args.split => Ok(command),
            Command::Resume(_) => Ok(command),
            other => {
                let or = match other {
                    Command::Solve(_) => ", or add --islands or --split",
                    _ => "",
                };
                let size = self.others().size();
                self.agree("", Err(Failure::Input(format!(
                    "this command runs in one process, but {size} were started; leave out `mpirun`{or}"
                ))))
            }
        }
    }

    /// Returns the result of this rank if all ranks succeeded and have the same `what`; otherwise all of them fail.
    pub(crate) fn agree<T>(&self, what: &str, made: Result<T, Failure>) -> Result<T, Failure> {
        if !self.are_many() {
            return made;
        }
        agreed(self.others(), what, made.map_err(in_words)).map_err(|error| self.of_all(error))
    }

    /// A failure that all ranks have. Only the first rank prints it.
    pub(crate) fn of_all(&self, error: Error) -> Failure {
        let failure = Failure::from(error);
        if self.is_first() { failure } else { Failure::Unsaid(failure.code()) }
    }

    /// A failure of this rank while the others continue or wait. Several ranks are ended after the message is printed;
    /// a failure that the ranks have agreed on is reported as in `of_all`.
    pub(crate) fn failed(&self, error: Error) -> Failure {
        match error {
            Error::Ranks { .. } => self.of_all(error),
            #[cfg(feature = "mpi")]
            error => match self {
                Ranks::One(_) => error.into(),
                Ranks::Many(mpi) => {
                    let message = Failure::from(error).message();
                    let (rank, host) = (mpi.rank(), mpi.host());
                    let failure = Failure::Running(format!("rank {rank} on {host}: {message}"));
                    let code = failure.code();
                    failure.report();
                    mpi.abort(code)
                }
            },
            #[cfg(not(feature = "mpi"))]
            error => error.into(),
        }
    }

    /// The share of this rank in the GPUs of its machine, which its ranks use in turn.
    pub(crate) fn devices(&self, settings: &Settings) -> Devices {
        match self {
            Ranks::One(_) => settings.devices.clone(),
            #[cfg(feature = "mpi")]
            Ranks::Many(mpi) => in_turn(mpi.local().0, settings),
        }
    }

    /// The number of threads for this rank. The ranks of a machine that may run on the same processors share them.
    pub(crate) fn threads(&self) -> Result<Option<usize>, Failure> {
        if !self.are_many() {
            return Ok(None);
        }
        let own = format!("{} {}", self.others().host(), processors());
        let all = self.others().all_gather(own.as_bytes())?;
        let sharing = all.iter().filter(|other| **other == own.as_bytes()).count();
        let all = std::thread::available_parallelism().map_or(1, NonZero::get);
        Ok(Some((all / sharing.max(1)).max(1)))
    }
}

/// The form in which a failure is sent to other ranks.
pub(crate) fn in_words(failure: Failure) -> Error {
    let input = matches!(failure, Failure::Input(_));
    Error::Ranks { message: failure.message(), input }
}

/// The version and the command line, with one line for each option.
fn what_must_be_the_same(words: impl Iterator<Item = String>) -> String {
    let mut what = format!("version {VERSION}\n");
    for word in words {
        let separator = if word.starts_with("--") { '\n' } else { ' ' };
        what.push(separator);
        what += &word;
    }
    what
}

/// The share of rank `local` in the GPUs of its machine, or in those that the settings name.
#[cfg(feature = "mpi")]
fn in_turn(local: u32, settings: &Settings) -> Devices {
    use warpswarm::{Backend, system};
    let numbers: Vec<u32> = match (settings.backend, &settings.devices) {
        (Backend::Cpu, _) => Vec::new(),
        (_, Devices::All) => (0..system::report().devices.len() as u32).collect(),
        (_, Devices::Of(numbers)) => numbers.clone(),
    };
    let own = numbers.get(local as usize % numbers.len().max(1));
    own.map_or(Devices::default(), |number| Devices::of(&[*number]))
}

/// The processors on which this process may run, if the system reports them.
fn processors() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.unwrap_or_default().trim().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_lines() {
        let words = ["solve", "sphere", "--seed", "7", "--lower=-1", "--quiet"];
        let what = what_must_be_the_same(words.map(String::from).into_iter());
        let lines: Vec<&str> = what.lines().skip(1).collect();
        assert_eq!(lines, [" solve sphere", "--seed 7", "--lower=-1", "--quiet"]);
    }
}
