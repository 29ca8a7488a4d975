//! Pictures of a comparison: `--plot`.

use std::ffi::OsString;
use std::path::PathBuf;

use warpswarm_pictures::{
    Better, Final, Finals, Format, Picture, counted, distributions, profile, running_times,
};

use super::analysis::Analysis;
use super::measure::Cell;
use super::study::Study;
use crate::failure::Failure;
use crate::files::{Files, Output, Written};
use crate::plot::still;

/// Problems of which final values are drawn, at most.
const PANELS: usize = 12;

/// A picture to draw.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    path: PathBuf,
    kind: Kind,
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Profile,
    Distribution,
    Ert,
}

impl Plot {
    /// What the file's name asks for; a name that is none of the kinds' is of the profiles.
    pub(crate) fn of(path: OsString) -> Result<Plot, String> {
        let path = PathBuf::from(path);
        let format = still(&path)?;
        let kind = match path.file_stem().and_then(|stem| stem.to_str()) {
            Some("distribution") => Kind::Distribution,
            Some("ert") => Kind::Ert,
            _ => Kind::Profile,
        };
        Ok(Plot { path, kind, format })
    }

    fn check(&self, study: &Study) -> Result<(), Failure> {
        let problems = study.tasks.len();
        let refuse = |why: String| {
            let path = self.path.display();
            Err(Failure::Input(format!("--plot is {path}: {why}")))
        };
        match self.kind {
            Kind::Distribution if problems > PANELS => refuse(format!(
                "there are {problems} problems, each of which takes a panel; allowed: {PANELS} (--problems)"
            )),
            Kind::Profile | Kind::Ert if study.tasks.iter().all(|task| task.targets.is_empty()) => {
                refuse("no problem has a target; allowed: distribution, or a problem with target=VALUE".into())
            }
            _ => Ok(()),
        }
    }
}

/// Whether all pictures can be drawn.
pub(crate) fn check(plots: &[Plot], study: &Study) -> Result<(), Failure> {
    plots.iter().try_for_each(|plot| plot.check(study))
}

/// The files of all pictures.
pub(crate) fn outputs(plots: &[Plot], files: &mut Files) -> Result<Vec<Output>, Failure> {
    plots.iter().map(|plot| files.output("--plot", &plot.path)).collect()
}

/// What was compared, and what came out.
#[derive(Clone, Copy)]
pub(crate) struct Compared<'a> {
    pub(crate) study: &'a Study,
    pub(crate) cells: &'a [Vec<Option<Cell>>],
    pub(crate) analysis: &'a Analysis,
}

impl Compared<'_> {
    /// Draws each picture into its file.
    pub(crate) fn draw(&self, plots: &[Plot], files: &[Output], written: &mut Written) {
        for (plot, file) in plots.iter().zip(files) {
            let drawn = self.picture(plot.kind).bytes(plot.format);
            let drawn = drawn.map_err(|error| file.failed(&error));
            written.note(drawn.and_then(|bytes| file.write(&mut |out| out.write_all(&bytes))));
        }
    }

    fn picture(&self, kind: Kind) -> Picture {
        let Compared { study, analysis, .. } = self;
        let conditions = study.conditions;
        let runs = format!(
            "{} runs of at most {}",
            conditions.runs,
            counted(conditions.evaluations, "evaluation")
        );
        match kind {
            Kind::Profile => {
                let steps = |(place, name)| (name, analysis.profile.steps(place).to_vec());
                let lines: Vec<_> = self.names().into_iter().enumerate().map(steps).collect();
                let title = format!("Performance profiles, {runs}");
                profile(&title, &lines, analysis.profile.tasks())
            }
            Kind::Distribution => {
                let problems: Vec<_> =
                    (0..study.tasks.len()).map(|task| self.finals(task)).collect();
                distributions(&format!("Final values, {runs}"), &problems)
            }
            Kind::Ert => {
                let problems: Vec<_> =
                    (0..study.tasks.len()).map(|task| self.times(task)).collect();
                let mut targets: Vec<f64> =
                    study.tasks.iter().filter_map(|task| task.targets.last().copied()).collect();
                targets.dedup();
                let target = match targets[..] {
                    [target] => format!("the target {target:e}"),
                    _ => "each problem's last target".to_string(),
                };
                let title = format!("Expected running time to {target}, {runs}");
                running_times(&title, "evaluations", &self.names(), &problems)
            }
        }
    }

    fn names(&self) -> Vec<String> {
        self.study.entrants.iter().map(|entrant| entrant.name.clone()).collect()
    }

    /// The final values of each entrant on a problem.
    pub(crate) fn finals(&self, task: usize) -> Finals {
        let (task, cells) = (&self.study.tasks[task], &self.cells[task]);
        let of = |cell: &Option<Cell>| {
            let bests = cell.iter().flat_map(|cell| &cell.runs).map(|run| run.best);
            bests.map(|b| Final { value: task.turned(b.value), violation: b.violation }).collect()
        };
        let groups = self.names().into_iter().zip(cells.iter().map(of));
        let better = if task.problem.maximises() { Better::More } else { Better::Less };
        Finals { name: task.name.clone(), better, groups: groups.collect() }
    }

    /// What each entrant takes to the last target of a problem.
    fn times(&self, task: usize) -> (String, Vec<f64>) {
        let entrants = self.analysis.tasks[task].entrants.iter();
        let time = |of: &Option<super::analysis::OfEntrant>| {
            let last = of.as_ref().and_then(|of| of.targets.last());
            last.map_or(f64::NAN, |target| target.ert_evaluations)
        };
        (self.study.tasks[task].name.clone(), entrants.map(time).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_the_kind_and_its_ending_the_format() {
        let of = |path: &str| Plot::of(path.into()).map(|plot| (plot.kind, plot.format));
        assert_eq!(of("a/distribution.svg"), Ok((Kind::Distribution, Format::Svg)));
        assert_eq!(of("ert.PNG"), Ok((Kind::Ert, Format::Png)));
        assert_eq!(of("profile.svg"), of("mine.svg"));
        for path in ["profile", "profile.gif", "ert.pdf", ""] {
            assert_eq!(of(path), Err("allowed: a file that ends in .svg or .png".into()));
        }
    }
}
