//! Generates valid or nearly valid problem files: each byte of the input decides about a part of the file.

use std::fmt::Write;

/// The parts that every file has in addition to its expressions.
const GIVEN: &str = "\n[variables]\na = { lower = -2, upper = 2, start = 0.5 }\nb = { lower = 0.5, upper = 9, scale = \"log\" }\n\
    n = { lower = 1, upper = 4, scale = \"integer\" }\nk = { count = 3, lower = 1, upper = 2, scale = \"integer\" }\n\
    x = { count = 4, lower = [-3, -2, -1, 0], upper = 4 }\nangle = { lower = 0, upper = 360, periodic = true }\n\
    metal = { choices = [\"steel\", \"brass\", \"tin\"] }\nbolt = { values = [10, 2, 5] }\nset = { fixed = 3 }\n\
    p = { count = 2, lower = [0, 1], upper = [2, 5], periodic = true }\n[constants]\nc = 0.25\ntimes = [0, 0.5, 0.5, 1.5]\nlag = \"2 - 1\"\n\
    t = [1, 2, 4, 8]\nw = { tin = 1, steel = 2.5, brass = 3 }\nA = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]\n\
    place = \"5 - i for i in 1 to 4\"\n[data]\ny = [0.5, -1, 1e30, 0]\n";

const LEAVES: &[&str] = &[
    "a",
    "1",
    "b",
    "n",
    "x[1]",
    "k[2]",
    "2.5",
    "bolt",
    "set",
    "angle",
    "p[2]",
    "t[n]",
    "x[n]",
    "x[k[1] + 1]",
    "A[2, n]",
    "A[k[1], k[2]]",
    "w[metal]",
    "w['tin']",
    "c",
    "lag",
    "pi",
    "tau",
    "inf",
    "0",
    "3",
    "1e308",
    "1e-308",
    "len(x)",
    "t[place[2]]",
    "x[max(1, n - k[1])]",
    "t[if(a > b, 1, n)]",
    "x[1 + (a < b)]",
    "y[2]",
    "sum(x)",
    "mean(y)",
    "prod(k)",
    "min(x)",
    "max(t)",
    "dot(x, y)",
    "norm(x)",
    "sum(A)",
    "norm(p)",
    "1.5e3",
    ".5",
    "-0",
    "(a > 1)",
];
/// The same for named expressions.
const NAMED: &[&str] = &["u", "v[k[1]]", "v[2]", "sum(v)", "dot(v, v)", "v[k[1] + 1]"];
/// The same for the solution of a differential equation at four times, and for its derivatives.
const SOLVED: &[&str] = &["f[2]", "g[n]", "sum(f)", "dot(f, g)", "f[k[1] + 1]", "max(g)"];
const STATES: &[&str] = &["f", "g", "times", "f * g", "sin(times)", "rate"];
const METHODS: &[&str] = &[
    "method = \"rk4\"\nsteps = 2",
    "method = \"rk4\"\nsteps = \"len(t)\"\nfrom = -1",
    "most_steps = 9",
    "method = \"rk45\"\ntolerance = 0.01\nabsolute = 1e-3\nmost_steps = 5",
];
/// Elements with an index over four numbers, over three numbers, and over a range that is valid for both.
const OF_INDEX: [&[&str]; 3] = [
    &[
        "x[i]",
        "i",
        "t[i]",
        "y[i]",
        "x[i + 1]",
        "x[i-1]",
        "A[2, i]",
        "t[place[i]]",
        "t[i + lag]",
        "A[k[1], i]",
    ],
    &["k[i]", "i", "A[i, n]", "A[i, 2]", "x[k[i]]", "t[k[i] + 1]"],
    &[
        "x[i]",
        "i",
        "k[i]",
        "A[i, i]",
        "A[i, i + 1]",
        "t[5 - i]",
        "x[max(1, i - 1)]",
        "y[place[i] * 1]",
        "t[i + 1]",
    ],
];
const RANGES: [&str; 3] = ["", "", "1, 3, "];
/// Invalid expressions, and expressions that may be invalid.
const WRONG: &[&str] = &[
    "x[5]", "q", "A[j, i]", "x[i + j]", "p[i]", "k[i]", "x[n + 1]", "t[1.5]", "v", "x", "metal",
    "v[i]",
];
const FUNCTIONS: &[&str] = &[
    "abs", "sqrt", "cbrt", "exp", "expm1", "ln", "log", "log1p", "log2", "log10", "sin", "cos",
    "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sign",
    "floor", "ceil", "trunc", "round", "erf", "erfc", "gamma", "lgamma", "j0", "j1", "y0", "y1",
];
const OF_TWO: &[&str] = &["mod", "pow", "min", "max", "atan2", "hypot"];
const REDUCTIONS: &[&str] = &["sum", "prod", "min", "max", "mean"];
const ADD: &[&str] = &[" + ", " - ", "-", "+", " + "];
const MULTIPLY: &[&str] = &[" * ", " / ", "*"];
const POWERS: &[&str] =
    &["^2", "^-1", "^0.5", "^n", "**3", "^-k[1]", "^0", "^(1/3)", "^2^2", " ^ -c", "^9"];
const RELATIONS: &[&str] = &[" < ", " <= ", " == ", " > ", " >= ", " != ", " = "];
const ALONE: &[&str] =
    &["true", "false", "metal == 'tin'", "metal != 'brass'", "'steel' = metal", "n == 3", "!true"];

/// The text written so far, and the remaining bytes.
struct Writer<'a> {
    bytes: &'a [u8],
    text: String,
    /// The indices of the enclosing reductions, the innermost last, and their kinds of ranges.
    indices: Vec<(&'static str, usize)>,
    has_named: bool,
    /// Further numbers that are available here.
    others: &'static [&'static str],
}

impl Writer<'_> {
    /// A number below `n` from the next byte; 0 if no bytes are left.
    fn below(&mut self, n: usize) -> usize {
        let Some((first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        usize::from(*first) % n
    }

    fn one_of(&mut self, words: &[&str]) {
        let word = self.below(words.len());
        self.text += words[word];
    }

    fn within(&mut self, before: &str, write: impl FnOnce(&mut Self), after: &str) {
        self.text += before;
        write(self);
        self.text += after;
    }

    fn number(&mut self, depth: u32) {
        self.product(depth);
        for _ in 0..self.below(3) {
            self.one_of(ADD);
            self.product(depth);
        }
    }

    fn product(&mut self, depth: u32) {
        self.atom(depth);
        if self.below(3) == 1 {
            self.one_of(MULTIPLY);
            self.atom(depth);
        }
    }

    /// Writes a number without operands.
    fn leaf(&mut self) {
        match (self.below(40), self.indices.last()) {
            (39, _) => self.one_of(WRONG),
            (28..36, _) if !self.others.is_empty() => self.one_of(self.others),
            (32.., _) if self.has_named => self.one_of(NAMED),
            (16.., Some(&index)) => self.element(index),
            _ => self.one_of(LEAVES),
        }
    }

    fn element(&mut self, (index, over): (&str, usize)) {
        let all = OF_INDEX[over];
        let element = self.below(all.len());
        self.text += &all[element].replace('i', index);
    }

    fn atom(&mut self, depth: u32) {
        match self.below(if depth == 0 { 5 } else { 14 }) {
            0..=3 => self.leaf(),
            4 => {
                self.text.push('-');
                self.leaf();
            }
            5 => self.within("(", |of| of.number(depth - 1), ")"),
            6 => self.within("(1 * (", |of| of.condition(depth - 1), "))"),
            7 => {
                self.one_of(FUNCTIONS);
                self.within("(", |of| of.number(depth - 1), ")");
            }
            8 => {
                self.one_of(OF_TWO);
                self.within("(0 + ", |of| of.number(depth - 1), ", ");
                self.within("", |of| of.number(depth - 1), ")");
            }
            9 => {
                self.within("if(", |of| of.condition(depth - 1), ", 0 + ");
                self.within("", |of| of.number(depth - 1), ", 1 * ");
                self.within("", |of| of.number(depth - 1), ")");
            }
            10 => self.within("cos(2*pi*", |of| of.atom(depth - 1), ")"),
            11 => {
                self.leaf();
                self.one_of(POWERS);
            }
            _ => {
                self.one_of(REDUCTIONS);
                self.over(" + ", |of| of.number(depth - 1));
            }
        }
    }

    /// Writes the index, the range and the terms of a reduction. The first term is an element, so that the range is
    /// known.
    fn over(&mut self, joint: &str, write: impl FnOnce(&mut Self)) {
        let (index, over) = (["i", "j", "l"][self.indices.len().min(2)], self.below(3));
        self.indices.push((index, over));
        self.within("(", |of| of.text += index, ", ");
        self.text += RANGES[over];
        self.element((index, over));
        self.within(joint, write, ")");
        self.indices.pop();
    }

    /// Writes `[ode]` with two states.
    fn equation(&mut self) {
        self.text += "[ode]\ntimes = \"times\"\n";
        self.one_of(METHODS);
        self.others = &STATES[..STATES.len() - 1];
        self.within("\nlet.rate = \"0 + ", |of| of.number(1), "\"\n");
        for state in ["f", "g"] {
            self.others = &[];
            self.within(&format!("states.{state} = {{ initial = \"1 * "), |of| of.number(0), "\"");
            self.others = STATES;
            self.within(", derivative = \"0 + ", |of| of.number(1), "\" }\n");
        }
    }

    fn condition(&mut self, depth: u32) {
        self.alone(depth);
        for _ in 0..self.below(3) {
            self.one_of(&[" and ", " or ", " && ", " || ", " and not ", " or not not "]);
            self.alone(depth);
        }
    }

    fn alone(&mut self, depth: u32) {
        match self.below(if depth == 0 { 3 } else { 8 }) {
            0 => self.one_of(ALONE),
            1 | 2 => {
                self.number(depth.saturating_sub(1));
                for _ in 0..=self.below(3) {
                    self.one_of(RELATIONS);
                    self.number(depth.saturating_sub(1));
                }
            }
            3 => self.within("not (", |of| of.condition(depth - 1), ")"),
            4 => self.within("!(", |of| of.condition(depth - 1), ")"),
            5 => {
                self.within("if(", |of| of.condition(depth - 1), ", ");
                self.within("", |of| of.condition(depth - 1), ", ");
                self.within("", |of| of.condition(depth - 1), ")");
            }
            _ => {
                self.one_of(&["any", "all"]);
                self.over(" > 1 and ", |of| of.condition(depth - 1));
            }
        }
    }
}

/// Generates the file for these bytes.
pub(crate) fn file(bytes: &[u8]) -> String {
    let (text, indices) = (String::new(), Vec::new());
    let mut of = Writer { bytes, text, indices, has_named: false, others: &[] };
    of.one_of(&["minimise = \"1 * ", "maximise = \"0 + "]);
    let minimise = std::mem::take(&mut of.text);
    of.text += "[let]\nu = \"";
    of.number(1);
    of.text += "\"\nv = \"1 * ";
    of.indices.push(("i", 0));
    of.element(("i", 2));
    of.one_of(ADD);
    of.leaf();
    of.indices.clear();
    of.one_of(&[" for i in 1 to 3\"\n", " for i in k\"\n", " for i in 1 to len(k)\"\n"]);
    of.has_named = true;
    let is_solved = of.below(3) == 0;
    if is_solved {
        of.equation();
    }
    let lets = std::mem::take(&mut of.text);
    of.others = if is_solved { SOLVED } else { &[] };
    of.within(&minimise, |of| of.number(3), "\"\n");
    of.one_of(&["", "tolerance = 0.5\n", "tolerance = 0\n"]);
    of.text += GIVEN;
    of.text += &lets;
    of.text += "[constraints]\n";
    for number in 0..of.below(4) {
        let _ = write!(of.text, "c{number} = \"");
        match of.below(4) {
            0 => of.number(2),
            1 => {
                of.within("(", |of| of.condition(1), ") * (");
                of.within("", |of| of.condition(1), ")");
            }
            _ => of.condition(2),
        }
        of.text += "\"\n";
    }
    of.text
}

/// Invalid files would test little, so most files must be valid, with and without differential equations.
#[test]
fn most_files_are_right() {
    use rand::{Rng, SeedableRng};
    let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(5);
    let mut found = [[0; 2]; 2];
    for _ in 0..1000 {
        let mut bytes = vec![0; random.random_range(40..120)];
        random.fill(&mut bytes[..]);
        let text = file(&bytes);
        let is_right = warpswarm::problem_file::ProblemFile::parse(&text).is_ok();
        found[usize::from(text.contains("[ode]"))][usize::from(is_right)] += 1;
    }
    for [wrong, right] in found {
        assert!(right > 2 * wrong && wrong > 10, "{found:?}");
    }
}
