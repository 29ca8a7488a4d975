//! Data of all islands: records, progress and the report.

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::{
    Error, MAX_ITERATIONS, Precise, Progress, Report, Result, RunProgress, StopReason,
};

use super::Archipelago;
use crate::agreement::gather;

impl<R: Precise + Serialize + DeserializeOwned> Archipelago<'_, R> {
    /// Stores a record of this rank's islands, if one is due and not yet there.
    pub(super) fn record(&mut self, at: u64) -> Result<()> {
        if !self.history.is_due(at) {
            return Ok(());
        }
        let mut record = self.of_groups(at, |group| group.optimiser.record())?;
        record.seconds =
            self.seconds + self.since.map_or(0.0, |start| start.elapsed().as_secs_f64());
        self.history.push(record);
        Ok(())
    }

    /// The values of each of this rank's islands.
    fn of_groups(
        &mut self,
        at: u64,
        of: impl Fn(&mut super::Group<R>) -> Result<Progress<R>>,
    ) -> Result<Progress<R>> {
        let mut runs = Vec::new();
        let mut maximised = false;
        for group in &mut self.groups {
            let progress = of(group)?;
            maximised = progress.maximised;
            runs.extend(progress.runs);
        }
        Ok(Progress { iterations: at, limit: None, seconds: self.seconds, runs, maximised })
    }

    /// The progress of all islands.
    pub(super) fn progress_of_all(&mut self, at: u64, limit: u64) -> Result<Progress<R>> {
        let own = self.of_groups(at, |group| group.optimiser.progress())?;
        let all: Vec<Vec<RunProgress<R>>> = gather(self.others, &own.runs)?;
        let limit = (limit < MAX_ITERATIONS).then_some(limit);
        Ok(Progress { runs: all.concat(), limit, ..own })
    }

    /// The report of all islands; those that had not stopped ended for `reason`.
    pub(super) fn report_of_all(&mut self, reason: StopReason) -> Result<Report<R>> {
        let mut reports = Vec::new();
        for group in &mut self.groups {
            reports.push(group.optimiser.report(reason)?);
        }
        let own = Report {
            runs: reports.iter().flat_map(|report| report.runs.clone()).collect(),
            seconds: self.seconds,
            setup_seconds: self.setup_seconds,
            history: self.history.records().to_vec(),
            ..reports.swap_remove(0)
        };
        let mut all: Vec<Report<R>> = gather(self.others, &own)?;
        let histories = all.iter_mut().map(|report| std::mem::take(&mut report.history)).collect();
        let most = |of: fn(&Report<R>) -> f64| all.iter().map(of).fold(0.0, f64::max);
        Ok(Report {
            runs: all.iter().flat_map(|report| report.runs.clone()).collect(),
            device: devices(all.iter().map(|report| report.device.as_str())),
            seconds: most(|report| report.seconds),
            setup_seconds: most(|report| report.setup_seconds),
            history: side_by_side(histories)?,
            ..all.swap_remove(0)
        })
    }
}

/// The records of all islands, from those of each rank.
pub(crate) fn side_by_side<R: Precise>(ranks: Vec<Vec<Progress<R>>>) -> Result<Vec<Progress<R>>> {
    let mut ranks = ranks.into_iter();
    let mut all = ranks.next().unwrap_or_default();
    for rank in ranks {
        let same = all.len() == rank.len();
        let mut pairs = all.iter().zip(&rank);
        if !same || !pairs.all(|(a, b)| a.iterations == b.iterations) {
            let (expected, found) = (all.len().to_string(), rank.len().to_string());
            return Err(Error::State { what: "records", expected, found });
        }
        for (all, more) in all.iter_mut().zip(rank) {
            all.runs.extend(more.runs);
        }
    }
    Ok(all)
}

/// The names of the devices, with counts of equal ones.
pub(crate) fn devices<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let mut counted: Vec<(&str, u32)> = Vec::new();
    for device in all {
        match counted.iter_mut().find(|(known, _)| *known == device) {
            Some((_, count)) => *count += 1,
            None => counted.push((device, 1)),
        }
    }
    let ranks = |(device, count): &(&str, u32)| match count {
        1 => (*device).to_string(),
        count => format!("{device} ({count} ranks)"),
    };
    counted.iter().map(ranks).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_counted() {
        assert_eq!(devices(["a"].into_iter()), "a");
        assert_eq!(devices(["a", "b", "a"].into_iter()), "a (2 ranks); b");
    }

    #[test]
    fn records_of_all_ranks_are_one() {
        let record = |iterations, values: &[f32]| {
            let run = |value: &f32| RunProgress {
                iterations,
                evaluations: 1,
                best: warpswarm::Fitness { violation: 0.0, value: *value },
                population: None,
            };
            let runs = values.iter().map(run).collect();
            Progress { iterations, limit: None, seconds: 0.0, runs, maximised: false }
        };
        let all = side_by_side(vec![
            vec![record(0, &[4.0, 3.0]), record(10, &[2.0, 3.0])],
            vec![record(0, &[9.0]), record(10, &[8.0])],
        ]);
        assert_eq!(all, Ok(vec![record(0, &[4.0, 3.0, 9.0]), record(10, &[2.0, 3.0, 8.0])]));
        assert!(side_by_side(vec![vec![record(0, &[4.0])], vec![record(1, &[4.0])]]).is_err());
        assert!(side_by_side(vec![vec![record(0, &[4.0])], vec![]]).is_err());
    }
}
