//! Data models: what code stores, as the usual ORMs and schemas declare it.

use crate::language::Family;
use crate::lines::word;
use crate::source::{Code, CodeLine};
use crate::survey::DataModel;

/// The models of a file.
pub(crate) fn models_of(code: &Code<'_>) -> Vec<DataModel> {
    let mut found: Vec<DataModel> = Vec::new();
    // What a line above announced: the next class is a model.
    let mut announced = false;
    let mut open = None;
    for line in code.lines() {
        let name = match code.language.family() {
            Family::Python => python(&line),
            Family::Prisma => behind(&line, &["model "]),
            Family::Sql => create_table(&line),
            Family::Script => {
                script(&line).or_else(|| announced_class(&line, &mut announced, &["@Entity("]))
            }
            Family::Jvm => announced_class(&line, &mut announced, &["@Entity", "@Document"]),
            Family::Rust => rust(&line, &mut announced),
            Family::Go => go(&line, &mut open),
            Family::DotNet => csharp(&line),
            Family::Ruby => ruby(&line),
            Family::Php => php(&line)
                .or_else(|| announced_class(&line, &mut announced, &["#[ORM\\Entity", "#[Entity"])),
            Family::Counted => return found,
        };
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            continue;
        };
        if found.iter().all(|known| known.name != name) {
            found.push(DataModel {
                name,
                evidence: code.evidence(line.number),
            });
        }
    }
    found
}

fn behind(line: &CodeLine<'_>, starts: &[&str]) -> Option<String> {
    let trimmed = line.code.trim_start();
    let rest = starts
        .iter()
        .find_map(|start| trimmed.strip_prefix(start))?;
    let name = word(rest);
    (!name.is_empty()).then(|| name.to_owned())
}

/// The name behind `class`, whatever stands before it.
fn class_name(code: &str) -> Option<&str> {
    let mut words = code.split_whitespace();
    words.find(|found| matches!(*found, "class" | "struct" | "record"))?;
    words.next().map(word)
}

/// `class A(models.Model)`, `class A(Base)`, `class A(db.Model)`, `class A(SQLModel, table=True)`.
fn python(line: &CodeLine<'_>) -> Option<String> {
    let rest = line.code.strip_prefix("class ")?;
    let (name, bases) = rest.split_once('(')?;
    let bases = bases.split(')').next().unwrap_or_default();
    let mut bases = bases.split(',').map(str::trim);
    let is_table = rest.contains("table=True");
    let stored = [
        "models.Model",
        "Base",
        "db.Model",
        "DeclarativeBase",
        "Document",
        "BaseModel",
    ];
    let is_model = bases.any(|base| match base {
        // Pydantic has models that nobody stores.
        "BaseModel" | "DeclarativeBase" => false,
        "SQLModel" => is_table,
        base => stored.contains(&base),
    });
    is_model.then(|| name.trim().to_owned())
}

/// `CREATE TABLE IF NOT EXISTS "a".b (`.
fn create_table(line: &CodeLine<'_>) -> Option<String> {
    let lower = line.text.to_ascii_lowercase();
    let at = lower
        .trim_start()
        .strip_prefix("create table")
        .map(str::len)?;
    let rest = line.text.get(line.text.len() - at..)?.trim_start();
    let exists = "if not exists";
    let rest = match rest.get(..exists.len()) {
        Some(head) if head.eq_ignore_ascii_case(exists) => rest.get(exists.len()..)?,
        Some(_) | None => rest,
    };
    let name = rest
        .trim_start()
        .split(|c: char| c.is_whitespace() || c == '(')
        .next()?;
    let name = name.rsplit('.').next()?;
    Some(name.trim_matches(['"', '`', '[', ']', '\'']).to_owned())
}

/// `mongoose.model('A'`, `sequelize.define('A'`, `pgTable('a'`.
fn script(line: &CodeLine<'_>) -> Option<String> {
    let calls = [
        "mongoose.model(",
        "sequelize.define(",
        "pgTable(",
        "mysqlTable(",
        "sqliteTable(",
    ];
    let typed = line.code.replace("mongoose.model<", "mongoose.model(<");
    let generic = typed
        .contains("(<")
        .then(|| line.text.split_once(">("))
        .flatten();
    let found = calls.iter().find_map(|call| line.string_after(call));
    let generic = generic.and_then(|(_, rest)| crate::lines::string_at(rest, 0));
    found
        .or(generic.filter(|_| line.code.contains("mongoose.model")))
        .map(str::to_owned)
}

fn announced_class(line: &CodeLine<'_>, announced: &mut bool, marks: &[&str]) -> Option<String> {
    let trimmed = line.code.trim_start();
    let marked = marks.iter().any(|mark| {
        let rest = trimmed.strip_prefix(mark);
        rest.is_some_and(|rest| {
            mark.ends_with('(') || !rest.starts_with(|c: char| c.is_alphanumeric())
        })
    });
    if marked {
        *announced = true;
    }
    let name = announced.then(|| class_name(line.code)).flatten()?;
    *announced = false;
    Some(name.to_owned())
}

/// `table! { a (id) {`, `#[derive(DeriveEntityModel)]` above `#[sea_orm(table_name = "a")]`.
fn rust(line: &CodeLine<'_>, announced: &mut bool) -> Option<String> {
    let trimmed = line.code.trim_start();
    if trimmed.contains("table! {") {
        *announced = true;
        let rest = trimmed.split_once("table! {").map_or("", |(_, rest)| rest);
        let name = word(rest.trim_start());
        *announced = name.is_empty();
        return (!name.is_empty()).then(|| name.to_owned());
    }
    if *announced && trimmed.contains('(') && !trimmed.starts_with('#') {
        *announced = false;
        let name = word(trimmed);
        return (!name.is_empty()).then(|| name.to_owned());
    }
    line.string_after("sea_orm(table_name = ")
        .map(str::to_owned)
}

/// `type A struct {` with `gorm.Model` or a `gorm:` tag below: said where the tag stands.
fn go(line: &CodeLine<'_>, open: &mut Option<String>) -> Option<String> {
    if let Some(rest) = line.code.strip_prefix("type ") {
        *open = rest.contains("struct").then(|| word(rest).to_owned());
        return None;
    }
    let stored = line.code.trim() == "gorm.Model" || line.text.contains("gorm:\"");
    stored.then(|| open.take()).flatten()
}

/// `DbSet<A>`.
fn csharp(line: &CodeLine<'_>) -> Option<String> {
    let (_, rest) = line.code.split_once("DbSet<")?;
    Some(word(rest).to_owned())
}

/// `class A < ApplicationRecord`.
fn ruby(line: &CodeLine<'_>) -> Option<String> {
    let rest = line.code.trim_start().strip_prefix("class ")?;
    let (name, base) = rest.split_once('<')?;
    let base = base.trim();
    let record = base == "ApplicationRecord" || base.starts_with("ActiveRecord::Base");
    record.then(|| name.trim().to_owned())
}

/// `class A extends Model`.
fn php(line: &CodeLine<'_>) -> Option<String> {
    let (head, base) = line.code.split_once(" extends ")?;
    let base = word(base.trim_start());
    let model = matches!(base, "Model" | "Authenticatable" | "Pivot");
    model.then(|| class_name(head).map(str::to_owned))?
}

#[cfg(test)]
mod tests {
    use gavel_workspace::RepoPath;

    use crate::language::Language;

    #[test]
    fn models_are_found_as_they_are_declared() {
        let cases = [
            (
                "a.py",
                "class A(models.Model):\nclass B(BaseModel):\nclass C(object):",
                vec!["A"],
            ),
            (
                "a.py",
                "class A(SQLModel, table=True):\nclass B(SQLModel):",
                vec!["A"],
            ),
            ("a.prisma", "model A {\n  id Int\n}", vec!["A"]),
            (
                "a.sql",
                "CREATE TABLE IF NOT EXISTS \"s\".\"a\" (\n-- create table b",
                vec!["a"],
            ),
            ("a.js", "mongoose.model('A', s)", vec!["A"]),
            (
                "a.ts",
                "mongoose.model<X>('A', s)\nexport const b = pgTable('b', {})",
                vec!["A", "b"],
            ),
            (
                "a.ts",
                "@Entity()\nexport class A {}\nclass B {}",
                vec!["A"],
            ),
            (
                "A.java",
                "@Entity\n@Table(name = \"a\")\npublic class A {}",
                vec!["A"],
            ),
            ("A.java", "@EntityScan\nclass A {}", vec![]),
            (
                "a.rs",
                "diesel::table! {\n    users (id) {\n",
                vec!["users"],
            ),
            ("a.rs", "#[sea_orm(table_name = \"a\")]", vec!["a"]),
            (
                "a.go",
                "type A struct {\n\tgorm.Model\n}\ntype B struct {\n}",
                vec!["A"],
            ),
            (
                "a.go",
                "type A struct {\n\tID int `gorm:\"primaryKey\"`\n}",
                vec!["A"],
            ),
            ("A.cs", "public DbSet<A> As { get; set; }", vec!["A"]),
            (
                "a.rb",
                "class A < ApplicationRecord\nclass B < C",
                vec!["A"],
            ),
            (
                "a.php",
                "class A extends Model\nclass B extends C",
                vec!["A"],
            ),
        ];
        for (path, text, wanted) in cases {
            let path = RepoPath::new(path).unwrap();
            let language = Language::of_path(path.as_str()).unwrap();
            let found = crate::source::read(&path, language, text).models;
            let found: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
            assert_eq!(found, wanted, "{text}");
        }
    }
}
