//! A document: what is said, apart from where it is shown.

/// How a piece of text is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tone {
    /// As the rest.
    Plain,
    /// What matters.
    Strong,
    /// What matters less.
    Faint,
    /// Good news.
    Good,
    /// Something to look at.
    Warn,
    /// Bad news.
    Bad,
    /// A name, a command, a piece of code.
    Code,
    /// A file below the root of a checkout, perhaps with `#L` and a line.
    File,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Its text, of whatever origin: each renderer makes it harmless in its own way.
    pub text: String,
    /// How it is meant.
    pub tone: Tone,
}

/// A line or a paragraph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line(pub Vec<Span>);

/// One thing after another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A heading; the level counts from two, since the title is the first.
    Heading(u8, Line),
    /// A paragraph.
    Paragraph(Line),
    /// Words of a person or a model, as they are.
    Quote(String),
    /// A list.
    List(Vec<Line>),
    /// A table.
    Table {
        /// The titles of the columns; empty for a table of names and values.
        titles: Vec<&'static str>,
        /// The rows.
        rows: Vec<Vec<Line>>,
    },
    /// The stages as they were visited.
    Way(Vec<WayRow>),
    /// Amounts, to be compared.
    Bars {
        /// What is compared, for those who cannot see it.
        title: &'static str,
        /// The amounts.
        bars: Vec<Bar>,
    },
    /// Groups of modules and which imports which.
    Map(ModuleMap),
    /// How far it was, one time after another.
    Scores {
        /// Each time; the amount is a share in thousandths.
        bars: Vec<Bar>,
        /// The share that is enough.
        enough: u64,
    },
    /// A long text that only a document shows, such as a contract.
    Folded {
        /// What it is.
        title: Line,
        /// The text.
        text: String,
        /// Its language.
        language: &'static str,
    },
}

/// A visit of a stage on the time that was worked or waited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayRow {
    /// The stage.
    pub stage: String,
    /// Where it begins.
    pub from_ms: u64,
    /// How long was worked.
    pub worked_ms: u64,
    /// How long was waited for people.
    pub waited_ms: u64,
    /// How long nobody drove; takes no room in the picture.
    pub rested_ms: u64,
}

/// Groups of modules and which imports which.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModuleMap {
    /// The groups.
    pub nodes: Vec<MapNode>,
    /// The imports between them.
    pub edges: Vec<MapEdge>,
}

/// A group of modules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapNode {
    /// Its name.
    pub label: String,
    /// How much it is, in words.
    pub shown: String,
}

/// Imports from one group to another, by their numbers in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapEdge {
    /// Which group imports.
    pub from: usize,
    /// Which it imports.
    pub to: usize,
    /// How many imports.
    pub imports: u32,
}

/// An amount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bar {
    /// Of what.
    pub label: String,
    /// How much, for the length.
    pub amount: u64,
    /// How much, in words.
    pub shown: String,
}

/// A document with its title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The title.
    pub title: String,
    /// One word or two about how it stands.
    pub badge: Span,
    /// What stands below the title.
    pub lead: Vec<Line>,
    /// The rest.
    pub blocks: Vec<Block>,
}

impl Span {
    pub(super) fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self {
            text: text.into(),
            tone,
        }
    }
}

impl Line {
    /// A plain line.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::of(text, Tone::Plain)
    }

    pub(super) fn of(text: impl Into<String>, tone: Tone) -> Self {
        Self(vec![Span::new(text, tone)])
    }

    /// Several lines as one, with something between them.
    pub(super) fn joined(lines: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut all = Self::default();
        for (place, line) in lines.into_iter().enumerate() {
            if place > 0 {
                all = all.and(between, Tone::Plain);
            }
            all = all.then(line);
        }
        all
    }

    /// Words in which names stand between backticks, as people and models write them.
    pub(super) fn prose(text: &str) -> Self {
        let parts: Vec<&str> = text.split('`').collect();
        // A backtick without its other half is a backtick.
        if parts.len().is_multiple_of(2) {
            return Self::plain(text);
        }
        let spans = parts.into_iter().enumerate().map(|(place, part)| {
            let named = !place.is_multiple_of(2);
            Span::new(part, if named { Tone::Code } else { Tone::Plain })
        });
        Self(spans.filter(|span| !span.text.is_empty()).collect())
    }

    /// The same with the pieces of another.
    #[must_use]
    pub(super) fn then(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The same with one piece more.
    #[must_use]
    pub(super) fn and(mut self, text: impl Into<String>, tone: Tone) -> Self {
        self.0.push(Span::new(text, tone));
        self
    }

    /// The text alone.
    pub fn text(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self::plain(text)
    }
}

/// The address of a file relative to where the document lies: nothing in a name becomes a scheme, a
/// host or markup.
pub(super) fn address(file: &str) -> String {
    let (path, line) = match file.rsplit_once("#L") {
        Some((path, line)) if line.chars().all(|c| c.is_ascii_digit()) => (path, Some(line)),
        Some(_) | None => (file, None),
    };
    let mut out = "./".to_owned();
    let parts = path
        .split('/')
        .filter(|part| !matches!(*part, "" | "." | ".."));
    for byte in parts.collect::<Vec<_>>().join("/").bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    if let Some(line) = line {
        out.push_str(&format!("#L{line}"));
    }
    out
}

/// A module map in words: each group that imports others, with what it imports.
pub(super) fn map_rows(map: &ModuleMap) -> Vec<Vec<Line>> {
    let row = |(number, node): (usize, &MapNode)| {
        let edges = map.edges.iter().filter(|edge| edge.from == number);
        let named = edges.filter_map(|edge| {
            let to = map.nodes.get(edge.to)?;
            Some(format!("{} ({})", to.label, edge.imports))
        });
        let named: Vec<String> = named.collect();
        let imports = if named.is_empty() {
            "–".to_owned()
        } else {
            named.join(", ")
        };
        vec![
            Line::plain(format!("{} ({})", node.label, node.shown)),
            Line::plain(imports),
        ]
    };
    map.nodes.iter().enumerate().map(row).collect()
}

impl ModuleMap {
    /// The map in words, a row for each group.
    pub fn rows(&self) -> Vec<Vec<Line>> {
        map_rows(self)
    }
}

/// A share in thousandths, as people write it: `0.9`, `0.875`, `1.0`.
pub(super) fn share_words(thousandths: u64) -> String {
    let text = format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000);
    let short = text.trim_end_matches('0');
    if short.ends_with('.') {
        format!("{short}0")
    } else {
        short.to_owned()
    }
}
