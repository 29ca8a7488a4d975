//! Compiles the objectives for GPUs, if there is something to compile it with.

fn main() {
    warpswarm_ptx_builder::for_build_script(&warpswarm_ptx_builder::BuildScript {
        packaged: "kernels.wsptx",
        kernels: "models/Cargo.toml",
        sources: &["models"],
        arch: "sm_80",
    });
}
