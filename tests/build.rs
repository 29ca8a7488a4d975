//! Compiles the tests' own objective for GPUs, if a device toolchain is available.

fn main() {
    warpswarm_ptx_builder::for_build_script(&warpswarm_ptx_builder::BuildScript {
        packaged: "kernels.wsptx",
        kernels: "objective/Cargo.toml",
        sources: &["objective"],
        arch: "sm_80",
    });
}
