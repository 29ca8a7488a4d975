//! Compiles the objectives for GPUs, if a device toolchain is available.

fn main() {
    warpswarm_ptx_builder::for_build_script(&warpswarm_ptx_builder::BuildScript {
        packaged: "kernels.wsptx",
        kernels: "models/Cargo.toml",
        sources: &["models"],
        arch: "sm_80",
    });
}
