//! Requests that backends refuse.

use std::ops::Range;

use crate::engine::Wanted;
use crate::error::{Error, Result};
use crate::settings::Settings;
use crate::settings::choices::{Backend, Schedule};
use crate::settings::devices::Devices;
use crate::settings::peers::Peers;

/// The backends that can share the particles of a swarm.
pub(in crate::engine) const BY_DEVICES: &str = "backend gpu or emulator";

/// The error if a swarm cannot be split.
pub(in crate::engine) fn not_split(allowed: &str) -> Error {
    let (value, allowed) = ("true".into(), format!("with {allowed}"));
    Error::Setting { field: "split", value, allowed }
}

/// Checks that every device has a particle.
pub(super) fn check_shares(
    shares: &[Range<u32>],
    individuals: u32,
    peers: Option<&Peers>,
) -> Result<()> {
    if shares.iter().all(|share| !share.is_empty()) {
        return Ok(());
    }
    let (field, value) = ("individuals", individuals.to_string());
    let ranks = peers.map_or(String::new(), |peers| format!(" of {} ranks", peers.ranks()));
    let allowed = format!("one at least for each of the {} devices{ranks}", shares.len());
    Err(Error::Setting { field, value, allowed })
}

/// Refuses schedules, block sizes and devices, which have no meaning for the CPU: a user who asks for both has made a
/// mistake.
pub(super) fn check_no_geometry(settings: &Settings) -> Result<()> {
    if settings.split {
        return Err(not_split(BY_DEVICES));
    }
    if settings.devices != Devices::default() {
        let what = format!("a choice of devices, {},", settings.devices);
        let (backend, allowed) = (Backend::Cpu.name(), "gpu, emulator, auto");
        return Err(Error::Unsupported { what, backend, allowed });
    }
    let what = match (settings.schedule, settings.block_size) {
        (Schedule::Auto, None) => return Ok(()),
        (Schedule::Auto, Some(block)) => format!("block size {block}"),
        (schedule, _) => format!("schedule {schedule}"),
    };
    Err(Error::Unsupported { what, backend: Backend::Cpu.name(), allowed: "gpu, emulator, auto" })
}

/// Checks that an algorithm runs on a backend.
pub(super) fn check_algorithm<R>(wanted: &Wanted<R>, backend: Backend) -> Result<()> {
    if wanted.backends.contains(&backend) {
        return Ok(());
    }
    let what = format!("algorithm {}", wanted.id);
    Err(Error::Unsupported { what, backend: backend.name(), allowed: "cpu, auto" })
}
