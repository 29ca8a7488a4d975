//! Problem files: valid files are evaluated in both precisions.

use std::fs;

use warpswarm::Fitness;
use warpswarm::problem_file::ProblemFile;
use warpswarm::problems::Precise;

use crate::grammar;

/// Words of an expression.
const WORDS: &[&str] = &[
    "a",
    "b",
    "x",
    "t",
    "y",
    "i",
    "j",
    "x[i]",
    "x[i+1]",
    "x[i - 1]",
    "t[i]",
    "y[i]",
    "x[",
    "x[2]",
    "]",
    "(",
    ")",
    ",",
    "+",
    "-",
    "*",
    "/",
    "^",
    "<=",
    "<",
    "==",
    "!=",
    "=",
    "**",
    "and",
    "or",
    "not",
    "!",
    "true",
    "any(i,",
    "all(i, 1, 3,",
    "mean(x)",
    "dot(x, x)",
    "norm(t)",
    "log(",
    "sum(i,",
    "sum(j, 1, 3,",
    "prod(i, 1, 4,",
    "min(",
    "max(i,",
    "if(",
    "len(x)",
    "sin(",
    "cos(2*pi*",
    "exp(",
    "sqrt(",
    "floor(",
    "pow(",
    "tan(",
    "ln(",
    "1",
    "2",
    "0",
    "3",
    "2.5",
    "1e3",
    "1e308",
    "-1",
    "inf",
    "pi",
    "tau",
    "c",
    "ä",
    "sum(i, 1, 4000,",
    "sum(k, 1, 9,",
    "k",
    "x[j]",
    "x[k]",
    "^2",
    "^-1",
    "^0.5",
    "^-x[1]",
    "2^3^2",
    "&&",
    "||",
    "!(",
    "not (",
    "> b >",
    ">=",
    "any(j, 1, 2,",
    "if(a > b,",
    "mod(",
    "round(",
    "hypot(",
    "atan2(",
    "gamma(",
    "sum(x)",
    "max(x)",
    "prod(t)",
    "x[len(x)]",
    "x[1 + (a > b)]",
    "x[x[1]]",
    "x[i, j]",
    "x[floor(c)]",
    "'a'",
    "for i in x",
    "for i in 1 to 3",
];
/// Parts of a file.
const PARTS: &[&str] = &[
    "minimise = ",
    "maximise = ",
    "\"",
    "a",
    "sum(i, x[i])",
    "\"\n",
    "[variables]\n",
    "[constants]\n",
    "[constraints]\n",
    "[data]\n",
    "a = ",
    "x = ",
    "c = ",
    "{ lower = 0, upper = 1 }\n",
    "{ lower = 1, upper = 2, scale = \"log\" }\n",
    "{ count = 3, lower = -1, upper = 1 }\n",
    "{ count = 4294967295, lower = 0, upper = 1 }\n",
    "{ count = 34359738367, lower = 0, upper = 1 }\n",
    "{ count = 8000000, lower = 0, upper = 1, scale = \"integer\" }\n",
    "1",
    "\"2 * pi\"\n",
    "\n",
    "file = \"none.csv\"\n",
    "columns = [\"t\"]\n",
    "name = \"n\"\n",
    "a <= 1",
    "x[1] >= 0.5",
    "[",
    "]",
    "{",
    "}",
    "nan",
    "-inf",
    "1e400",
    "lower = ",
    "upper = ",
    ", ",
    "x",
    "len(x)",
    "'",
    "#",
    "\\",
    ".",
    "[let]\n",
    "[[data]]\n",
    "y = [1, 2, 3]\n",
    "c = { condition = \"a == 1\", tolerance = 1e-9 }\n",
    "tolerance = 0.5\n",
    "{ fixed = 2 }\n",
    "{ fixed = [1, 2], count = 2 }\n",
    "{ values = [3, 1, 2] }\n",
    "{ choices = [\"a\", \"b\"], start = \"b\" }\n",
    "{ lower = 0, upper = 360, periodic = true, unit = \"deg\" }\n",
    "{ count = \"c\", lower = \"-c\", upper = [1, 2, 3], start = [[0, 0, 0], [1, 1, 1]] }\n",
    "{ a = 1, b = 2 }\n",
    "[[1, 2], [3, 4]]\n",
    "\"a * i for i in 1 to 3\"\n",
    "\"x[i]^2 for i in x\"\n",
    "a == 'b' and c['a'] > 1",
    "c[a]",
    "x[2, 1]",
    "all(i, x[i] != 1) or not any(i, x[i] < 0)",
    "if(a > 0, a < 1, true)",
    "0 < a <= 1",
];
const VARIABLES: &str = "\n[variables]\na = { lower = -2, upper = 2 }\nb = { lower = 0.5, upper = 9, scale = \"log\" }\n\
    x = { count = 5, lower = -3, upper = 4 }\n[constants]\nc = 0.25\n";
const DATA: &str = "[data]\nfile = \"points.csv\"\ncolumns = [\"t\", \"y\"]\n";

/// The input is the text of a file. After a mark it contains words of an expression, words of a file, words of an
/// expression of numbers, the bytes of a table, or the bytes for the generator of valid files.
pub(crate) fn read(input: &[u8]) {
    let (mark, rest) = input.split_first().map_or((0, input), |(mark, rest)| (*mark, rest));
    let problem = match mark {
        0xff => {
            let text = fuzz::words(rest, WORDS).join(" ");
            ProblemFile::parse(&format!("minimise = \"{text}\"{VARIABLES}"))
        }
        0xfe => ProblemFile::parse(&fuzz::words(rest, PARTS).concat()),
        0xfd => {
            let (columns, words) = rest.split_at(rest.len().min(12));
            let number = |byte: &u8| f64::from(*byte as i8) / 4.0;
            let (t, y): (Vec<_>, Vec<_>) = (
                columns.iter().step_by(2).map(number).collect(),
                columns.iter().skip(1).step_by(2).map(number).collect(),
            );
            let text = fuzz::words(words, WORDS).join(" ");
            let text = format!("minimise = \"{text}\"{VARIABLES}{DATA}");
            let source = serde_json::json!({ "name": "n", "text": text, "data": [t, y] });
            let Ok(problem) = serde_json::from_value(source) else { return };
            Ok(problem)
        }
        0xfc => table(rest),
        0xfb => ProblemFile::parse(&grammar::file(rest)),
        _ => ProblemFile::parse(&String::from_utf8_lossy(input)),
    };
    match problem {
        Ok(problem) => evaluate(&problem),
        Err(error) => assert!(error.is_input() && !error.to_string().is_empty()),
    }
}

fn table(bytes: &[u8]) -> warpswarm::Result<ProblemFile> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("problem.toml");
    fs::write(folder.path().join("points.csv"), bytes).unwrap();
    fs::write(&file, format!("minimise = \"sum(i, t[i] * y[i] - a)\"{VARIABLES}{DATA}")).unwrap();
    ProblemFile::load(&file)
}

fn evaluate(problem: &ProblemFile) {
    let bounds = problem.bounds();
    let middle = |(lower, upper): (&f64, &f64)| lower / 2.0 + upper / 2.0;
    let middle: Vec<f64> = bounds.lower().iter().zip(bounds.upper()).map(middle).collect();
    for x in [bounds.lower(), bounds.upper(), &middle] {
        at(problem, x);
        at(problem, &x.iter().map(|x| *x as f32).collect::<Vec<_>>());
    }
    // A wrong number of coordinates is an error.
    problem.evaluate::<f64>(&[]).unwrap_err();
}

fn at<R: Precise>(problem: &ProblemFile, x: &[R]) {
    let found = problem.evaluate(x).unwrap();
    assert_eq!(found.constraints.len(), problem.constraints().count());
    // The violation is NaN if a constraint is NaN; such points rank last.
    assert!(found.fitness.violation >= R::ZERO || found.fitness.violation.is_nan());
    // The CPU and the emulator compute the same bits, for coordinates in the file's scale and in the individuals'
    // scale.
    let bits = |of: Fitness<R>| [of.value, of.violation].map(R::to_bits64);
    for as_searched in [false, true] {
        let Some([cpu, emulator]) = problem.evaluate_twice(x, as_searched) else { return };
        assert_eq!(bits(cpu), bits(emulator), "{cpu:?} {emulator:?}");
        assert!(as_searched || bits(cpu) == bits(found.fitness), "{cpu:?} {:?}", found.fitness);
    }
}
