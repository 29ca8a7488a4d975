//! What the devices of an architecture support.

use warpswarm_ptx_builder::lower;

use crate::error::{Error, Result};
use crate::machine::system;

/// The number of a device's architecture: 75 for compute capability 7.5.
pub(super) fn number(device: &system::Device) -> u32 {
    let (major, minor) = device.compute_capability;
    10 * major + minor
}

/// The largest number of bytes of shared memory for a block on such a device, as far as the architecture limits it.
pub(super) fn most_shared(device: &system::Device) -> i32 {
    if number(device) < 80 { 64 << 10 } else { i32::MAX }
}

/// Checks that a device runs code for an architecture such as `sm_80`, [lowered](lower) if needed.
pub(crate) fn check_architecture(device: &system::Device, arch: &str) -> Result<()> {
    let (found, needed) = (number(device), lower::oldest(arch));
    if found < needed {
        return Err(Error::UnsupportedArchitecture {
            device: device.name.clone(),
            found: format!("sm_{found}"),
            needed: format!("sm_{needed}"),
        });
    }
    Ok(())
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
        assert!(check_architecture(&device((7, 5)), "sm_80").is_ok());
        let error = check_architecture(&device((7, 0)), "sm_80").unwrap_err();
        assert_eq!(
            error.to_string(),
            "Test has architecture sm_70; the kernels need sm_75 or later"
        );
        assert!(check_architecture(&device((8, 9)), "sm_90").is_err());
    }

    #[test]
    fn clusters_and_bulk_copies_came_with_hopper() {
        let found = [(7, 5), (8, 9), (9, 0), (12, 0)].map(device);
        assert_eq!(found.map(|device| device.has_clusters()), [false, false, true, true]);
    }
}
