//! Testable statements about a design: what a person may rely on, with the steps that show it.
//!
//! They follow from what the design means and know nothing of the code that fulfils it: words on the
//! command line, exit codes, and what is or is not in the output.

mod samples;

use serde::{Deserialize, Serialize};

use self::samples::{ABSENT, adding, bad, marker, parents, shown, value};
use crate::design::{Command, Design, Entity, Field, Group, Kind};

/// A statement and the steps that show it, starting from an empty data file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// A name for it, unique in its design: small letters, digits and underscores.
    pub name: String,
    /// The statement.
    pub statement: String,
    /// A line that the data file holds at first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Each is a start of the program.
    pub steps: Vec<Step>,
}

/// One start of the program, seen from outside.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    /// The words after the program's name.
    pub args: Vec<String>,
    /// The exit code.
    pub exit: u8,
    /// Texts in standard output.
    pub has: Vec<String>,
    /// Texts that are not in standard output.
    pub lacks: Vec<String>,
    /// Texts in standard error.
    pub error: Vec<String>,
}

impl Step {
    /// A start that goes well.
    pub fn new<'a>(args: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            args: args.into_iter().map(str::to_owned).collect(),
            ..Self::default()
        }
    }

    fn exits(mut self, code: u8) -> Self {
        self.exit = code;
        self
    }

    fn has(mut self, text: impl Into<String>) -> Self {
        self.has.push(text.into());
        self
    }

    fn lacks(mut self, text: impl Into<String>) -> Self {
        self.lacks.push(text.into());
        self
    }

    fn error(mut self, text: impl Into<String>) -> Self {
        self.error.push(text.into());
        self
    }

    fn with(mut self, name: &str, text: &str) -> Self {
        self.args.extend([format!("--{name}"), text.to_owned()]);
        self
    }
}

/// What one may rely on, entity by entity, then for the whole program.
pub fn criteria(design: &Design) -> Vec<Criterion> {
    let mut all = Vec::new();
    for entity in design.entities() {
        let about = About { design, entity };
        all.extend([
            about.listed(),
            about.shown(),
            about.edited(),
            about.deleted(),
            about.ids(),
            about.search(),
        ]);
        all.extend([about.missing(), about.strange()]);
        all.extend(about.bad_values());
        all.extend(about.filters());
        all.extend(about.emptied());
        all.extend(about.any_text());
        all.extend(about.references());
        for command in &entity.commands {
            all.extend(match command {
                Command::Mark { flag } => Some(about.mark(flag)),
                Command::Total { of, day, by } => Some(about.total(of, day.as_deref(), by)),
                Command::Add | Command::List | Command::Show => None,
                Command::Edit | Command::Delete | Command::Search => None,
            });
        }
    }
    all.extend([unknown_command(design), help(design), damage(design)]);
    all
}

struct About<'a> {
    design: &'a Design,
    entity: &'a Entity,
}

impl About<'_> {
    fn name(&self) -> &str {
        &self.entity.name
    }

    fn criterion(&self, what: &str, statement: String, mut steps: Vec<Step>) -> Criterion {
        let mut all = parents(self.design, self.entity);
        all.append(&mut steps);
        Criterion {
            name: format!("{}_{what}", self.name().replace('-', "_")),
            statement,
            file: None,
            steps: all,
        }
    }

    fn add(&self, n: usize) -> Step {
        adding(self.entity, n, |_| true)
    }

    fn run<'a>(&'a self, words: impl IntoIterator<Item = &'a str>) -> Step {
        Step::new(std::iter::once(self.name()).chain(words))
    }

    fn marker(&self, n: usize) -> String {
        marker(self.entity, n)
    }

    fn listed(&self) -> Criterion {
        let list = self
            .entity
            .fields
            .iter()
            .map(|field| shown(field, 1))
            .fold(self.run(["list"]), Step::has);
        let statement = format!(
            "After a {} is added, `list` shows it in another start of the program.",
            self.name()
        );
        self.criterion("is_listed", statement, vec![self.add(1).has("1"), list])
    }

    fn shown(&self) -> Criterion {
        let set = self
            .entity
            .fields
            .iter()
            .filter(|field| field.kind != Kind::Flag);
        let fields = set.map(|field| shown(field, 2));
        let steps = vec![
            self.add(1),
            self.add(2),
            fields
                .fold(self.run(["show", "2"]), Step::has)
                .lacks(self.marker(1)),
            self.run(["show", ABSENT]).exits(1).error(ABSENT),
        ];
        let statement = format!(
            "`show` shows every field of one {}; an unknown id exits 1 and is named.",
            self.name()
        );
        self.criterion("is_shown", statement, steps)
    }

    fn edited(&self) -> Criterion {
        let plain = |field: &&Field| field.target().is_none();
        let fields: Vec<&Field> = self.entity.fields.iter().filter(plain).collect();
        let edit = fields.iter().fold(self.run(["edit", "1"]), |step, field| {
            step.with(&field.name, &value(field, 2))
        });
        let show = fields
            .iter()
            .map(|field| shown(field, 2))
            .fold(self.run(["show", "1"]), Step::has);
        let mut steps = vec![self.add(1)];
        if !fields.is_empty() {
            steps.extend([edit, show.lacks(self.marker(1))]);
        }
        if let Some(field) = self.entity.fields.first() {
            let text = value(field, 1);
            steps.push(
                self.run(["edit", ABSENT])
                    .with(&field.name, &text)
                    .exits(1)
                    .error(ABSENT),
            );
        }
        steps.push(self.run(["edit", "1"]).exits(2));
        let statement = format!(
            "`edit` changes the given fields of a {}; an unknown id exits 1 and is named.",
            self.name()
        );
        self.criterion("is_edited", statement, steps)
    }

    fn deleted(&self) -> Criterion {
        let steps = vec![
            self.add(1),
            self.add(2),
            self.run(["delete", "1"]),
            self.run(["list"]).has(self.marker(2)).lacks(self.marker(1)),
            self.run(["delete", "1"]).exits(1).error("1"),
        ];
        let statement = format!(
            "`delete` removes a {} and exits 0; again, it exits 1 and names the id.",
            self.name()
        );
        self.criterion("is_deleted", statement, steps)
    }

    fn ids(&self) -> Criterion {
        let steps = vec![
            self.add(1),
            self.run(["delete", "1"]),
            self.add(2).has("2"),
            self.run(["show", "1"]).exits(1),
            self.run(["show", "2"]).has(self.marker(2)),
        ];
        let statement = format!("The id of a deleted {} is not given again.", self.name());
        self.criterion("id_is_not_given_again", statement, steps)
    }

    fn search(&self) -> Criterion {
        let texts = |field: &&Field| matches!(field.kind, Kind::Text | Kind::Tags);
        let mut fields: Vec<&Field> = self.entity.fields.iter().filter(texts).collect();
        if fields.is_empty() {
            fields.extend(
                self.entity
                    .fields
                    .iter()
                    .find(|field| field.target().is_none()),
            );
        }
        let mut steps = vec![self.add(1), self.add(2)];
        for field in fields {
            let text = shown(field, 1).to_uppercase();
            let step = self.run(["search"]);
            let step = Step {
                args: [step.args, vec![text]].concat(),
                ..step
            };
            steps.push(step.has(self.marker(1)).lacks(self.marker(2)));
        }
        steps.push(
            self.run(["search", "nowhere-to-be-found"])
                .lacks(self.marker(1)),
        );
        let statement = format!(
            "`search` finds a {} by any of its texts, in small or capital letters.",
            self.name()
        );
        self.criterion("is_found", statement, steps)
    }

    fn missing(&self) -> Criterion {
        let mut steps = Vec::new();
        for field in self.entity.fields.iter().filter(|field| field.required) {
            let step = adding(self.entity, 1, |other| other.name != field.name);
            steps.push(step.exits(2).error(&field.name));
        }
        steps.push(self.run(["list"]).lacks(self.marker(1)));
        let statement = format!(
            "A {} without a required field is refused, and nothing is stored.",
            self.name()
        );
        self.criterion("needs_its_fields", statement, steps)
    }

    fn strange(&self) -> Criterion {
        let steps = vec![
            self.add(1)
                .with("nonsense", "x")
                .exits(2)
                .error("--nonsense"),
            self.run(["list"]).lacks(self.marker(1)),
        ];
        let statement = format!(
            "A field that a {} does not have is refused and named.",
            self.name()
        );
        self.criterion("has_no_other_field", statement, steps)
    }

    fn bad_values(&self) -> Option<Criterion> {
        let bad_fields = self
            .entity
            .fields
            .iter()
            .filter_map(|field| Some((field, bad(field)?)));
        let mut steps: Vec<Step> = bad_fields
            .map(|(field, text)| {
                let step = adding(self.entity, 1, |other| other.name != field.name);
                step.with(&field.name, text).exits(2).error(text)
            })
            .collect();
        if steps.is_empty() {
            return None;
        }
        steps.push(self.run(["list"]).lacks(self.marker(1)));
        let statement = format!(
            "A {} with a bad date, number or answer is refused, and nothing is stored.",
            self.name()
        );
        Some(self.criterion("refuses_bad_values", statement, steps))
    }

    fn filters(&self) -> Option<Criterion> {
        let chosen =
            |field: &&Field| matches!(field.kind, Kind::Text | Kind::Tags | Kind::Reference { .. });
        let mut steps = vec![self.add(1), self.add(2)];
        for field in self.entity.fields.iter().filter(chosen) {
            let first = value(field, 1);
            let one = first.split(',').next_back().unwrap_or_default();
            steps.push(
                self.run(["list"])
                    .with(&field.name, one)
                    .has(self.marker(1))
                    .lacks(self.marker(2)),
            );
        }
        let statement = format!(
            "`list --FIELD VALUE` shows each {} with that value, tag or reference, and no other.",
            self.name()
        );
        (steps.len() > 2).then(|| self.criterion("is_filtered", statement, steps))
    }

    fn emptied(&self) -> Option<Criterion> {
        let optional = |field: &&Field| !field.required && field.kind != Kind::Flag;
        let field = self.entity.fields.iter().find(optional)?;
        let steps = vec![
            self.add(1),
            self.run(["edit", "1"]).with(&field.name, ""),
            self.run(["show", "1"])
                .has(self.marker_but(field))
                .lacks(format!("{}:", field.name)),
        ];
        let statement = format!(
            "An optional field of a {} can be emptied; the others stay.",
            self.name()
        );
        Some(self.criterion("field_is_emptied", statement, steps))
    }

    fn marker_but(&self, gone: &Field) -> String {
        let other = self
            .entity
            .fields
            .iter()
            .find(|field| field.required && field.name != gone.name);
        other.map_or_else(|| self.name().to_owned(), |field| shown(field, 1))
    }

    fn any_text(&self) -> Option<Criterion> {
        let field = self.entity.main_text()?;
        let odd = "a\ttab, a \\n backslash,\na line = \"quoted\" ünd";
        let step = adding(self.entity, 1, |other| other.name != field.name);
        let steps = vec![
            step.with(&field.name, odd),
            self.run(["show", "1"]).has(odd),
        ];
        let statement = format!("Any text of a {} is kept as it was given.", self.name());
        Some(self.criterion("keeps_any_text", statement, steps))
    }

    fn references(&self) -> Vec<Criterion> {
        let mut found = Vec::new();
        for field in &self.entity.fields {
            let Some(parent) = field.target().and_then(|name| self.design.entity(name)) else {
                continue;
            };
            let others = self
                .design
                .referring(&parent.name)
                .filter(|(other, _)| *other != self.entity);
            let lost = adding(self.entity, 1, |other| other.name != field.name);
            let mut steps = vec![
                lost.with(&field.name, ABSENT).exits(1).error(ABSENT),
                self.run(["list"]).lacks(self.marker(1)),
                self.add(1),
                Step::new([parent.name.as_str(), "show", "1"]).has(self.marker(1)),
                Step::new([parent.name.as_str(), "show", "2"]).lacks(self.marker(1)),
            ];
            // Otherwise one of them could keep the parent, too.
            if others.count() == 0 {
                let delete = || Step::new([parent.name.as_str(), "delete", "1"]);
                let show = Step::new([parent.name.as_str(), "show", "1"]);
                steps.extend([delete().exits(1).error(&self.entity.plural), show]);
                steps.extend([self.run(["delete", "1"]), delete()]);
            }
            let statement = format!(
                "A {} belongs to a {} that exists, is shown with it, and keeps it from being deleted.",
                self.name(),
                parent.name
            );
            let what = format!("refers_by_{}", field.name.replace('-', "_"));
            found.push(self.criterion(&what, statement, steps));
        }
        found
    }

    fn mark(&self, flag: &str) -> Criterion {
        let steps = vec![
            self.add(1),
            self.add(2),
            self.run([flag, "1"]),
            self.run(["list"])
                .with(flag, "yes")
                .has(self.marker(1))
                .lacks(self.marker(2)),
            self.run(["list"])
                .with(flag, "no")
                .has(self.marker(2))
                .lacks(self.marker(1)),
            self.run([flag, ABSENT]).exits(1).error(ABSENT),
        ];
        let statement = format!(
            "`{flag}` marks one {} as {flag}; `list --{flag} no` leaves it out.",
            self.name()
        );
        self.criterion(
            &format!("is_marked_{}", flag.replace('-', "_")),
            statement,
            steps,
        )
    }

    /// Three entries: two in March, two in the first group.
    fn total(&self, of: &str, day: Option<&str>, by: &[Group]) -> Criterion {
        let decimal = self
            .entity
            .field(of)
            .is_some_and(|field| field.kind == Kind::Amount);
        let numbers: [&str; 3] = if decimal {
            ["12.50", "0.75", "100.05"]
        } else {
            ["12", "5", "100"]
        };
        let [march, in_group, all] = if decimal {
            ["13.25", "112.55", "113.30"]
        } else {
            ["17", "112", "117"]
        };
        let days = ["2026-03-02", "2026-03-31", "2026-04-01"];
        let add = |index: usize, group: usize| {
            let own = |field: &Field| field.name != of && Some(field.name.as_str()) != day;
            let is_group = |field: &Field| by.contains(&Group::Field(field.name.clone()));
            let mut step = adding(self.entity, group, |field| {
                own(field) && (field.required || is_group(field))
            });
            step = step.with(of, numbers.get(index).unwrap_or(&"1"));
            day.into_iter().fold(step, |step, day| {
                step.with(day, days.get(index).unwrap_or(&"2026-03-02"))
            })
        };
        let mut steps = vec![add(0, 1), add(1, 2), add(2, 1)];
        if day.is_some() {
            steps.push(self.run(["total", "2026-03"]).has(march).lacks(all));
            steps.push(self.run(["total", "2026"]).has(all));
            steps.push(self.run(["total", "March"]).exits(2).error("March"));
        }
        for group in by {
            let step = self.run(["total"]).with("by", group.word()).has(all);
            steps.push(match group {
                Group::Day => step.has("2026-03-31").has(numbers[1]),
                Group::Month => step.has("2026-03").has(march),
                Group::Year => step.has("2026"),
                Group::Field(name) => {
                    let label = self.entity.field(name).map(|field| shown(field, 1));
                    step.has(label.unwrap_or_default()).has(in_group)
                }
            });
        }
        steps.push(
            self.run(["total"])
                .with("by", "nonsense")
                .exits(2)
                .error("nonsense"),
        );
        let statement = format!(
            "`total` adds up the {of} of {}, exactly, by group and period.",
            self.entity.plural
        );
        self.criterion("total", statement, steps)
    }
}

fn unknown_command(design: &Design) -> Criterion {
    let mut steps = vec![Step::new(["frobnicate"]).exits(2).error("frobnicate")];
    for entity in design.entities() {
        steps.push(
            Step::new([entity.name.as_str(), "frobnicate"])
                .exits(2)
                .error(format!("{} add", entity.name)),
        );
    }
    whole(
        "unknown_command",
        "An unknown command exits 2 and prints the help.",
        None,
        steps,
    )
}

fn help(design: &Design) -> Criterion {
    let mut overview = Step::new(["help"]);
    let mut steps = Vec::new();
    for entity in design.entities() {
        for command in &entity.commands {
            overview = overview.has(format!("{} {}", entity.name, command.word()));
            let one = Step::new(["help", entity.name.as_str(), command.word()]);
            let fields = entity.fields.iter().filter(|_| *command == Command::Add);
            steps.push(
                fields
                    .map(|field| format!("--{}", field.name))
                    .fold(one, Step::has)
                    .has(command.word()),
            );
        }
    }
    steps.insert(0, overview);
    whole(
        "help",
        "`help` names every command and explains each with its fields.",
        None,
        steps,
    )
}

fn damage(design: &Design) -> Criterion {
    let steps = design.entities().iter().map(|entity| {
        Step::new([entity.name.as_str(), "list"])
            .exits(1)
            .error("line 1")
    });
    let statement = "A damaged line of the data file is reported with its number.";
    whole(
        "damaged_file",
        statement,
        Some("this is no entry"),
        steps.collect(),
    )
}

fn whole(name: &str, statement: &str, file: Option<&str>, steps: Vec<Step>) -> Criterion {
    Criterion {
        name: name.to_owned(),
        statement: statement.to_owned(),
        file: file.map(str::to_owned),
        steps,
    }
}
