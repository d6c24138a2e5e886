//! Interjections: what people said while an agent worked, as words to the model.

use gavel_domain::{Door, Role, Said, Speaker};

use crate::{Cap, Excerpt, Keep, ToolContext};

/// One interjection as the model sees it.
///
/// A person's words are meant for the model and said plainly; anybody else's are data.
pub(crate) fn words_of(context: &ToolContext, said: &Said, text: &str) -> String {
    let text = context.scrub(text);
    let door = door_words(said.by.door);
    match who(said.by) {
        Who::Person => {
            let (kept, note) = capped(&text);
            format!(
                "A person says {door}, while you work:\n{kept}\n{note}Take it into account from \
                 now on, and say in one sentence how."
            )
        }
        Who::Somebody => {
            let source = format!("a note from somebody {door}, not from a person in charge");
            Excerpt::new(&source, &text, Cap::MESSAGE, Keep::Head).to_string()
        }
    }
}

enum Who {
    Person,
    Somebody,
}

/// As with answers, a program that speaks over MCP or ACP is never taken for a person.
const fn who(by: Speaker) -> Who {
    match (by.role, by.door) {
        (Role::Person, Door::Engine | Door::Cli | Door::Http | Door::Bridge) => Who::Person,
        (Role::Person, Door::Mcp | Door::Acp)
        | (
            Role::Engine
            | Role::Leader
            | Role::Stance
            | Role::Researcher
            | Role::Scout
            | Role::Coder
            | Role::Auditor
            | Role::Fixer
            | Role::Judge
            | Role::Guest,
            _,
        ) => Who::Somebody,
    }
}

fn capped(text: &str) -> (&str, String) {
    let end = text.floor_char_boundary(Cap::MESSAGE.bytes);
    match text.get(..end) {
        Some(kept) if end < text.len() => {
            (kept, format!("({} bytes left out)\n", text.len() - end))
        }
        _ => (text, String::new()),
    }
}

const fn door_words(door: Door) -> &'static str {
    match door {
        Door::Engine => "inside Gavel",
        Door::Cli => "at the command line",
        Door::Mcp => "over MCP",
        Door::Acp => "over ACP",
        Door::Http => "over HTTP",
        Door::Bridge => "through their notify program",
    }
}
