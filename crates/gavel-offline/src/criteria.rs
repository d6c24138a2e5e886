//! Testable statements about a design: what a person may rely on, with the steps that show it.
//!
//! They follow from what the design means and know nothing of the code that fulfils it: words on the
//! command line, exit codes, and what is or is not in the output.

mod samples;

use gavel_domain::Criterion;

use self::samples::{ABSENT, adding, bad, marker, parents, shown, value};
use crate::design::{Command, Design, Entity, Field, Group, Kind};
use crate::transcript::{Step, Transcript};

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

    /// In the statement, `ONE` stands for "a book" and `BOOK` for the name alone.
    fn criterion(&self, what: &str, statement: &str, steps: Vec<Step>) -> Criterion {
        let name = self.name().replace('-', " ");
        let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) {
            "an"
        } else {
            "a"
        };
        let statement = statement.replace("ONE", &format!("{article} {name}"));
        let mut statement = statement.replace("BOOK", &name);
        if let Some(first) = statement.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        Criterion {
            id: format!("{}_{what}", self.name().replace('-', "_")),
            statement,
            example: Transcript {
                file: None,
                steps: [parents(self.design, self.entity), steps].concat(),
            }
            .to_string(),
        }
    }

    fn fields(&self, wanted: impl Fn(&Field) -> bool) -> Vec<&Field> {
        self.entity
            .fields
            .iter()
            .filter(|field| wanted(field))
            .collect()
    }

    fn add(&self, n: usize) -> Step {
        adding(self.entity, n, |_| true)
    }

    fn add_without(&self, field: &Field) -> Step {
        adding(self.entity, 1, |other| other.name != field.name)
    }

    fn run(&self, line: &str) -> Step {
        Step::new(std::iter::once(self.name()).chain(line.split(' ')))
    }

    fn marker(&self, n: usize) -> String {
        marker(self.entity, n)
    }

    /// A step that shows the one entry and not the other.
    fn only(&self, step: Step, n: usize, other: usize) -> Step {
        step.has(self.marker(n)).lacks(self.marker(other))
    }

    fn listed(&self) -> Criterion {
        let fields = self.fields(|_| true);
        let list = fields
            .iter()
            .map(|field| shown(field, 1))
            .fold(self.run("list"), Step::has);
        let statement = "ONE that was added is listed in another start of the program.";
        self.criterion("is_listed", statement, vec![self.add(1).has("1"), list])
    }

    fn shown(&self) -> Criterion {
        let set = self.fields(|field| field.kind != Kind::Flag);
        let show = set
            .iter()
            .map(|field| shown(field, 2))
            .fold(self.run("show 2"), Step::has);
        let absent = self.run("show 77").exits(1).error(ABSENT);
        let steps = vec![self.add(1), self.add(2), show.lacks(self.marker(1)), absent];
        let statement = "`show` shows every field of one BOOK; an unknown id exits 1 and is named.";
        self.criterion("is_shown", statement, steps)
    }

    fn edited(&self) -> Criterion {
        let fields = self.fields(|field| field.target().is_none());
        let give = |step: Step, field: &&Field| step.with(&field.name, &value(field, 2));
        let edit = fields.iter().fold(self.run("edit 1"), give);
        let show = fields
            .iter()
            .map(|field| shown(field, 2))
            .fold(self.run("show 1"), Step::has);
        let absent = fields
            .iter()
            .fold(self.run("edit 77"), give)
            .exits(1)
            .error(ABSENT);
        let show = show.lacks(self.marker(1));
        let steps = vec![self.add(1), edit, show, absent, self.run("edit 1").exits(2)];
        let statement =
            "`edit` changes the given fields of ONE; an unknown id exits 1 and is named.";
        self.criterion("is_edited", statement, steps)
    }

    fn deleted(&self) -> Criterion {
        let list = self.only(self.run("list"), 2, 1);
        let again = self.run("delete 1").exits(1).error("1");
        let steps = vec![self.add(1), self.add(2), self.run("delete 1"), list, again];
        let statement = "`delete` removes ONE and exits 0; again, it exits 1 and names the id.";
        self.criterion("is_deleted", statement, steps)
    }

    fn ids(&self) -> Criterion {
        let gone = self.run("show 1").exits(1);
        let new = self.run("show 2").has(self.marker(2));
        let steps = vec![
            self.add(1),
            self.run("delete 1"),
            self.add(2).has("2"),
            gone,
            new,
        ];
        self.criterion(
            "id_is_not_given_again",
            "The id of a deleted BOOK is not given again.",
            steps,
        )
    }

    fn search(&self) -> Criterion {
        let mut fields = self.fields(|field| matches!(field.kind, Kind::Text | Kind::Tags));
        if fields.is_empty() {
            fields = self.fields(|field| field.required && field.target().is_none());
        }
        let mut steps = vec![self.add(1), self.add(2)];
        for field in fields {
            let mut step = self.run("search");
            step.args.push(shown(field, 1).to_uppercase());
            steps.push(self.only(step, 1, 2));
        }
        steps.push(self.run("search nowhere-to-be-found").lacks(self.marker(1)));
        let statement = "`search` finds ONE by any of its texts, in small or capital letters.";
        self.criterion("is_found", statement, steps)
    }

    fn missing(&self) -> Criterion {
        let fields = self.fields(|field| field.required);
        let add = |field: &&Field| self.add_without(field).exits(2).error(&field.name);
        let mut steps: Vec<Step> = fields.iter().map(add).collect();
        steps.push(self.run("list").lacks(self.marker(1)));
        let statement = "ONE without a required field is refused, and nothing is stored.";
        self.criterion("needs_its_fields", statement, steps)
    }

    fn strange(&self) -> Criterion {
        let add = self
            .add(1)
            .with("nonsense", "x")
            .exits(2)
            .error("--nonsense");
        let steps = vec![add, self.run("list").lacks(self.marker(1))];
        self.criterion(
            "has_no_other_field",
            "A field that ONE does not have is refused and named.",
            steps,
        )
    }

    fn bad_values(&self) -> Option<Criterion> {
        let mut steps: Vec<Step> = Vec::new();
        for (field, text) in self
            .entity
            .fields
            .iter()
            .filter_map(|field| Some((field, bad(field)?)))
        {
            steps.push(
                self.add_without(field)
                    .with(&field.name, text)
                    .exits(2)
                    .error(text),
            );
        }
        steps.push(self.run("list").lacks(self.marker(1)));
        let statement = "ONE with a bad date, number or answer is refused, and nothing is stored.";
        (steps.len() > 1).then(|| self.criterion("refuses_bad_values", statement, steps))
    }

    fn filters(&self) -> Option<Criterion> {
        let mut steps = vec![self.add(1), self.add(2)];
        for field in self
            .fields(|field| matches!(field.kind, Kind::Text | Kind::Tags | Kind::Reference { .. }))
        {
            let first = value(field, 1);
            let one = first.split(',').next_back().unwrap_or_default();
            steps.push(self.only(self.run("list").with(&field.name, one), 1, 2));
        }
        let statement =
            "`list --FIELD VALUE` shows each BOOK with that value, tag or reference, and no other.";
        (steps.len() > 2).then(|| self.criterion("is_filtered", statement, steps))
    }

    fn emptied(&self) -> Option<Criterion> {
        let optional = |field: &&Field| !field.required && field.kind != Kind::Flag;
        let field = self.entity.fields.iter().find(optional)?;
        let kept = self.entity.fields.iter().find(|other| other.required)?;
        let show = self
            .run("show 1")
            .has(shown(kept, 1))
            .lacks(format!("{}:", field.name));
        let steps = vec![self.add(1), self.run("edit 1").with(&field.name, ""), show];
        let statement = "An optional field of ONE can be emptied; the others stay.";
        Some(self.criterion("field_is_emptied", statement, steps))
    }

    fn any_text(&self) -> Option<Criterion> {
        let field = self.entity.main_text()?;
        let odd = "a\ttab, a \\n backslash,\na line = \"quoted\" ünd";
        let add = self.add_without(field).with(&field.name, odd);
        let steps = vec![add, self.run("show 1").has(odd)];
        Some(self.criterion(
            "keeps_any_text",
            "Any text of ONE is kept as it was given.",
            steps,
        ))
    }

    fn references(&self) -> Vec<Criterion> {
        let parent = |field: &Field| self.design.entity(field.target()?);
        let fields = self
            .entity
            .fields
            .iter()
            .filter_map(|field| Some((field, parent(field)?)));
        fields
            .map(|(field, parent)| self.reference(field, parent))
            .collect()
    }

    fn reference(&self, field: &Field, parent: &Entity) -> Criterion {
        let above =
            |line: &str| Step::new(std::iter::once(parent.name.as_str()).chain(line.split(' ')));
        let lost = self.add_without(field).with(&field.name, ABSENT);
        let mut steps = vec![
            lost.exits(1).error(ABSENT),
            self.run("list").lacks(self.marker(1)),
            self.add(1),
            above("show 1").has(self.marker(1)),
            above("show 2").lacks(self.marker(1)),
        ];
        // If others refer to the parent, too, one of them could keep it.
        if self
            .design
            .referring(&parent.name)
            .all(|(other, _)| other == self.entity)
        {
            steps.push(above("delete 1").exits(1).error(&self.entity.plural));
            steps.extend([above("show 1"), self.run("delete 1"), above("delete 1")]);
        }
        let statement = "ONE belongs to an entry that exists, is shown with it, and keeps it from being deleted.";
        let what = format!("refers_by_{}", field.name.replace('-', "_"));
        self.criterion(&what, statement, steps)
    }

    fn mark(&self, flag: &str) -> Criterion {
        let marked = self.only(self.run("list").with(flag, "yes"), 1, 2);
        let others = self.only(self.run("list").with(flag, "no"), 2, 1);
        let absent = self.run(&format!("{flag} 77")).exits(1).error(ABSENT);
        let mark = self.run(&format!("{flag} 1"));
        let steps = vec![self.add(1), self.add(2), mark, marked, others, absent];
        let statement = format!("`{flag}` marks one BOOK; `list --{flag} no` leaves it out.");
        self.criterion(
            &format!("is_marked_{}", flag.replace('-', "_")),
            &statement,
            steps,
        )
    }

    /// Three entries: two in March, and the first and the third in one group.
    fn total(&self, of: &str, day: Option<&str>, by: &[Group]) -> Criterion {
        let decimal = self
            .entity
            .field(of)
            .is_some_and(|field| field.kind == Kind::Amount);
        let numbers = if decimal {
            ["12.50", "0.75", "100.05"]
        } else {
            ["12", "5", "100"]
        };
        let sums = if decimal {
            ["13.25", "112.55", "113.30"]
        } else {
            ["17", "112", "117"]
        };
        let [march, in_group, all] = sums;
        let days = ["2026-03-02", "2026-03-31", "2026-04-01"];
        let mut steps = Vec::new();
        for ((number, date), group) in numbers.iter().zip(days).zip([1, 2, 1]) {
            let own = |field: &Field| field.name != of && Some(field.name.as_str()) != day;
            let grouped = |field: &Field| by.contains(&Group::Field(field.name.clone()));
            let add = adding(self.entity, group, |field| {
                own(field) && (field.required || grouped(field))
            });
            let add = add.with(of, number);
            steps.push(day.into_iter().fold(add, |add, day| add.with(day, date)));
        }
        if day.is_some() {
            steps.push(self.run("total 2026-03").has(march).lacks(all));
            steps.push(self.run("total 2026").has(all));
            steps.push(self.run("total March").exits(2).error("March"));
        }
        for group in by {
            let step = self.run("total").with("by", group.word()).has(all);
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
            self.run("total")
                .with("by", "nonsense")
                .exits(2)
                .error("nonsense"),
        );
        let statement = format!("`total` adds up {of}, exactly, by group and period.");
        self.criterion("total", &statement, steps)
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
        id: name.to_owned(),
        statement: statement.to_owned(),
        example: Transcript {
            file: file.map(str::to_owned),
            steps,
        }
        .to_string(),
    }
}
