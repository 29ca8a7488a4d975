//! Pages for a browser: data, and the scripts that draw it.
//!
//! The scripts are our own, 28 kB: plotly.js, which an existing crate would embed, adds 4.7 MB to each page. They draw
//! SVG, whose elements a test can count. Every page contains `charts.js` and `page.css`, and a script of its command.

use serde::Serialize;

const CHARTS: &str = include_str!("charts.js");
const STYLE: &str = include_str!("page.css");

/// A page that contains this data and the script that draws it.
pub(crate) fn page(title: &str, note: &str, data: &impl Serialize, script: &str) -> String {
    // In a script element only `</script>` ends the script, so every `<` is escaped.
    let data = serde_json::to_string(data).unwrap_or_default().replace('<', "\\u003c");
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<meta http-equiv=\"Content-Security-Policy\" \
content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">
<title>{title}</title>
<style>
{STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<p class=\"note\">Made by warpswarm {version}. {note}</p>
<section id=\"summary\"></section>
<noscript>This page draws its charts with a script that is part of it; your browser runs none.</noscript>
<div id=\"charts\"></div>
<div id=\"runs\"></div>
<script type=\"application/json\" id=\"data\">{data}</script>
<script>
{CHARTS}{script}</script>
</body>
</html>
"
    )
}
