//! Files that the language allows, or nearly: each byte decides about a part of one.

use std::fmt::Write;

/// What every file has beside its expressions.
const GIVEN: &str = "\n[variables]\na = { lower = -2, upper = 2, start = 0.5 }\nb = { lower = 0.5, upper = 9, scale = \"log\" }\n\
    n = { lower = 1, upper = 4, scale = \"integer\" }\nk = { count = 3, lower = 1, upper = 2, scale = \"integer\" }\n\
    x = { count = 4, lower = [-3, -2, -1, 0], upper = 4 }\nangle = { lower = 0, upper = 360, periodic = true }\n\
    metal = { choices = [\"steel\", \"brass\", \"tin\"] }\nbolt = { values = [10, 2, 5] }\nset = { fixed = 3 }\n\
    p = { count = 2, lower = [0, 1], upper = [2, 5], periodic = true }\n[constants]\nc = 0.25\nlag = \"2 - 1\"\n\
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
    "u",
    "v[n]",
    "v[2]",
    "sum(v)",
    "sum(x)",
    "mean(y)",
    "prod(k)",
    "min(x)",
    "max(t)",
    "dot(x, y)",
    "norm(x)",
    "dot(v, v)",
    "sum(A)",
    "norm(p)",
    "x[5]",
    "q",
    "1.5e3",
    ".5",
    "-0",
];
const OF_INDEX: &[&str] = &[
    "x[i]",
    "i",
    "t[i]",
    "y[i]",
    "x[i + 1]",
    "x[i-1]",
    "v[i]",
    "k[i]",
    "A[i, n]",
    "A[2, i]",
    "A[i, i]",
    "t[place[i]]",
    "x[k[i]]",
    "x[j]",
    "A[j, i]",
    "A[i, j]",
    "j",
    "t[5 - i]",
    "t[i + lag]",
    "t[min(4, 2 * i)]",
    "p[i]",
    "x[i + j - 1]",
    "v[place[i]]",
    "x[place[i]]",
    "v[n]",
];
const FUNCTIONS: &[&str] = &[
    "abs", "sqrt", "cbrt", "exp", "expm1", "ln", "log", "log1p", "log2", "log10", "sin", "cos",
    "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sign",
    "floor", "ceil", "trunc", "round", "erf", "erfc", "gamma", "lgamma", "j0", "j1", "y0", "y1",
];
const OF_TWO: &[&str] = &["mod", "pow", "min", "max", "atan2", "hypot"];
const REDUCTIONS: &[&str] = &["sum", "prod", "min", "max", "mean"];
const RANGES: &[&str] =
    &["", "1, 3, ", "2, len(k), ", "lag, 4, ", "1, 1, ", "1, 40, ", "0, 2, ", "3, 2, "];
const ADD: &[&str] = &[" + ", " - ", "-", "+", " + "];
const MULTIPLY: &[&str] = &[" * ", " / ", "*"];
const POWERS: &[&str] =
    &["^2", "^-1", "^0.5", "^n", "**3", "^-k[1]", "^0", "^(1/3)", "^2^2", " ^ -c", "^9"];
const RELATIONS: &[&str] = &[" < ", " <= ", " == ", " > ", " >= ", " != ", " = "];
const ALONE: &[&str] =
    &["true", "false", "metal == 'tin'", "metal != 'brass'", "'steel' = metal", "n == 3", "!true"];

/// What is written, and the bytes that are left to decide.
struct Writer<'a> {
    bytes: &'a [u8],
    text: String,
}

impl Writer<'_> {
    /// A number below `n`; 0 where no byte is left.
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

    fn atom(&mut self, depth: u32) {
        match self.below(if depth == 0 { 4 } else { 14 }) {
            0 => self.one_of(LEAVES),
            1 | 2 => self.one_of(OF_INDEX),
            3 => {
                self.text.push('-');
                self.one_of(LEAVES);
            }
            4 => self.within("(", |of| of.number(depth - 1), ")"),
            5 => self.within("(", |of| of.condition(depth - 1), ")"),
            6 | 7 => {
                self.one_of(FUNCTIONS);
                self.within("(", |of| of.number(depth - 1), ")");
            }
            8 => {
                self.one_of(OF_TWO);
                self.within("(", |of| of.number(depth - 1), ", ");
                self.within("", |of| of.number(depth - 1), ")");
            }
            9 => {
                self.within("if(", |of| of.condition(depth - 1), ", ");
                self.within("", |of| of.number(depth - 1), ", ");
                self.within("", |of| of.number(depth - 1), ")");
            }
            10 => self.within("cos(2*pi*", |of| of.atom(depth - 1), ")"),
            11 => {
                self.one_of(LEAVES);
                self.one_of(POWERS);
            }
            _ => {
                self.one_of(REDUCTIONS);
                self.over(depth, Self::number);
            }
        }
    }

    /// The index, the range and the terms of a reduction.
    fn over(&mut self, depth: u32, write: impl FnOnce(&mut Self, u32)) {
        self.one_of(&["(i, ", "(j, ", "(i, "]);
        self.one_of(RANGES);
        self.within("", |of| write(of, depth - 1), ")");
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
                self.over(depth, Self::condition);
            }
        }
    }
}

/// The file that these bytes decide about.
pub(crate) fn file(bytes: &[u8]) -> String {
    let mut of = Writer { bytes, text: String::new() };
    of.one_of(&["minimise = \"", "maximise = \""]);
    of.within("", |of| of.number(3), "\"\n");
    of.one_of(&["", "tolerance = 0.5\n", "tolerance = 0\n"]);
    of.text += GIVEN;
    of.within("[let]\nu = \"", |of| of.number(1), "\"\nv = \"");
    of.number(1);
    of.one_of(&[" for i in t\"\n", " for i in 1 to 4\"\n", " for j in x\"\n", " for i in y\"\n"]);
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
