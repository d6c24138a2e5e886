//! The keys: what each may hold, what is built in, and what a project may do to it.

/// What a key may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Dollars, as text or a number; `none` lifts the cap.
    Dollars,
    /// A whole number; `none` lifts the cap where that makes sense.
    OptionalCount,
    /// A whole number within bounds.
    Count { min: u64, max: u64 },
    /// A share between two bounds, in thousandths.
    Share { min: u32, max: u32 },
    /// One of these words.
    Word(&'static [&'static str]),
    /// A model, `provider/model` or `offline`; `none` leaves it open.
    Model,
    /// Models, as a list or with commas between them; `none` leaves it open.
    Models,
    /// Paths in a project, as a list or with commas between them.
    Paths,
    /// Public seal keys, as a list or with commas between them.
    SealKeys,
    /// Addresses of remotes, as a list or with commas between them; `ask`, or `none` of them.
    Remotes,
    /// Hosts, each with or without a port, as a list or with commas between them.
    Hosts,
}

/// What a project's file may do to a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProjectMay {
    /// Set it.
    Set,
    /// Set it to no more than the weaker layers allow.
    Lower,
    /// Set it to no less than the weaker layers ask for.
    Raise,
    /// Nothing: it is a person's own decision.
    Nothing,
}

/// A key, and what holds for it.
#[derive(Debug)]
pub(super) struct KnownKey {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) built_in: &'static str,
    pub(super) project_may: ProjectMay,
}

const fn known(name: &'static str, kind: Kind, built_in: &'static str) -> KnownKey {
    KnownKey {
        name,
        kind,
        built_in,
        project_may: ProjectMay::Set,
    }
}

impl KnownKey {
    const fn project_may(self, project_may: ProjectMay) -> Self {
        Self {
            project_may,
            ..self
        }
    }
}

/// Every key there is.
pub(super) const KEYS: &[KnownKey] = &[
    known("caps.month_usd", Kind::Dollars, "50").project_may(ProjectMay::Lower),
    known("caps.run_tokens", Kind::OptionalCount, "none").project_may(ProjectMay::Lower),
    known("caps.run_usd", Kind::Dollars, "5").project_may(ProjectMay::Lower),
    // Without it every small task of a council goes to the leader's model.
    known("council.cost_aware", Kind::Word(&["on", "off"]), "on").project_may(ProjectMay::Nothing),
    known(
        "council.experience",
        Kind::Word(&["off", "advisory", "enforcing"]),
        "advisory",
    ),
    // Without it every debate is held in full.
    known("council.gate", Kind::Word(&["on", "off"]), "on").project_may(ProjectMay::Nothing),
    // Further hosts that steps may reach which fetch dependencies.
    known("install.hosts", Kind::Hosts, "").project_may(ProjectMay::Nothing),
    // Whether such steps may have this machine's whole network where it cannot be walled off.
    known(
        "install.open_network",
        Kind::Word(&["refuse", "agreed"]),
        "refuse",
    )
    .project_may(ProjectMay::Nothing),
    // What install commands get that run code of the project.
    known(
        "install.project_commands",
        Kind::Word(&["offline", "registries"]),
        "offline",
    )
    .project_may(ProjectMay::Nothing),
    // How many runs of a project may be at work when a program wants another one driven over MCP.
    known("mcp.max_runs", Kind::Count { min: 0, max: 64 }, "4").project_may(ProjectMay::Lower),
    known(
        "models.max_input",
        Kind::Count {
            min: 1_000,
            max: 10_000_000,
        },
        "80000",
    )
    .project_may(ProjectMay::Lower),
    known("models.paid", Kind::Word(&["ask", "agreed"]), "ask").project_may(ProjectMay::Nothing),
    // How many seconds a model may be silent before its first word.
    known(
        "models.patience_s",
        Kind::Count { min: 1, max: 1_800 },
        "120",
    )
    .project_may(ProjectMay::Lower),
    known("models.slots.auditor", Kind::Model, "none").project_may(ProjectMay::Nothing),
    known("models.slots.coder", Kind::Model, "none").project_may(ProjectMay::Nothing),
    known("models.slots.judge", Kind::Model, "none").project_may(ProjectMay::Nothing),
    known("models.slots.leader", Kind::Model, "none").project_may(ProjectMay::Nothing),
    known("models.slots.researcher", Kind::Model, "none").project_may(ProjectMay::Nothing),
    known("models.slots.stances", Kind::Models, "none").project_may(ProjectMay::Nothing),
    // What was thought of in one project is told to another project's models only when a person says so.
    known("memory.across_projects", Kind::Word(&["off", "on"]), "off")
        .project_may(ProjectMay::Nothing),
    known("memory.auto_accept", Kind::Word(&["off", "on"]), "off").project_may(ProjectMay::Nothing),
    known("memory.inject", Kind::Word(&["on", "off"]), "on"),
    // How many milliseconds a task waits for memory.
    known(
        "memory.recall_ms",
        Kind::Count {
            min: 500,
            max: 5_000,
        },
        "1500",
    )
    .project_may(ProjectMay::Lower),
    // The least fit of an item that a stage is told of.
    known(
        "memory.score_floor",
        Kind::Share { min: 0, max: 1000 },
        "0.55",
    ),
    // How many faults the test of each criterion must be tried with: what is cloned must not ask for
    // fewer.
    known("proof.mutants", Kind::Count { min: 1, max: 100 }, "4").project_may(ProjectMay::Raise),
    // How many seconds faults are tried at one gate; what is left over then is not measured.
    known(
        "proof.time",
        Kind::Count {
            min: 1,
            max: 86_400,
        },
        "600",
    )
    .project_may(ProjectMay::Raise),
    // Sending the source away is a person's decision, and what is cloned brings its own remote.
    known("push.remotes", Kind::Remotes, "ask").project_may(ProjectMay::Nothing),
    known("recipes.bias", Kind::Word(&["on", "off"]), "on"),
    // What one command may add to the disk; its build may have twice as much.
    known(
        "sandbox.disk_mib",
        Kind::Count {
            min: 16,
            max: 16_777_216,
        },
        "10240",
    )
    .project_may(ProjectMay::Nothing),
    known(
        "run.done_threshold",
        Kind::Share {
            min: 700,
            max: 1000,
        },
        "0.9",
    )
    // What is cloned must not say that less is enough.
    .project_may(ProjectMay::Raise),
    known("run.max_hours", Kind::Count { min: 1, max: 720 }, "24").project_may(ProjectMay::Lower),
    known("run.max_sprints", Kind::Count { min: 1, max: 20 }, "8").project_may(ProjectMay::Lower),
    known(
        "run.recommender",
        Kind::Word(&["auto", "leader", "council"]),
        "auto",
    )
    // A council recommends at three times the price.
    .project_may(ProjectMay::Nothing),
    // What is cloned must not open the credentials of whoever cloned it.
    known("sandbox.reveal", Kind::Paths, "").project_may(ProjectMay::Nothing),
    // A rule by which a result is shipped that nobody looked at. What is cloned must not approve itself.
    known(
        "seal.approve_when",
        Kind::Word(&[
            "person",
            "every_criterion_executed",
            "every_criterion_proven",
        ]),
        "person",
    )
    .project_may(ProjectMay::Nothing),
    // In a project's file they count too, but only in that of the default branch: whoever checks a
    // seal reads them there, and no layer of this module ever gets them.
    known("seal.keys", Kind::SealKeys, "").project_may(ProjectMay::Nothing),
    known(
        "usage.retention_days",
        Kind::Count { min: 1, max: 3_650 },
        "14",
    )
    .project_may(ProjectMay::Nothing),
];

/// The known key that differs least, if it differs little.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let allowed = 3.max(name.len() / 3);
    let letters = name.chars().count();
    KEYS.iter()
        // Of a name that is longer or shorter by more, nothing has to be compared.
        .filter(|key| key.name.len().abs_diff(letters) <= allowed)
        .map(|key| (distance(name, key.name), key.name))
        .min()
        .filter(|(distance, _)| *distance <= allowed)
        .map(|(_, name)| name)
}

/// How many letters must change to make one word of the other.
pub fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.chars().enumerate() {
        let mut before = i;
        let mut last = i + 1;
        let mut next = vec![last];
        for (r, above) in right.iter().zip(row.iter().skip(1)) {
            let change = before + usize::from(l != *r);
            last = change.min(above + 1).min(last + 1);
            before = *above;
            next.push(last);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}
