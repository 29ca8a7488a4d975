//! Provides the GPU kernels: those of the package, or newly compiled ones, or none.

fn main() {
    warpswarm_ptx_builder::for_build_script(&warpswarm_ptx_builder::BuildScript {
        packaged: "ptx/kernels.wsptx",
        kernels: "../kernels/Cargo.toml",
        sources: &["../kernels", "../device", "../core"],
        arch: "sm_80",
    });
}
