//! What is left out before a spec is written: spans of a person's words, kept as paragraphs behind
//! their idea, so that every stage reads the same.

use super::{asks_nothing, plain};

/// How such a paragraph begins.
const LEFT_OUT: &str = "To be left out: ";

/// An idea that is to be built without these spans of it.
pub fn leave_out(idea: &str, spans: &[String]) -> String {
    let spans = spans.iter().map(|span| format!("\n\n{LEFT_OUT}{span}"));
    spans.fold(idea.to_owned(), |idea, span| idea + &span)
}

/// The span that a paragraph leaves out, if it does.
pub fn left_out(paragraph: &str) -> Option<&str> {
    paragraph.trim().strip_prefix(LEFT_OUT).map(str::trim)
}

/// An idea without such paragraphs, and their spans.
pub fn apart_from_left_out(idea: &str) -> (String, Vec<String>) {
    let (out, rest): (Vec<&str>, Vec<&str>) = idea
        .split("\n\n")
        .partition(|paragraph| left_out(paragraph).is_some());
    let spans = out.into_iter().filter_map(left_out);
    (rest.join("\n\n"), spans.map(str::to_owned).collect())
}

/// What is built in the end, beside the words that were typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdeaInTheEnd {
    /// What the person made of it; none where they left their words as they were.
    pub said: Option<String>,
    /// The spans of it that are left out.
    pub without: Vec<String>,
}

impl IdeaInTheEnd {
    /// What became of these words.
    pub fn of(typed: &str, became: &str) -> Self {
        let (rest, without) = apart_from_left_out(became);
        let said = (rest.trim() != typed.trim()).then_some(rest);
        Self { said, without }
    }

    /// The same in a line.
    pub fn text(&self) -> String {
        let said = self
            .said
            .iter()
            .map(|said| format!("the person made of it: {said}"));
        let spans = self.without.iter().map(|span| format!("\"{span}\""));
        let spans = spans.collect::<Vec<_>>().join(", ");
        let without = (!spans.is_empty()).then(|| format!("built without {spans}"));
        said.chain(without).collect::<Vec<_>>().join("; ")
    }
}

/// Cuts a text before and behind each span that stands in it, word for word. What is left without a
/// word that asks for something goes with nothing.
pub fn cut_at(text: &str, spans: &[String]) -> Vec<String> {
    spans.iter().fold(vec![text.to_owned()], |parts, span| {
        parts.iter().flat_map(|part| cut(part, span)).collect()
    })
}

fn cut(text: &str, span: &str) -> Vec<String> {
    let whole = || vec![text.to_owned()];
    let words: Vec<&str> = text.split_whitespace().collect();
    let wanted: Vec<String> = span.split_whitespace().map(plain).collect();
    let is_there = |part: &[&str]| {
        part.iter()
            .map(|word| plain(word))
            .eq(wanted.iter().cloned())
    };
    if wanted.is_empty() || is_there(&words) {
        return whole();
    }
    let Some(start) = words.windows(wanted.len()).position(is_there) else {
        return whole();
    };
    // As it was said: where a line ends, a span may end.
    let begins = |place: usize| {
        let word = words.get(place);
        word.map_or(text.len(), |word| {
            word.as_ptr().addr() - text.as_ptr().addr()
        })
    };
    let (from, to) = (begins(start), begins(start + wanted.len()));
    let parts = [text.get(..from), text.get(from..to), text.get(to..)];
    let asks = |part: &&str| {
        let words: Vec<&str> = part.split_whitespace().collect();
        !asks_nothing(&words)
    };
    let parts = parts.into_iter().flatten().map(str::trim).filter(asks);
    parts.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_cut_out_of_what_was_said() {
        let spans = |spans: &[&str]| -> Vec<String> {
            spans.iter().map(|span| (*span).to_owned()).collect()
        };
        for (text, out, parts) in [
            (
                "keep track of books I lent to friends",
                vec!["I lent to friends"],
                vec!["keep track of books", "I lent to friends"],
            ),
            (
                "a beautiful todo list,\nwith a GUI",
                vec!["beautiful", "with a GUI"],
                vec!["beautiful", "todo list,", "with a GUI"],
            ),
            ("a todo list", vec!["with a GUI"], vec!["a todo list"]),
            ("with a GUI", vec!["with a GUI"], vec!["with a GUI"]),
        ] {
            assert_eq!(cut_at(text, &spans(&out)), parts, "{text}");
        }
    }

    #[test]
    fn leaving_out_is_not_called_a_persons_words() {
        let typed = "a todo list with a GUI";
        let out = leave_out(typed, &["with a GUI".to_owned()]);
        for (became, text) in [
            (typed.to_owned(), ""),
            (out, "built without \"with a GUI\""),
            ("films".to_owned(), "the person made of it: films"),
            (
                leave_out("films", &["in blue".to_owned()]),
                "the person made of it: films; built without \"in blue\"",
            ),
        ] {
            assert_eq!(IdeaInTheEnd::of(typed, &became).text(), text);
        }
    }

    #[test]
    fn what_is_left_out_is_read_again() {
        let out = ["with a GUI".to_owned()];
        let idea = leave_out("a todo list with a GUI", &out);
        assert_eq!(
            apart_from_left_out(&idea),
            ("a todo list with a GUI".to_owned(), out.to_vec())
        );
        assert_eq!(left_out("with a GUI"), None);
    }
}
