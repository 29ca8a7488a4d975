//! Links an objective with a kernel: both are compiled separately and joined when a kernel is loaded.
//!
//! A kernel that evaluates has the comment `// warpswarm.objective` between registers of agreed names, `%ws_...`:
//! coordinates in, results out. An objective's module is an entry that reads and writes those registers. Its
//! instructions replace the comment, in a scope of their own. Its parameter becomes the end of the kernel's parameter.

use crate::cut::CutError;
use crate::ptx::{Item, Kind, parse};

/// The comment that the objective replaces. A module without it evaluates nothing.
pub const MARK: &str = "// warpswarm.objective";

/// The comment that the code shared by all rows of a model replaces.
pub const SHARED: &str = "// warpswarm.model";
/// The comment that the code of a row of a model replaces. A kernel with it is linked with a model.
pub const ROW: &str = "// warpswarm.row";

/// Why a kernel and an objective cannot be linked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// One of the two is not a module.
    #[error(transparent)]
    Ptx(#[from] CutError),
    /// A module has no entry.
    #[error("the module of the {part} has no entry")]
    NoEntry {
        /// The kernel or the objective.
        part: &'static str,
    },
    /// A piece that an objective needs does not exist.
    #[error("there is no piece `{piece}`")]
    NoPiece {
        /// Its name.
        piece: String,
    },
    /// The kernel evaluates nothing.
    #[error("`{kernel}` asks for no objective")]
    NoPlace {
        /// The kernel.
        kernel: String,
    },
    /// The kernel evaluates in a function, where no objective can be inserted.
    #[error(
        "`{kernel}` asks for an objective in the function `{function}`, which the compiler has not inlined"
    )]
    Elsewhere {
        /// The kernel.
        kernel: String,
        /// The function of the kernel.
        function: String,
    },
    /// A model has a part that no kernel computes in each row.
    #[error("a model with {part} is not for GPUs")]
    NoModel {
        /// The part.
        part: &'static str,
    },
    /// An entry's parameter is not in the form that rustc writes.
    #[error("the parameter of `{entry}` is not understood: {text}")]
    Parameter {
        /// The entry.
        entry: String,
        /// The text between its brackets.
        text: String,
    },
    /// The same name has two meanings.
    #[error("`{name}` is defined in the kernel and, differently, in the objective")]
    Clash {
        /// The name.
        name: String,
    },
}

/// The one parameter of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameter<'a> {
    pub(crate) name: &'a str,
    pub(crate) align: usize,
    pub(crate) bytes: usize,
}

/// The module of `kernel` with `objective` in it; both are modules as [`cut`](crate::cut()) makes them.
///
/// The objective's bytes follow those of the kernel's parameter, at their alignment.
pub fn link(kernel: &str, objective: &str) -> Result<String, LinkError> {
    let (kernel_ptx, objective_ptx) = (parse(kernel)?, parse(objective)?);
    let entry_of = |items: &[Item<'_>], part| {
        let at = items.iter().position(|item| item.kind == Kind::Entry);
        at.ok_or(LinkError::NoEntry { part })
    };
    let (at, other) =
        (entry_of(&kernel_ptx.items, "kernel")?, entry_of(&objective_ptx.items, "objective")?);
    let (entry, evaluator) = (&kernel_ptx.items[at], &objective_ptx.items[other]);
    // No objective could be inserted there.
    let asks = |item: &&Item<'_>| item.text.contains(MARK) || item.text.contains(ROW);
    let elsewhere = kernel_ptx.items.iter().find(|item| item.kind != Kind::Entry && asks(item));
    if let Some(function) = elsewhere {
        let (kernel, function) = (entry.name.into(), function.name.into());
        return Err(LinkError::Elsewhere { kernel, function });
    }
    if !asks(&entry) {
        return Err(LinkError::NoPlace { kernel: entry.name.into() });
    }

    let start = entry.text.as_ptr().addr() - kernel.as_ptr().addr();
    let mut text = kernel[..start].to_owned();
    for item in objective_ptx.items.iter().filter(|item| item.name != evaluator.name) {
        match kernel_ptx.items.iter().find(|known| known.name == item.name) {
            None => {
                text.push_str(item.text);
                text.push_str("\n\n");
            }
            Some(known) if known.text == item.text => {}
            Some(_) => return Err(LinkError::Clash { name: item.name.into() }),
        }
    }
    text.push_str(&linked(entry, evaluator)?);
    text.push_str(&kernel[start + entry.text.len()..]);
    Ok(text)
}

/// The kernel's entry with the objective's body at every mark.
fn linked(entry: &Item<'_>, evaluator: &Item<'_>) -> Result<String, LinkError> {
    let own = parameter(entry)?;
    let given = parameter(evaluator)?;
    let mut text = entry.text.to_owned();
    let mut at = 0;
    if let Some(given) = given {
        let own = own.ok_or_else(|| not_understood(entry))?;
        at = own.bytes.next_multiple_of(given.align);
        let (is, becomes) =
            (format!("{}[{}]", own.name, own.bytes), format!("{}[{}]", own.name, at + given.bytes));
        text = text.replacen(&is, &becomes, 1);
    }
    let body = evaluator.body.map_or("", |body| &evaluator.text[body..]);
    let place = given.map(|given| (given.name, own.map_or("", |own| own.name), at));
    let Some((registers, shared, row)) = parts(body) else {
        return Ok(filled(&text, MARK, body, (0, place)));
    };
    // Values that are computed once must still be there in each row, so they are in registers of the whole entry.
    let start = entry.body.map_or(0, |body| text.len() - entry.text.len() + body + 1);
    text.insert_str(start, registers);
    let text = filled(&text, SHARED, &format!("{{{shared}}}"), (0, place));
    let first = entry.text.matches(SHARED).count();
    Ok(filled(&text, ROW, &format!("{{{row}"), (first, place)))
}

/// The registers of a model, the shared code, and the code of a row.
fn parts(body: &str) -> Option<(&str, &str, &str)> {
    let (registers, rest) = body.strip_prefix('{')?.split_once(SHARED)?;
    let (shared, row) = rest.split_once(ROW)?;
    Some((registers, shared, row))
}

/// The text with a body in place of every mark; scopes are numbered from `first` on.
fn filled(
    text: &str,
    mark: &str,
    body: &str,
    (first, place): (usize, Option<(&str, &str, usize)>),
) -> String {
    let mut pieces = text.split(mark);
    let mut filled = pieces.next().unwrap_or_default().to_owned();
    for (number, piece) in (first..).zip(pieces) {
        filled.push_str(&inlined(body, number, place));
        filled.push_str(piece);
    }
    filled
}

fn not_understood(item: &Item<'_>) -> LinkError {
    LinkError::Parameter { entry: item.name.into(), text: brackets(item).into() }
}

/// The text between the brackets after an entry's name.
fn brackets<'a>(item: &Item<'a>) -> &'a str {
    let head = &item.text[..item.body.unwrap_or(item.text.len())];
    let inside = head.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')'));
    inside.map_or("", |(inside, _)| inside.trim())
}

/// More bytes than any parameter has.
const MOST_BYTES: usize = 1 << 16;

/// An entry's one parameter: bytes, or a number.
pub(crate) fn parameter<'a>(item: &Item<'a>) -> Result<Option<Parameter<'a>>, LinkError> {
    let text = brackets(item);
    if text.is_empty() {
        return Ok(None);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let read = || match words[..] {
        [".param", ".align", align, ".b8", array] => {
            let (name, rest) = array.split_once('[')?;
            let bytes = rest.strip_suffix(']')?.parse().ok()?;
            Some(Parameter { name, align: align.parse().ok()?, bytes })
        }
        [".param", number, name] => {
            let bits: usize = number.trim_start_matches(['.', 'b', 'u', 's', 'f']).parse().ok()?;
            Some(Parameter { name, align: bits / 8, bytes: bits / 8 })
        }
        _ => None,
    };
    let sensible = |given: &Parameter<'_>| {
        given.align.is_power_of_two() && given.align <= MOST_BYTES && given.bytes <= MOST_BYTES
    };
    read().filter(sensible).map(Some).ok_or_else(|| not_understood(item))
}

/// The body of an objective as a scope within a kernel: labels are renamed, a return jumps to the end, and the
/// parameter `name` becomes the part of the parameter `of` from byte `at` on.
pub(crate) fn inlined(body: &str, number: usize, parameter: Option<(&str, &str, usize)>) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
    let end = format!("$ws{number}_end");
    let mut text = String::with_capacity(body.len() + 64);
    let mut rest = body;
    while !rest.is_empty() {
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if length == 0 {
            let length = rest.find(is_word).unwrap_or(rest.len());
            text.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        let word = &rest[..length];
        rest = &rest[length..];
        match parameter {
            Some((name, of, at)) if word == name => {
                let digits = rest.strip_prefix('+').map_or("", |after| {
                    &after[..after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len())]
                });
                // An offset that is no number within a parameter is left for the driver to reject.
                let within = digits.parse().ok().filter(|within| *within <= MOST_BYTES);
                if within.is_some() {
                    rest = &rest[1 + digits.len()..];
                }
                text.push_str(&format!("{of}+{}", at + within.unwrap_or(0)));
            }
            _ if word == "ret" => text.push_str(&format!("bra.uni {end}")),
            _ if word.starts_with('$') => text.push_str(&format!("$ws{number}_{}", &word[1..])),
            _ => text.push_str(word),
        }
    }
    text.push_str(&format!("\n{end}:"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";

    fn kernel(body: &str) -> String {
        format!(
            "{HEADER}\n.visible .entry k(\n\t.param .align 8 .b8 k_param_0[20]\n)\n{{\n{body}\n\tret;\n}}\n"
        )
    }

    fn objective(parameter: &str, body: &str) -> String {
        format!("{HEADER}\n.visible .entry o({parameter})\n{{\n{body}\n}}\n")
    }

    #[test]
    fn an_objective_comes_in_place_of_the_mark() {
        let kernel =
            kernel("\tmov.b32 %ws_x0, %r1;\n\t// warpswarm.objective\n\tmov.b32 %r2, %ws_value;");
        let body = "\t.reg .b32 %r<3>;\n\tld.param.b32 %r1, [o_param_0];\n\tld.param.b64 %rd1, [o_param_0+8];\n\
            $L__BB0_1:\n\tbra $L__BB0_1;\n\tret;";
        let linked =
            link(&kernel, &objective("\n\t.param .align 8 .b8 o_param_0[16]\n", body)).unwrap();
        let expected = "\t.param .align 8 .b8 k_param_0[40]\n)\n{\n\tmov.b32 %ws_x0, %r1;\n\t{\n\t.reg .b32 %r<3>;\n\
            \tld.param.b32 %r1, [k_param_0+24];\n\tld.param.b64 %rd1, [k_param_0+32];\n\
            $ws0_L__BB0_1:\n\tbra $ws0_L__BB0_1;\n\tbra.uni $ws0_end;\n}\n$ws0_end:\n\tmov.b32 %r2, %ws_value;\n\tret;\n}\n";
        assert!(linked.ends_with(expected), "{linked}");
        assert!(linked.starts_with(HEADER), "{linked}");
        assert!(!linked.contains(".entry o"), "{linked}");
    }

    /// If the compiler has not inlined the function that evaluates, there would be no result.
    #[test]
    fn a_mark_outside_of_the_entry_is_refused() {
        let function = ".func helper()\n{\n\t// warpswarm.objective\n\tret;\n}\n\n.visible";
        let kernel = kernel("// warpswarm.objective").replace(".visible", function);
        let error = link(&kernel, &objective("", "ret;")).unwrap_err().to_string();
        assert_eq!(
            error,
            "`k` asks for an objective in the function `helper`, which the compiler has not inlined"
        );
    }

    #[test]
    fn every_mark_has_labels_of_its_own() {
        let kernel = kernel("// warpswarm.objective\n// warpswarm.objective");
        let linked = link(&kernel, &objective("", "\tret;")).unwrap();
        assert!(linked.contains("$ws0_end:") && linked.contains("$ws1_end:"), "{linked}");
        assert!(linked.contains("k_param_0[20]"), "no parameter, no room for one: {linked}");
        let number = objective(".param .b64 o_param_0", "ld.param.b64 %rd1, [o_param_0];");
        let linked = link(&kernel, &number).unwrap();
        assert!(linked.contains("k_param_0[32]"), "{linked}");
        assert!(linked.contains("[k_param_0+24]"), "{linked}");
    }

    /// An offset that no parameter has is not used in arithmetic.
    #[test]
    fn a_place_beyond_every_parameter_stays_as_it_is() {
        let body = "ld.param.b64 %rd1, [o+18446744073709551615];";
        let linked = link(&kernel("// warpswarm.objective"), &objective(".param .b64 o", body));
        assert!(linked.unwrap().contains("[k_param_0+24+18446744073709551615]"));
    }

    #[test]
    fn tables_come_along_once() {
        let table = ".global .align 4 .b8 table[4] = {1, 2, 3, 4};";
        let with = |table: &str| {
            objective("", "\tmov.b64 %rd1, table;\n\tret;")
                .replace(".visible", &format!("{table}\n\n.visible"))
        };
        let kernel = kernel("// warpswarm.objective");
        let linked = link(&kernel, &with(table)).unwrap();
        assert_eq!(linked.matches(table).count(), 1);
        let again = kernel.replace(".visible", &format!("{table}\n.visible"));
        assert_eq!(link(&again, &with(table)).unwrap().matches(table).count(), 1);
        let other = ".global .align 4 .b8 table[4] = {1, 2, 3, 5};";
        let clash = LinkError::Clash { name: "table".into() };
        assert_eq!(link(&again, &with(other)).unwrap_err(), clash);
    }

    #[test]
    fn what_cannot_be_linked_is_an_error() {
        let plain = kernel("");
        let good = objective("", "ret;");
        let error =
            |kernel: &str, objective: &str| link(kernel, objective).unwrap_err().to_string();
        assert_eq!(error(&plain, &good), "`k` asks for no objective");
        let marked = kernel("// warpswarm.objective");
        assert_eq!(error(&marked, HEADER), "the module of the objective has no entry");
        let two = objective(".param .b32 a, .param .b32 b", "ret;");
        assert!(error(&marked, &two).starts_with("the parameter of `o` is not understood"));
        for parameter in [
            ".param .align 0 .b8 o[16]",
            ".param .align 3 .b8 o[16]",
            ".param .align 8 .b8 o[18446744073709551615]",
            ".param .b4 o",
        ] {
            let said = error(&marked, &objective(parameter, "ret;"));
            assert!(said.starts_with("the parameter of `o` is not understood"), "{said}");
        }
        assert_eq!(
            error("x", &good),
            "line 1 of the PTX begins with `x`, which this cutter does not know"
        );
    }
}
