//! From an expression's text to a tree.

use std::ops::Range;

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;

/// The longest expression, in bytes.
const LONGEST: usize = 1 << 16;
/// Brackets within brackets: each takes some of the parser's stack.
const DEEPEST: usize = 64;

// Its own module, since the parser makes a public enum without documentation.
mod grammar {
    #![allow(missing_docs, unreachable_pub)]
    #[derive(pest_derive::Parser)]
    #[grammar = "problem_file/syntax.pest"]
    pub struct Grammar;
}
use grammar::{Grammar, Rule};

/// What is wrong, and where: bytes of the expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    pub(super) what: String,
    pub(super) at: Range<usize>,
}

impl Mistake {
    pub(super) fn new(what: impl Into<String>, at: &Range<usize>) -> Self {
        Mistake { what: what.into(), at: at.clone() }
    }
}

/// A part of an expression, with where it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree {
    pub(super) kind: Kind,
    pub(super) at: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Number(f64),
    Name(String),
    Negative(Box<Tree>),
    /// Operands with the operators between them, which bind alike and from the left.
    Chain(Box<Tree>, Vec<(Operator, Tree)>),
    Power(Box<Tree>, Box<Tree>),
    /// `name[index]`
    Element(String, Box<Tree>),
    Call(String, Vec<Tree>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    Unequal,
}

/// Parses an expression.
pub(super) fn parse(text: &str) -> Result<Tree, Mistake> {
    check_size(text)?;
    let mut pairs = Grammar::parse(Rule::whole, text).map_err(|error| mistake(error, text))?;
    let pair = pairs.next().ok_or_else(|| Mistake::new("nothing is written here", &(0..0)))?;
    tree(pair)
}

/// Refuses what is too long or too deep for the parser, which is recursive.
fn check_size(text: &str) -> Result<(), Mistake> {
    if text.len() > LONGEST {
        let what = format!("{} characters are too many; allowed: {LONGEST}", text.len());
        return Err(Mistake::new(what, &(0..1)));
    }
    let mut depth = 0_usize;
    for (at, letter) in text.bytes().enumerate() {
        match letter {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            let what = format!("brackets within brackets; allowed: {DEEPEST} deep");
            return Err(Mistake::new(what, &(at..at + 1)));
        }
    }
    Ok(())
}

/// The parser's error in our words.
fn mistake(error: pest::error::Error<Rule>, text: &str) -> Mistake {
    let at = match error.location {
        InputLocation::Pos(at) => at..at + 1,
        InputLocation::Span((start, end)) => start..end,
    };
    let ErrorVariant::ParsingError { positives, .. } = error.variant else {
        return Mistake::new("cannot be read", &at);
    };
    let mut expected: Vec<&str> = positives.into_iter().map(in_words).collect();
    let count = |brackets: [char; 2]| text[..at.start].matches(brackets).count();
    if expected.contains(&OPERATOR) && count(['(', '[']) > count([')', ']']) {
        expected.push("a closing bracket");
    }
    expected.sort_unstable();
    expected.dedup();
    let what = match expected.as_slice() {
        [] => "unexpected".to_string(),
        [one] => format!("expected {one}"),
        [most @ .., last] => format!("expected {} or {last}", most.join(", ")),
    };
    Mistake { what, at }
}

const OPERATOR: &str = "an operator";

fn in_words(rule: Rule) -> &'static str {
    match rule {
        Rule::EOI => "the end",
        Rule::add | Rule::multiply | Rule::raise | Rule::compare => OPERATOR,
        _ => "a number, a name, a function or a bracket",
    }
}

fn tree(pair: Pair<'_, Rule>) -> Result<Tree, Mistake> {
    let span = pair.as_span();
    let at = span.start()..span.start() + span.as_str().trim_end().len();
    let text = span.as_str();
    let rule = pair.as_rule();
    let mut parts = pair.into_inner();
    let kind = match rule {
        Rule::number => match text.parse() {
            Ok(number) if f64::is_finite(number) => Kind::Number(number),
            _ => return Err(Mistake::new("too large a number", &at)),
        },
        Rule::name => Kind::Name(text.into()),
        Rule::element | Rule::call => {
            let name = parts.next().map_or("", |name| name.as_str()).to_string();
            let mut arguments = parts.map(tree).collect::<Result<Vec<_>, _>>()?;
            match (rule, arguments.pop()) {
                (Rule::element, Some(index)) => Kind::Element(name, Box::new(index)),
                (_, last) => {
                    arguments.extend(last);
                    Kind::Call(name, arguments)
                }
            }
        }
        Rule::signed => {
            let mut parts: Vec<_> = parts.collect();
            let inner = parts.pop().map(tree).unwrap_or_else(|| nothing(&at))?;
            return Ok(negative(inner, parts.len(), &at));
        }
        Rule::power => return power(parts.collect(), &at),
        _ => {
            let first = parts.next().map(tree).unwrap_or_else(|| nothing(&at))?;
            let mut rest = Vec::new();
            while let (Some(operator), Some(operand)) = (parts.next(), parts.next()) {
                rest.push((operator_of(operator.as_str()), tree(operand)?));
            }
            if rest.is_empty() {
                return Ok(first);
            }
            Kind::Chain(Box::new(first), rest)
        }
    };
    Ok(Tree { kind, at })
}

fn nothing(at: &Range<usize>) -> Result<Tree, Mistake> {
    Err(Mistake::new("nothing is written here", at))
}

/// The tree with so many signs before it, of which two are none.
fn negative(tree: Tree, signs: usize, at: &Range<usize>) -> Tree {
    if signs.is_multiple_of(2) {
        return tree;
    }
    Tree { kind: Kind::Negative(Box::new(tree)), at: at.clone() }
}

/// `a ^ -b ^ c` is `a ^ (-(b ^ c))`.
fn power(parts: Vec<Pair<'_, Rule>>, at: &Range<usize>) -> Result<Tree, Mistake> {
    let (mut factors, mut signs) = (Vec::new(), 0);
    for part in parts {
        match part.as_rule() {
            Rule::raise => {}
            Rule::minus => signs += 1,
            _ => factors.push((std::mem::take(&mut signs), tree(part)?)),
        }
    }
    if factors.len() > DEEPEST {
        let what = format!("{} powers of powers; allowed: {DEEPEST}", factors.len());
        return Err(Mistake::new(what, at));
    }
    let Some((mut signs, mut right)) = factors.pop() else { return nothing(at) };
    while let Some((before, base)) = factors.pop() {
        let exponent = negative(right, signs, at);
        let kind = Kind::Power(Box::new(base), Box::new(exponent));
        (signs, right) = (before, Tree { kind, at: at.clone() });
    }
    Ok(right)
}

fn operator_of(text: &str) -> Operator {
    match text {
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        "<" => Operator::Less,
        "<=" => Operator::AtMost,
        ">" => Operator::Greater,
        ">=" => Operator::AtLeast,
        "==" => Operator::Equal,
        _ => Operator::Unequal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree with every bracket that is meant.
    fn shown(tree: &Tree) -> String {
        match &tree.kind {
            Kind::Number(number) => number.to_string(),
            Kind::Name(name) => name.clone(),
            Kind::Negative(inner) => format!("(-{})", shown(inner)),
            Kind::Power(base, exponent) => format!("({}^{})", shown(base), shown(exponent)),
            Kind::Element(name, index) => format!("{name}[{}]", shown(index)),
            Kind::Call(name, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(shown).collect();
                format!("{name}({})", arguments.join(","))
            }
            Kind::Chain(first, rest) => {
                rest.iter().fold(shown(first), |left, (operator, right)| {
                    format!("({left} {operator:?} {})", shown(right))
                })
            }
        }
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(parse(text).map(|tree| shown(&tree)), Ok(expected.into()), "{text}");
    }

    #[test]
    fn operators_bind_as_usual() {
        check("1 - 2 - 3", "((1 Subtract 2) Subtract 3)");
        check("1 + 2 * 3", "(1 Add (2 Multiply 3))");
        check("a / b * c", "((a Divide b) Multiply c)");
        check("-x^2", "(-(x^2))");
        check("2^-x^2", "(2^(-(x^2)))");
        check("2^3^4", "(2^(3^4))");
        check("--x * -y", "(x Multiply (-y))");
        check("a + 1 <= b * 2", "((a Add 1) AtMost (b Multiply 2))");
        check("(a + b) * c", "((a Add b) Multiply c)");
        check(" sum(i, x[i + 1]^2)\n", "sum(i,(x[(i Add 1)]^2))");
        check("f()", "f()");
        check("1.5e-3 + .5 + 2.", "((0.0015 Add 0.5) Add 2)");
        check("e1 - 1e1", "(e1 Subtract 10)");
    }

    #[test]
    fn mistakes_say_where() {
        let at = |text: &str, expected: Range<usize>, part: &str| {
            let mistake = parse(text).unwrap_err();
            assert_eq!(mistake.at, expected, "{text}: {mistake:?}");
            assert!(mistake.what.contains(part), "{text}: {mistake:?}");
        };
        at("", 0..1, "expected a number");
        at("1 + * 2", 4..5, "expected a number");
        at("(1 + 2", 6..7, "expected a closing bracket or an operator");
        at("1 2", 2..3, "operator");
        at("a $ b", 2..3, "operator");
        at("x[1", 3..4, "operator");
        at("1 < 2 < 3", 6..7, "the end");
        at("1e999", 0..5, "too large");
        at("2x", 0..1, "expected a number");
        at(&"(".repeat(100), 64..65, "64 deep");
        at(&"2^".repeat(100), 200..201, "expected");
        at(&format!("{}2", "2^".repeat(100)), 0..201, "powers of powers");
        assert!(parse(&"1+".repeat(40_000)).unwrap_err().what.contains("too many"));
    }

    #[test]
    fn trees_know_where_they_are_written() {
        let tree = parse("1 + foo(2, bar ) ").unwrap();
        let Kind::Chain(_, rest) = tree.kind else { panic!("{tree:?}") };
        assert_eq!(rest[0].1.at, 4..16);
        let Kind::Call(_, arguments) = &rest[0].1.kind else { panic!("{rest:?}") };
        assert_eq!(arguments[1].at, 11..14);
    }
}
