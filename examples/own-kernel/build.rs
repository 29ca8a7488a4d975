//! Compiles the kernel for GPUs, if there is something to compile it with.

fn main() {
    warpswarm_ptx_builder::for_build_script(&warpswarm_ptx_builder::BuildScript {
        packaged: "kernels.wsptx",
        kernels: "kernels/Cargo.toml",
        sources: &["kernels"],
        arch: "sm_80",
    });
}
