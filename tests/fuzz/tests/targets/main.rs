//! The fuzz targets of the libraries; those of the program are in `crates/cli/src/fuzz.rs`.

mod checkpoints;
mod grammar;
mod problem_files;
mod ptx;

use fuzz::Target;

/// Defines tests that read stored and random inputs.
macro_rules! targets {
    ($($name:ident: $what:literal, $read:path;)*) => {$(
        #[test]
        fn $name() {
            let target = Target::new($what);
            bolero::check!()
                .with_iterations(0)
                .for_each(|input: &[u8]| target.one(input, $read));
            target.at_random(500, $read);
        }
    )*};
}

targets! {
    checkpoints: "checkpoint reader", checkpoints::read;
    problem_files: "problem files", problem_files::read;
    ptx: "PTX cutter", ptx::cut_and_link;
    ptx_packages: "PTX packages", ptx::open;
}
