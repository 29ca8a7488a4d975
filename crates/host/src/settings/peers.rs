//! Ranks that share the particles of each swarm.

use super::Settings;
use crate::error::{Error, Result};

/// Which of several *ranks* this is, if ranks share the particles of each [split](Settings::split) swarm, and which
/// devices each rank has. The [`Optimiser`](crate::Optimiser) then contains this rank's share of the particles.
///
/// `SplitSwarm` of the crate `warpswarm-islands` informs all ranks of all devices and drives such an optimiser.
///
/// ```
/// use warpswarm::{Backend, Bounds, Optimiser, Peers, PsoParams, Settings, problems::Sphere};
/// # #[cfg(feature = "emulator")] {
/// let settings = Settings { backend: Backend::Emulator, split: true, ..Settings::default() };
/// let own = Peers::own(&settings)?;
/// // The first of two ranks with devices that are alike.
/// let peers = Peers::new(0, vec![own.clone(), own]);
/// let settings = Settings { peers: Some(peers), ..settings };
/// let bounds = Bounds::uniform(2, -5.12, 5.12)?;
/// let mut share = Optimiser::<f32>::new(&Sphere, &bounds, &PsoParams::default().into(), &settings)?;
/// // Alone it has only half of the particles.
/// assert!(share.step(1).is_err_and(|error| error.is_input()));
/// # }
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peers {
    rank: u32,
    /// The number of multiprocessors of each device, `[rank][device]`.
    devices: Vec<Vec<u32>>,
}

impl Peers {
    /// Rank `rank` of ranks whose devices have these numbers of multiprocessors, `[rank][device]`.
    pub fn new(rank: u32, devices: Vec<Vec<u32>>) -> Self {
        Peers { rank, devices }
    }

    /// The number of ranks.
    pub(crate) fn ranks(&self) -> usize {
        self.devices.len()
    }

    /// The multiprocessors of the devices of all ranks, in the order of the ranks.
    pub(crate) fn multiprocessors(&self) -> Vec<u32> {
        self.devices.concat()
    }

    /// The number of this rank's first device among all devices.
    pub(crate) fn first(&self) -> u32 {
        self.devices.iter().take(self.rank as usize).map(|of_rank| of_rank.len() as u32).sum()
    }

    /// Checks that this rank has the number of devices that the other ranks know of.
    pub(crate) fn check_devices(&self, count: usize) -> Result<()> {
        let told = self.devices[self.rank as usize].len();
        if told == count {
            return Ok(());
        }
        let (field, value) = ("peers", format!("{told} devices of rank {}", self.rank));
        let allowed = format!("as many as its settings name, {count}");
        Err(Error::Setting { field, value, allowed })
    }

    /// Checks that the rank exists, that each rank has a device, and that the settings ask for nothing that a rank
    /// cannot provide alone.
    pub(crate) fn check(&self, settings: &Settings) -> Result<()> {
        let refused = |field, value: String, allowed: &str| {
            Err(Error::Setting { field, value, allowed: allowed.into() })
        };
        let nothing = |of_rank: &Vec<u32>| of_rank.is_empty() || of_rank.contains(&0);
        if self.rank as usize >= self.ranks() || self.devices.iter().any(nothing) {
            let value = format!("rank {} of {}", self.rank, self.ranks());
            return refused(
                "peers",
                value,
                "ranks from 0 on, each with a device of one multiprocessor at least",
            );
        }
        if !settings.split {
            return refused("split", "false".into(), "true where ranks share particles");
        }
        if settings.record_statistics {
            let allowed = "false where ranks share particles";
            return refused("record_statistics", "true".into(), allowed);
        }
        match settings.populations_every {
            Some(every) => {
                let allowed = "none where ranks share particles";
                refused("populations_every", every.to_string(), allowed)
            }
            None => Ok(()),
        }
    }
}

/// How devices of several ranks exchange their results.
///
/// ```
/// use warpswarm::Exchange;
/// assert_eq!(Exchange::default(), Exchange::Fastest);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exchange {
    /// Directly, through NCCL, if every rank has this library and exactly one GPU that no other rank uses; otherwise as
    /// `Host`.
    #[default]
    Fastest,
    /// Through the hosts, with the [`Communicator`](crate::Communicator).
    Host,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_numbered_through_all_ranks() {
        let peers = |rank| Peers::new(rank, vec![vec![4, 4], vec![8], vec![2]]);
        assert_eq!([0, 1, 2].map(|rank| peers(rank).first()), [0, 2, 3]);
        assert_eq!(peers(1).multiprocessors(), [4, 4, 8, 2]);
    }

    #[test]
    fn what_ranks_cannot_share_is_refused() {
        let check = |peers: Peers, settings: Settings| {
            let settings = Settings { peers: Some(peers), ..settings };
            settings.check().map_err(|error| error.to_string())
        };
        let split = Settings { split: true, ..Settings::default() };
        let peers = || Peers::new(1, vec![vec![4], vec![4]]);
        assert_eq!(check(peers(), split.clone()), Ok(()));
        let refused = |peers, settings, what: &str| {
            let message = check(peers, settings).unwrap_err();
            assert!(message.starts_with(what), "{message}");
        };
        refused(peers(), Settings::default(), "split is false; allowed: true");
        refused(Peers::new(2, vec![vec![4]; 2]), split.clone(), "peers is rank 2 of 2; allowed:");
        refused(Peers::new(0, vec![vec![4], vec![]]), split.clone(), "peers is rank 0 of 2;");
        refused(Peers::new(0, vec![vec![0], vec![0]]), split.clone(), "peers is rank 0 of 2;");
        let statistics = Settings { record_statistics: true, ..split.clone() };
        refused(peers(), statistics, "record_statistics is true; allowed: false");
        let populations = Settings { populations_every: Some(3), ..split };
        refused(peers(), populations, "populations_every is 3; allowed: none");
    }
}
