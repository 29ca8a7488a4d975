//! What devices of an architecture can run.

use crate::error::{Error, Result};
use crate::system;

/// Whether a device has clusters of blocks.
pub(super) fn has_clusters(device: &system::Device) -> bool {
    device.compute_capability >= (9, 0)
}

/// Whether a device has bulk copies between global and shared memory.
pub(super) fn has_bulk_copies(device: &system::Device) -> bool {
    device.compute_capability >= (9, 0)
}

/// Whether a device runs code for an architecture such as `sm_80`.
pub(crate) fn check_architecture(device: &system::Device, arch: &str) -> Result<()> {
    let (major, minor) = device.compute_capability;
    let needed = arch.trim_start_matches("sm_").parse::<u32>();
    match needed {
        Ok(needed) if 10 * major + minor < needed => Err(Error::UnsupportedArchitecture {
            device: device.name.clone(),
            found: format!("sm_{major}{minor}"),
            needed: arch.into(),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(compute_capability: (u32, u32)) -> system::Device {
        system::Device { name: "Test".into(), memory: 0, compute_capability, multiprocessors: 1 }
    }

    #[test]
    fn architectures_compare_as_numbers() {
        assert!(check_architecture(&device((8, 0)), "sm_80").is_ok());
        assert!(check_architecture(&device((12, 0)), "sm_90").is_ok());
        let error = check_architecture(&device((7, 5)), "sm_80").unwrap_err();
        assert_eq!(
            error.to_string(),
            "Test has architecture sm_75; the kernels need sm_80 or later"
        );
    }

    #[test]
    fn clusters_and_bulk_copies_came_with_hopper() {
        let found = [(8, 9), (9, 0), (12, 0)].map(device);
        assert_eq!(found.each_ref().map(has_clusters), [false, true, true]);
        assert_eq!(found.each_ref().map(has_bulk_copies), [false, true, true]);
    }
}
