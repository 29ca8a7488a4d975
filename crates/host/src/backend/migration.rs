//! Individuals that go from run to run, where the whole state is copied for that.

use warpswarm_core::Real;
use warpswarm_cpu_ref::Swarm;
use warpswarm_cpu_ref::migration::{self, Migrants, Replacement};

use super::Job;

impl<R: Real> Job<R> {
    /// Offers each run its immigrants, and sees whether it stops by itself now.
    pub(crate) fn immigrate(
        &self,
        swarms: &mut [Swarm<R>],
        immigrants: &[Migrants<R>],
        replacement: Replacement,
    ) {
        for (swarm, immigrants) in swarms.iter_mut().zip(immigrants) {
            if immigrants.is_empty() || swarm.has_stopped() {
                continue;
            }
            let noticed = self.procedure.noticed(swarm.control.iterations);
            migration::immigrate(swarm, immigrants, replacement, noticed);
            swarm.control = self.going_on(swarm);
        }
    }
}
