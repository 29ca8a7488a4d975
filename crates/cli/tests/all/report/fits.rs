//! The page of `warpswarm fit --out`.

use std::fs;
use std::path::Path;

use super::browser::Browser;
use super::{bars, count, run, texts};

const MODEL: &str = "fit = \"y ~ height * exp(-t / lifetime)\"\n\
                     variables.height = { lower = 0, upper = 100 }\n\
                     variables.lifetime = { lower = 0.01, upper = 1000, scale = \"log\", unit = \"<i>s</i>\" }\n";
/// A name that would be an HTML element and end the page's data if it was not escaped.
const TAG: &str = "<img src=x onerror=alert(1)></script>";
const FITS: usize = 30;
const ROWS: usize = 6;

/// Several decays side by side. The last one has the special name, and one outlier.
fn wide() -> String {
    let names = (0..FITS - 1).map(|i| format!("c{i}")).chain([TAG.into()]);
    let mut text = format!("t,{}\n", names.collect::<Vec<_>>().join(","));
    for row in 0..ROWS {
        let t = row as f64;
        let off = |i| if i == FITS - 1 && row == 3 { 2.0 } else { 0.0 };
        let wobble = |i: usize| 0.01 * (((i * 7 + row * 5) % 11) as f64 - 5.0);
        let value = |i| (5.0 + i as f64) * (-t / 2.0_f64).exp() + wobble(i) + off(i);
        let cells = (0..FITS).map(|i| format!(",{:.5}", value(i)));
        text += &format!("{t}{}\n", cells.collect::<String>());
    }
    text
}

#[track_caller]
fn opened(browser: &mut Browser, home: &Path, arguments: &[&str]) {
    let output = run(&[&["fit"], arguments, &["--out", "kept", "--force"]].concat(), home);
    assert!(output.status.success(), "{output:?}");
    browser.open(&format!("file://{}", home.join("kept/report.html").display()));
}

/// The files to which the page links exist.
#[track_caller]
fn links_lead_somewhere(browser: &mut Browser, home: &Path, links: usize) {
    let all = "[...document.querySelectorAll('a')].map((a) => a.getAttribute('href'))";
    let all: Vec<String> = serde_json::from_value(browser.evaluate(all)).unwrap();
    assert!(all.len() >= links, "{all:?}");
    for link in all {
        assert!(home.join("kept").join(&link).is_file(), "{link}");
    }
}

#[test]
fn the_page_of_a_fit_works_in_a_browser() {
    let Some(mut browser) = Browser::start() else { return };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("kept")).unwrap();
    fs::write(home.join("kept/fits.json"), "").unwrap();
    let example =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/problems/fit-decay.toml");
    opened(&mut browser, home, &[example.to_str().unwrap()]);
    // The same as in the printed table.
    let cells = texts(&mut browser, "#parameters tbody tr:nth-child(2) > *");
    assert_eq!(cells, ["lifetime", "3.188", "0.040", "s", "0.01", "1000"]);
    assert_eq!(texts(&mut browser, "#before td")[1], "100 rows");
    assert!(texts(&mut browser, "#after td").iter().any(|text| text.starts_with("converged")));
    let diagonal = "#correlation tr:nth-child(2) td:nth-child(3)";
    assert_eq!(texts(&mut browser, diagonal), ["1.000"]);
    // Data, residuals, and the line.
    assert_eq!(count(&mut browser, "#fit-1 .mark"), 100);
    assert_eq!(count(&mut browser, "#residuals-1 .mark"), 100);
    let long = "document.querySelector('#fit-1 .model').getTotalLength()";
    assert!(browser.evaluate(long).as_f64().unwrap() > 300.0);
    links_lead_somewhere(&mut browser, home, 3);
    assert_eq!(browser.errors, Vec::<String>::new());

    // A model of two columns is drawn as marks instead of a line; with sigma there are error bars.
    let plane = "fit = \"z ~ a * u + b * v\"\nsigma = \"0.5\"\n[variables]\na = { lower = -9, upper = 9 }\nb = { lower = -9, upper = 9 }";
    fs::write(home.join("plane.toml"), plane).unwrap();
    fs::write(home.join("d.csv"), "u,v,z\n0,1,2\n1,0,3\n1,1,5\n2,1,8.5\n").unwrap();
    opened(&mut browser, home, &["plane.toml", "d.csv"]);
    assert_eq!(count(&mut browser, "#fit-1 .model"), 4);
    assert_eq!(count(&mut browser, "#fit-1 .error"), 4);
    assert_eq!(count(&mut browser, "#residuals-1 .error"), 4);
    // All error bars end within the axes.
    let outside = "[...document.querySelectorAll('.chart')].flatMap((chart) => {
        const frame = chart.querySelector('.frame'), of = (node, name) => Number(node.getAttribute(name));
        const top = of(frame, 'y'), bottom = top + of(frame, 'height');
        const ends = [...chart.querySelectorAll('.error')].flatMap((bar) => [of(bar, 'y1'), of(bar, 'y2')]);
        return ends.filter((end) => !(end > top && end < bottom));
    })";
    assert_eq!(browser.evaluate(outside), serde_json::json!([]));
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn the_page_of_many_fits_works_in_a_browser() {
    let Some(mut browser) = Browser::start() else { return };
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("kept")).unwrap();
    fs::write(home.join("kept/fits.json"), "").unwrap();
    fs::write(home.join("m.toml"), MODEL).unwrap();
    fs::write(home.join("wide.csv"), wide()).unwrap();
    opened(&mut browser, home, &["m.toml", "wide.csv", "--wide"]);
    assert_eq!(texts(&mut browser, "#statuses tbody tr > *"), ["converged", "30", "100.00 %"]);
    // The histograms of both parameters and of reduced chi-squared contain every fit.
    for chart in ["histogram-1", "histogram-2", "histogram-3"] {
        let bars = bars(&mut browser, chart);
        assert_eq!(bars.iter().map(|bar| bar.runs).sum::<u64>(), FITS as u64, "{chart}: {bars:?}");
        assert!(bars[0].tip.contains(" of 30 fits"), "{bars:?}");
    }
    // The worst fit is first. Names from the data are shown as text.
    let titles = texts(&mut browser, "h3");
    assert_eq!(titles.len(), 12);
    assert!(titles[0].starts_with(&format!("{TAG} (worst, ")), "{titles:?}");
    assert!(titles[11].contains("(median, "), "{titles:?}");
    assert_eq!(count(&mut browser, "img, #parameters i"), 0);
    assert_eq!(count(&mut browser, "#fit-12 .mark"), ROWS as u64);
    assert_eq!(count(&mut browser, "#each tbody tr"), FITS as u64);
    assert_eq!(texts(&mut browser, "#each tbody tr:last-child td")[0], TAG);
    links_lead_somewhere(&mut browser, home, 5);
    assert_eq!(browser.errors, Vec::<String>::new());
}
