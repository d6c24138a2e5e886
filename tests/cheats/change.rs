//! A coder who makes scripted calls for a small change, and judges its own work.

use std::path::Path;

use gavel_testkit::{FakeReply, FakeServer, SeenRequest, fake_server};
use serde_json::{Value, json};

use super::outcome::Outcome;
use crate::bench::run_id;
use crate::product_hot::project;
use crate::studio::{Served, Speaks, Studio, shape};

/// Files of a repository.
pub(crate) type Repository<'a> = &'a [(&'a str, &'a str)];

/// What a coder is asked for and does.
pub(crate) struct Change {
    pub(crate) idea: &'static str,
    calls: Vec<(&'static str, Value)>,
    /// What the coder, who is the judge too, calls the proof: a line of a file.
    cited: (String, u32),
    /// Who audits, and where that model is; the coder where nobody is named.
    auditor: Option<(String, String)>,
}

impl Change {
    /// Nothing yet; the first line of the README is called the proof.
    pub(crate) fn of(idea: &'static str) -> Self {
        Self {
            idea,
            calls: Vec::new(),
            cited: ("README.md".to_owned(), 1),
            auditor: None,
        }
    }

    /// Writes a file.
    #[must_use]
    pub(crate) fn write(mut self, path: &str, content: &str) -> Self {
        let call = json!({"path": path, "content": content});
        self.calls.push(("write_file", call));
        self
    }

    /// Runs a command.
    #[must_use]
    pub(super) fn run(mut self, command: &str) -> Self {
        let call = json!({"command": command});
        self.calls.push(("run_command", call));
        self
    }

    /// Writes a file, and calls the line with these words the proof.
    #[must_use]
    pub(crate) fn write_citing(self, path: &str, content: &str, words: &str) -> Self {
        let line = content.lines().position(|line| line.contains(words));
        let line = u32::try_from(line.expect(words)).unwrap() + 1;
        self.write(path, content).citing(path, line)
    }

    /// Calls this line the proof.
    #[must_use]
    pub(super) fn citing(mut self, path: &str, line: u32) -> Self {
        self.cited = (path.to_owned(), line);
        self
    }

    /// Has it audited by this model, at this address.
    #[must_use]
    pub(super) fn audited_by(mut self, id: &str, url: &str) -> Self {
        self.auditor = Some((id.to_owned(), url.to_owned()));
        self
    }

    /// Lets it be made in a repository; nobody is asked anything.
    #[must_use]
    pub(super) fn made_in(self, files: Repository<'_>) -> Outcome {
        self.begun_in(files, &["--yes"]).0
    }

    /// The same in a repository with something done to it before.
    #[must_use]
    pub(super) fn made_in_prepared(
        self,
        files: Repository<'_>,
        prepare: impl Fn(&Path),
    ) -> Outcome {
        self.begun_in_prepared(files, &["--yes"], prepare).0
    }

    /// The same, with these arguments; the coder goes on as long as its server does.
    #[must_use]
    pub(super) fn begun_in(self, files: Repository<'_>, more: &[&str]) -> (Outcome, FakeServer) {
        self.begun_in_prepared(files, more, |_| {})
    }

    fn begun_in_prepared(
        self,
        files: Repository<'_>,
        more: &[&str],
        prepare: impl Fn(&Path),
    ) -> (Outcome, FakeServer) {
        let idea = self.idea;
        let settings = settings(self.auditor.as_ref());
        let server = self.coder();
        let model = Served {
            name: "small",
            server: &server,
            speaks: Speaks::OpenAi,
        };
        let studio = Studio::with(&settings, &[model]);
        let folder = project(&studio, files);
        prepare(&folder);
        let id = run_id().to_string();
        let fixed = ["start", idea, "--run", &id, "--non-interactive"];
        let ended = studio.run(&[&fixed[..], more].concat());
        let outcome = Outcome {
            studio,
            ended,
            folder,
        };
        (outcome, server)
    }

    pub(crate) fn coder(self) -> FakeServer {
        let Self { calls, cited, .. } = self;
        let calls: Vec<(String, &str, String)> = (1..)
            .zip(calls)
            .map(|(number, (tool, arguments))| {
                (format!("call-{number}"), tool, arguments.to_string())
            })
            .collect();
        let (file, line) = cited;
        let judgement = json!({"judgements": [{
            "id": "change-made", "standing": "met", "why": "by reading the change",
            "evidence": [{"kind": "file", "name": file, "line": line, "exit": 0}],
        }]});
        let rule = move |seen: &SeenRequest| {
            let asked = seen.rebuilt().request;
            let schema = asked.answer.as_ref().map(|answer| &answer.schema);
            match schema.and_then(shape) {
                Some("judge") => FakeReply::text(&judgement.to_string()),
                Some(other) => FakeReply::status(400, &format!("nobody asks for {other}")),
                None if asked.messages.len() > 2 => FakeReply::text("Done."),
                None => {
                    let calls: Vec<_> = calls
                        .iter()
                        .map(|(id, tool, arguments)| (id.as_str(), *tool, arguments.as_str()))
                        .collect();
                    FakeReply::calls(&calls)
                }
            }
        };
        fake_server().rule(rule).start()
    }
}

/// A person's settings: one model does everything, but for who audits.
pub(crate) fn settings(auditor: Option<&(String, String)>) -> String {
    let (slot, catalogue) = match auditor {
        None => (String::new(), String::new()),
        Some((id, url)) => {
            let known = match id.split_once('/') {
                None => String::new(),
                Some((endpoint, _)) => format!(
                    "[models.endpoints.{endpoint}]\nurl = \"{url}\"\nwire = \"open_ai\"\n\n\
                     [[models.catalogue]]\nid = \"{id}\"\ncontext = 200000\nmax_output = 32000\n\
                     price = {{ input = \"1\", output = \"2\" }}\n\n"
                ),
            };
            // The coder judges its own work, whoever audits.
            let slots = format!("auditor = \"{id}\", judge = \"small/rules\", ");
            (slots, known)
        }
    };
    format!(
        "[models]\npaid = \"agreed\"\n\
         slots = {{ leader = \"small/rules\", {slot}stances = [] }}\n[proof]\nmutants = 2\n\n{catalogue}"
    )
}

/// A person is asked about what a change did to tests, gives a reason, and it is sealed with it.
pub(super) fn released(change: Change, files: Repository<'_>) {
    let reason = "the request says that the discount is another one";
    let (mut outcome, server) = change.begun_in(files, &[]);
    assert_eq!(outcome.ended.code, Some(3), "{:?}", outcome.ended);
    let asked = &outcome.ended.stdout;
    assert!(
        asked.contains("changes what was there to check it"),
        "{asked}"
    );
    let id = run_id().to_string();
    // Somebody who agrees without a reason is asked once more.
    outcome.ended = outcome
        .studio
        .run(&["answer", &id, "ok", "--resume", "--non-interactive"]);
    assert_eq!(outcome.ended.code, Some(3), "{:?}", outcome.ended);
    let asked = &outcome.ended.stdout;
    assert!(asked.contains("gives no reason"), "{asked}");
    outcome.ended = outcome
        .studio
        .run(&["answer", &id, reason, "--resume", "--yes"]);
    let seal = outcome.sealed();
    server.finish();
    let gate = outcome.gate();
    let releases = gate["proof"]["released"].as_array().unwrap();
    assert_eq!(releases.len(), 1, "{gate:#}");
    assert_eq!(releases[0]["by"], "person");
    assert_eq!(releases[0]["reason"], reason);
    let sealed = seal["proof"]["released"].to_string();
    assert!(sealed.contains(reason), "{seal:#}");
}
