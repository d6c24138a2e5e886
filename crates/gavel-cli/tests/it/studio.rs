//! A workbench for whole runs: an idea, the toolchain of this machine, models behind fake servers,
//! and a look at what came of it.

use std::fmt::Write as _;
use std::process::{Child, Command};

use gavel_offline::Offline;
use gavel_testkit::{FakeServer, fake_server, git, model_rule, text_asked_for};
use serde_json::Value;

use crate::bench::{Bench, Ended, ended, run_id};
use crate::seen::Seen;

pub(crate) const IDEA: &str = "a bookmark manager with tags";

/// The person's own setting for machines whose commands get no network of their own.
pub(crate) const OPEN_NETWORK: &str = "GAVEL_INSTALL_OPEN_NETWORK";

/// How the endpoint of a fake server speaks, as settings say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaks {
    Anthropic,
    OpenAi,
}

/// A model behind a fake server, as a person's settings tell of it.
#[derive(Debug)]
pub(crate) struct Served<'a> {
    /// The endpoint's name; the model is called `rules`.
    pub(crate) name: &'a str,
    pub(crate) server: &'a FakeServer,
    pub(crate) speaks: Speaks,
}

pub(crate) struct Studio {
    pub(crate) bench: Bench,
}

impl Studio {
    /// Without any model but the rules.
    pub(crate) fn offline() -> Self {
        Self::on(Bench::new())
    }

    /// The same on a bench that is there.
    pub(crate) fn on(bench: Bench) -> Self {
        std::fs::write(bench.own_file(), "").unwrap();
        std::fs::remove_file(bench.project_file()).unwrap();
        Self { bench }
    }

    /// With these settings of a person and these models. A token costs one or two micro-dollars.
    pub(crate) fn with(settings: &str, models: &[Served<'_>]) -> Self {
        let studio = Self::offline();
        studio.set(settings, models);
        studio
    }

    /// Writes the settings of the person anew.
    pub(crate) fn set(&self, settings: &str, models: &[Served<'_>]) {
        let mut text = format!("{settings}\n");
        for model in models {
            let (wire, url) = match model.speaks {
                Speaks::Anthropic => ("anthropic", model.server.anthropic_url()),
                Speaks::OpenAi => ("open_ai", model.server.openai_url()),
            };
            let name = model.name;
            // As much room as the built-in model has, so that requests are the same.
            write!(
                text,
                "[models.endpoints.{name}]\nurl = \"{url}\"\nwire = \"{wire}\"\n\n\
                 [[models.catalogue]]\nid = \"{name}/rules\"\ncontext = 200000\n\
                 max_output = 32000\nprice = {{ input = \"1\", output = \"2\" }}\n\n"
            )
            .unwrap();
        }
        std::fs::write(self.bench.own_file(), text).unwrap();
    }

    /// A command whose builds find the toolchain of this machine.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.bench.command(args);
        // What a proof is made of does not depend on how many faults are tried.
        command.env("GAVEL_PROOF_MUTANTS", "1");
        // Where there are no namespaces a person agrees beforehand, since every fetch would be asked about.
        if text_asked_for("GAVEL_TEST_OPEN_NETWORK").is_some() {
            command.env(OPEN_NETWORK, "agreed");
        }
        let home = text_asked_for("HOME").unwrap_or_default();
        for (variable, below) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
            let folder = text_asked_for(variable).unwrap_or_else(|| format!("{home}/{below}"));
            command.env(variable, folder);
        }
        command
    }

    pub(crate) fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).spawn().unwrap()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        ended(self.spawn(args))
    }

    /// Begins the run.
    pub(crate) fn start(&self, more: &[&str]) -> Ended {
        let id = run_id().to_string();
        let fixed = ["start", IDEA, "--into", "made", "--run", &id];
        self.run(&[&fixed[..], more].concat())
    }

    /// The files of the branch but the seal, whose commit and times differ: `mode type id path`.
    pub(crate) fn tree(&self) -> String {
        let branch = format!("gavel/build-{}", run_id().short());
        let made = self.bench.folder().join("project/made");
        let files = git(&made, &["ls-tree", "-r", &branch]);
        let files = files
            .lines()
            .filter(|line| !line.contains("\t.gavel/seal/"));
        files.collect::<Vec<_>>().join("\n")
    }

    /// The subjects and trees of the branch but the seal's, and the state of the user's checkout.
    pub(crate) fn branch(&self) -> (String, String) {
        let made = self.bench.folder().join("project/made");
        let branch = format!("gavel/build-{}", run_id().short());
        let before_seal = format!("{branch}^");
        let log = git(&made, &["log", "--format=%T %s", &before_seal]);
        let users = git(&made, &["log", "--format=%T %s", "main"]);
        let status = git(&made, &["status", "--porcelain"]);
        (log, format!("{users}\n{status}"))
    }

    /// What `seal verify` says about the branch.
    pub(crate) fn seal(&self) -> Value {
        self.bench.json(&["-C", "made", "seal", "verify"])
    }

    /// Reads the journal, and makes sure that nothing is wrong with it.
    pub(crate) fn look(&self) -> Seen {
        let replayed = self.bench.json(&["replay", &run_id().to_string()]);
        assert_eq!(replayed["same_head"], true, "{replayed}");
        Seen::of(&self.bench)
    }
}

/// A server on whose other side the offline rules answer.
pub(crate) fn rules_server() -> FakeServer {
    fake_server().rule(model_rule(Offline, shape)).start()
}

/// The names of answers, for wires that carry the schema alone.
pub(crate) fn shape(schema: &Value) -> Option<&'static str> {
    let fields = schema.get("properties")?.as_object()?;
    [
        ("clarity", "clarity"),
        ("judgements", "judge"),
        ("reach", "discovery"),
        ("planned_rounds", "council_plan"),
        ("needed", "council_research_need"),
        ("go_on", "council_evaluation"),
        ("dissent_kept", "council_verdict"),
        ("readable", "council_synthesis"),
        ("criteria", "spec"),
        ("assumptions", "council_opening"),
        ("choices", "council_turn"),
        ("files", "phase_plan"),
        ("answers", "owner"),
        ("ship", "customer"),
        ("text", "council_summary"),
    ]
    .into_iter()
    .find_map(|(field, name)| fields.contains_key(field).then_some(name))
}
