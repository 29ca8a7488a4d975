//! PTX: splitting, linking, and packages.

use warpswarm_ptx_builder::compose::Operand;
use warpswarm_ptx_builder::package::{Origin, checksum};
use warpswarm_ptx_builder::{Composer, LinkError, Module, Package, Version, cut, link, pack};

const KERNELS: &str = include_str!("kernels.ptx");
const OBJECTIVE: &str = include_str!("objective.ptx");
const WORDS: &[&str] = &[
    ".version 7.8\n",
    ".target sm_80\n",
    ".target sm_90a",
    ".address_size 64\n",
    ".visible ",
    ".entry ",
    ".func ",
    "k",
    "o",
    "f",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "\n",
    " ",
    "ret;",
    "call (r), f, (p);",
    "call.uni f",
    "%r1",
    "$L1:",
    "bra $L1;",
    ".global .b8 t[4]",
    " = ",
    "{1, 2}",
    ".alias a, f;",
    ".param .align 8 .b8 p[20]",
    ".param .align 0 .b8 p[20]",
    ".param .b32 p",
    ".param .b4 p",
    ".param .u18446744073709551615 p",
    ".param .align 8 .b8 p[18446744073709551615]",
    "// warpswarm.objective\n",
    "// warpswarm.term\n",
    "// warpswarm.maxntid 128\n",
    "// warpswarm.maxntid 0\n",
    "// warpswarm.target sm_90\n",
    "/*",
    "*/",
    "/*/",
    "//",
    "\"",
    "\\",
    "ä",
    "warpswarm_shared",
    "[p+8]",
    "[p+18446744073709551615]",
    "piece_x",
    ".extern .shared .align 16 .b8 warpswarm_shared[];",
    "%ws_value",
];

/// The input is the text of a kernel and, after a zero byte, that of an objective. After a mark it contains words for
/// both, or changes to one of a pair that can be linked.
pub(crate) fn cut_and_link(input: &[u8]) {
    let (mark, rest) = input.split_first().map_or((0, input), |(mark, rest)| (*mark, rest));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (kernels, objective) = match mark {
        0xff => {
            let (kernels, objective) = rest.split_at(rest.len() / 2);
            (fuzz::words(kernels, WORDS).concat(), fuzz::words(objective, WORDS).concat())
        }
        0xfe => (text(&fuzz::changed(KERNELS.as_bytes(), rest)), OBJECTIVE.into()),
        0xfd => (KERNELS.into(), text(&fuzz::changed(OBJECTIVE.as_bytes(), rest))),
        // Words that replace the objective's parameter.
        0xfc => {
            let is = ".param .align 8 .b8 o_param_0[16]";
            (KERNELS.into(), OBJECTIVE.replace(is, &fuzz::words(rest, WORDS).concat()))
        }
        _ => {
            let mut parts = input.splitn(2, |byte| *byte == 0);
            (text(parts.next().unwrap_or_default()), text(parts.next().unwrap_or_default()))
        }
    };
    let linked = link(&kernels, &objective);
    if input == [0xfe] {
        linked.as_ref().unwrap();
    }
    for text in [&kernels, &objective].into_iter().chain(&linked.ok()) {
        let Ok(modules) = cut(text, Some(Version::LOWEST)) else { continue };
        for module in modules {
            // Each module can be split again.
            let again = cut(&module.text, None).unwrap();
            assert_eq!((again.len(), &again[0].name), (1, &module.name));
        }
    }
    let piece = |name: &str| Some(objective.replace(".entry o", &format!(".entry {name}")));
    let _ = composed(&piece);
}

fn composed(module: &dyn Fn(&str) -> Option<String>) -> Result<String, LinkError> {
    let mut composer = Composer::new(module, "f32", "warp")?;
    let from = [Operand::Coordinate(3), Operand::Data(7)];
    composer.fold(("Sum", 10), from, 1, &mut |composer| {
        composer.apply("Multiply", &from, 0)?;
        Ok(Operand::Result(0))
    })?;
    composer.finish(Operand::Result(1), Operand::Constant(0), 2)
}

/// The input is changes to a package whose checksum is then corrected, or after a mark the complete contents.
pub(crate) fn open(input: &[u8]) {
    let module = |name: &str, text: &str| Module { name: name.into(), text: text.into() };
    let modules =
        [module("a", &".version 7.8\n".repeat(20)), module("b", ""), module("c_f32", KERNELS)];
    let origin = Origin { arch: "sm_80", toolchain: "rustc 1.96.0", sources: 7 };
    let whole = pack(origin, &modules);
    let (head, body) = whole.split_at(16);
    let body = match input {
        [0xff, all @ ..] => all.to_vec(),
        changes => fuzz::changed(body, changes),
    };
    let bytes = [&head[..8], &checksum(&body).to_le_bytes(), &body].concat();
    // Read the bytes directly, too; their checksum is most likely wrong.
    let _ = Package::open(input);
    let Ok(package) = Package::open(&bytes) else {
        assert!(bytes != whole);
        return;
    };
    for name in package.names() {
        let text = package.module(name);
        assert!(bytes != whole || text.is_some());
    }
}
