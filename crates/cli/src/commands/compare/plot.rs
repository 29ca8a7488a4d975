//! Pictures of a comparison: `--plot`.

use warpswarm_pictures::{
    Better, Final, Finals, Picture, counted, distributions, profile, running_times,
};

use super::analysis::{Analysis, OfEntrant};
use super::study::Study;
use crate::args::{OfComparison, Plot};
use crate::failure::Failure;
use crate::output::files::{Output, Written};
use crate::output::plot;
use crate::study::batch::Cell;

/// The largest number of problems with a panel of final values.
const PANELS: usize = 12;

/// Checks that all pictures can be drawn.
pub(crate) fn check(plots: &[Plot<OfComparison>], study: &Study) -> Result<(), Failure> {
    plots.iter().try_for_each(|plot| check_one(plot, study))
}

fn check_one(plot: &Plot<OfComparison>, study: &Study) -> Result<(), Failure> {
    let problems = study.tasks.len();
    let refuse = |why: String| {
        let path = plot.path.display();
        Err(Failure::Input(format!("--plot is {path}: {why}")))
    };
    match plot.kind {
        OfComparison::Distribution if problems > PANELS => refuse(format!(
            "there are {problems} problems, each of which takes a panel; allowed: {PANELS} (--problems)"
        )),
        OfComparison::Profile | OfComparison::Ert
            if study.tasks.iter().all(|task| task.targets.is_empty()) =>
        {
            refuse(
                "no problem has a target; allowed: distribution, or a problem with target=VALUE"
                    .into(),
            )
        }
        _ => Ok(()),
    }
}

/// A comparison and its results.
#[derive(Clone, Copy)]
pub(crate) struct Compared<'a> {
    pub(crate) study: &'a Study,
    pub(crate) cells: &'a [Vec<Option<Cell>>],
    pub(crate) analysis: &'a Analysis,
}

impl Compared<'_> {
    /// Draws each picture and writes its file.
    pub(crate) fn draw(
        &self,
        plots: &[Plot<OfComparison>],
        files: &[Output],
        is_quiet: bool,
        written: &mut Written,
    ) {
        for (asked, file) in plots.iter().zip(files) {
            let drawn = self.picture(asked.kind).bytes(asked.format);
            written.note(plot::write(asked, file, drawn, is_quiet));
        }
    }

    fn picture(&self, kind: OfComparison) -> Picture {
        let Compared { study, analysis, .. } = self;
        let conditions = study.conditions;
        let runs = format!(
            "{} of at most {}",
            counted(conditions.runs, "run"),
            counted(conditions.evaluations, "evaluation")
        );
        match kind {
            OfComparison::Profile => {
                let steps = |(place, name)| (name, analysis.profile.steps(place).to_vec());
                let lines: Vec<_> = self.names().into_iter().enumerate().map(steps).collect();
                let title = format!("Performance profiles, {runs}");
                profile(&title, &lines, analysis.profile.tasks())
            }
            OfComparison::Distribution => {
                let problems: Vec<_> =
                    (0..study.tasks.len()).map(|task| self.finals(task)).collect();
                distributions(&format!("Final values, {runs}"), &problems)
            }
            OfComparison::Ert => {
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

    /// The expected running time of each entrant to the last target of a problem.
    fn times(&self, task: usize) -> (String, Vec<f64>) {
        let entrants = self.analysis.tasks[task].entrants.iter();
        let time = |of: &Option<OfEntrant>| {
            let last = of.as_ref().and_then(|of| of.targets.last());
            last.map_or(f64::NAN, |target| target.ert_evaluations)
        };
        (self.study.tasks[task].name.clone(), entrants.map(time).collect())
    }
}
