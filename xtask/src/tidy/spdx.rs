//! Licence expressions: names joined by AND, OR, WITH and parentheses; the old `/` means OR.

use std::iter::Peekable;
use std::vec::IntoIter;

/// True if the expression can be fulfilled with allowed licences alone; `None` if it is malformed.
pub(super) fn holds(expression: &str, allow: &[String]) -> Option<bool> {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let words: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
    let mut words = words.into_iter().peekable();
    let value = either(&mut words, allow)?;
    words.next().is_none().then_some(value)
}

fn either(words: &mut Peekable<IntoIter<String>>, allow: &[String]) -> Option<bool> {
    let mut value = both(words, allow)?;
    while words.next_if(|word| word == "OR").is_some() {
        value |= both(words, allow)?;
    }
    Some(value)
}

fn both(words: &mut Peekable<IntoIter<String>>, allow: &[String]) -> Option<bool> {
    let mut value = one(words, allow)?;
    while words.next_if(|word| word == "AND").is_some() {
        value &= one(words, allow)?;
    }
    Some(value)
}

fn one(words: &mut Peekable<IntoIter<String>>, allow: &[String]) -> Option<bool> {
    let mut name = words.next()?;
    if name == "(" {
        let value = either(words, allow)?;
        return (words.next()? == ")").then_some(value);
    }
    if [")", "AND", "OR", "WITH"].contains(&name.as_str()) {
        return None;
    }
    if words.next_if(|word| word == "WITH").is_some() {
        name = format!("{name} WITH {}", words.next()?);
    }
    Some(allow.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(expression: &str) -> Option<bool> {
        let allow = ["MIT", "Apache-2.0", "ISC"].map(str::to_owned);
        holds(expression, &allow)
    }

    #[test]
    fn expressions_are_evaluated() {
        assert_eq!(value("MIT"), Some(true));
        assert_eq!(value("GPL-3.0/MIT"), Some(true));
        assert_eq!(value("Apache-2.0 AND GPL-3.0"), Some(false));
        assert_eq!(value("(MIT OR GPL-3.0) AND ISC"), Some(true));
        assert_eq!(value("MIT AND GPL-3.0 OR ISC"), Some(true));
        assert_eq!(value("Apache-2.0 WITH LLVM-exception"), Some(false));
    }

    #[test]
    fn broken_ones_are_not_guessed() {
        for text in ["", "(MIT", "MIT MIT", "OR MIT", "MIT AND", "MIT WITH"] {
            assert_eq!(value(text), None, "{text}");
        }
    }
}
