//! The definition of a run: everything that is needed to repeat it, as stored in `run.toml` and checkpoints.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};
use warpswarm::{
    Algorithm, Backend, Devices, Precise, Precision, Report, Schedule, Settings, system,
};
use warpswarm_islands::Islands;

use crate::args::PlaceArgs;
use crate::failure::Failure;
use crate::input;
use crate::problem::Problem;

/// The version of the format. It is raised when older programs would misread a newer file.
const FORMAT: u32 = 1;

/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The definition of a run. All numbers keep their bits when it is written and read.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    format: u32,
    /// The version of the program that carried out the run.
    pub(crate) version: String,
    pub(crate) precision: Precision,
    pub(crate) problem: Problem,
    pub(crate) algorithm: Algorithm,
    pub(crate) settings: Settings,
    /// The islands, if the runs are islands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) islands: Option<Islands>,
    /// Where it was carried out.
    pub(crate) taken: Option<Taken>,
    /// Why another algorithm than the requested one runs; only for messages.
    #[serde(skip)]
    pub(crate) because: Option<String>,
    /// Whether the command line has --devices or --split; only for messages. A stored run may have both settings
    /// without that.
    #[serde(skip)]
    pub(crate) requests_gpus: bool,
}

/// The device on which a run was carried out.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Taken {
    pub(crate) backend: Backend,
    device: String,
    schedule: Option<Schedule>,
    /// The compiler of the GPU kernels, if it ran on a GPU.
    pub(crate) device_toolchain: Option<String>,
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schedule = self.schedule.map(|s| format!(", schedule {s}")).unwrap_or_default();
        write!(f, "{}: {}{schedule}", self.backend, self.device)
    }
}

impl Run {
    pub(crate) fn new(
        problem: Problem,
        algorithm: Algorithm,
        precision: Precision,
        settings: Settings,
    ) -> Self {
        let version = VERSION.into();
        Run {
            format: FORMAT,
            version,
            precision,
            problem,
            algorithm,
            settings,
            islands: None,
            taken: None,
            because: None,
            requests_gpus: false,
        }
    }

    /// Turns the runs into these islands. The field for a single algorithm contains the first island's.
    pub(crate) fn with(mut self, islands: Islands) -> Self {
        let first = islands.of(0);
        self.algorithm = first.algorithm;
        (self.settings.runs, self.settings.individuals) = (islands.count, first.individuals);
        self.islands = Some(islands);
        self
    }

    /// The run as carried out by this version on the device of the report.
    pub(crate) fn done<R: Precise>(&self, report: &Report<R>) -> Run {
        let taken = Taken {
            backend: report.backend,
            device: report.device.clone(),
            schedule: report.schedule(),
            device_toolchain: device_toolchain(report.backend),
        };
        Run { version: VERSION.into(), taken: Some(taken), ..self.clone() }
    }

    /// The same run on another device.
    pub(crate) fn at(mut self, place: &PlaceArgs) -> Run {
        self.requests_gpus = place.devices.is_some() || place.split;
        let settings = &mut self.settings;
        if let Some(backend) = place.backend {
            settings.backend = backend;
            (settings.schedule, settings.block_size) = (Schedule::Auto, None);
            (settings.devices, settings.split) = (Devices::default(), false);
        }
        if let Some(devices) = &place.devices {
            settings.devices = devices.clone();
        }
        settings.split |= place.split;
        if let Some(schedule) = place.schedule {
            // The block size for one schedule may be too large for another.
            (settings.schedule, settings.block_size) = (schedule, None);
        }
        settings.block_size = place.block_size.or(settings.block_size);
        settings.threads = place.threads.map(|n| n as usize).or(settings.threads);
        self
    }

    /// The contents of `run.toml`.
    pub(crate) fn to_toml(&self) -> Result<String, Failure> {
        toml::to_string(self)
            .map_err(|error| Failure::Running(format!("cannot write what the run is: {error}")))
    }

    /// The same with one line for each number of the data, so that `diff` shows which of them differ.
    pub(crate) fn to_lines(&self) -> Result<String, Failure> {
        let text = self.to_toml()?;
        let Some(line) = data_line(&text) else { return Ok(text) };
        let (before, after) = (&text[..line.start], &text[line.end..]);
        let lines =
            text[line].replace("[[", "[\n[").replace("], [", "\n],\n[").replace("]]", "\n],\n]");
        let lines = lines.replace("\n[", "\n    [\n        ").replace("\n],", "\n    ],");
        Ok([before, &lines.replace(", ", ",\n        "), after].concat())
    }

    /// Parses the contents of a `run.toml`; messages name it as `origin`.
    pub(crate) fn from_toml(text: &str, origin: &Path) -> Result<Run, Failure> {
        #[derive(Deserialize)]
        struct Any {
            format: u32,
        }
        let wrong = |error: &dyn std::fmt::Display| {
            let error = error.to_string();
            Failure::Input(format!("{} is not a run: {}", origin.display(), error.trim_end()))
        };
        let any: Any = toml::from_str(text).map_err(|error| wrong(&error))?;
        if any.format != FORMAT {
            let (format, origin) = (any.format, origin.display());
            return Err(Failure::Input(format!(
                "{origin} has format {format}; allowed: {FORMAT}, the one of warpswarm {VERSION}"
            )));
        }
        toml::from_str(text).map_err(|error| wrong(&error))
    }

    /// Reads the `run.toml` at a path.
    pub(crate) fn read(path: &Path) -> Result<Run, Failure> {
        let text = input::text(path).map_err(|error| Failure::unreadable(path, &error))?;
        Run::from_toml(&text, path)
    }
}

/// The line with the data of a problem file, which follows its text.
fn data_line(text: &str) -> Option<Range<usize>> {
    let section = &text[..text.rfind("\n[algorithm]")? + 1];
    let quotes = ["\"\"\"", "'''"].map(|quote| section.rfind(quote)).into_iter().flatten();
    let from = quotes.max().unwrap_or(0);
    let start = from + section[from..].find("\ndata = [[")? + 1;
    let end = start + section[start..].find('\n')?;
    Some(start..end)
}

/// The compiler of the kernels of this backend, if it has kernels.
pub(crate) fn device_toolchain(backend: Backend) -> Option<String> {
    if backend != Backend::Gpu {
        return None;
    }
    system::report().kernels.ok().map(|kernels| kernels.toolchain)
}

#[cfg(test)]
mod tests {
    use warpswarm::problem_file::ProblemFile;

    use super::*;

    /// The number of lines of a run's data, which must be read back as they were.
    #[track_caller]
    fn lines(model: &str) -> usize {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("d.csv"), "t,y\n0,1.5\n-0.1,2e-300\n7,1\n").unwrap();
        let path = folder.path().join("m.toml");
        std::fs::write(&path, model).unwrap();
        let problem = Problem::File(Box::new(ProblemFile::load(&path).unwrap()));
        let algorithm = Algorithm::Pso(Default::default());
        let run = Run::new(problem, algorithm, Precision::F64, Settings::default());
        let text = run.to_lines().unwrap();
        let again = Run::from_toml(&text, &path).unwrap();
        assert_eq!(again.to_toml().unwrap(), run.to_toml().unwrap());
        text.lines().count() - run.to_toml().unwrap().lines().count()
    }

    #[test]
    fn each_number_of_the_data_has_a_line() {
        let rest = "variables.a = { lower = 0, upper = 9 }\n[data]\nfile = \"d.csv\"\ncolumns = [\"t\", \"y\"]\n";
        assert_eq!(lines(&format!("fit = \"y ~ a * t\"\n{rest}")), 11);
        // The text of the problem may look like the line that is changed.
        let own = "[constants]\ndata = [[1.0, 2.0], [3.0, 4.0]]\n[variables]\na = { lower = 0, upper = 9 }\n";
        assert_eq!(lines(&format!("minimise = \'\'\'(a - data[1, 1])^2\'\'\'\n{own}")), 0);
        let own = format!("# \"\"\"\nfit = \'\'\'y ~ a * t\'\'\'\n{rest}");
        assert_eq!(lines(&own), 11);
    }
}
