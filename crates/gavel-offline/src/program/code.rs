//! The sources of a program.

use super::{File, file, has_default, is_typed, scope};
use crate::design::{Command, Design, Entity, Field, Group, Kind};
use crate::template::{Scope, array};

/// Words that Rust keeps for itself, or that an entry has anyway.
const KEYWORDS: &str = "as async await break const continue crate do dyn else enum extern false fn for gen if impl in let \
    loop match mod move mut pub ref return self static struct super trait true try type unsafe use where while abstract \
    become box final macro override priv typeof unsized virtual yield union id";
/// Names that would hide something that the sources use.
const TYPES: &str = "Amount Args BTreeMap Date Default Err Error File Flag Form None Ok Option Path PathBuf Record Result \
    Self Some Store String Table Tags ToString Unreadable Value Vec";
const SPECIAL: [Kind; 4] = [Kind::Amount, Kind::Date, Kind::Flag, Kind::Tags];

/// All files below `src`.
pub(super) fn files(design: &Design) -> Vec<File> {
    let entities = design.entities();
    let names = || entities.iter().map(|entity| type_name(&entity.name));
    let models = imports("model", names().chain(["Record".to_owned()]));
    let used = |kind: &&Kind| {
        entities
            .iter()
            .flat_map(|entity| &entity.fields)
            .any(|field| field.kind == **kind)
    };
    let values: Vec<String> = SPECIAL
        .iter()
        .filter(used)
        .map(|kind| value_type(kind).to_owned())
        .collect();
    let mods = entities
        .iter()
        .map(|entity| format!("mod {};", ident(&entity.name)));
    let all = scope(design)
        .flag("single", entities.len() == 1)
        .flag("several", entities.len() > 1)
        .text(
            "only",
            entities
                .first()
                .map(|entity| ident(&entity.name))
                .unwrap_or_default(),
        )
        .text("mods", sorted(mods))
        .text("models", models)
        .text("value_types", imports("values", values.iter().cloned()))
        .each(
            "entity",
            entities.iter().map(|entity| entity_scope(design, entity)),
        );
    let mut templates = vec![
        ("main", include_str!("templates/main.rs.txt")),
        ("args", include_str!("templates/args.rs.txt")),
        ("commands", include_str!("templates/commands.rs.txt")),
        ("form", include_str!("templates/form.rs.txt")),
        ("help", include_str!("templates/help.rs.txt")),
        ("layout", include_str!("templates/layout.rs.txt")),
        ("model", include_str!("templates/model.rs.txt")),
        ("store", include_str!("templates/store.rs.txt")),
    ];
    if !values.is_empty() {
        templates.push(("values", include_str!("templates/values.rs.txt")));
    }
    let render =
        |(name, template): (&str, &str)| file(format!("src/{name}.rs"), all.render(template));
    let mut files: Vec<File> = templates.into_iter().map(render).collect();
    for entity in entities {
        let path = format!("src/commands/{}.rs", ident(&entity.name));
        let scope = entity_scope(design, entity);
        files.push(file(
            path,
            scope.render(include_str!("templates/entity.rs.txt")),
        ));
    }
    files
}

/// True for a word that cannot name a function.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.split_whitespace().any(|keyword| keyword == word)
}

/// A name as Rust writes it: `due-date` → `due_date`.
pub(super) fn ident(name: &str) -> String {
    let ident = name.replace('-', "_");
    if is_keyword(&ident) {
        format!("{ident}_")
    } else {
        ident
    }
}

/// A name as Rust writes types: `board-game` → `BoardGame`.
fn type_name(name: &str) -> String {
    let parts = name.split('-').map(|part| {
        let mut chars = part.chars();
        let first = chars.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(chars).collect::<String>()
    });
    let name: String = parts.collect();
    if TYPES.split_whitespace().any(|word| word == name) {
        format!("{name}Entry")
    } else {
        name
    }
}

fn value_type(kind: &Kind) -> &'static str {
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

fn is_optional(field: &Field) -> bool {
    !field.required && !has_default(field)
}

fn imports(module: &str, names: impl Iterator<Item = String>) -> String {
    sorted(names.map(|name| format!("use crate::{module}::{name};")))
}

fn sorted(lines: impl Iterator<Item = String>) -> String {
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines.dedup();
    lines.join("\n")
}

fn field_scope(field: &Field) -> Scope {
    let bare = value_type(&field.kind);
    let optional = is_optional(field);
    let getter = match (field.required, optional) {
        (true, _) => "required",
        (false, true) => "optional",
        (false, false) => "or_default",
    };
    Scope::default()
        .flag("typed", is_typed(field))
        .flag("optional", optional)
        .flag("required", !optional)
        .text("field", &field.name)
        .text("ident", ident(&field.name))
        .text("bare_type", bare)
        .text(
            "type",
            if optional {
                format!("Option<{bare}>")
            } else {
                bare.to_owned()
            },
        )
        .text("id", if optional { "Some(id)" } else { "id" })
        .text("getter", getter)
}

fn entity_scope(design: &Design, entity: &Entity) -> Scope {
    let children: Vec<(&Entity, &Field)> = design.referring(&entity.name).collect();
    let parents = |field: &Field| Some(ident(&design.entity(field.target()?)?.plural));
    let references = entity
        .fields
        .iter()
        .filter_map(|field| Some(field_scope(field).text("parents", parents(field)?)));
    let child = |(child, field): &(&Entity, &Field)| {
        let scope = field_scope(field).text("Child", type_name(&child.name));
        scope
            .text("children", ident(&child.plural))
            .text("child_title", &child.plural)
    };
    let mark = |flag: &str| {
        let function = flag.replace('-', "_");
        Scope::default()
            .text("flag", flag)
            .text("function", function)
    };
    let typed = entity.fields.iter().any(is_typed);
    let scope = Scope::default()
        .flag("edit", entity.can("edit"))
        .flag("delete", entity.can("delete"))
        .flag("search", entity.can("search"))
        .flag(if typed { "filtered" } else { "plain" }, true)
        .flag(
            if children.is_empty() {
                "childless"
            } else {
                "parent"
            },
            true,
        )
        .text("name", &entity.name)
        .text("plural", &entity.plural)
        .text("title", entity.plural.replace('-', " "))
        .text("Struct", type_name(&entity.name))
        .text("table", ident(&entity.plural))
        .text(
            "main",
            entity
                .main_text()
                .map(|field| field.name.clone())
                .unwrap_or_default(),
        )
        .text("imports", command_imports(entity, &children))
        .text("arm", arm(entity))
        .each("field", entity.fields.iter().map(field_scope))
        .each("reference", references)
        .each("child", children.iter().map(child))
        .each("mark", entity.marks().map(mark));
    let total = entity
        .commands
        .iter()
        .find_map(|command| total(entity, command));
    lists(entity, scope).each("total", total)
}

/// The lists that have to be laid out.
fn lists(entity: &Entity, scope: Scope) -> Scope {
    let quoted = |tags: bool| {
        let fields = entity
            .fields
            .iter()
            .filter(|field| !tags || field.kind == Kind::Tags);
        fields
            .map(|field| format!("\"{}\"", field.name))
            .collect::<Vec<_>>()
    };
    let text = |field: &Field| match (&field.kind, is_optional(field), ident(&field.name)) {
        (_, true, name) => format!("text(&self.{name})"),
        (Kind::Text, false, name) => format!("self.{name}.clone()"),
        (_, false, name) => format!("self.{name}.to_string()"),
    };
    let texts: Vec<String> = entity.fields.iter().map(text).collect();
    let start = |name: &str| format!("const {name}: &'static [&'static str] = &[");
    scope
        .text("fields", array(4, &start("FIELDS"), &quoted(false), "];"))
        .text("tag_fields", array(4, &start("TAGS"), &quoted(true), "];"))
        .text("values", array(8, "vec![", &texts, "]"))
}

fn command_imports(entity: &Entity, children: &[(&Entity, &Field)]) -> String {
    let special = entity
        .fields
        .iter()
        .filter(|field| is_typed(field) && SPECIAL.contains(&field.kind));
    let values = special.map(|field| format!("values::{}", value_type(&field.kind)));
    let models = children.iter().map(|(child, _)| *child).chain([entity]);
    let models = models.map(|entity| format!("model::{}", type_name(&entity.name)));
    let fixed = ["args::Args", "layout", "model::Record", "store::Store"].map(str::to_owned);
    let paths = fixed.into_iter().chain(values).chain(models);
    sorted(paths.map(|path| format!("use crate::{path};"))) + "\nuse crate::{Error, help};"
}

/// The match arm of an entity, in braces if it is too long for a line.
fn arm(entity: &Entity) -> String {
    let (name, plural, module) = (&entity.name, &entity.plural, ident(&entity.name));
    let many = if name == plural {
        String::new()
    } else {
        format!(" | \"{plural}\"")
    };
    let (pattern, body) = (
        format!("\"{name}\"{many}"),
        format!("{module}::run(&file, rest)"),
    );
    let line = format!("            {pattern} => {body},");
    if line.len() <= 100 {
        return line;
    }
    format!("            {pattern} => {{\n                {body}\n            }}")
}

fn total(entity: &Entity, command: &Command) -> Option<Scope> {
    let Command::Total { of, day, .. } = command else {
        return None;
    };
    let number = entity.field(of)?;
    let decimal = number.kind == Kind::Amount;
    let name = ident(of);
    let place = if is_optional(number) {
        "number".to_owned()
    } else {
        format!("entry.{name}")
    };
    let groups = command.groups();
    let scope = Scope::default()
        .flag(if day.is_some() { "dated" } else { "undated" }, true)
        .flag("optional_number", is_optional(number))
        .text("of", of)
        .text("day", day.as_deref().unwrap_or_default())
        .text("number_ident", name)
        .text(
            "default_group",
            groups.first().map(Group::word).unwrap_or_default(),
        )
        .text(
            "groups",
            groups
                .iter()
                .map(Group::word)
                .collect::<Vec<_>>()
                .join(", "),
        )
        .text(
            "number",
            if decimal {
                format!("{place}.0")
            } else {
                format!("i128::from({place})")
            },
        )
        .text(
            "shown",
            if decimal {
                "Amount(sum).to_string()"
            } else {
                "sum.to_string()"
            },
        );
    Some(scope)
}
