//! The sources of a program.

use super::template::{Filling, array};
use super::{File, file, filling, has_default, is_typed};
use crate::design::{Command, Design, Entity, Field, Group, Kind};

/// Words that Rust keeps for itself, or that would hide something that the sources use.
const KEYWORDS: &str = "as async await break const continue crate do dyn else enum extern false fn for gen if impl in let \
    loop match mod move mut pub ref return self static struct super trait true try type unsafe use where while abstract \
    become box final macro override priv typeof unsized virtual yield union id";
const TYPES: &str = "Amount Args BTreeMap Date Default Err Error File Flag Form None Ok Option Path Record Result Self \
    Some Store String Table Tags ToString Unreadable Value Vec Path PathBuf Iterator Clone Copy Drop Fn From Into Send \
    Sized Sync";

/// All files below `src`.
pub(super) fn files(design: &Design) -> Vec<File> {
    let plain = filling(design);
    let render = |name: &str, text: &str| file(format!("src/{name}.rs"), plain.render(text));
    let mut files = vec![
        render("main", include_str!("templates/main.rs.txt")),
        render("args", include_str!("templates/args.rs.txt")),
        render("form", include_str!("templates/form.rs.txt")),
        render("layout", include_str!("templates/layout.rs.txt")),
        render("help", include_str!("templates/help.rs.txt")),
        file("src/model.rs", model(design)),
        file("src/store.rs", store(design)),
        file("src/commands.rs", dispatch(design)),
    ];
    let special = [Kind::Amount, Kind::Date, Kind::Tags, Kind::Flag];
    let fields = design.entities().iter().flat_map(|entity| &entity.fields);
    if fields
        .into_iter()
        .any(|field| special.contains(&field.kind))
    {
        files.push(render("values", include_str!("templates/values.rs.txt")));
    }
    for entity in design.entities() {
        let path = format!("src/commands/{}.rs", ident(&entity.name));
        files.push(file(path, commands(design, entity)));
    }
    files
}

/// A name as Rust writes it: `due-date` → `due_date`.
pub(super) fn ident(name: &str) -> String {
    let ident = name.replace('-', "_");
    if KEYWORDS.split_whitespace().any(|word| word == ident) {
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

fn model(design: &Design) -> String {
    let used = |kind: &Kind| {
        design
            .entities()
            .iter()
            .flat_map(|entity| &entity.fields)
            .any(|f| f.kind == *kind)
    };
    let special = [Kind::Amount, Kind::Date, Kind::Flag, Kind::Tags];
    let imports = special
        .iter()
        .filter(|kind| used(kind))
        .map(|kind| format!("use crate::values::{};\n", value_type(kind)));
    let tagged = used(&Kind::Tags);
    let records = design
        .entities()
        .iter()
        .map(|entity| record(entity, tagged));
    filling(design)
        .text("imports", imports.collect::<String>())
        .text("records", records.collect::<String>())
        .render(include_str!("templates/model.rs.txt"))
}

fn record(entity: &Entity, tagged: bool) -> String {
    let name = type_name(&entity.name);
    let mut out = format!(
        "\n/// One of the {}.\npub struct {name} {{\n    pub id: u64,\n",
        entity.plural.replace('-', " ")
    );
    for field in &entity.fields {
        let kind = value_type(&field.kind);
        let kind = if is_optional(field) {
            format!("Option<{kind}>")
        } else {
            kind.to_owned()
        };
        out += &format!("    pub {}: {kind},\n", ident(&field.name));
    }
    out += &format!("}}\n\nimpl Record for {name} {{\n");
    out += &format!("    const NAME: &'static str = \"{}\";\n", entity.name);
    out += &format!("    const PLURAL: &'static str = \"{}\";\n", entity.plural);
    let quoted = |fields: &mut dyn Iterator<Item = &Field>| -> Vec<String> {
        fields.map(|field| format!("\"{}\"", field.name)).collect()
    };
    let start = "&'static [&'static str] = &[";
    out += &array(
        4,
        &format!("const FIELDS: {start}"),
        &quoted(&mut entity.fields.iter()),
        "];",
    );
    if tagged {
        let tags = &mut entity
            .fields
            .iter()
            .filter(|field| field.kind == Kind::Tags);
        out += &array(4, &format!("const TAGS: {start}"), &quoted(tags), "];");
    }
    out += "\n    fn from_form(id: u64, form: &Form) -> Result<Self, String> {\n        Ok(Self {\n            id,\n";
    for field in &entity.fields {
        let getter = match (field.required, has_default(field)) {
            (true, _) => "required",
            (false, true) => "or_default",
            (false, false) => "optional",
        };
        out += &format!(
            "            {}: form.{getter}(\"{}\")?,\n",
            ident(&field.name),
            field.name
        );
    }
    out += "        })\n    }\n\n    fn id(&self) -> u64 {\n        self.id\n    }\n\n";
    out += "    fn values(&self) -> Vec<String> {\n";
    let texts: Vec<String> = entity
        .fields
        .iter()
        .map(|field| match (&field.kind, is_optional(field)) {
            (_, true) => format!("text(&self.{})", ident(&field.name)),
            (Kind::Text, false) => format!("self.{}.clone()", ident(&field.name)),
            (_, false) => format!("self.{}.to_string()", ident(&field.name)),
        })
        .collect();
    out += &array(8, "vec![", &texts, "]");
    out += "    }\n}\n";
    out
}

fn store(design: &Design) -> String {
    let each = |line: &dyn Fn(&str, &str, &str) -> String| -> String {
        let lines = design.entities().iter();
        lines
            .map(|entity| {
                line(
                    &entity.name,
                    &type_name(&entity.name),
                    &ident(&entity.plural),
                )
            })
            .collect()
    };
    let mut imports: Vec<String> = design
        .entities()
        .iter()
        .map(|entity| type_name(&entity.name))
        .collect();
    imports.push("Record".to_owned());
    imports.sort();
    let template =
        include_str!("templates/store.rs.txt").replace("use crate::model::Record;\n", "");
    filling(design)
        .text(
            "imports",
            imports
                .iter()
                .map(|name| format!("use crate::model::{name};\n"))
                .collect::<String>(),
        )
        .text(
            "tables",
            each(&|_, kind, table| format!("    pub {table}: Table<{kind}>,\n")),
        )
        .text(
            "news",
            each(&|_, _, table| format!("            {table}: Table::new(),\n")),
        )
        .text(
            "writes",
            each(&|_, _, table| format!("        self.{table}.write(&mut text);\n")),
        )
        .text(
            "reads",
            each(&|name, _, table| format!("            \"{name}\" => self.{table}.read(rest),\n")),
        )
        .render(&template)
}

fn dispatch(design: &Design) -> String {
    let mut mods: Vec<String> = design
        .entities()
        .iter()
        .map(|entity| ident(&entity.name))
        .collect();
    let arm = |entity: &Entity| {
        let (name, plural, module) = (&entity.name, &entity.plural, ident(&entity.name));
        let many = if name == plural {
            String::new()
        } else {
            format!(" | \"{plural}\"")
        };
        arm(
            &format!("\"{name}\"{many}"),
            &format!("{module}::run(&file, rest)"),
        )
    };
    let mut arms: String = design.entities().iter().map(arm).collect();
    arms += &match design.entities() {
        // The only kind of entry need not be named.
        [only] => format!(
            "            _ => {}::run(&file, words),\n",
            ident(&only.name)
        ),
        _ => "            _ => Err(help::unknown(&[name])),\n".to_owned(),
    };
    mods.sort();
    filling(design)
        .text(
            "mods",
            mods.iter()
                .map(|name| format!("mod {name};\n"))
                .collect::<String>(),
        )
        .text("arms", arms)
        .render(include_str!("templates/commands.rs.txt"))
}

/// A match arm, in braces if it is too long for a line.
fn arm(pattern: &str, body: &str) -> String {
    let line = format!("            {pattern} => {body},\n");
    if line.len() <= 101 {
        return line;
    }
    format!("            {pattern} => {{\n                {body}\n            }}\n")
}

fn commands(design: &Design, entity: &Entity) -> String {
    let name = type_name(&entity.name);
    let total = entity
        .commands
        .iter()
        .find(|command| matches!(command, Command::Total { .. }));
    let flags: Vec<&str> = entity
        .commands
        .iter()
        .filter_map(|command| match command {
            Command::Mark { flag } => Some(flag.as_str()),
            Command::Add | Command::List | Command::Show | Command::Edit => None,
            Command::Delete | Command::Search | Command::Total { .. } => None,
        })
        .collect();
    let mut arms: String = flags
        .iter()
        .map(|flag| {
            format!(
                "        [\"{flag}\", rest @ ..] => mark_{}(file, rest),\n",
                flag.replace('-', "_")
            )
        })
        .collect();
    if total.is_some() {
        arms += "        [\"total\", rest @ ..] => total(file, rest),\n";
    }
    let typed = entity.fields.iter().any(is_typed);
    let read = format!("args = Args::read(words, {name}::FIELDS)?;\n");
    let marks = flags.iter().map(|flag| mark(entity, flag));
    let filling = Filling::default()
        .flag("total", total.is_some())
        .text("imports", command_imports(design, entity))
        .text("arms", arms)
        .text("references", references(design, entity))
        .text(
            "list_args",
            format!("    let {}{read}", if typed { "mut " } else { "" }),
        )
        .text("tidy", tidy(entity))
        .text("show", show(design, entity))
        .text("users", users(design, entity))
        .text("marks", marks.collect::<String>())
        .text(
            "main",
            entity
                .main_text()
                .map(|field| field.name.clone())
                .unwrap_or_default(),
        );
    let filling = match total {
        Some(Command::Total { of, day, by }) => {
            total_texts(filling, entity, (of, day.as_deref(), by))
        }
        _ => filling,
    };
    filling
        .text("name", &entity.name)
        .text("plural", entity.plural.replace('-', " "))
        .text("Struct", name)
        .text("table", ident(&entity.plural))
        .render(include_str!("templates/entity.rs.txt"))
}

fn command_imports(design: &Design, entity: &Entity) -> String {
    let typed = entity.fields.iter().filter(|field| is_typed(field));
    let values = typed.map(|field| value_type(&field.kind));
    let values = values.filter(|value| value.starts_with(char::is_uppercase));
    let values = values.map(|value| format!("use crate::values::{value};"));
    let children = design.referring(&entity.name).map(|(child, _)| child);
    let models = children
        .chain([entity])
        .map(|entity| type_name(&entity.name));
    let models = models.map(|name| format!("use crate::model::{name};"));
    let fixed = ["args::Args", "layout", "model::Record", "store::Store"];
    let mut lines: Vec<String> = fixed
        .iter()
        .map(|path| format!("use crate::{path};"))
        .collect();
    lines.extend(values.chain(models));
    lines.sort();
    lines.dedup();
    lines.push("use crate::{Error, help};".to_owned());
    lines.join("\n")
}

/// What an entry refers to must be there.
fn references(design: &Design, entity: &Entity) -> String {
    let mut out = String::new();
    for field in &entity.fields {
        let Some(parent) = field.target().and_then(|name| design.entity(name)) else {
            continue;
        };
        let (name, table) = (ident(&field.name), ident(&parent.plural));
        out += &if is_optional(field) {
            format!(
                "    if let Some(parent) = entry.{name} {{\n        store.{table}.find(parent)?;\n    }}\n"
            )
        } else {
            format!("    let parent = entry.{name};\n    store.{table}.find(parent)?;\n")
        };
    }
    out
}

fn tidy(entity: &Entity) -> String {
    let fields = entity.fields.iter().filter(|field| is_typed(field));
    fields
        .map(|field| {
            format!(
                "    args.tidy::<{}>(\"{}\")?;\n",
                value_type(&field.kind),
                field.name
            )
        })
        .collect()
}

fn uses(entity: &Entity, field: &Field) -> String {
    let id = if is_optional(field) { "Some(id)" } else { "id" };
    format!(
        "|row: &&{}| row.{} == {id}",
        type_name(&entity.name),
        ident(&field.name)
    )
}

fn show(design: &Design, entity: &Entity) -> String {
    let table = ident(&entity.plural);
    let mut children = String::new();
    for (other, field) in design.referring(&entity.name) {
        let title = other.plural.replace('-', " ");
        children += &format!("    let uses = {};\n", uses(other, field));
        children += &format!(
            "    let rows = store.{}.rows.iter();\n",
            ident(&other.plural)
        );
        children += &format!("    text.push_str(\"\\n{title}\\n\");\n");
        children += "    text.push_str(&layout::table(rows.filter(uses)));\n";
    }
    if children.is_empty() {
        return format!("    Ok(layout::card(store.{table}.find(id)?))\n");
    }
    format!("    let mut text = layout::card(store.{table}.find(id)?);\n{children}    Ok(text)\n")
}

/// What is referred to stays.
fn users(design: &Design, entity: &Entity) -> String {
    let mut out = String::new();
    for (other, field) in design.referring(&entity.name) {
        out += &format!("    let uses = {};\n", uses(other, field));
        out += &format!(
            "    let rows = store.{}.rows.iter();\n",
            ident(&other.plural)
        );
        out += "    let count = rows.filter(uses).count();\n    if count > 0 {\n";
        out += &format!("        let users = \"{}\";\n", other.plural);
        out += &format!(
            "        let text = format!(\"{} {{id}} is used by {{count}} {{users}}\");\n",
            entity.name
        );
        out += "        let text = format!(\"{text}: delete or change them first\");\n";
        out += "        return Err(Error::Refused(text));\n    }\n";
    }
    out
}

fn mark(entity: &Entity, flag: &str) -> String {
    let template = include_str!("templates/mark.rs.txt");
    Filling::default()
        .text("flag", flag)
        .text("function", flag.replace('-', "_"))
        .text("name", &entity.name)
        .text("table", ident(&entity.plural))
        .render(template)
}

fn total_texts(
    filling: Filling,
    entity: &Entity,
    (of, day, by): (&str, Option<&str>, &[Group]),
) -> Filling {
    let number = entity.field(of);
    let optional = number.is_some_and(is_optional);
    let decimal = number.is_some_and(|field| field.kind == Kind::Amount);
    let name = ident(of);
    let mut groups: Vec<&str> = by.iter().map(Group::word).collect();
    let mut body = String::new();
    if let Some(day) = day {
        let periods = ["day", "month", "year"];
        groups.extend(
            periods
                .iter()
                .filter(|period| !by.iter().any(|group| group.word() == **period)),
        );
        body += &format!("        let day = entry.value(\"{day}\");\n");
        body += "        if !day.starts_with(&period) {\n            continue;\n        }\n";
        body += "        let group = match by {\n            \"day\" => day,\n            \"month\" => day.chars().take(7).collect(),\n";
        body += "            \"year\" => day.chars().take(4).collect(),\n            field => entry.value(field),\n        };\n";
    } else {
        body += "        let group = entry.value(by);\n";
    }
    let place = if optional {
        "number".to_owned()
    } else {
        format!("entry.{name}")
    };
    if optional {
        body += &format!(
            "        let Some(number) = entry.{name} else {{\n            continue;\n        }};\n"
        );
    }
    let period = if day.is_some() {
        "    let period = args.period()?;\n"
    } else {
        "    args.no_words()?;\n"
    };
    filling
        .text("of", of)
        .text("period", period)
        .text("default_group", groups.first().copied().unwrap_or_default())
        .text("groups", groups.join(", "))
        .text("body", body)
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
        )
}
