use super::*;

const HEADER: &str = ".version 7.0\n.target sm_80\n.address_size 64\n";

fn cut_to(ptx: &str, expected: &[(&str, &str)]) {
    let modules = cut(&format!("// LLVM\n{HEADER}{ptx}"), None).unwrap();
    let found: Vec<_> = modules.iter().map(|m| (m.name.as_str(), m.text.as_str())).collect();
    let expected: Vec<_> = expected.iter().map(|(n, t)| (*n, format!("{HEADER}{t}"))).collect();
    let expected: Vec<_> = expected.iter().map(|(n, t)| (*n, t.as_str())).collect();
    assert_eq!(found, expected);
}

fn error(ptx: &str) -> CutError {
    cut(&format!("{HEADER}{ptx}"), None).unwrap_err()
}

#[test]
fn an_entry_takes_what_it_reaches_and_nothing_else() {
    cut_to(
        "
.func (.param .b32 r) deep(.param .b32 deep_p);
.func unused() { ret; }
.global .align 4 .b8 TABLE[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.const .u64 POINTER = generic(TABLE);
.visible .global .align 8 .b8 OTHER[2];
	// .globl	a
.visible .entry a(
	.param .b32 a_p
)
{
	call.uni (r0), middle, (a_p);
	ret;
}
.func (.param .b32 r) middle(.param .b32 p)
{
	{ // callseq 0, 0
	call (r0), deep, (p);
	} // callseq 0
	ret;
}
.func (.param .b32 r) deep(.param .b32 deep_p)
.noreturn
{
	ld.const.u64 %rd1, [POINTER+4];
}
.visible .entry b() { st.global.b8 [OTHER], %rs1; ret; }
",
        &[
            (
                "a",
                "
.func (.param .b32 r) deep(.param .b32 deep_p);

.global .align 4 .b8 TABLE[8] = {1, 2, 3, 4, 5, 6, 7, 8};

.const .u64 POINTER = generic(TABLE);

.visible .entry a(
	.param .b32 a_p
)
{
	call.uni (r0), middle, (a_p);
	ret;
}

.func (.param .b32 r) middle(.param .b32 p)
{
	{ // callseq 0, 0
	call (r0), deep, (p);
	} // callseq 0
	ret;
}

.func (.param .b32 r) deep(.param .b32 deep_p)
.noreturn
{
	ld.const.u64 %rd1, [POINTER+4];
}
",
            ),
            (
                "b",
                "
.visible .global .align 8 .b8 OTHER[2];

.visible .entry b()
{ st.global.b8 [OTHER], %rs1; ret; }
",
            ),
        ],
    );
}

#[test]
fn comments_become_directives() {
    cut_to(
        ".visible .entry a(.param .b32 p) {
	// begin inline asm
	// warpswarm.maxntid 256
	mov.u64 %rd1, warpswarm_shared;
	// end inline asm
}
.func f() { // warpswarm.maxntid 64
}
.visible .entry b() { call.uni f, (); // warpswarm.maxntid 64
}
",
        &[
            (
                "a",
                "
.extern .shared .align 16 .b8 warpswarm_shared[];

.visible .entry a(.param .b32 p)
.maxntid 256, 1, 1
.minnctapersm 1
{
	// begin inline asm
	// warpswarm.maxntid 256
	mov.u64 %rd1, warpswarm_shared;
	// end inline asm
}
",
            ),
            (
                "b",
                "
.func f() { // warpswarm.maxntid 64
}

.visible .entry b()
.maxntid 64, 1, 1
.minnctapersm 1
{ call.uni f, (); // warpswarm.maxntid 64
}
",
            ),
        ],
    );
}

#[test]
fn a_declared_shared_array_is_not_declared_again() {
    let declared = format!("{SHARED_LINE}\n.entry e() {{ mov.u64 %rd1, warpswarm_shared; }}");
    cut_to(
        &declared,
        &[(
            "e",
            &format!("\n{SHARED_LINE}\n\n.entry e()\n{{ mov.u64 %rd1, warpswarm_shared; }}\n"),
        )],
    );
}

#[test]
fn brackets_in_strings_and_comments_do_not_count() {
    cut_to(
        ".entry e() { // } not the end
	.pragma \"no } \\\" unroll\"; /* } nor
	} this */ ret;
}
.alias other, f;
.func f() { ret; }
.entry g() { call other, (); }
",
        &[
            (
                "e",
                "
.entry e()
{ // } not the end
	.pragma \"no } \\\" unroll\"; /* } nor
	} this */ ret;
}
",
            ),
            (
                "g",
                "
.alias other, f;

.func f() { ret; }

.entry g()
{ call other, (); }
",
            ),
        ],
    );
}

#[test]
fn the_version_is_lifted_but_never_lowered() {
    let ptx = ".version 7.8\n.target sm_90 // Hopper\n.address_size 64\n.entry e() {}\n";
    for (lowest, said) in [((7, 0), "7.8"), ((8, 0), "8.0"), ((7, 10), "7.10")] {
        let lowest = Version { major: lowest.0, minor: lowest.1 };
        let text = &cut(ptx, Some(lowest)).unwrap()[0].text;
        let expected =
            format!(".version {said}\n.target sm_90\n.address_size 64\n\n.entry e()\n{{}}\n");
        assert_eq!(text, &expected);
    }
}

#[test]
fn a_missing_function_is_an_error() {
    let missing = |caller: &str| CutError::Missing { caller: caller.into(), name: "gone".into() };
    assert_eq!(error(".entry e() { call.uni (r), gone, (p); }"), missing("e"));
    assert_eq!(error(".extern .func gone();\n.entry e() { call gone, (); }"), missing("e"));
    let through = ".func f() { call gone; }\n.entry e() { call f, (); }";
    assert_eq!(error(through), missing("f"));
    // A function that no entry reaches may call anything; functions of the driver may always be called.
    cut_to(".func f() { call gone; }", &[]);
    cut_to(
        ".extern .func vprintf();\n.entry e() { call vprintf, (); call (r), %rd1, (), proto; }",
        &[(
            "e",
            "\n.extern .func vprintf();\n\n.entry e()\n{ call vprintf, (); call (r), %rd1, (), proto; }\n",
        )],
    );
}

#[test]
fn recursion_is_an_error() {
    let text = |called: &str| {
        format!(
            ".version 7.8\n.target sm_80\n.func a() {{ call b, (); ret; }}\n.func b() {{ call {called}, (); ret; }}\n\
             .func c() {{ ret; }}\n.visible .entry e() {{ call a, (); ret; }}\n"
        )
    };
    assert!(cut(&text("c"), None).is_ok());
    assert_eq!(error(&text("a")), CutError::Recursion { name: "a".into() });
    assert_eq!(error(&text("b")), CutError::Recursion { name: "b".into() });
}

#[test]
fn max_threads_must_be_one_number() {
    for (body, said) in [
        ("// warpswarm.maxntid 64\n// warpswarm.maxntid 128\n", "128 and 64"),
        ("// warpswarm.maxntid 0\n", "0"),
        ("// warpswarm.maxntid 1025\n", "1025"),
        ("// warpswarm.maxntid many\n", "many"),
        ("// warpswarm.maxntid\n", ""),
    ] {
        let expected = CutError::MaxThreads { entry: "e".into(), said: said.into() };
        assert_eq!(error(&format!(".entry e() {{ {body} }}")), expected);
    }
}

#[test]
fn what_is_not_ptx_is_an_error() {
    assert_eq!(cut("", None), Err(CutError::NoHeader { directive: ".version" }));
    assert_eq!(cut(".version 7.0\n", None), Err(CutError::NoHeader { directive: ".target" }));
    assert_eq!(error(".entry e() {"), CutError::Unfinished { line: 4 });
    assert_eq!(error("\n/* no end"), CutError::Unfinished { line: 5 });
    assert_eq!(error("/*/ no end"), CutError::Unfinished { line: 4 });
    assert_eq!(error(".entry e() { \"no end }"), CutError::Unfinished { line: 4 });
    assert_eq!(error(".entry e)() {}"), CutError::Unbalanced { line: 4 });
    let word = ".file".into();
    assert_eq!(error(".file 1 \"lib.rs\"\n"), CutError::Unexpected { line: 4, word });
    let word = ".global .b32;".into();
    assert_eq!(error(".global .b32;"), CutError::Unexpected { line: 4, word });
    let twice = CutError::Twice { name: "f".into() };
    assert_eq!(error(".func f() {}\n.func f() {}\n"), twice);
}

#[test]
fn an_entry_says_its_target() {
    let targets = |ptx: &str, header: &str| -> Vec<String> {
        let modules = cut(&format!("{header}{ptx}"), None).unwrap();
        let line = |module: &Module| module.text.lines().nth(1).unwrap_or_default().to_owned();
        modules.iter().map(line).collect()
    };
    let ptx = "
.func clustered() { // warpswarm.target sm_90
ret; }
.visible .entry a() { call clustered; ret; }
.visible .entry b() { ret; }
";
    assert_eq!(targets(ptx, HEADER), [".target sm_90", ".target sm_80"]);
    let later = HEADER.replace("sm_80", "sm_120a");
    assert_eq!(targets(ptx, &later), [".target sm_120a", ".target sm_120a"]);
}
