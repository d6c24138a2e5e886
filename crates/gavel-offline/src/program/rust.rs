//! Names as Rust writes them.

use crate::design::{Field, Kind};

/// Words that Rust keeps for itself, or that an entry has anyway.
const KEYWORDS: &str = "as async await break const continue crate do dyn else enum extern false fn for gen if impl in let \
    loop match mod move mut pub ref return self static struct super trait true try type unsafe use where while abstract \
    become box final macro override priv typeof unsized virtual yield union id";
/// Names that would hide something that the sources use.
const TYPES: &str = "Amount Args BTreeMap Date Default Err Error File Flag Form None Ok Option Path PathBuf Record Result \
    Self Some Store String Table Tags ToString Unreadable Value Vec";

/// True for a word that cannot name a function.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.split_whitespace().any(|keyword| keyword == word)
}

/// A name as Rust writes it: `due-date` → `due_date`.
pub(super) fn ident(name: &str) -> String {
    let end = if is_keyword(name) { "_" } else { "" };
    name.replace('-', "_") + end
}

/// A name as Rust writes types: `board-game` → `BoardGame`.
pub(super) fn type_name(name: &str) -> String {
    let name: String = name.split('-').map(crate::english::capital).collect();
    let taken = TYPES.split_whitespace().any(|word| word == name);
    if taken { name + "Entry" } else { name }
}

pub(super) fn value_type(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text => "String",
        Kind::Integer => "i64",
        Kind::Amount => "Amount",
        Kind::Date => "Date",
        Kind::Tags => "Tags",
        Kind::Flag => "Flag",
        Kind::Reference { .. } => "u64",
    }
}

/// True if the type is one of the program's own.
pub(super) fn is_special(kind: &Kind) -> bool {
    matches!(kind, Kind::Amount | Kind::Date | Kind::Flag | Kind::Tags)
}

/// True if an unset field has a value of its own.
pub(super) fn has_default(field: &Field) -> bool {
    matches!(field.kind, Kind::Tags | Kind::Flag) && !field.required
}

pub(super) fn is_optional(field: &Field) -> bool {
    !field.required && !has_default(field)
}

/// True if a typed text has to be read before it can be compared.
pub(super) fn is_typed(field: &Field) -> bool {
    !matches!(field.kind, Kind::Text | Kind::Tags)
}
