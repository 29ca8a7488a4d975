//! The papers' own kernels, launched one after the other: the schedule `stepwise`. It serves to be read beside the
//! papers and to test the other schedules, which give the same bits.
//!
//! | module | paper | kernels | mapping |
//! |---|---|---|---|
//! | [`cpso`] | CPSO, Algorithms 3 to 5 | velocity, position, tree reduction | a thread a particle |
//! | [`gpu_fwa`] | GPU-FWA, Algorithms 1 to 3 | amplitudes, explosions, mutation | a warp a firework, a lane a spark |
//! | [`cmepso`] | CMEPSO-GPU, Algorithm 3, Figures 3 and 4 | slaves, master | a block a swarm, a thread a particle |

pub mod cmepso;
pub mod cpso;
pub mod gpu_fwa;

use warpswarm_core::cmepso::Cmepso;
use warpswarm_core::gpu_fwa::GpuFwa;
use warpswarm_core::launch::MethodArgs;

warpswarm_device::entries! {
    /// The kernels of methods; CPSO's are among the kernels of [`pso`](crate::pso).
    pub fn of_methods {
        "gpu_fwa_f32_amplitudes" => |args: MethodArgs<f32, GpuFwa<f32>>| gpu_fwa::amplitudes(&args),
        "gpu_fwa_f64_amplitudes" => |args: MethodArgs<f64, GpuFwa<f64>>| gpu_fwa::amplitudes(&args),
        "gpu_fwa_f32_explosions" => |args: MethodArgs<f32, GpuFwa<f32>>| gpu_fwa::explosions(&args),
        "gpu_fwa_f64_explosions" => |args: MethodArgs<f64, GpuFwa<f64>>| gpu_fwa::explosions(&args),
        "gpu_fwa_f32_mutation" => |args: MethodArgs<f32, GpuFwa<f32>>| gpu_fwa::mutation(&args),
        "gpu_fwa_f64_mutation" => |args: MethodArgs<f64, GpuFwa<f64>>| gpu_fwa::mutation(&args),
        "cmepso_f32_slaves" => |args: MethodArgs<f32, Cmepso<f32>>| cmepso::slaves(&args),
        "cmepso_f64_slaves" => |args: MethodArgs<f64, Cmepso<f64>>| cmepso::slaves(&args),
        "cmepso_f32_master" => |args: MethodArgs<f32, Cmepso<f32>>| cmepso::master(&args),
        "cmepso_f64_master" => |args: MethodArgs<f64, Cmepso<f64>>| cmepso::master(&args),
    }
}
