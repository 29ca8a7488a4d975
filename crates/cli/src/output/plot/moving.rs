//! Positions of the individuals during the runs, for pictures of a moving swarm.

use warpswarm::{Event, Precise, Runs};
use warpswarm_pictures::{Frame, Kind};

use super::individuals::frame;
use crate::args::Plot;
use crate::failure::Failure;

/// The largest number of frames in a picture.
pub(super) const FRAMES: usize = 48;
/// The largest number of frames that are stored for each run.
const KEPT: usize = 3 * FRAMES;
/// The largest number of points of all runs in one frame. It limits the memory to 350 MB.
const POINTS: usize = 1 << 17;
/// The smallest and largest number of points of each run in a frame.
const OF_A_RUN: (usize, usize) = (16, 2000);
/// The largest number of runs that can be followed.
pub(super) const RUNS: u64 = (POINTS / OF_A_RUN.0) as u64;

/// The frames of every run: which run will be the best is not known yet.
pub(crate) struct Moving {
    /// `[run][frame]`
    runs: Vec<Vec<Frame>>,
    /// The iteration at which the next frames are taken.
    next: u64,
}

impl Moving {
    /// `None` if no picture needs the frames.
    pub(crate) fn new(plots: &[Plot<Kind>]) -> Option<Moving> {
        plots.iter().any(Plot::<Kind>::moves).then_some(Moving { runs: Vec::new(), next: 0 })
    }

    /// Takes frames when they are due: first after every iteration, later at intervals that grow with the run.
    pub(crate) fn see<R: Precise>(
        &mut self,
        event: &Event<'_, R>,
        runs: &mut Runs<'_, R>,
    ) -> Result<(), Failure> {
        let at = match event {
            Event::Progress(progress) => progress.iterations,
            Event::Finished(_) => self.next,
            _ => return Ok(()),
        };
        // Before all initial individuals have been evaluated there is nothing to show.
        if runs.are_placed() && (at >= self.next || self.runs.is_empty()) {
            self.take(runs)?;
            self.next = at + (at / FRAMES as u64).max(1);
        }
        runs.look_at(self.next);
        Ok(())
    }

    fn take<R: Precise>(&mut self, runs: &mut Runs<'_, R>) -> Result<(), Failure> {
        let swarms = runs.state()?;
        self.runs.resize_with(swarms.len(), Vec::new);
        let at_most = (POINTS / swarms.len().max(1)).clamp(OF_A_RUN.0, OF_A_RUN.1);
        for (frames, swarm) in self.runs.iter_mut().zip(&swarms) {
            // For a run that has stopped, only one more frame is taken.
            if frames.last().is_none_or(|last| last.iteration < swarm.control.iterations) {
                frames.push(frame(swarm, &|x| runs.natural(x), at_most));
            }
            if frames.len() > KEPT {
                *frames = chosen(frames, KEPT / 2);
            }
        }
        Ok(())
    }

    /// At most `count` frames of a run, from its first to its last.
    pub(super) fn frames(&self, run: usize, count: usize) -> Vec<Frame> {
        self.runs.get(run).map_or(Vec::new(), |frames| chosen(frames, count))
    }
}

/// At most `count` of the frames, including the first and the last. Early frames are closer together, because most
/// changes happen early.
fn chosen(frames: &[Frame], count: usize) -> Vec<Frame> {
    let at: Vec<u64> = frames.iter().map(|frame| frame.iteration).collect();
    let (Some(first), Some(last)) = (at.first(), at.last()) else {
        return Vec::new();
    };
    let part = |i: usize| i as f64 / (count - 1) as f64;
    let moment = |i: usize| first + ((last - first) as f64 * part(i).powi(2)).round() as u64;
    let nearest = |moment: u64| {
        let later = at.partition_point(|&at| at < moment).min(at.len() - 1);
        let earlier = later.saturating_sub(1);
        if at[later].abs_diff(moment) <= at[earlier].abs_diff(moment) { later } else { earlier }
    };
    let mut places: Vec<usize> = (0..count).map(|i| nearest(moment(i))).collect();
    places.dedup();
    places.into_iter().map(|place| frames[place].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(iteration: u64) -> Frame {
        Frame { iteration, points: vec![], individuals: 0, best: [0.0; 2] }
    }

    fn iterations(frames: &[Frame]) -> Vec<u64> {
        frames.iter().map(|frame| frame.iteration).collect()
    }

    #[test]
    fn chosen_frames_go_from_the_first_to_the_last() {
        let all: Vec<Frame> = (0..=100).map(at).collect();
        assert_eq!(iterations(&chosen(&all, 2)), [0, 100]);
        assert_eq!(iterations(&chosen(&all, 5)), [0, 6, 25, 56, 100]);
        assert_eq!(iterations(&chosen(&all[..3], 48)), [0, 1, 2]);
        assert_eq!(iterations(&chosen(&all[..1], 48)), [0]);
        assert_eq!(iterations(&chosen(&[at(7), at(50), at(61), at(107)], 3)), [7, 50, 107]);
        assert!(chosen(&[], 48).is_empty());
    }

    /// However long a run takes, and wherever it ends, a stored frame is close to each moment that a picture shows.
    #[test]
    fn frames_that_are_kept_are_near_those_that_are_shown() {
        let (mut frames, mut next, mut last) = (Vec::new(), 0, 0);
        while next < 3_000_000 {
            last = next;
            frames.push(at(next));
            if frames.len() > KEPT {
                frames = chosen(&frames, KEPT / 2);
            }
            for i in 0..FRAMES {
                let moment = last as f64 * (i as f64 / (FRAMES - 1) as f64).powi(2);
                let gaps = frames.iter().map(|frame| (frame.iteration as f64 - moment).abs());
                let gap = gaps.fold(f64::INFINITY, f64::min);
                assert!(gap <= 1.0 + 0.03 * last as f64, "{gap} from {moment} of {last}");
            }
            next += (next / FRAMES as u64).max(1);
        }
        assert!(frames.len() > FRAMES && iterations(&frames).ends_with(&[last]));
    }
}
