//! Asks through the real binary, with leaders that are careless with them or lie about them.

use gavel_models::{CallError, Delta, Message, Model, Part, Reply, ReplyStream, Request};
use gavel_offline::Offline;
use gavel_testkit::{FakeServer, asked_for, fake_server, model_rule};
use serde_json::{Value, json};

use futures_util::{FutureExt as _, StreamExt as _, stream};

use crate::bench::{Ended, run_id};
use crate::studio::{IDEA, Served, Speaks, Studio, shape};
use crate::terminal::Terminal;

/// What a leader does to an honest spec.
pub(crate) type Spoil = fn(&mut Value);

/// Reads an idea as another one, and says of asks what it likes.
struct Leader {
    idea: String,
    reads_as: &'static str,
    spoil: Spoil,
}

impl Model for Leader {
    fn stream(&self, mut request: Request) -> ReplyStream {
        let is_spec = request
            .answer
            .as_ref()
            .is_some_and(|answer| answer.name == "spec");
        for message in &mut request.messages {
            self.misread(message);
        }
        let said = honest(request).map(|mut reply| {
            if is_spec {
                let mut spec: Value = serde_json::from_str(&reply.text).unwrap();
                (self.spoil)(&mut spec);
                reply.text = spec.to_string();
            }
            Delta::Finished(reply)
        });
        Box::pin(stream::iter([said]))
    }
}

impl Leader {
    fn misread(&self, message: &mut Message) {
        for part in &mut message.parts {
            // Whoever writes contracts and code looks the idea up.
            if let Part::Text { text } | Part::ToolResult { text, .. } = part {
                *text = text.replace(&self.idea, self.reads_as);
            }
        }
    }
}

fn honest(request: Request) -> Result<Reply, CallError> {
    let deltas = Offline.stream(request).collect::<Vec<_>>().now_or_never();
    for delta in deltas.unwrap_or_default() {
        if let Delta::Finished(reply) = delta? {
            return Ok(reply);
        }
    }
    panic!("the offline model answers at once")
}

/// Gives the asks of each criterion anew: by its id.
pub(crate) fn claim(spec: &mut Value, asks: fn(&str) -> Vec<&'static str>) {
    spec["left_out"] = json!([]);
    for criterion in spec["criteria"].as_array_mut().unwrap() {
        let claimed = asks(criterion["id"].as_str().unwrap());
        criterion["asks"] = json!(claimed);
    }
}

fn forgets(spec: &mut Value) {
    claim(spec, |_| Vec::new());
}

fn makes_ids_up(spec: &mut Value) {
    claim(spec, |_| vec!["a77", "a78"]);
}

fn leaves_all_out(spec: &mut Value) {
    claim(spec, |_| Vec::new());
    let out = |ask: &str| json!({"ask": ask, "reason": "not now"});
    spec["left_out"] = json!(["a1", "a2", "a3", "a4"].map(out));
}

fn help_for_all(spec: &mut Value) {
    claim(spec, |id| match id {
        "help" => vec!["a1", "a2", "a3", "a4"],
        _ => Vec::new(),
    });
}

/// The first ask as it should be, the second one by a criterion about something else.
fn tags_by_help(spec: &mut Value) {
    claim(spec, |id| match id {
        "help" => vec!["a2"],
        _ => vec!["a1"],
    });
}

/// The first ask as it should be, the second one left out.
fn tags_left_out(spec: &mut Value) {
    claim(spec, |id| match id {
        "help" => Vec::new(),
        _ => vec!["a1"],
    });
    spec["left_out"] = json!([{"ask": "a2", "reason": "tags come later"}]);
}

/// The first ask as it should be, the second one forgotten.
fn tags_forgotten(spec: &mut Value) {
    claim(spec, |id| match id {
        "help" => Vec::new(),
        _ => vec!["a1"],
    });
}

pub(crate) struct Crew {
    pub(crate) studio: Studio,
    pub(crate) server: FakeServer,
}

impl Crew {
    /// A leader that reads this idea as one of bookmarks, and the rules for the rest.
    pub(crate) fn of(idea: &str, spoil: Spoil) -> Self {
        Self::reading(idea, IDEA, spoil)
    }

    /// A leader that reads this idea as that one.
    pub(crate) fn reading(idea: &str, reads_as: &'static str, spoil: Spoil) -> Self {
        let leader = Leader {
            idea: idea.to_owned(),
            reads_as,
            spoil,
        };
        let server = fake_server().rule(model_rule(leader, shape)).start();
        let settings = "[models]\npaid = \"agreed\"\nslots = { leader = \"lead/rules\", \
                        coder = \"lead/rules\", auditor = \"offline\", judge = \"offline\", stances = [] }\n";
        let model = Served {
            name: "lead",
            server: &server,
            speaks: Speaks::OpenAi,
        };
        let studio = Studio::with(settings, &[model]);
        Self { studio, server }
    }

    pub(crate) fn start(&self, idea: &str, more: &[&str]) -> Ended {
        let id = run_id().to_string();
        let fixed = [
            "start",
            idea,
            "--into",
            "made",
            "--run",
            &id,
            "--non-interactive",
        ];
        self.studio.run(&[&fixed[..], more].concat())
    }

    pub(crate) fn answer(&self, more: &[&str]) -> Ended {
        let id = run_id().to_string();
        self.studio.run(&[&["answer", &id][..], more].concat())
    }

    fn thread(&self) -> Value {
        let id = run_id().to_string();
        self.studio.bench.json(&["review", &id])["thread"].clone()
    }
}

/// The kinds of standing of all asks, in order.
fn standings(thread: &Value) -> Vec<&str> {
    let asks = thread["asks"].as_array().unwrap().iter();
    asks.map(|ask| ask["standing"]["kind"].as_str().unwrap())
        .collect()
}

/// Nothing is built for a spec of which no rule can tell that it is what was asked for: `--yes` does not
/// decide that.
#[test]
fn a_leader_that_serves_nothing_is_stopped_by_a_question() {
    for spoil in [forgets as Spoil, makes_ids_up, leaves_all_out] {
        let crew = Crew::of(IDEA, spoil);
        let asked = crew.start(IDEA, &["--yes"]);
        assert_eq!(asked.code, Some(3), "{asked:?}");
        assert!(
            asked.stdout.contains("Nothing of what you asked for"),
            "{asked:?}"
        );
        assert!(asked.stdout.contains("\"with tags\""), "{asked:?}");
        assert_eq!(standings(&crew.thread()), ["open", "open"]);
        // It was told once what is wrong.
        let specs = crew.server.requests();
        let again = specs
            .iter()
            .filter(|seen| seen.body.to_string().contains("cannot be used"));
        assert_eq!(again.count(), 1);
        let stopped = crew.answer(&["stop", "--resume"]);
        assert_eq!(stopped.code, Some(1), "{stopped:?}");
        crew.server.finish();
    }
}

/// The three ideas of list keepers: the leader makes bookmarks of them and says that this is it.
#[test]
fn something_else_is_never_built_in_silence() {
    let ideas = [
        "rust cli that counts words in a file",
        "a tool that renames photos by their date",
        "inventory with low stock",
    ];
    for idea in ideas {
        let offline = Studio::offline();
        let id = run_id().to_string();
        let refused = offline.run(&["start", idea, "--into", "made", "--run", &id, "--yes"]);
        // Of the last one the rules build what they can, and name the rest.
        let code = if idea.starts_with("inventory") { 0 } else { 3 };
        assert_eq!(refused.code, Some(code), "{idea}: {refused:?}");
        let crew = Crew::of(idea, |_| ());
        let asked = crew.start(idea, &["--yes"]);
        assert_eq!(asked.code, Some(3), "{idea}: {asked:?}");
        let cards = ["Only the leader says", "Nothing of what you asked for"];
        let is_asked = cards.iter().any(|card| asked.stdout.contains(card));
        assert!(is_asked, "{asked:?}");
        let thread = crew.thread();
        let words = thread["asks"][0]["text"].as_str().unwrap();
        assert!(idea.starts_with(words), "{thread:#}");
        assert!(!standings(&thread).contains(&"covered"), "{thread:#}");
        crew.server.finish();
    }
}

/// Builds with a leader that does something to the ask "with tags", and looks for it on every surface.
fn named_everywhere(spoil: Spoil, kind: &str, line: &str) {
    let crew = Crew::of(IDEA, spoil);
    let done = crew.start(IDEA, &["--yes"]);
    assert_eq!(done.code, Some(0), "{kind}: {done:?}");
    assert!(
        done.stdout.contains("1 of 2 asks have criteria"),
        "{done:?}"
    );
    assert!(done.stdout.contains("\"with tags\" → "), "{done:?}");
    let seal = crew.studio.seal();
    let predicate = &seal["statement"]["predicate"];
    assert_eq!(predicate["verdict"], "conditional", "{predicate:#}");
    assert_eq!(predicate["asks"][1]["standing"]["kind"], kind);
    let left_out = predicate["left_out"].to_string().replace("\\\"", "\"");
    assert!(left_out.contains(line), "{line}: {left_out}");
    assert_eq!(standings(&seal["thread"]), ["covered", kind]);
    // From the words to a place in the tree.
    let first = seal["thread"]["asks"][0]["criteria"][0]["id"]
        .as_str()
        .unwrap();
    let places = seal["places"][first].as_array().unwrap();
    let kinds: Vec<_> = places.iter().map(|place| place["kind"].clone()).collect();
    assert_eq!(kinds, ["test", "example"], "{places:?}");
    assert_eq!(places[0]["run"], format!("cargo test {first} -- --exact"));
    let id = run_id().to_string();
    let verified = crew.studio.run(&["-C", "made", "seal", "verify"]);
    let review = crew.studio.run(&["review", &id, "--full"]);
    let page = crew.studio.run(&["review", &id, "--html", "-"]);
    let status = crew.studio.run(&["status", &id]);
    for shown in [&verified, &review, &page, &status] {
        assert!(shown.stdout.contains("with tags"), "{shown:?}");
    }
    assert!(
        verified.stdout.contains("test tests/cli.rs:"),
        "{verified:?}"
    );
    crew.server.finish();
}

#[test]
fn what_only_the_leader_claims_is_named_on_every_surface() {
    let line = "covered by the leader's word alone: \"with tags\"";
    named_everywhere(tags_by_help, "claimed", line);
}

#[test]
fn what_the_leader_leaves_out_is_named_on_every_surface() {
    if asked_for("ideas") {
        let line = "left out: \"with tags\" (tags come later)";
        named_everywhere(tags_left_out, "excluded", line);
    }
}

#[test]
fn what_the_leader_forgets_is_named_on_every_surface() {
    if asked_for("ideas") {
        let line = "covered by no criterion: \"with tags\"";
        named_everywhere(tags_forgotten, "open", line);
    }
}

/// A person who agrees to the spec that shows it agrees to what it leaves out.
#[test]
fn a_person_settles_open_asks_from_another_process() {
    let crew = Crew::of(IDEA, tags_forgotten);
    let asked = crew.start(IDEA, &[]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let open = crew.answer(&["take-all", "--resume"]);
    assert_eq!(open.code, Some(3), "{open:?}");
    assert!(open.stdout.contains("No criterion covers this"), "{open:?}");
    assert!(open.stdout.contains("- \"with tags\""), "{open:?}");
    let spec = crew.answer(&["without", "--resume"]);
    assert_eq!(spec.code, Some(3), "{spec:?}");
    assert!(
        spec.stdout.contains("\"with tags\" → NOT COVERED"),
        "{spec:?}"
    );
    let status = crew.studio.run(&["status", &run_id().to_string()]);
    assert!(status.stdout.contains("NOT COVERED"), "{status:?}");
    crew.server.finish();
}

#[test]
fn open_asks_are_one_card_in_a_terminal() {
    let crew = Crew::of(IDEA, tags_forgotten);
    let id = run_id().to_string();
    let start = ["start", IDEA, "--into", "made", "--run", &id];
    let mut terminal = Terminal::open(crew.studio.command(&start), 80);
    terminal.wait_for("Take them all?");
    terminal.wait_for(" › ");
    terminal.press("\n");
    terminal.wait_for("- \"with tags\"");
    terminal.wait_for(" › ");
    terminal.press("1\n");
    terminal.wait_for("Build this?");
    terminal.wait_for("NOT COVERED");
    terminal.wait_for(" › ");
    terminal.press("2\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(1), "{shown}");
    crew.server.finish();
}

#[test]
fn what_a_person_agreed_to_is_on_record() {
    let crew = Crew::of(IDEA, tags_left_out);
    let asked = crew.start(IDEA, &[]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let spec = crew.answer(&["take-all", "--resume"]);
    assert_eq!(spec.code, Some(3), "{spec:?}");
    assert!(spec.stdout.contains("\"with tags\" → left out"), "{spec:?}");
    assert_eq!(crew.thread()["asks"][1]["standing"].get("agreed"), None);
    let built = crew.answer(&["agree", "--resume"]);
    assert_eq!(built.code, Some(3), "{built:?}");
    assert_eq!(crew.thread()["asks"][1]["standing"]["agreed"], true);
    crew.server.finish();
}

/// Twenty ideas in people's own words, and a leader that makes bookmarks of each and claims everything.
#[test]
fn twenty_ideas_are_covered_or_named() {
    let all = asked_for("ideas");
    let ideas = [
        "keep track of books I lent to friends",
        "a pomodoro timer with a log",
        "split bills between flatmates, and show who owes what",
        "a snake game",
        "todo list for my team",
        "convert markdown to html",
        "track my expenses, with categories and a total per month",
        "recipe book where I can search by ingredient",
        "habit tracker with streaks",
        "address book with birthdays",
        "books, members and loans",
        "a CLI todo list with colors",
        "products with price, quantity and a minimum quantity",
        "time tracker for projects, with hours per project",
        "invoice tracker with clients, show unpaid",
        "a list of my favourite movies, sort by rating",
        "a clone of Slack",
        "make my life easier",
        "download podcasts every night",
        "a web server that shows my photos",
    ];
    let tried = if all { ideas.len() } else { 3 };
    for idea in ideas.into_iter().take(tried) {
        let crew = Crew::of(idea, help_for_all);
        let asked = crew.start(idea, &["--yes"]);
        assert_eq!(asked.code, Some(3), "{idea}: {asked:?}");
        let thread = crew.thread();
        for ask in thread["asks"].as_array().unwrap() {
            assert_ne!(ask["standing"]["kind"], "covered", "{idea}: {ask:#}");
        }
        crew.server.finish();
    }
}
