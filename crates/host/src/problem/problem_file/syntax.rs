//! Parses an expression's text into a tree.

use std::ops::Range;

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;

/// The longest expression, in bytes.
const LONGEST: usize = 1 << 16;
/// The deepest nesting of brackets: each level uses some of the parser's stack.
const DEEPEST: usize = 64;

// A module of its own, because the parser generates a public enum without documentation.
mod grammar {
    #![allow(missing_docs, unreachable_pub)]
    #[derive(pest_derive::Parser)]
    #[grammar = "problem/problem_file/syntax.pest"]
    pub struct Grammar;
}
use grammar::{Grammar, Rule};

/// What is wrong, and where: a byte range of the expression.
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

/// A part of an expression, with its place in the text.
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
    /// Operands and the operators between them, which have the same precedence and associate to the left.
    Chain(Box<Tree>, Vec<(Operator, Tree)>),
    Power(Box<Tree>, Box<Tree>),
    /// `name[index]`, or `name[row, column]` for a matrix.
    Element(String, Vec<Tree>),
    /// One of a variable's choices, in single quotes.
    Text(String),
    Call(String, Vec<Tree>),
    /// Numbers with the relations between neighbours: `a < b <= c`.
    Compare(Box<Tree>, Vec<(Relation, Tree)>),
    Join(Joint, Vec<Tree>),
    Not(Box<Tree>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    Unequal,
}

impl Relation {
    /// The opposite relation: between two numbers it holds if this one does not.
    pub(super) fn turned(self) -> Self {
        match self {
            Relation::Less => Relation::AtLeast,
            Relation::AtMost => Relation::Greater,
            Relation::Greater => Relation::AtMost,
            Relation::AtLeast => Relation::Less,
            Relation::Equal => Relation::Unequal,
            Relation::Unequal => Relation::Equal,
        }
    }
}

/// How conditions are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    /// All hold.
    And,
    /// At least one holds.
    Or,
}

impl Tree {
    /// Whether a name occurs in the tree, with or without an index.
    pub(super) fn names(&self, name: &str) -> bool {
        matches!(&self.kind, Kind::Name(other) | Kind::Element(other, _) if other == name)
            || self.parts().into_iter().any(|part| part.names(name))
    }

    /// The direct parts of the tree.
    pub(super) fn parts(&self) -> Vec<&Tree> {
        match &self.kind {
            Kind::Number(_) | Kind::Name(_) | Kind::Text(_) => Vec::new(),
            Kind::Negative(inner) | Kind::Not(inner) => vec![inner],
            Kind::Power(base, exponent) => vec![base, exponent],
            Kind::Chain(first, rest) => {
                std::iter::once(&**first).chain(rest.iter().map(|(_, tree)| tree)).collect()
            }
            Kind::Compare(first, rest) => {
                std::iter::once(&**first).chain(rest.iter().map(|(_, tree)| tree)).collect()
            }
            Kind::Call(_, all) | Kind::Join(_, all) | Kind::Element(_, all) => all.iter().collect(),
        }
    }
}

/// A named expression: a number, or one for each value of an index.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Defined {
    pub(super) tree: Tree,
    pub(super) over: Option<Over>,
}

/// The range of an index: `for i in x`, or `for i in from to last`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Over {
    pub(super) index: String,
    pub(super) from: Tree,
    pub(super) to: Option<Tree>,
    pub(super) at: Range<usize>,
}

/// Parses an expression.
pub(super) fn parse(text: &str) -> Result<Tree, Mistake> {
    check_size(text)?;
    let mut pairs = Grammar::parse(Rule::whole, text).map_err(|error| mistake(error, text))?;
    pairs.next().map(tree).unwrap_or_else(|| nothing(&(0..0)))
}

/// Parses a named expression, optionally with a range.
pub(super) fn parse_defined(text: &str) -> Result<Defined, Mistake> {
    check_size(text)?;
    let mut pairs = Grammar::parse(Rule::defined, text).map_err(|error| mistake(error, text))?;
    let tree = pairs.next().map(tree).unwrap_or_else(|| nothing(&(0..0)))?;
    let range = pairs.next().filter(|pair| pair.as_rule() == Rule::range);
    let over = range.map(over).transpose()?;
    Ok(Defined { tree, over })
}

fn over(pair: Pair<'_, Rule>) -> Result<Over, Mistake> {
    let span = pair.as_span();
    let at = span.start()..span.start() + span.as_str().trim_end().len();
    let words = [Rule::r#for, Rule::r#in, Rule::to];
    let mut parts = pair.into_inner().filter(|part| !words.contains(&part.as_rule()));
    let index = parts.next().map_or("", |name| name.as_str()).to_string();
    let from = parts.next().map(tree).unwrap_or_else(|| nothing(&at))?;
    let to = parts.next().map(tree).transpose()?;
    Ok(Over { index, from, to, at })
}

/// Refuses text that is too long or too deep for the recursive parser.
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

/// The parser's error in the words of our messages.
fn mistake(error: pest::error::Error<Rule>, text: &str) -> Mistake {
    let at = match error.location {
        InputLocation::Pos(at) => at..at + 1,
        InputLocation::Span((start, end)) => start..end,
    };
    let ErrorVariant::ParsingError { positives, .. } = error.variant else {
        return Mistake::new("cannot be read", &at);
    };
    if let Some(instead) = instead(&text[at.start.min(text.len())..]) {
        return Mistake { what: instead.into(), at };
    }
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

/// What to write instead of operators of other languages.
fn instead(rest: &str) -> Option<&'static str> {
    let instead = [
        ("&", "allowed: `and`, as in `a <= b and b <= c`"),
        ("|", "allowed: `or` of conditions, `abs(x)` of a number"),
        ("~", "allowed: `not`"),
        ("%", "allowed: `a - b * floor(a / b)`"),
        ("?", "allowed: `if(condition, a, b)`"),
        ("{", "allowed: ( and )"),
    ];
    instead.into_iter().find(|(sign, _)| rest.starts_with(sign)).map(|(_, instead)| instead)
}

const OPERATOR: &str = "an operator";

fn in_words(rule: Rule) -> &'static str {
    match rule {
        Rule::EOI => "the end",
        Rule::r#in => "`in`, as in `for i in x` or `for i in 1 to 10`",
        Rule::r#for => "`for`",
        Rule::to => "`to`",
        Rule::add | Rule::multiply | Rule::raise | Rule::compare | Rule::and | Rule::or => OPERATOR,
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
        Rule::text => Kind::Text(text.trim_matches('\'').into()),
        Rule::element | Rule::call => {
            let name = parts.next().map_or("", |name| name.as_str()).to_string();
            let arguments = parts.map(tree).collect::<Result<Vec<_>, _>>()?;
            match rule {
                Rule::element => Kind::Element(name, arguments),
                _ => Kind::Call(name, arguments),
            }
        }
        Rule::signed => {
            let mut parts: Vec<_> = parts.collect();
            let inner = parts.pop().map(tree).unwrap_or_else(|| nothing(&at))?;
            let signs = parts.iter().filter(|part| part.as_rule() == Rule::minus).count();
            return Ok(negative(inner, signs, &at));
        }
        Rule::power => return power(parts.collect(), &at),
        Rule::any | Rule::all => {
            let joint = if rule == Rule::any { Joint::Or } else { Joint::And };
            let is_operand =
                |part: &Pair<'_, Rule>| !matches!(part.as_rule(), Rule::and | Rule::or);
            let mut all = parts.filter(is_operand).map(tree).collect::<Result<Vec<_>, _>>()?;
            match (all.pop(), all.is_empty()) {
                (Some(only), true) => return Ok(only),
                (last, _) => all.extend(last),
            }
            Kind::Join(joint, all)
        }
        Rule::opposite | Rule::turned => {
            let mut parts: Vec<_> = parts.collect();
            let inner = parts.pop().map(tree).unwrap_or_else(|| nothing(&at))?;
            if parts.len().is_multiple_of(2) {
                return not_turned(inner, parts.len(), &at);
            }
            Kind::Not(Box::new(inner))
        }
        Rule::comparison => {
            let first = parts.next().map(tree).unwrap_or_else(|| nothing(&at))?;
            let mut rest = Vec::new();
            while let (Some(relation), Some(operand)) = (parts.next(), parts.next()) {
                rest.push((relation_of(relation.as_str()), tree(operand)?));
            }
            if rest.is_empty() {
                return Ok(first);
            }
            Kind::Compare(Box::new(first), rest)
        }
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

/// The tree with `nots` pairs of `not` before it: the same truth value, but no longer a number.
fn not_turned(inner: Tree, nots: usize, at: &Range<usize>) -> Result<Tree, Mistake> {
    if nots == 0 {
        return Ok(inner);
    }
    let once = Tree { kind: Kind::Not(Box::new(inner)), at: at.clone() };
    Ok(Tree { kind: Kind::Not(Box::new(once)), at: at.clone() })
}

/// The tree with this many minus signs before it, of which pairs cancel.
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
            Rule::raise | Rule::plus => {}
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
        _ => Operator::Divide,
    }
}

fn relation_of(text: &str) -> Relation {
    match text {
        "<" => Relation::Less,
        "<=" => Relation::AtMost,
        ">" => Relation::Greater,
        ">=" => Relation::AtLeast,
        "!=" => Relation::Unequal,
        _ => Relation::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree with all implied brackets.
    fn shown(tree: &Tree) -> String {
        match &tree.kind {
            Kind::Number(number) => number.to_string(),
            Kind::Name(name) => name.clone(),
            Kind::Negative(inner) => format!("(-{})", shown(inner)),
            Kind::Power(base, exponent) => format!("({}^{})", shown(base), shown(exponent)),
            Kind::Text(text) => format!("'{text}'"),
            Kind::Element(name, indices) => {
                let indices: Vec<_> = indices.iter().map(shown).collect();
                format!("{name}[{}]", indices.join(","))
            }
            Kind::Call(name, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(shown).collect();
                format!("{name}({})", arguments.join(","))
            }
            Kind::Chain(first, rest) => {
                rest.iter().fold(shown(first), |left, (operator, right)| {
                    format!("({left} {operator:?} {})", shown(right))
                })
            }
            Kind::Compare(first, rest) => {
                let rest =
                    rest.iter().map(|(relation, right)| format!(" {relation:?} {}", shown(right)));
                format!("({}{})", shown(first), rest.collect::<String>())
            }
            Kind::Join(joint, all) => {
                let all: Vec<_> = all.iter().map(shown).collect();
                format!("{joint:?}({})", all.join(","))
            }
            Kind::Not(inner) => format!("Not({})", shown(inner)),
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
        check("+x ** -+2", "(x^(-2))");
        check("A[i, j + 1] + x[y[i]]", "(A[i,(j Add 1)] Add x[y[i]])");
        check("metal == 'cast iron'", "(metal Equal 'cast iron')");
        check("format + into + toe", "((format Add into) Add toe)");
    }

    #[test]
    fn conditions_bind_as_usual() {
        check("a < b <= c + 1", "(a Less b AtMost (c Add 1))");
        check("a = b", "(a Equal b)");
        check("a < b and b < c or not c == d", "Or(And((a Less b),(b Less c)),Not((c Equal d)))");
        check("a<b&&!(b<c)||d!=e", "Or(And((a Less b),Not((b Less c))),(d Unequal e))");
        check("(a or b) and not not c", "And(Or(a,b),Not(Not(c)))");
        // As in C, `!` applies to what directly follows it.
        check("!(a) < b", "(Not(a) Less b)");
        check("order * nothing + android", "((order Multiply nothing) Add android)");
        check("if(a < b, c, d)", "if((a Less b),c,d)");
    }

    #[test]
    fn an_index_may_stand_behind_what_is_defined() {
        let over = |text: &str| {
            let Defined { tree, over } = parse_defined(text).unwrap();
            let over = over
                .map(|over| (over.index, shown(&over.from), over.to.as_ref().map(shown), over.at));
            (shown(&tree), over)
        };
        let of = |index: &str, from: &str, to: Option<&str>, at| {
            Some((index.to_string(), from.to_string(), to.map(String::from), at))
        };
        assert_eq!(over("a + 1"), ("(a Add 1)".into(), None));
        assert_eq!(over("a * t[i] for i in t"), {
            ("(a Multiply t[i])".into(), of("i", "t", None, 9..19))
        });
        assert_eq!(over("k for k in 1 to n + 2 "), {
            ("k".into(), of("k", "1", Some("(n Add 2)"), 2..21))
        });
        assert!(parse("a for i in t").unwrap_err().what.contains("expected"));
        assert!(parse_defined("a for i").unwrap_err().what.contains("expected `in`"));
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
        at("a and", 5..6, "expected a number");
        at("a < b & c < d", 6..7, "allowed: `and`");
        at("a < b | c < d", 6..7, "allowed: `or`");
        at("a % b", 2..3, "floor");
        at("a =< b", 3..4, "expected a number");
        at("and + 1", 0..1, "expected a number");
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
