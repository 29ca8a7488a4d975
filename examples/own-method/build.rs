//! Compiles the method for GPUs, if a device toolchain is available.

fn main() {
    warpswarm_ptx_builder::for_build_script(&warpswarm_ptx_builder::BuildScript {
        packaged: "kernels.wsptx",
        kernels: "kernels/Cargo.toml",
        sources: &["kernels"],
        arch: "sm_80",
    });
}
