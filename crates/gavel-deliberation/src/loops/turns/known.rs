//! The ids that a brief holds, in whatever form a model writes them down.

/// What may be named.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    /// Memory items.
    items: &'a [String],
    /// Those of them that nobody has accepted.
    proposed: &'a [String],
    /// Critiques and findings.
    to_answer: &'a [String],
}

/// Ids that were named, in full, and names that are none of them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) ids: Vec<String>,
    pub(super) unknown: Vec<String>,
}

impl<'a> Known<'a> {
    pub(super) const fn new(
        (items, proposed): (&'a [String], &'a [String]),
        to_answer: &'a [String],
    ) -> Self {
        Self {
            items,
            proposed,
            to_answer,
        }
    }

    pub(super) const fn items(self) -> &'a [String] {
        self.items
    }

    pub(super) const fn to_answer(self) -> &'a [String] {
        self.to_answer
    }

    /// The critique or finding of a name.
    pub(super) fn answered(self, name: &str) -> Option<&'a String> {
        find(self.to_answer, &plain(name))
    }

    /// The memory item of a name.
    fn item(self, name: &str) -> Option<&'a String> {
        find(self.items, &plain(name))
    }

    /// Citations: items in full. Ids of other artifacts are left to whoever knows the loop.
    pub(super) fn cites(self, names: &[String]) -> Named {
        let mut named = Named::default();
        for name in names.iter().filter(|name| !plain(name).is_empty()) {
            let found = self.item(name).or_else(|| self.answered(name));
            let id = match found {
                Some(id) => id.clone(),
                None if plain(name).starts_with("art_") => plain(name),
                None => {
                    named.unknown.push(shown(name));
                    continue;
                }
            };
            if !named.ids.contains(&id) {
                named.ids.push(id);
            }
        }
        named
    }

    /// True when one of these is a memory item that somebody accepted.
    pub(super) fn rests_on_memory(self, cites: &[String]) -> bool {
        let vouched = |cite: &String| self.items.contains(cite) && !self.proposed.contains(cite);
        cites.iter().any(vouched)
    }

    /// The critiques of these names.
    pub(super) fn critiques<'n>(self, names: impl IntoIterator<Item = &'n String>) -> Named {
        let mut named = Named::default();
        for name in names {
            match self.answered(name) {
                Some(id) if named.ids.contains(id) => {}
                Some(id) => named.ids.push(id.clone()),
                None => named.unknown.push(shown(name)),
            }
        }
        named
    }
}

/// An id without what models put around it.
fn plain(name: &str) -> String {
    let trimmed = name
        .trim()
        .trim_matches(|c| "[](){}<>`\"'*.,;: ".contains(c));
    trimmed.to_ascii_lowercase()
}

/// The whole id, or its short form: the prefix and the last eight digits, where only one has it.
fn find<'a>(ids: &'a [String], name: &str) -> Option<&'a String> {
    let whole = ids.iter().find(|id| *id == name);
    whole.or_else(|| {
        let mut short = ids
            .iter()
            .filter(|id| short_of(id).as_deref() == Some(name));
        short.next().filter(|_| short.next().is_none())
    })
}

fn short_of(id: &str) -> Option<String> {
    let (prefix, rest) = id.split_once('_')?;
    let digits = rest.get(rest.len().checked_sub(8)?..)?;
    Some(format!("{prefix}_{digits}"))
}

/// As much of a wrong name as is worth repeating.
fn shown(name: &str) -> String {
    name.trim().chars().take(60).collect()
}
