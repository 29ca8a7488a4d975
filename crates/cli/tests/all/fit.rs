//! `warpswarm fit`: fits, and messages for mistakes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::common::{program, read, run_in, stderr, stdout};

const DECAY: &str = r#"
fit = "y ~ height * exp(-t / lifetime)"
[variables]
height = { lower = 0, upper = 100, start = 8 }
lifetime = { lower = 0.01, upper = 1000, scale = "log", unit = "s", start = 3 }
"#;

/// Two decays, with five and four rows in mixed order: heights 8 and 4, lifetimes 2 and 5, to five digits.
const LONG: &str = "\
well,t,y
B2,0,4.00000
A1,0,8.00000
A1,1,4.85225
B2,2,2.68128
A1,2,2.94304
B2,4,1.79732
A1,3,1.78504
B2,6,1.20478
A1,4,1.08268
";
const WIDE: &str = "\
t,first,second
0,8.00000,4.00000
1,4.85225,3.27492
2,2.94304,2.68128
3,1.78504,2.19525
";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[track_caller]
fn fits(folder: &Path, words: &str) -> String {
    let arguments: Vec<&str> = ["fit"].into_iter().chain(words.split(' ')).collect();
    let output = run_in(folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{words}: {}", stderr(&output));
    stdout(&output).to_string()
}

#[track_caller]
fn fitted(folder: &Path, words: &str) -> Value {
    serde_json::from_str(&fits(folder, &format!("{words} --json -"))).unwrap()
}

/// Checks for exit code 2 and a single message that contains all parts.
#[track_caller]
fn is_refused(folder: &Path, words: &str, parts: &[&str]) {
    let arguments: Vec<&str> = ["fit"].into_iter().chain(words.split(' ')).collect();
    let output = run_in(folder, &arguments);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{words}: {message}");
    assert_eq!(message.matches("error:").count(), 1, "{words}: {message}");
    for part in parts {
        assert!(message.contains(part), "{words}: {part:?} is not in {message:?}");
    }
}

#[track_caller]
fn is_near(found: &Value, expected: f64, off: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected).abs() <= off * expected.abs(), "{found} and not {expected}");
}

/// The certified values and standard deviations of Misra1a from NIST.
#[test]
fn one_fit_agrees_with_certified_values() {
    let nist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/nist");
    let all = fitted(&nist, "misra1a.toml");
    assert_eq!(all["statuses"]["converged"], 1);
    let fit = &all["fits"][0];
    is_near(&fit["parameters"]["b1"], 2.389_421_291_8e2, 1e-8);
    is_near(&fit["parameters"]["b2"], 5.501_564_318_1e-4, 1e-8);
    is_near(&fit["errors"]["b1"], 2.707_007_524_1, 1e-6);
    is_near(&fit["errors"]["b2"], 7.266_868_801_9e-6, 1e-6);
    is_near(&fit["chi_squared"], 1.245_513_889_4e-1, 1e-8);
    assert_eq!((&fit["degrees_of_freedom"], &fit["rows"]), (&12.into(), &14.into()));
    // The parameters are almost completely anticorrelated.
    assert!(fit["correlation"][0][1].as_f64().unwrap() < -0.99);
    let table = fits(&nist, "misra1a.toml");
    for text in ["238.9", "2.7", "chi-squared", "12 degrees of freedom", "converged", "ran on"] {
        assert!(table.contains(text), "{text}: {table}");
    }
}

#[test]
fn the_example_is_fitted_and_kept() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/problems");
    let example = example.join("fit-decay.toml");
    let example = example.to_str().unwrap();
    let all = folder(&[]);
    let table = fits(all.path(), &format!("{example} --out kept"));
    assert!(table.contains("lifetime") && table.contains("100 rows"), "{table}");
    assert!(
        table.ends_with("\nwritten to  kept: fits.csv, fits.json, fit.svg, report.html\n"),
        "{table}"
    );
    let kept = all.path().join("kept");
    let svg = fs::read_to_string(kept.join("fit.svg")).unwrap();
    // The data, in the fit and in its residuals, and one mark in the legend.
    assert_eq!(svg.matches("<circle").count(), 201);
    assert!(svg.contains("\nresidual\n"));
    let json = read(&kept.join("fits.json"));
    assert_eq!(json["parameters"][1]["unit"], "s");
    let csv = fs::read_to_string(kept.join("fits.csv")).unwrap();
    let head = "group,height,height_error,lifetime,lifetime_error,background,background_error,rows,chi_squared,\
                reduced_chi_squared,degrees_of_freedom,r_squared,aic,bic,status,other_minimum,evaluations";
    assert_eq!(csv.lines().next(), Some(head));
    assert_eq!(csv.lines().count(), 2);
    is_refused(
        all.path(),
        &format!("{example} --out kept"),
        &["--out is kept, which exists", "--force"],
    );
    // A file of the user is kept.
    fs::write(kept.join("notes.txt"), "mine").unwrap();
    fits(all.path(), &format!("{example} --out kept --force --polish-only --quiet"));
    assert!(kept.join("notes.txt").is_file());
    assert_eq!(read(&kept.join("fits.json"))["polish_only"], true);
    fs::create_dir(all.path().join("other")).unwrap();
    is_refused(all.path(), &format!("{example} --out other --force"), &["not a folder of a fit"]);
}

/// The separator is detected without [data], too, where every heading that the expressions use is a column.
#[test]
fn the_separator_is_detected_without_a_table_of_data() {
    let all = folder(&[("m.toml", DECAY)]);
    let rows = ["t|x|y", "0|7|8.00000", "1|7|4.85225", "2|7|2.94304", "3|7|1.78504"].join("\n");
    for (separator, before) in
        [(",", ""), (";", ""), ("\t", ""), (" ", ""), ("  ", "  "), (", ", "")]
    {
        let text = rows.replace('|', separator).replace('\n', &format!("\n{before}"));
        fs::write(all.path().join("d.csv"), format!("# a comment\n{before}{text}\n")).unwrap();
        let found = fitted(all.path(), "m.toml d.csv");
        is_near(&found["fits"][0]["parameters"]["lifetime"], 2.0, 1e-5);
        fs::write(all.path().join("wide.csv"), WIDE.replace(',', separator)).unwrap();
        let found = fitted(all.path(), "m.toml wide.csv --wide");
        is_near(&found["fits"][1]["parameters"]["lifetime"], 5.0, 1e-5);
    }
    // A heading may contain another separator.
    let text = rows.replacen('x', "a, b", 1).replace('|', ";");
    fs::write(all.path().join("d.csv"), text).unwrap();
    let found = fitted(all.path(), "m.toml d.csv");
    is_near(&found["fits"][0]["parameters"]["lifetime"], 2.0, 1e-5);
}

#[test]
fn groups_may_differ_in_length() {
    let all = folder(&[("m.toml", DECAY), ("long.csv", LONG)]);
    let found = fitted(all.path(), "m.toml long.csv --group well");
    let [first, second] = &found["fits"].as_array().unwrap()[..] else { panic!("{found}") };
    assert_eq!((&first["group"], &first["rows"]), (&"B2".into(), &4.into()));
    assert_eq!((&second["group"], &second["rows"]), (&"A1".into(), &5.into()));
    assert_eq!(
        (&first["degrees_of_freedom"], &second["degrees_of_freedom"]),
        (&2.into(), &3.into())
    );
    for (fit, height, lifetime) in [(first, 4.0, 5.0), (second, 8.0, 2.0)] {
        is_near(&fit["parameters"]["height"], height, 1e-5);
        is_near(&fit["parameters"]["lifetime"], lifetime, 1e-5);
    }
    fits(all.path(), "m.toml long.csv --group well --out kept");
    let kept = all.path().join("kept");
    let csv = fs::read_to_string(kept.join("fits.csv")).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[1].starts_with("B2,") && lines[2].starts_with("A1,"), "{csv}");
    assert!(kept.join("parameters.svg").is_file());
    let svg = fs::read_to_string(kept.join("fits.svg")).unwrap();
    assert!(svg.contains("A1 (reduced chi-squared") && svg.contains("B2 (reduced"));
    // Rows that only pad shorter groups are not drawn.
    assert_eq!(svg.matches("<circle").count(), 4 + 5 + 1);
}

/// Groups that a column of numbers in the model's own file defines. Each gives the same result as a separate fit.
#[test]
fn a_group_is_fitted_as_if_it_were_alone() {
    let model = format!(
        "{DECAY}data = {{ file = \"own.csv\", columns = {{ t = \"time / s\", y = \"y\" }} }}"
    );
    let model = model.replacen("fit =", "sigma = \"0.01 * y\"\nfit =", 1);
    let (model, data) =
        model.split_once("data =").map(|(a, b)| (a.to_string(), b.to_string())).unwrap();
    let model = format!("data ={data}\n{model}");
    let own = "plate,time / s,y\n1,0,8.1\n1,1,4.7\n2,0,4\n1,2,3.0\n2,2,2.8\n2,4,1.7\n1,4,1.1\n";
    let one = "time / s,y\n0,8.1\n1,4.7\n2,3.0\n4,1.1\n";
    let all = folder(&[("m.toml", &model), ("own.csv", own), ("one.csv", one)]);
    let groups = fitted(all.path(), "m.toml --group plate --absolute-sigma");
    let alone = fitted(all.path(), "m.toml one.csv --absolute-sigma");
    let (group, alone) = (&groups["fits"][0], &alone["fits"][0]);
    assert_eq!(group["group"], "1");
    for key in ["chi_squared", "r_squared", "aic"] {
        is_near(&group[key], alone[key].as_f64().unwrap(), 1e-9);
    }
    for name in ["height", "lifetime"] {
        is_near(&group["parameters"][name], alone["parameters"][name].as_f64().unwrap(), 1e-7);
        is_near(&group["errors"][name], alone["errors"][name].as_f64().unwrap(), 1e-6);
    }
}

#[test]
fn wide_data_are_a_fit_a_column() {
    let all = folder(&[("m.toml", DECAY), ("wide.csv", WIDE)]);
    let found = fitted(all.path(), "m.toml wide.csv --wide --from-start");
    assert_eq!(found["fits"][1]["group"], "second");
    is_near(&found["fits"][0]["parameters"]["lifetime"], 2.0, 1e-5);
    is_near(&found["fits"][1]["parameters"]["lifetime"], 5.0, 1e-5);
    let table = fits(all.path(), "m.toml wide.csv --wide --threads 1");
    for text in ["2 fits, 4 rows each", "median", "2 converged", "fits a second"] {
        assert!(table.contains(text), "{text}: {table}");
    }
    let found = fitted(all.path(), "m.toml wide.csv --wide --precision f32");
    assert_eq!(found["precision"], "f32");
    is_near(&found["fits"][1]["parameters"]["lifetime"], 5.0, 1e-4);
    // A missing value is left out of its own fit only.
    let gap = WIDE.replace("1.78504", "NA");
    let skips = format!("data = {{ columns = [\"t\", \"y\"], missing = \"skip row\" }}\n{DECAY}");
    let all = folder(&[("m.toml", DECAY), ("gap.csv", &gap), ("skips.toml", &skips)]);
    let found = fitted(all.path(), "skips.toml gap.csv --wide");
    assert_eq!((&found["fits"][0]["rows"], &found["fits"][1]["rows"]), (&3.into(), &4.into()));
    is_near(&found["fits"][0]["parameters"]["lifetime"], 2.0, 1e-5);
    is_refused(
        all.path(),
        "m.toml gap.csv --wide",
        &["gap.csv", "row 4", "column `first`", "nothing is there"],
    );
}

#[test]
fn a_fit_that_has_not_converged_says_so() {
    let all = folder(&[("m.toml", DECAY), ("wide.csv", WIDE)]);
    let one = "t,y\n0,8\n1,4\n2,3\n3,1\n4,1\n";
    fs::write(all.path().join("one.csv"), one).unwrap();
    let table = fits(all.path(), "m.toml one.csv --polish-only --evaluations 2");
    assert!(table.contains("not converged: the 2 evaluations were used up"), "{table}");
    let product = DECAY.replace("-t / lifetime", "-t) * (lifetime");
    fs::write(all.path().join("product.toml"), product).unwrap();
    let table = fits(all.path(), "product.toml one.csv");
    assert!(table.contains("do not determine height") && table.contains("unknown"), "{table}");
    let ignored = DECAY.replace(" / lifetime", "");
    fs::write(all.path().join("ignores.toml"), ignored).unwrap();
    is_refused(all.path(), "ignores.toml one.csv", &["`lifetime` does not change what the model"]);
    let narrow = DECAY.replace("upper = 100,", "upper = 8,");
    fs::write(all.path().join("narrow.toml"), narrow).unwrap();
    let wider = "t,y\n0,9\n1,5.4\n2,3.3\n3,2\n";
    fs::write(all.path().join("above.csv"), wider).unwrap();
    let table = fits(all.path(), "narrow.toml above.csv");
    assert!(table.contains("at a bound of height"), "{table}");
}

#[test]
fn mistakes_are_said() {
    let with = |from: &str, to: &str| DECAY.replace(from, to);
    let sigma = format!("sigma = \"dy\"\n{DECAY}");
    let weights = format!("weights = \"1 / dy^2\"\n{DECAY}");
    let double = format!("sigma = \"2 * dy\"\n{DECAY}");
    let other_weights = format!("weights = \"w / 2\"\n{DECAY}");
    let columns = format!("data.columns = [\"t\", \"y\", \"dy\"]\n{sigma}");
    let half = with(", start = 3", "");
    let outside = with("start = 8", "start = 800");
    let bounded = format!("{DECAY}[constraints]\nc = \"height < 5\"");
    let all = folder(&[
        ("m.toml", DECAY),
        ("sigma.toml", &sigma),
        ("weights.toml", &weights),
        ("double.toml", &double),
        ("other-weights.toml", &other_weights),
        ("columns.toml", &columns),
        ("half.toml", &half),
        ("outside.toml", &outside),
        ("bounded.toml", &bounded),
        ("no.toml", "minimise = \"x\"\nvariables.x = { lower = 0, upper = 1 }"),
        ("sum.toml", &with("y ~", "log(y) ~")),
        ("long.csv", LONG),
        ("wide.csv", WIDE),
        ("other.csv", "time,y\n1,2\n2,3\n"),
        ("nan.csv", "t,y\n1,2\n2,nan\n3,4\n"),
        ("text.csv", "t,y\n1,2\n2,much\n"),
        ("units.csv", "t (s),other,y [V]\n1,1,2\n2,1,1\n3,1,0.5\n"),
        ("list.toml", &with("{ lower = 0, upper = 100, start = 8 }", "[0, 100]")),
        ("few.csv", "t,y\n1,2\n"),
        ("uneven.csv", "well,t,y\nA1,1,2\nA1,2,1\nB1,1,2\n"),
        ("nameless.csv", "well,t,y\nA1,1,2\n,2,1\n"),
        ("renamed.csv", "t,y,error\n1,2,0.1\n2,1,0.1\n3,1,0.1\n"),
        ("zero.csv", "t,y,dy\n1,2,0.1\n2,1,0\n3,1,0.1\n"),
    ]);
    let refused = |words: &str, parts: &[&str]| is_refused(all.path(), words, parts);
    refused("m.toml", &["m.toml", "no file of data", "`warpswarm fit MODEL.toml DATA.csv`"]);
    refused("m.csv", &["MODEL is m.csv", "ends in .toml"]);
    refused("none.toml", &["none.toml", "cannot be read"]);
    refused("m.toml none.csv", &["none.csv", "cannot be read"]);
    refused("no.toml", &["no.toml has no model to fit", "warpswarm solve"]);
    refused("m.toml --group well", &["m.toml", "no file of data"]);
    refused("m.toml long.csv --group wel", &["long.csv", "no column `wel`", "did you mean `well`"]);
    refused("m.toml long.csv --group well --wide", &["--group", "--wide"]);
    refused("m.toml long.csv --wide", &["long.csv", "has a column `y`"]);
    refused("sum.toml wide.csv --wide", &["sum.toml", "log(y)", "one name"]);
    refused("m.toml other.csv", &["unknown name `t`", "columns of the data: time, y"]);
    let named = "write `data.columns = { t = \"t (s)\", y = \"y [V]\" }` in the model";
    refused("m.toml units.csv", &["columns of the data: t (s), other, y [V]", named]);
    let columns = "data.columns = { t = \"t (s)\", y = \"y [V]\" }";
    fs::write(all.path().join("named.toml"), format!("{columns}\n{DECAY}")).unwrap();
    fits(all.path(), "named.toml units.csv");
    refused("list.toml long.csv", &["write { lower = 0, upper = 100 }"]);
    refused("m.toml long.csv --plot x.png", &["--plot", "write --out DIR"]);
    refused("m.toml nan.csv", &["nan.csv", "line 3 (row 2), column `y`", "skip row"]);
    refused(
        "m.toml text.csv",
        &["text.csv", "line 3 (row 2), column `y`", "\"much\" is not a number"],
    );
    refused("m.toml few.csv", &["few.csv", "has one row", "at least"]);
    refused("m.toml uneven.csv --group well", &["group `B1` has 1 row;", "at least 2"]);
    refused(
        "m.toml nameless.csv --group well",
        &["line 3 (row 2), column `well`", "nothing is there"],
    );
    refused("sigma.toml zero.csv", &["sigma: `dy` is 0 in row 2 (zero.csv: line 3)", "above 0"]);
    refused(
        "weights.toml zero.csv",
        &["weights: `1 / dy^2` is inf in row 2 (zero.csv: line 3)", "from 0 on"],
    );
    let of_sigma = "sigma: unknown name `dy`; did you mean `y`? Columns of the data: t, y, error\n  2 * dy\n      ^^";
    refused("double.toml renamed.csv", &[of_sigma]);
    refused("other-weights.toml renamed.csv", &["weights: unknown name `w`", "\n  w / 2\n  ^"]);
    refused(
        "columns.toml renamed.csv",
        &["no column `dy`; allowed: columns = { dy = \"error\", ... }; its columns: t, y, error"],
    );
    refused("half.toml long.csv --polish-only", &["variable `lifetime` has no start"]);
    refused("outside.toml long.csv", &["start is 800", "0 to 100"]);
    refused("bounded.toml long.csv", &["a fit cannot have constraints", "`c`"]);
    refused("m.toml long.csv --polish-only --starts 3", &["--polish-only", "--starts"]);
    refused("m.toml long.csv --ftol 1", &["--ftol", "from 0 to below 1"]);
    refused("m.toml long.csv --json long.csv", &["--json is long.csv", "the data"]);
}

/// Rows without a number are counted, also where [data] says nothing else.
#[test]
fn rows_that_are_left_out_are_counted() {
    let skips = format!("data.missing = \"skip row\"\n{DECAY}");
    let gaps = "t,y\n0,8.00000\n1,\n1,4.85225\nNA,3\n2,2.94304\n3,1.78504\n";
    let wide = WIDE.replace("1.78504", "NA").replace("1,4.85225", ",4.85225");
    let all = folder(&[("m.toml", &skips), ("gaps.csv", gaps), ("wide.csv", &wide)]);
    let table = fits(all.path(), "m.toml gaps.csv");
    assert!(table.contains("4 rows, 2 left out (missing values)\n"), "{table}");
    let found = fitted(all.path(), "m.toml gaps.csv");
    assert_eq!((&found["rows_left_out"], &found["fits"][0]["rows"]), (&2.into(), &4.into()));
    // The row without a time is missing in both fits.
    let table = fits(all.path(), "m.toml wide.csv --wide");
    assert!(table.contains("2 fits, 2 to 3 rows each, 3 left out"), "{table}");
    fs::write(all.path().join("wide.csv"), WIDE).unwrap();
    assert_eq!(fitted(all.path(), "m.toml wide.csv --wide")["rows_left_out"], 0);
    let nothing = format!("data = {{}}\n{DECAY}");
    fs::write(all.path().join("nothing.toml"), nothing).unwrap();
    is_refused(all.path(), "nothing.toml", &["[data] says nothing"]);
}

#[test]
fn the_summary_says_where_errors_come_from() {
    let data = "t,y,dy\n0,8,0.1\n1,5,0.1\n2,3,0.1\n3,2,0.1\n";
    let with = |first: &str| format!("{first}\n{DECAY}");
    let all = folder(&[
        ("none.toml", DECAY),
        ("sigma.toml", &with("sigma = \"dy\"")),
        ("true.toml", &with("sigma = \"dy\"\nabsolute_sigma = true")),
        ("counts.toml", &with("loss = \"poisson\"")),
        ("d.csv", data),
    ]);
    for (words, errors) in [
        ("none.toml d.csv", "scaled by the residuals"),
        ("none.toml d.csv --absolute-sigma", "as if sigma were 1"),
        (
            "sigma.toml d.csv",
            "scaled by the residuals; for errors from sigma give --absolute-sigma",
        ),
        ("sigma.toml d.csv --absolute-sigma", "from sigma"),
        ("true.toml d.csv", "from sigma"),
        ("counts.toml d.csv", "from the counts"),
    ] {
        let table = fits(all.path(), words);
        assert!(table.contains(&format!("\nerrors      {errors}\n")), "{words}: {table}");
    }
    let key = fitted(all.path(), "true.toml d.csv");
    let option = fitted(all.path(), "sigma.toml d.csv --absolute-sigma");
    assert_eq!(key["fits"][0]["errors"], option["fits"][0]["errors"]);
    assert_eq!((&key["absolute_sigma"], &option["absolute_sigma"]), (&true.into(), &true.into()));
}

/// The result says what it depends on: the version, and each option.
#[test]
fn the_result_has_the_options() {
    let all = folder(&[("m.toml", DECAY), ("wide.csv", WIDE)]);
    let words = "m.toml wide.csv --wide --starts 9 --samples 4 --ftol 1e-9 --evaluations 300";
    let found = fitted(all.path(), words);
    assert_eq!(found["version"], env!("CARGO_PKG_VERSION"));
    for (key, value) in [("starts", 9), ("samples", 4), ("evaluations", 300)] {
        assert_eq!(found[key], value, "{key}");
    }
    assert_eq!((&found["ftol"], &found["xtol"]), (&1e-9.into(), &Value::Null));
}

/// Models of several columns, or of none, are also drawn.
#[test]
fn other_models_are_drawn() {
    let plane = "fit = \"z ~ a * u + b * v\"\n[variables]\na = { lower = -9, upper = 9 }\nb = { lower = -9, upper = 9 }";
    let level = "fit = \"z ~ a\"\n[variables]\na = { lower = -9, upper = 9 }";
    let data = "u,v,z\n0,1,2\n1,0,3\n1,1,5\n2,1,8.5\n";
    let all = folder(&[("plane.toml", plane), ("level.toml", level), ("d.csv", data)]);
    let svg = |name: &str| -> String {
        fits(all.path(), &format!("{name}.toml d.csv --out {name}"));
        let path: PathBuf = all.path().join(name).join("fit.svg");
        fs::read_to_string(path).unwrap()
    };
    assert!(svg("plane").contains("\nu\n"));
    assert!(svg("level").contains("\nrow\n"));
}

/// A line every second if requested, and nothing if stderr is not a terminal.
#[test]
fn progress_is_shown_where_it_is_asked_for() {
    let columns = 50_000;
    let mut wide = String::from("t");
    (0..columns).for_each(|column| wide += &format!(",c{column}"));
    for row in 0..4 {
        let y = 8.0 * f64::exp(-0.5 * f64::from(row));
        wide += &format!("\n{row}");
        (0..columns)
            .for_each(|column| wide += &format!(",{:.4}", y + 1e-4 * f64::from(column % 97)));
    }
    let all = folder(&[("m.toml", DECAY), ("few.csv", WIDE), ("many.csv", &wide)]);
    let shown = |words: &str| {
        let words: Vec<&str> = ["fit", "m.toml"].into_iter().chain(words.split(' ')).collect();
        let output = run_in(all.path(), &words);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output).to_string()
    };
    assert_eq!(shown("few.csv --wide"), "");
    assert_eq!(shown("few.csv --wide --progress bar --quiet"), "");
    // It succeeds, however few lines there are.
    shown("few.csv --wide --threads 1 --starts 7 --samples 10 --progress plain");
    // Enough fits to take seconds; one line is enough.
    let words = "fit m.toml many.csv --wide --threads 1 --starts 7 --samples 10 --progress plain";
    let mut program = program();
    program.args(words.split(' ')).current_dir(all.path()).stdout(Stdio::null());
    let mut child = program.stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.contains(" of 50,000 fits, ") && line.contains(" fits/s, "), "{line:?}");
}
