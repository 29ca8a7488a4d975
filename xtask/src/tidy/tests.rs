use std::collections::BTreeMap;

use super::imports::between_files;
use super::rules::{ALL, unsafe_counts};
use super::source::{bare, code, has_safety_comment, public_items, without_tests};
use super::*;

fn file(path: &str, text: &str) -> File {
    File { path: path.into(), text: text.into(), bytes: text.len() as u64 }
}

/// The findings of all rules for a tree, as (rule, finding).
fn findings(tree: &Tree) -> Vec<(&'static str, String)> {
    ALL.iter().flat_map(|(name, rule)| rule(tree).into_iter().map(|f| (*name, f))).collect()
}

/// Checks that a file violates one rule, and how many times.
fn breaks(path: &str, text: &str, rule: &str, times: usize) {
    let found = findings(&Tree { files: vec![file(path, text)], dependencies: vec![] });
    assert_eq!(found.len(), times, "{path}: {found:?}");
    assert!(found.iter().all(|(name, _)| *name == rule), "{found:?}");
}

fn keeps(path: &str, text: &str) {
    breaks(path, text, "", 0);
}

/// Removes `@`, which splits words that this file must not contain.
fn planted(text: &str) -> String {
    text.replace('@', "")
}

#[test]
fn dependencies_point_one_way() {
    let depends = |from: &str, to: &str, optional| {
        let (from, to) = (from.to_owned(), to.to_owned());
        let dependencies = vec![Dependency { from, to, optional }];
        findings(&Tree { files: vec![], dependencies })
    };
    for (from, to, optional) in [
        ("warpswarm-core", "warpswarm-device", false),
        ("warpswarm-cpu-ref", "warpswarm-kernels", false),
        ("warpswarm", "warpswarm-kernels", false),
        ("warpswarm-kernels", "warpswarm", false),
        ("warpswarm", "warpswarm-cli", true),
        ("xtask", "warpswarm", false),
        ("warpswarm-tests", "xtask", false),
        ("warpswarm-pictures", "warpswarm-core", false),
        ("warpswarm", "warpswarm-pictures", false),
    ] {
        let expected = ("one-way", format!("{from} must not depend on {to}"));
        assert_eq!(depends(from, to, optional), [expected]);
    }
    for (from, to, optional) in [
        ("warpswarm-device", "warpswarm-core", false),
        ("warpswarm", "warpswarm-kernels", true),
        ("xtask", "warpswarm", true),
        ("warpswarm-cli", "warpswarm", false),
        ("warpswarm-cli", "warpswarm-pictures", false),
        ("warpswarm-tests", "warpswarm-kernels", false),
    ] {
        assert_eq!(depends(from, to, optional), [], "{from} {to}");
    }
}

#[test]
fn dependencies_are_read_from_cargo() {
    let metadata = serde_json::json!({"packages": [{"name": "a", "dependencies": [
        {"name": "b", "path": "/b", "kind": null, "optional": true},
        {"name": "c", "path": "/c", "kind": "dev", "optional": false},
        {"name": "d", "path": null, "kind": null, "optional": false},
    ]}]});
    let found = dependencies(&metadata).unwrap();
    let [b] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((b.from.as_str(), b.to.as_str(), b.optional), ("a", "b", true));
}

#[test]
fn the_machine_stays_in_device() {
    let arch = "#[cfg(not(target_arch = \"nvptx64\"))]\nfn f() {}\n";
    breaks("crates/host/src/a.rs", arch, "target-arch", 1);
    breaks("crates/core/src/pso.rs", arch, "target-arch", 1);
    keeps("crates/core/src/math.rs", arch);
    keeps("crates/device/src/a.rs", arch);
    keeps("crates/host/src/a.rs", "// cfg(target_arch)\n");
    let short = "#[cfg_attr(target_arch = \"nvptx64\", optimize(size))]\nfn f() {}\n";
    keeps("crates/core/src/pso.rs", short);
    let inlined = "#[cfg_attr(target_arch = \"nvptx64\", inline(always))]\nfn f() {}\n";
    keeps("crates/kernels/src/pso.rs", inlined);

    let assembly = "fn f() { asm!(\"nop\") }\n";
    breaks("crates/kernels/src/a.rs", assembly, "assembly", 1);
    breaks("crates/host/src/a.rs", "core::arch::global_asm!(\"\");", "assembly", 1);
    keeps("crates/device/src/a.rs", assembly);
}

#[test]
fn unsafe_stays_where_it_may_be() {
    let safe = "// SAFETY: there is a reason.\nlet x = unsafe { f() };\n";
    breaks("crates/core/src/a.rs", safe, "unsafe", 1);
    breaks("crates/cli/src/a.rs", "unsafe fn f() {}\n", "unsafe", 1);
    keeps("crates/kernels/src/a.rs", safe);
    keeps("crates/host/src/machine/gpu.rs", safe);
    breaks("crates/host/src/engine/cpu.rs", safe, "unsafe", 1);
    keeps("crates/core/src/a.rs", "#![forbid(unsafe_code)]\n// unsafe\nlet x = \"unsafe\";\n");
}

#[test]
fn unsafe_code_is_counted_by_package() {
    let unsafe_code = concat!(
        "// unsafe fn\nunsafe impl Sync for A {}\nunsafe fn f(g: unsafe fn()) {}\n",
        "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn h() {}\nlet x = || unsafe { f(h) };\n"
    );
    let files = vec![
        file("Cargo.toml", ""),
        file("crates/device/Cargo.toml", ""),
        file("crates/device/src/a.rs", unsafe_code),
        file("crates/device/src/b.rs", "#[cfg(test)]\nmod tests { unsafe { f() } }\n"),
        file("crates/device/tests/a.rs", unsafe_code),
        file("crates/host/Cargo.toml", ""),
        file("crates/host/src/machine/mod.rs", "unsafe {\n    f()\n}\n"),
        file("crates/core/src/a.rs", "#![forbid(unsafe_code)]\n"),
    ];
    let counts = unsafe_counts(&Tree { files, dependencies: vec![] });
    let expected = [("crates/device", 4), ("crates/host", 1)];
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected.map(|(p, n)| (p.to_owned(), n)));
}

#[test]
fn build_scripts_bring_kernels_and_nothing_else() {
    let call = "    warpswarm_ptx_builder::for_build_script(&warpswarm_ptx_builder::BuildScript { arch: \"sm_80\" });\n";
    let script = |body: &str| format!("//! Text.\n\nfn main() {{\n{body}}}\n");
    keeps("crates/host/build.rs", &script(call));
    let other = "    std::process::Command::new(\"sh\").status().unwrap();\n";
    breaks("crates/host/build.rs", &script(other), "build-script", 1);
    breaks("crates/host/build.rs", &script(&format!("{call}{other}")), "build-script", 1);
    let builder = "crates/ptx-builder/src/compile.rs";
    keeps(builder, "// From http: no.\nCommand::new(\"cargo\").arg(\"rustc\")\n");
    for network in ["\"curl\"", "TcpStream::connect(address)", "arg(\"install\")"] {
        breaks(builder, &format!("Command::new({network});\n"), "build-script", 1);
    }
}

#[test]
fn unsafe_blocks_are_argued_for() {
    let bare = "fn f() {\n    let x = 1;\n    unsafe { g(x) }\n}\n";
    breaks("crates/device/src/a.rs", bare, "safety-comment", 1);
    let comment = "fn f() {\n    // A comment.\n    unsafe { g(x) }\n}\n";
    breaks("crates/device/src/a.rs", comment, "safety-comment", 1);
    let far = "fn f() {\n    // SAFETY: for the next.\n    g(1);\n    unsafe { g(x) }\n}\n";
    breaks("crates/device/src/a.rs", far, "safety-comment", 1);
    breaks("crates/device/src/a.rs", "unsafe impl Sync for A {}\n", "safety-comment", 1);
    for good in [
        "// SAFETY: no fields.\nunsafe impl Sync for A {}\n",
        "// SAFETY: in two\n// lines.\n#[rustfmt::skip]\nlet x =\n    unsafe { f() };\n",
        "let x = unsafe { f() }; // SAFETY: here.\n",
    ] {
        keeps("crates/device/src/a.rs", good);
        assert!(has_safety_comment(good, good.lines().count()));
    }
}

#[test]
fn files_are_not_too_long() {
    let (short, long) = ("let x = 1;\n".repeat(400), "let x = 1;\n".repeat(401));
    keeps("crates/host/src/a.rs", &short);
    keeps("crates/host/src/a.rs", &format!("{short}#[cfg(test)]\nmod tests {{\n{long}}}\n"));
    keeps("crates/host/src/a/tests.rs", &long);
    breaks("crates/host/src/a.rs", &long, "long-file", 1);
}

#[test]
fn libraries_print_nothing() {
    for call in ["println!(\"\");", "eprintln!(\"\");", "std::print!(\"\");"] {
        breaks("crates/host/src/a.rs", call, "printing", 1);
        keeps("crates/cli/src/a.rs", call);
        keeps("crates/host/src/a.rs", &format!("#[cfg(test)]\nmod tests {{ {call} }}\n"));
        keeps("crates/host/src/a.rs", &format!("/// {call}\n"));
    }
}

#[test]
fn public_items_show_how_they_are_used() {
    let example =
        "/// Text.\n///\n/// ```\n/// assert!(true);\n/// ```\n#[derive(\n    Debug\n)]\n";
    let toml = "/// Text.\n///\n/// ```toml\n/// a = 1\n/// ```\n";
    for item in
        ["struct A;", "enum A {}", "trait A<T> {}", "type A = u8;", "fn a() {}", "const fn a() {}"]
    {
        let item = format!("pub {item}\n");
        for path in
            ["crates/host/src/a.rs", "crates/statistics/src/a.rs", "crates/core/src/real.rs"]
        {
            breaks(path, &item, "example", 1);
            breaks(path, &format!("{toml}{item}"), "example", 1);
            // The example is another item's.
            breaks(path, &format!("{example}pub struct B;\n\n/// Text.\n{item}"), "example", 1);
            keeps(path, &format!("{example}{item}"));
        }
        keeps("crates/kernels/src/a.rs", &item);
        keeps("crates/host/src/a.rs", &format!("#[doc(hidden)]\n{item}"));
        keeps("crates/host/src/a.rs", &item.replace("pub", "pub(crate)"));
    }
    keeps("crates/host/src/a.rs", "pub const A: u8 = 1;\npub mod a;\npub use a::B;\n");
    let items = public_items("\n/// ```\n/// ```\npub const fn a<T>() {}\n");
    let [a] = items.as_slice() else { panic!("{items:?}") };
    assert_eq!((a.line, a.name, a.has_example), (4, "a", true));
}

#[test]
fn stubs_are_found() {
    for word in
        ["to@do!()", "unimple@mented!()", "db@g!(x)", "#[ig@nore]", "// FIX@ME", "// XX@X later"]
    {
        breaks("tests/src/lib.rs", &planted(word), "stub", 1);
    }
    keeps("tests/src/lib.rs", "// to do; #[allow(dead_code)]\n");
}

#[test]
fn traces_of_a_machine_are_found() {
    for word in [
        "see /wo@rk/x",
        "\"/ro@ot/.cargo\"",
        "`/ho@me/me`",
        "https://pypi@.org/x",
        "https://crates@.io/crates/x",
        "http://deb.debian@.org",
    ] {
        breaks("docs/a.md", &planted(word), "machine", 1);
    }
    keeps("docs/a.md", &planted("frame/wo@rk/x and ./ho@me/x, docs.rs"));
    keeps("Cargo.lock", &planted("index.crates@.io"));
}

#[test]
fn big_files_are_found() {
    let sized = |bytes| File { path: "docs/a.png".into(), text: String::new(), bytes };
    let found = |bytes| findings(&Tree { files: vec![sized(bytes)], dependencies: vec![] });
    assert_eq!(found((700 << 10) - 1), []);
    assert_eq!(found(700 << 10), [("big-file", "docs/a.png: 700 KiB".to_owned())]);
}

#[test]
fn code_is_what_is_neither_comment_nor_string() {
    let lines: Vec<_> =
        code("a(\"x // \\\" y\"); // b\n'\"'; c\n/// d\n").map(|(_, c)| c).collect();
    assert_eq!(lines, ["a(); ", "; c", ""]);
    for (text, left) in [
        ("a \"b\\\nc\" d", "a \n d"),
        ("r\"\\\" a br#\"x\"y\"# b r#type", " a  b r#type"),
        (
            "f::<'a>('b', b'c', '\\'', '\\u{1f}', \"'\") /* x /* y\n */ z */ e",
            "f::<'a>(, b, , , ) \n e",
        ),
        ("super\"a\"", "super"),
    ] {
        assert_eq!(bare(text), left, "{text}");
    }
}

#[test]
fn tests_are_no_part_of_a_file() {
    assert_eq!(without_tests("a\n#[cfg(test)]\nmod tests {\nb\n}\n"), "a\n");
    assert_eq!(
        without_tests("#[cfg(test)]\nextern crate std;\na\n"),
        "#[cfg(test)]\nextern crate std;\na\n"
    );
}

#[test]
fn links_lead_to_files_that_have_what_is_named() {
    let with = |page: &str| {
        let code = file("crates/core/src/pso.rs", "pub fn velocity() {}\n");
        let deep = file("docs/papers/cpso.md", page);
        findings(&Tree { files: vec![file("docs/gpu.md", ""), code, deep], dependencies: vec![] })
    };
    for good in [
        "[gpu](../gpu.md#there), [core](../../crates/core), [web](https://example.org/x.rs)",
        "[`velocity`](../../crates/core/src/pso.rs), [equation 2](../../crates/core/src/pso.rs), [here](#below)",
        "```\n[elsewhere](a.md)\n```",
        "`docs/@gpu.md`, [made](../algorithms/pso.md), [list](../problems.md)",
    ] {
        assert_eq!(with(&planted(good)), [], "{good}");
    }
    for (bad, what) in [
        (
            "[gpu](gpu.md)",
            "docs/papers/cpso.md:1: a link to docs/papers/gpu.md, which is not there",
        ),
        (
            "\n[`speed`](../../crates/core/src/pso.rs)",
            "docs/papers/cpso.md:2: `speed` is not in crates/core/src/pso.rs",
        ),
        ("`docs/@quality.md`", "docs/papers/cpso.md:1: no docs/quality.md"),
    ] {
        assert_eq!(with(&planted(bad)), [("links", what.to_string())]);
    }
}

/// A tree with the files of a program, by their paths in its folder.
fn program(files: &[(&str, &str)]) -> Tree {
    let of = |(path, text): &(&str, &str)| file(&format!("crates/cli/src/{path}"), text);
    Tree { files: files.iter().map(of).collect(), dependencies: vec![] }
}

#[test]
fn imports_are_found_wherever_they_stand() {
    let room = "mod x;\nmod y;\npub(crate) use x::X;\nfn f() { y::g() }\n";
    let files = |text| {
        let tree = program(&[
            ("lib.rs", "mod a;\nmod room;\n#[cfg(test)]\nmod fuzz;\nuse a::A;\n"),
            ("main.rs", "use crate::a;\n"),
            ("fuzz.rs", "use crate::room::x;\n"),
            ("a.rs", text),
            ("room/mod.rs", room),
            ("room/x.rs", "use super::super::a;\nuse super::y::{self, Y};\n"),
            ("room/y.rs", "// use super::x;\nconst A: &str = \"\\\nuse super::x;\";\n"),
        ]);
        let files = between_files(&tree, "crates/cli/src/");
        files.into_iter().map(|(file, to)| (file, to.into_iter().collect::<Vec<_>>())).collect()
    };
    let of = |text| -> Vec<String> {
        let all: BTreeMap<String, Vec<String>> = files(text);
        assert_eq!(
            all.keys().collect::<Vec<_>>(),
            ["a.rs", "lib.rs", "room/mod.rs", "room/x.rs", "room/y.rs"]
        );
        assert_eq!(all["lib.rs"], ["a.rs"]);
        assert_eq!(all["room/mod.rs"], ["room/x.rs", "room/y.rs"]);
        assert_eq!(all["room/x.rs"], ["a.rs", "room/y.rs"]);
        assert_eq!(all["room/y.rs"], [""; 0]);
        all["a.rs"].clone()
    };
    for (text, found) in [
        ("use crate::room::X;\n", &["room/mod.rs"][..]),
        (
            "use crate::{\n    room::{X, x::{self as z, Z}},\n    f,\n};\n",
            &["lib.rs", "room/mod.rs", "room/x.rs"],
        ),
        ("fn f() -> crate::room::y::Y { super::room::x::g(); }\n", &["room/x.rs", "room/y.rs"]),
        ("fn f() {\n    use super::room::*;\n}\n", &["room/mod.rs"]),
        ("use ::room::x;\nuse std::room::x;\nfn f() { ::room::x::g(); a.room::<X>() }\n", &[]),
        ("use self::b::C;\nuse room::x;\n", &[]),
        (
            "#[cfg(test)]\nmod b;\nuse crate::room::y;\n#[cfg(test)]\nmod tests {\n    use crate::room::x;\n}\n",
            &["room/y.rs"],
        ),
    ] {
        assert_eq!(of(text), found, "{text}");
    }
}

#[test]
fn circles_of_imports_are_found() {
    let check = |files: &[(&str, &str)], expected: &[&str]| {
        let found = findings(&program(files));
        let found: Vec<_> = found.iter().filter(|(rule, _)| *rule == "circle").collect();
        assert_eq!(found.len(), expected.len(), "{files:?}: {found:?}");
        for (_, finding) in found {
            assert!(expected.contains(&finding.as_str()), "{finding}");
        }
    };
    // A file and its folder.
    check(
        &[("a/mod.rs", "mod b;\nuse b::B;\n"), ("a/b.rs", "use super::A;\n")],
        &["crates/cli/src/a/b.rs: a circle of imports: a/b.rs -> a/mod.rs -> a/b.rs"],
    );
    check(&[("a/mod.rs", "mod b;\n"), ("a/b.rs", "use super::A;\n")], &[]);
    // Through a third one, by paths in code; what only leads to the circle is no part of it.
    check(
        &[
            ("a/mod.rs", "mod x;\nmod y;\n"),
            ("a/c.rs", "use super::x;\n"),
            ("a/x.rs", "fn f() { super::y::g() }\n"),
            ("a/y.rs", "use crate::a::z::{Z};\n"),
            ("a/z.rs", "fn f(_: crate::a::x::X) {}\n"),
        ],
        &["crates/cli/src/a/x.rs: a circle of imports: a/x.rs -> a/y.rs -> a/z.rs -> a/x.rs"],
    );
    // Two circles.
    let two = [
        ("a/w.rs", "use super::x;"),
        ("a/x.rs", "use super::w;"),
        ("a/y.rs", "use super::z;"),
        ("a/z.rs", "use super::y;"),
    ];
    check(
        &two,
        &[
            "crates/cli/src/a/w.rs: a circle of imports: a/w.rs -> a/x.rs -> a/w.rs",
            "crates/cli/src/a/y.rs: a circle of imports: a/y.rs -> a/z.rs -> a/y.rs",
        ],
    );
    // Of rooms, without one of files.
    check(
        &[
            ("a/mod.rs", "mod x;\nmod y;\n"),
            ("a/x.rs", "use crate::b::B;\n"),
            ("a/y.rs", ""),
            ("b.rs", "use crate::a::y::Y;\n"),
        ],
        &["crates/cli/src/: a circle of rooms: a -> b -> a (a/x.rs -> b.rs, b.rs -> a/y.rs)"],
    );
}

/// The findings of the rule for a drawing of four crates and two rooms.
fn drawn(blocks: &str) -> Vec<String> {
    let mut tree = program(&[
        ("lib.rs", "mod args;\nmod commands;\n"),
        ("args.rs", "use clap::Args;\n"),
        ("commands/mod.rs", "use crate::args::Args;\n"),
    ]);
    for (folder, name) in [
        ("crates/core", "warpswarm-core"),
        ("crates/host", "warpswarm"),
        ("crates/cli", "warpswarm-cli"),
        ("xtask", "xtask"),
        ("tests", "warpswarm-tests"),
    ] {
        tree.files.push(file(
            &format!("{folder}/Cargo.toml"),
            &format!("[package]\nname = \"{name}\"\n"),
        ));
    }
    for (from, to, optional) in [
        ("warpswarm", "warpswarm-core", true),
        ("warpswarm", "warpswarm-core", false),
        ("warpswarm-cli", "warpswarm", false),
        ("xtask", "warpswarm-core", true),
        ("warpswarm-tests", "warpswarm", false),
    ] {
        tree.dependencies.push(Dependency { from: from.into(), to: to.into(), optional });
    }
    tree.files.push(file("ARCHITECTURE.md", blocks));
    let found = findings(&tree).into_iter().filter(|(rule, _)| *rule == "drawing");
    found.map(|(_, finding)| finding.trim_start_matches("ARCHITECTURE.md:").to_owned()).collect()
}

#[test]
fn the_drawing_has_the_arrows_that_there_are() {
    let whole = "# A\n\n```text\n# the crates\ncore  -> none\nhost  -> core\n\nxtask -> core?\ncli   -> host\n```\n\n\
        ```text\ncli/args -> none\ncli/commands -> cli/args\n```\n\n```text\nother text\na -> b\n```\n\n```sh\na -> b\n```\n";
    assert_eq!(drawn(whole), [""; 0]);
    for (from, to, expected) in [
        ("host  -> core", "host  -> none", &["6: the drawing lacks the arrow host -> core"][..]),
        (
            "core  -> none",
            "core  -> host",
            &["5: the drawing has an arrow that is not there: core -> host"],
        ),
        (
            "cli   -> host",
            "cli   -> host, core",
            &["9: the drawing has an arrow that is not there: cli -> core"],
        ),
        (
            "core?",
            "core",
            &[
                "8: the drawing lacks the arrow xtask -> core?",
                "8: the drawing has an arrow that is not there: xtask -> core",
            ],
        ),
        ("cli   -> host\n", "", &[" the drawing lacks the line cli -> host"]),
        ("cli/args -> none\n", "", &[" the drawing lacks the line cli/args -> none"]),
        (
            "commands -> cli/args",
            "commands -> none",
            &["14: the drawing lacks the arrow cli/commands -> cli/args"],
        ),
        (
            "args -> none",
            "args -> cli/commands",
            &["13: the drawing has an arrow that is not there: cli/args -> cli/commands"],
        ),
        (
            "cli/args -> none",
            "cli/args -> none\ncli/runs -> cli/args",
            &["14: cli/runs is neither a crate nor a room of one"],
        ),
        ("# the crates", "tests -> host", &["4: tests is neither a crate nor a room of one"]),
        ("# the crates", "core -> none", &["5: the drawing has core twice"]),
        (
            "host  -> core",
            "host  -> core,",
            &[
                "6: `host  -> core,` is no line of the drawing",
                " the drawing lacks the line host -> core",
            ],
        ),
    ] {
        assert!(whole.contains(from));
        assert_eq!(drawn(&whole.replacen(from, to, 1)), expected, "{from}: {to}");
    }
}
