//! Writes words of a kernel's argument that are known when it is loaded into its text as constants. A loop over any
//! number of coordinates then becomes a loop over a constant number.

/// The text of a kernel's module, with moves of constants in place of loads of known words of its argument. Each word
/// has its place in the argument, in bytes, and its value. The argument is the entry's first parameter, named as rustc
/// names it. Loads other than those of words or pairs of words stay as they are.
///
/// ```
/// use warpswarm_ptx_builder::known::with_words;
/// let text = "ld.param.b32 %r1, [k_param_0+4];\n\tld.param.b64 \t%rd1, [k_param_0+8];\n";
/// let known = with_words(text, "k", &[(4, 10), (8, 3), (12, 1)]);
/// assert_eq!(known, "mov.b32 %r1, 10;\n\tmov.b64 %rd1, 4294967299;\n");
/// ```
#[must_use]
pub fn with_words(text: &str, entry: &str, words: &[(u32, u32)]) -> String {
    if words.is_empty() {
        return text.to_owned();
    }
    let argument = format!("[{entry}_param_0");
    let known = |line: &str| known(line.trim(), &argument, words);
    let mut new = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match known(line) {
            Some(moves) => {
                let indent = line.len() - line.trim_start().len();
                new.push_str(&line[..indent]);
                new.push_str(&moves);
                new.push_str(&line[line.trim_end().len()..]);
            }
            None => new.push_str(line),
        }
    }
    new
}

/// The replacement of a line that loads words of which at least one is known.
fn known(line: &str, argument: &str, words: &[(u32, u32)]) -> Option<String> {
    let (class, rest) = line.strip_prefix("ld.param.")?.split_once(char::is_whitespace)?;
    let (into, place) = rest.strip_suffix("];")?.split_once(", ")?;
    let into = into.trim();
    let place = place.trim().strip_prefix(argument)?;
    let at: u32 = match place.strip_prefix('+') {
        Some(digits) => digits.parse().ok()?,
        None if place.is_empty() => 0,
        None => return None,
    };
    let word = |at: u32| words.iter().find(|(place, _)| *place == at).map(|&(_, value)| value);
    match class {
        "b32" | "u32" | "s32" => Some(format!("mov.b32 {into}, {};", word(at)?)),
        "b64" | "u64" | "s64" => {
            let half = |at, name| match word(at) {
                Some(value) => format!("mov.b32 {name}, {value};"),
                None => format!("ld.param.b32 {name}, {argument}+{at}];"),
            };
            match [word(at), word(at + 4)] {
                [None, None] => None,
                [Some(low), Some(high)] => {
                    Some(format!("mov.b64 {into}, {};", u64::from(low) | u64::from(high) << 32))
                }
                // Of two words that are loaded together, one is known.
                _ => Some(format!(
                    "{{ .reg .b32 %low, %high; {} {} mov.b64 {into}, {{%low, %high}}; }}",
                    half(at, "%low"),
                    half(at + 4, "%high"),
                )),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_stays() {
        let words = [(8, 7), (16, 1)];
        for line in [
            "ld.param.b64 %rd1, [k_param_0+24];",
            "ld.param.b32 %r1, [k_param_0+12];",
            "ld.param.b32 %r1, [k_param_0];",
            "ld.param.b32 %r1, [k2_param_0+8];",
            "ld.param.b32 %r1, [k_param_01+8];",
            "ld.param.v2.b32 {%r1, %r2}, [k_param_0+8];",
            "ld.param.f32 %f1, [k_param_0+8];",
            "ld.b32 %r1, [%rd1+8];",
            "// ld.param.b32 %r1, [k_param_0+8];",
        ] {
            assert_eq!(with_words(line, "k", &words), line);
        }
        let low = "ld.param.b64 %rd1, [k_param_0+8];";
        let wanted = "{ .reg .b32 %low, %high; mov.b32 %low, 7; ld.param.b32 %high, [k_param_0+12]; mov.b64 %rd1, {%low, %high}; }";
        assert_eq!(with_words(low, "k", &words), wanted);
        let high = "ld.param.b64 %rd1, [k_param_0+12];";
        let wanted = "{ .reg .b32 %low, %high; ld.param.b32 %low, [k_param_0+12]; mov.b32 %high, 1; mov.b64 %rd1, {%low, %high}; }";
        assert_eq!(with_words(high, "k", &words), wanted);
        let text = "\tld.param.u32 \t%r1, [k_param_0+16];\n\tret;\n";
        assert_eq!(with_words(text, "k", &words), "\tmov.b32 %r1, 1;\n\tret;\n");
        assert_eq!(with_words(text, "k", &[]), text);
    }
}
