use super::*;

fn places() -> Places {
    Places {
        work_tree: "/home/p/.local/state/gavel/worktrees/a/1".into(),
        cache: "/home/p/.cache/gavel/a".into(),
        temp: "/home/p/.cache/gavel/a-tmp".into(),
        protected: Protected::of_home(Path::new("/home/p"))
            .and_state("/home/p/.local/state/gavel")
            .and_sealed("/home/p/.local/share/gavel/keys")
            .and_sealed("/tmp/ssh-abc/agent.1"),
    }
}

fn compose(places: &Places, toolchains: &Toolchains) -> Result<Policy, PolicyError> {
    Policy::compose(places, toolchains, Profile::Run, Limits::default())
}

#[test]
fn only_toolchain_folders_of_the_home_are_opened() {
    let toolchains = Toolchains {
        rustup_home: Some("/home/p/.rustup".into()),
        cargo_bin: Some("/home/p/.cargo/bin".into()),
        ..Toolchains::default()
    };
    let policy = compose(&places(), &toolchains).unwrap();
    let of_home: Vec<_> = policy
        .read_only
        .iter()
        .filter(|path| path.starts_with("/home/p"))
        .collect();
    assert_eq!(
        of_home,
        [
            Path::new("/home/p/.cargo/bin"),
            Path::new("/home/p/.rustup/toolchains"),
            Path::new("/home/p/.rustup/settings.toml"),
            Path::new("/home/p/.cache/gavel/a-fetched"),
        ]
    );
    let env = |name: &str| policy.env.get(name).map(String::as_str);
    assert_eq!(env("HOME"), Some("/home/p/.cache/gavel/a/home"));
    assert_eq!(env("CARGO_HOME"), Some("/home/p/.cache/gavel/a/cargo"));
    assert_eq!(env("CARGO_NET_OFFLINE"), Some("true"));
    assert!(env("PATH").unwrap().starts_with("/home/p/.cargo/bin:"));
}

#[test]
fn folders_that_hold_or_are_protected_places_are_refused() {
    for (folder, protected) in [
        ("/", "/home/p"),
        ("/home", "/home/p"),
        ("/home/p", "/home/p"),
        ("/home/p/.ssh", "/home/p/.ssh"),
        ("/home/p/.ssh/keys", "/home/p/.ssh"),
        ("/home/p/.cargo", "/home/p/.cargo/credentials"),
        ("/home/p/.local", "/home/p/.local/state/gavel"),
        ("/home/p/.local/state/gavel", "/home/p/.local/state/gavel"),
        (
            "/home/p/.local/share/gavel",
            "/home/p/.local/share/gavel/keys",
        ),
        ("/tmp", "/tmp/ssh-abc/agent.1"),
        ("/run", "/run/docker.sock"),
    ] {
        let toolchains = Toolchains {
            folders: vec![folder.into()],
            ..Toolchains::default()
        };
        match compose(&places(), &toolchains) {
            Err(PolicyError::OpensProtected {
                path,
                protected: found,
            }) => {
                assert_eq!((path, found), (folder.into(), protected.into()));
            }
            other => panic!("{folder}: {other:?}"),
        }
    }
    let mut everywhere = places();
    everywhere.work_tree = "/home/p".into();
    assert!(compose(&everywhere, &Toolchains::default()).is_err());
}

#[test]
fn paths_with_dots_and_relative_ones_are_refused() {
    for folder in ["opt/x", "./x", "/opt/../home/p", "/opt/.."] {
        let toolchains = Toolchains {
            folders: vec![folder.into()],
            ..Toolchains::default()
        };
        let refused = compose(&places(), &toolchains);
        assert!(
            matches!(refused, Err(PolicyError::NotAbsolute { .. })),
            "{folder}: {refused:?}"
        );
    }
}

#[test]
fn variables_that_load_code_or_reach_agents_are_refused() {
    for name in [
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "BASH_ENV",
        "NODE_OPTIONS",
        "SSH_AUTH_SOCK",
        "GIT_DIR",
        "A=B",
        "",
        "1X",
        "A\nB",
    ] {
        let toolchains = Toolchains {
            env: [(name.to_owned(), "x".to_owned())].into(),
            ..Toolchains::default()
        };
        let refused = compose(&places(), &toolchains);
        assert!(
            matches!(refused, Err(PolicyError::ForbiddenVariable { .. })),
            "{name}: {refused:?}"
        );
    }
    let toolchains = Toolchains {
        env: [
            ("PIP_INDEX_URL".to_owned(), "x".to_owned()),
            ("HOME".to_owned(), "/home/p".to_owned()),
        ]
        .into(),
        ..Toolchains::default()
    };
    let policy = compose(&places(), &toolchains).unwrap();
    assert_eq!(policy.env.get("PIP_INDEX_URL").unwrap(), "x");
    assert_eq!(
        policy.env.get("HOME").unwrap(),
        "/home/p/.cache/gavel/a/home"
    );
}

#[test]
fn a_policy_survives_its_text_form() {
    let policy = compose(&places(), &Toolchains::default()).unwrap();
    let text = serde_json::to_string(&policy).unwrap();
    assert_eq!(serde_json::from_str::<Policy>(&text).unwrap(), policy);
}
