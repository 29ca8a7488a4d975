//! The book as a whole.

use std::fs;

#[test]
fn it_can_be_built_and_its_links_lead_somewhere() {
    let folder = tempfile::tempdir().unwrap();
    let first = warpswarm_book::build(&folder.path().join("book")).unwrap();
    let page = |name: &str| fs::read_to_string(first.with_file_name(name)).unwrap();
    assert!(
        page("index.html").contains("Population-based")
            || page("index.html").contains("populations")
    );
    assert!(page("algorithms/pso.html").contains("cognitive"));
    assert!(page("problems/spring.html").contains("best known"));
    assert!(first.with_file_name("algorithms/pso.svg").exists());
    assert!(first.with_file_name("problems/ackley.svg").exists());
    // Pages of papers lead to the code, and have their results below them.
    assert!(page("papers/cpso.html").contains("blob/main/crates/kernels/src/stepwise/cpso.rs"));
    assert!(page("papers/results/cmepso.html").contains("reproduce cmepso"));
    // The marks of what is filled in are gone.
    assert!(!page("reference/problem-files.html").contains("<!-- crates/host/src/problem"));
}
