//! The code that is common to all runs that ranks share, whether as islands or as parts of one swarm.

use serde::Serialize;
use warpswarm::{Precise, Report};

use super::outputs::{Outputs, exit_code};
use super::progress::Display;
use super::ranks::Ranks;
use crate::args::{OutputArgs, ProgressKind};
use crate::failure::{Code, Failure};
use crate::output::files::Files;
use crate::run::Run;

/// A run, the ranks that share it, and its outputs.
pub(super) struct Shared<'a> {
    pub(super) ranks: &'a Ranks,
    pub(super) run: &'a Run,
    pub(super) args: &'a OutputArgs,
}

impl Shared<'_> {
    /// The outputs, on the first rank only, which writes the results of all ranks.
    pub(super) fn outputs(&self, files: &mut Files) -> Result<Option<Outputs>, Failure> {
        let open = || Outputs::open(self.run, self.args, files);
        self.ranks.is_first().then(open).transpose()
    }

    /// Calls `make` on each rank with the text of `run.toml`. Fails on all ranks if it fails on one of them, or if
    /// their runs differ.
    pub(super) fn made<T>(
        &self,
        make: impl FnOnce(String) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let about = self.run.to_toml();
        let what = about.as_ref().map_or("", String::as_str).to_owned();
        self.ranks.agree(&what, about.and_then(make))
    }

    /// The progress display, on the first rank only.
    pub(super) fn display(&self) -> Display {
        let is_shown = self.ranks.is_first() && !self.args.quiet;
        let kind = if is_shown { self.args.progress } else { ProgressKind::None };
        Display::new(kind, self.run.settings.stop.seconds)
    }

    /// Writes the results on the first rank. `own` is the result of this rank's other writes. Fails on all ranks if one
    /// has failed. If the reader of the first rank's output has gone, that is not a failure of the other ranks.
    pub(super) fn finish<R: Precise + Serialize>(
        &self,
        outputs: Option<Outputs>,
        report: &Report<R>,
        own: Result<(), Failure>,
    ) -> Result<Code, Failure> {
        let written = outputs.map_or(Ok(()), |outputs| outputs.finish(self.run, report, self.args));
        let written = match written {
            Err(Failure::NobodyReads) => Ok(()),
            written => written,
        };
        self.ranks.agree("", written.and(own))?;
        Ok(exit_code(report))
    }
}
