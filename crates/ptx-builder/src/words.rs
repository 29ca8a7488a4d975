//! Explanations of what a GPU lacks; compilers' messages name crates, items and symbols instead.

const ALLOCATION: &str = "allocation does not exist on a GPU: `Box`, `Vec`, `String`, `format!` and the like need a \
     heap; use arrays of known length for what is small, and tables for data";
const STD: &str = "files, printing, threads and everything else of `std` do not exist on a GPU: a crate compiled for \
     one begins with `#![no_std]`, and so do the crates it depends on; what it needs from outside comes as the \
     struct's fields and tables";
const FLOATS: &str = "the functions of `std` on `f32` and `f64` do not exist on a GPU: use those of the trait `Real`, \
     which give the same bits everywhere (`powf` is `pow` there)";
const PANICS: &str = "the crate `warpswarm-kernels` says what a panic does on a GPU: depend on it, and have no \
     `#[panic_handler]` of your own";
const WIDE: &str = "numbers of type `f16` and `f128` do not exist on a GPU: use `f32` or `f64`";
const ATOMICS: &str =
    "atomic numbers of this size do not exist on a GPU: it has those of 32 and 64 bits";
const COMPARISON: &str = "comparing whole arrays, slices or strings calls a function that does not exist on a GPU: \
     compare element by element, in a loop";
const COPY: &str = "copying or filling this much memory calls a function that does not exist on a GPU: do it element \
     by element, in a loop";
const SUPPORT: &str = "this arithmetic calls a function of the compiler's that does not exist on a GPU: use numbers of \
     32 or 64 bits";
const FOREIGN: &str = "functions of C, or of other libraries that were compiled for the CPU, do not exist on a GPU: \
     write it in Rust, in this crate or one it depends on";
const BACKEND: &str = "the compiler found no instructions of a GPU for this";

/// Parts of lines of the compiler's output, each with its explanation. A part with `NAME` stands for one part with each
/// of the names after it.
const SAID: [(&str, &[&str], &str); 19] = [
    ("can't find crate for `NAME`", &["alloc"], ALLOCATION),
    ("unlinked crate `NAME`", &["alloc"], ALLOCATION),
    ("unresolved import `NAME", &["alloc"], ALLOCATION),
    ("cannot find module or crate `NAME`", &["alloc"], ALLOCATION),
    ("no global memory allocator found", &[""], ALLOCATION),
    ("cannot find macro `NAME`", &["vec", "format"], ALLOCATION),
    ("cannot find type `NAME`", ALLOCATED, ALLOCATION),
    ("use of undeclared type `NAME`", ALLOCATED, ALLOCATION),
    ("can't find crate for `NAME`", &["std"], STD),
    ("unlinked crate `NAME`", &["std"], STD),
    ("unresolved import `NAME", &["std"], STD),
    ("cannot find module or crate `NAME`", &["std"], STD),
    ("cannot find macro `NAME`", PRINTED, STD),
    ("no method named `NAME` found for type `f", FLOAT_METHODS, FLOATS),
    ("found duplicate lang item `panic_impl`", &[""], PANICS),
    ("`#[panic_handler]` function required", &[""], PANICS),
    ("the type `NAME` is unstable", &["f16", "f128"], WIDE),
    ("no `NAME` in `sync::atomic`", &["AtomicU128", "AtomicI128"], ATOMICS),
    ("LLVM ERROR", &[""], BACKEND),
];

const ALLOCATED: &[&str] = &[
    "Box",
    "Vec",
    "String",
    "Rc",
    "Arc",
    "Cow",
    "VecDeque",
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "HashMap",
    "HashSet",
];
const PRINTED: &[&str] =
    &["print", "println", "eprint", "eprintln", "dbg", "thread_local", "is_x86_feature_detected"];
const FLOAT_METHODS: &[&str] = &[
    "sqrt",
    "cbrt",
    "hypot",
    "exp",
    "exp2",
    "exp_m1",
    "ln",
    "ln_1p",
    "log",
    "log2",
    "log10",
    "powf",
    "powi",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sin_cos",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "floor",
    "ceil",
    "round",
    "trunc",
    "fract",
    "mul_add",
    "rem_euclid",
    "div_euclid",
];

/// Explanations of the compiler's output for authors of objectives: each sentence once, none for an ordinary error.
pub(crate) fn of_output(output: &str) -> Vec<&'static str> {
    let mut sentences = Vec::new();
    for line in output.lines() {
        for (said, names, sentence) in SAID {
            let is_said = names.iter().any(|name| line.contains(&said.replace("NAME", name)));
            if is_said && !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
    }
    sentences
}

/// The explanation of a PTX call of a function that is not defined.
pub(crate) fn of_symbol(name: &str) -> &'static str {
    let is_one_of = |names: &[&str]| names.contains(&name);
    if ["__rust_alloc", "__rust_dealloc", "__rust_realloc", "alloc_error"]
        .iter()
        .any(|part| name.contains(part))
    {
        ALLOCATION
    } else if is_one_of(&["memcmp", "bcmp", "strlen"]) {
        COMPARISON
    } else if is_one_of(&["memcpy", "memmove", "memset"]) {
        COPY
    } else if name.starts_with("__") {
        SUPPORT
    } else {
        FOREIGN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_like_any_other_needs_no_words() {
        let output = "error[E0308]: mismatched types\n --> src/lib.rs:1:2\ncannot find type `Vector` in this scope";
        assert_eq!(of_output(output), Vec::<&str>::new());
    }

    #[test]
    fn each_sentence_comes_once() {
        let output = "cannot find macro `vec` in this scope\ncannot find type `Vec` in this scope\n\
            cannot find macro `println` in this scope";
        assert_eq!(of_output(output), [ALLOCATION, STD]);
        assert_eq!(of_output("error[E0432]: unresolved import `std::fs`"), [STD]);
        assert_eq!(
            of_output("error[E0599]: no method named `powf` found for type `f32`"),
            [FLOATS]
        );
    }

    #[test]
    fn symbols() {
        assert_eq!(of_symbol("_RNvCs9_7___rustc12___rust_alloc"), ALLOCATION);
        assert_eq!(of_symbol("memcmp"), COMPARISON);
        assert_eq!(of_symbol("__divti3"), SUPPORT);
        assert_eq!(of_symbol("rand"), FOREIGN);
    }
}
