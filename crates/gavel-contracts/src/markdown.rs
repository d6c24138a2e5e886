//! As much Markdown as contracts need: headings, bullets and fences, with line numbers.

/// One line of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// Counted from one.
    pub(crate) number: u32,
    /// With its line end, as it stands in the text.
    pub(crate) raw: &'a str,
    /// True inside a fence and for the fence itself.
    pub(crate) fenced: bool,
}

impl<'a> Line<'a> {
    /// Without its line end.
    pub(crate) fn text(&self) -> &'a str {
        self.raw.trim_end_matches(['\n', '\r'])
    }

    fn is_blank(&self) -> bool {
        self.raw.trim().is_empty()
    }

    fn is_indented(&self) -> bool {
        self.raw.starts_with([' ', '\t'])
    }
}

/// A heading of the first or second level, and what stands below it.
#[derive(Debug)]
pub(crate) struct Section<'a> {
    pub(crate) level: usize,
    pub(crate) heading: Line<'a>,
    pub(crate) title: &'a str,
    pub(crate) body: Vec<Line<'a>>,
}

impl Section<'_> {
    pub(crate) const fn line(&self) -> Option<u32> {
        Some(self.heading.number)
    }
}

/// A text cut into sections; deeper headings are lines like others.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    /// What stands before the first heading.
    pub(crate) before: Vec<Line<'a>>,
    pub(crate) sections: Vec<Section<'a>>,
    /// The line of a fence that is never closed.
    pub(crate) open_fence: Option<u32>,
}

impl<'a> Document<'a> {
    pub(crate) fn parse(text: &'a str) -> Self {
        let mut document = Self {
            before: Vec::new(),
            sections: Vec::new(),
            open_fence: None,
        };
        let mut fence: Option<(Fence, u32)> = None;
        for (number, raw) in (1..).zip(text.split_inclusive('\n')) {
            let mut line = Line {
                number,
                raw,
                fenced: fence.is_some(),
            };
            match fence {
                Some((open, _)) if open.is_closed_by(line.text()) => fence = None,
                Some(_) => {}
                None => fence = Fence::opened_by(line.text()).map(|open| (open, number)),
            }
            line.fenced |= fence.is_some();
            match heading(&line) {
                Some((level, title)) => document.sections.push(Section {
                    level,
                    heading: line,
                    title,
                    body: Vec::new(),
                }),
                None => match document.sections.last_mut() {
                    Some(section) => section.body.push(line),
                    None => document.before.push(line),
                },
            }
        }
        document.open_fence = fence.map(|(_, number)| number);
        document
    }

    /// The sections of the second level.
    pub(crate) fn seconds(&self) -> impl Iterator<Item = &Section<'a>> {
        self.sections.iter().filter(|section| section.level == 2)
    }
}

/// A fence that is open.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn opened_by(text: &str) -> Option<Self> {
        let text = text.trim_start();
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let rest = text.trim_start_matches(mark);
        let length = text.len() - rest.len();
        // Backticks later in the line make it code inside a sentence.
        let is_fence = length >= 3 && !(mark == '`' && rest.contains('`'));
        is_fence.then_some(Self { mark, length })
    }

    fn is_closed_by(self, text: &str) -> bool {
        let text = text.trim();
        text.len() >= self.length && text.chars().all(|c| c == self.mark)
    }
}

fn heading<'a>(line: &Line<'a>) -> Option<(usize, &'a str)> {
    if line.fenced {
        return None;
    }
    let text = line.text();
    let title = text.trim_start_matches('#');
    let level = text.len() - title.len();
    let title = title.strip_prefix([' ', '\t'])?;
    matches!(level, 1 | 2).then(|| (level, title.trim().trim_end_matches('#').trim_end()))
}

/// An entry of a list that is not indented, and the indented lines and fences below it.
#[derive(Debug)]
pub(crate) struct Bullet<'a> {
    pub(crate) line: u32,
    /// The first line, without its mark.
    pub(crate) text: &'a str,
    pub(crate) body: Vec<Line<'a>>,
}

impl<'a> Bullet<'a> {
    /// Its words: the first line and the lines that go on with it.
    pub(crate) fn words(&self) -> String {
        let goes_on = |line: &&Line<'a>| !line.fenced && !line.is_blank();
        let rest = self.body.iter().take_while(goes_on);
        words(std::iter::once(self.text).chain(rest.map(Line::text)))
    }

    /// What its fences hold, without the fences' indentation.
    pub(crate) fn examples(&self) -> Vec<String> {
        let mut examples = Vec::new();
        let mut lines = self.body.iter().filter(|line| line.fenced);
        while let Some(first) = lines.next() {
            let Some(open) = Fence::opened_by(first.text()) else {
                continue;
            };
            let margin = first.raw.len() - first.raw.trim_start().len();
            let inside = lines
                .by_ref()
                .take_while(|line| !open.is_closed_by(line.text()));
            let inside: Vec<_> = inside.map(|line| outdented(line.text(), margin)).collect();
            examples.push(inside.join("\n"));
        }
        examples
    }
}

/// Takes away as much white space as the margin is wide, and no more than there is.
fn outdented(text: &str, margin: usize) -> &str {
    let space = text.len() - text.trim_start().len();
    text.get(space.min(margin)..).unwrap_or(text)
}

/// The entries of the lists among these lines.
pub(crate) fn bullets<'a>(lines: &[Line<'a>]) -> Vec<Bullet<'a>> {
    let mut found: Vec<Bullet<'a>> = Vec::new();
    let mut is_open = false;
    for line in lines {
        if let Some(text) = bullet_text(line) {
            is_open = true;
            found.push(Bullet {
                line: line.number,
                text,
                body: Vec::new(),
            });
        } else if is_open && (line.fenced || line.is_blank() || line.is_indented()) {
            if let Some(bullet) = found.last_mut() {
                bullet.body.push(*line);
            }
        } else {
            is_open = false;
        }
    }
    found
}

fn bullet_text<'a>(line: &Line<'a>) -> Option<&'a str> {
    if line.fenced {
        return None;
    }
    let text = line.text().strip_prefix(['-', '*', '+'])?;
    let text = text.strip_prefix([' ', '\t'])?.trim();
    (!text.is_empty()).then_some(text)
}

/// True for an entry of a numbered list.
pub(crate) fn is_numbered(line: &Line<'_>) -> bool {
    let text = line.text();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let entry = rest
        .strip_prefix(['.', ')'])
        .and_then(|rest| rest.strip_prefix([' ', '\t']));
    !line.fenced && rest.len() < text.len() && entry.is_some_and(|text| !text.trim().is_empty())
}

/// Reads `` `name`: what it is ``.
pub(crate) fn named(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.strip_prefix('`')?.split_once('`')?;
    let rest = rest.trim_start().strip_prefix(':')?.trim();
    let name = name.trim();
    (!name.is_empty() && !rest.is_empty()).then_some((name, rest))
}

/// Joins lines to one, with single spaces.
pub(crate) fn words<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<_> = lines.into_iter().flat_map(str::split_whitespace).collect();
    words.join(" ")
}
