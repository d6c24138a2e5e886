//! `gavel_memory_update`: changes a proposal, or says how an item proved.
//!
//! Marks weigh in every search of everybody, and those of an accepted item lie in the repository. So a
//! guest's word about such an item is a proposal like all its words: it counts once a person says so.

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_domain::Role;
use gavel_memory::{
    Acceptance, ChangeError, Item, ItemId, Kind, Mark, Memory, Patch, Stamp, Written,
};
use gavel_rules::memory::Status;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::add::{SeverityWord, unfit};
use super::search::read_paths;
use super::{MemoryDesk, ToldItem, stamped, unavailable, visible};

/// Changes what was proposed.
#[derive(Debug)]
pub struct MemoryUpdate(pub MemoryDesk);

/// What is to be changed; what is left out stays.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateInput {
    id: String,
    title: Option<String>,
    text: Option<String>,
    tags: Option<Vec<String>>,
    paths: Option<Vec<String>>,
    severity: Option<SeverityWord>,
    /// Such as approved, resolved, done
    status: Option<String>,
    /// How it proved
    mark: Option<MarkWord>,
    /// Take it back
    retire: Option<bool>,
}

/// How an item proved.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MarkWord {
    Confirmed,
    Contradicted,
    SavedMe,
    MisledMe,
}

impl From<MarkWord> for Mark {
    fn from(word: MarkWord) -> Self {
        match word {
            MarkWord::Confirmed => Self::Confirmed,
            MarkWord::Contradicted => Self::Contradicted,
            MarkWord::SavedMe => Self::SavedMe,
            MarkWord::MisledMe => Self::MisledMe,
        }
    }
}

/// The item as it is now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UpdateOutput {
    item: ToldItem,
}

impl ServedTool for MemoryUpdate {
    type Input = UpdateInput;
    type Output = UpdateOutput;

    const NAME: &'static str = "gavel_memory_update";
    const PURPOSE: &'static str = "Change, take back or mark a proposed item; accepted ones are marked by a build's roles or a person";
    const SET: ToolSet = ToolSet::Memory;
    const HINTS: ToolHints = ToolHints::ENDS;

    async fn call(
        &self,
        visit: &Visit,
        input: UpdateInput,
    ) -> Result<Served<UpdateOutput>, Refused> {
        let name = input.id.clone();
        let wish = Wish::read(input)?;
        let mut memory = self.0.memory().await?;
        let done = stamped(&self.0, visit.speaker, |stamp| {
            write(visit, &mut memory, (&name, wish.clone()), stamp)
        });
        let (id, written, word) = done?;
        let lines = written.held.iter().map(|(event, _)| *event).collect();
        self.0.keep(written).await?;
        // Somebody may have decided between the look and the write: then it does not count, and the
        // store need not keep it.
        let memory = self.0.memory().await?;
        let item = visible(&memory, &id.to_string())?;
        if let Err(refused) = may_change(visit, item, &wish) {
            self.0.drop_lines(lines).await?;
            return Err(refused);
        }
        let output = UpdateOutput {
            item: ToldItem::of(item, self.0.now()),
        };
        Ok(Served::new(output, format!("{id} is {word}")))
    }
}

/// Does what is wished. Whether it may be is asked of the very memory that is written through: an
/// item that somebody accepted a moment ago is accepted here, too.
pub(super) fn write(
    visit: &Visit,
    memory: &mut Memory,
    (name, wish): (&str, Wish),
    stamp: &mut Stamp<'_>,
) -> Result<(ItemId, Written, String), Refused> {
    let item = visible(memory, name)?;
    may_change(visit, item, &wish)?;
    let id = item.id;
    let done = wish.apply(memory, id, stamp);
    let (written, word) = done.map_err(|error| refused(&error))?;
    Ok((id, written, word))
}

/// One thing that can be done to an item.
#[derive(Clone)]
pub(super) enum Wish {
    Change(Box<Patch>),
    Mark(Mark),
    Retire,
}

impl Wish {
    pub(super) fn read(input: UpdateInput) -> Result<Self, Refused> {
        let patch = Patch {
            title: input.title,
            text: input.text,
            tags: input.tags,
            paths: input.paths.map(read_paths).transpose()?,
            severity: input.severity.map(Into::into),
            status: input.status.as_deref().map(read_status).transpose()?,
            expires: None,
        };
        let changes = patch != Patch::default();
        match (changes, input.mark, input.retire == Some(true)) {
            (true, None, false) => Ok(Self::Change(Box::new(patch))),
            (false, Some(mark), false) => Ok(Self::Mark(mark.into())),
            (false, None, true) => Ok(Self::Retire),
            (false, None, false) => {
                let nothing = "there is nothing to change: give a new text, a mark or retire";
                Err(Refused::new("bad_arguments", nothing))
            }
            _ => {
                let several = "one thing at a time: change words, or mark, or retire";
                Err(Refused::new("bad_arguments", several))
            }
        }
    }

    fn apply(
        self,
        memory: &mut Memory,
        id: ItemId,
        stamp: &mut Stamp<'_>,
    ) -> Result<(Written, String), ChangeError> {
        match self {
            Self::Change(patch) => {
                let written = memory.change(id, *patch, stamp)?;
                Ok((written, "changed".to_owned()))
            }
            Self::Mark(mark) => {
                let written = memory.mark(id, mark, stamp)?;
                Ok((written, format!("marked {}", mark.word())))
            }
            Self::Retire => {
                let written = memory.retire(id, stamp)?;
                Ok((written, "retired".to_owned()))
            }
        }
    }
}

/// What a person accepted is theirs: a guest proposes something new beside it, and a role of a build
/// says how it proved.
fn may_change(visit: &Visit, item: &Item, wish: &Wish) -> Result<(), Refused> {
    if item.acceptance == Acceptance::Proposed {
        return Ok(());
    }
    if matches!(wish, Wish::Mark(_)) && visit.speaker.role != Role::Guest {
        return Ok(());
    }
    let id = item.id;
    let command = match wish {
        Wish::Mark(mark) => format!("gavel memory mark {id} {}", mark.word().replace('_', "-")),
        Wish::Change(_) => format!("gavel memory edit {id}"),
        Wish::Retire => format!("gavel memory retire {id}"),
    };
    let is = item.acceptance.word();
    let (message, kind, text, when) = match wish {
        Wish::Mark(mark) => (
            format!(
                "{id} is {is}: a mark of a guest does not count; ask yours to type `{command}`, or \
                 propose a note that says how it proved"
            ),
            Kind::RuntimeNote,
            format!("{id} {}: <what happened>", proved(*mark)),
            "to leave word for a person, who marks it",
        ),
        Wish::Change(_) | Wish::Retire => (
            format!(
                "{id} is {is}: only a person changes it, with `{command}`; propose a new item instead"
            ),
            item.kind,
            format!("<what is different about {id}>"),
            "to propose what should hold instead",
        ),
    };
    let arguments = json!({ "kind": kind.word(), "text": text });
    let refused = Refused::new("not_allowed", message);
    Err(refused.then("gavel_memory_add", arguments, when))
}

const fn proved(mark: Mark) -> &'static str {
    match mark {
        Mark::Confirmed => "still holds",
        Mark::Contradicted => "does not hold",
        Mark::SavedMe => "saved me",
        Mark::MisledMe => "misled me",
    }
}

fn read_status(word: &str) -> Result<Status, Refused> {
    let known = Status::ALL.into_iter().find(|status| status.word() == word);
    known.ok_or_else(|| {
        let word: String = word.chars().take(40).collect();
        let words: Vec<_> = Status::ALL.iter().map(|status| status.word()).collect();
        let unknown = format!("`{word}` is no status: one of {}", words.join(", "));
        Refused::new("bad_arguments", unknown)
    })
}

fn refused(error: &ChangeError) -> Refused {
    match error {
        ChangeError::Unfit(inner) => unfit(inner),
        ChangeError::Write(inner) => unavailable(inner),
        ChangeError::NoItem { .. } => Refused::from_error("not_found", error),
        ChangeError::Over { .. }
        | ChangeError::Decided { .. }
        | ChangeError::Status { .. }
        | ChangeError::Circle { .. } => Refused::from_error("conflict", error),
        ChangeError::Nothing => Refused::from_error("bad_arguments", error),
    }
}
