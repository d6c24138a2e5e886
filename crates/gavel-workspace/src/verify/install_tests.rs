use std::fs;

use super::super::node::NodeManager;
use super::*;

/// A tree of these files, and what is beside it.
struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join("tree").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { root }
    }

    fn tree(&self) -> Tree {
        let path = self.root.path().join("tree");
        Tree {
            root: TreeRoot::open(&path).unwrap(),
            path: "/tree".into(),
            cache: "/cache".into(),
            fetch: "/fetched".into(),
        }
    }
}

/// One line for each step: what it may reach, where it starts, its words, what is set for it.
fn told(steps: Result<Vec<Step>, ArgvError>) -> Vec<String> {
    let line = |step: &Step| {
        let reach = match step.network {
            Network::Registries => "registries",
            Network::Nobody => "nothing",
            Network::Scripts(_) => "hosts",
        };
        let folder = match step.folder {
            Folder::Tree => "tree",
            Folder::Fetch => "outside",
        };
        let env: String = step.env.iter().map(|(k, v)| format!(" {k}={v}")).collect();
        format!("{reach} {folder}: {}{env}", step.argv)
    };
    steps.unwrap().iter().map(line).collect()
}

#[test]
fn cargo_fetches_from_outside_the_tree_with_a_toolchain_by_name() {
    let plain = "registries outside: cargo fetch --manifest-path /tree/Cargo.toml --locked";
    let table = [
        (vec![], vec![plain.to_owned()]),
        (
            vec![("rust-toolchain.toml", "[toolchain]\nchannel = \"1.95\"\n")],
            vec![format!("{plain} RUSTUP_TOOLCHAIN=1.95")],
        ),
        (
            vec![("rust-toolchain", "nightly\n")],
            vec![format!("{plain} RUSTUP_TOOLCHAIN=nightly")],
        ),
        // A toolchain by path is code of the tree.
        (
            vec![("rust-toolchain.toml", "[toolchain]\npath = \"evil\"\n")],
            vec![plain.to_owned()],
        ),
        (
            vec![("rust-toolchain", "../evil\n")],
            vec![plain.to_owned()],
        ),
        (vec![("rust-toolchain", "./evil\n")], vec![plain.to_owned()]),
        (
            vec![(
                ".cargo/config.toml",
                "[source.crates-io]\nreplace-with = \"v\"\n[source.v]\ndirectory = \"vendor\"\n",
            )],
            vec![],
        ),
        (
            vec![(
                ".cargo/config.toml",
                "[build]\nrustc-wrapper = \"./evil\"\n",
            )],
            vec![plain.to_owned()],
        ),
    ];
    for (files, expected) in table {
        let place = Place::new(&[files.as_slice(), &[("Cargo.toml", "")]].concat());
        assert_eq!(
            told(cargo::steps(&place.tree(), true)),
            expected,
            "{files:?}"
        );
    }
}

#[test]
fn settings_that_the_tree_left_in_cargos_home_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("config.toml"), "the person's").unwrap();
    let home = folder.path().join("cargo");
    fs::create_dir(&home).unwrap();
    fs::write(
        home.join("config.toml"),
        "[registry]\ncredential-provider = \"evil\"\n",
    )
    .unwrap();
    fs::create_dir(home.join("config")).unwrap();
    cargo::own_settings(&home, "").unwrap();
    assert_eq!(fs::read_dir(&home).unwrap().count(), 0);
    cargo::own_settings(&home, "[registries]\n").unwrap();
    assert_eq!(
        fs::read_to_string(home.join("config.toml")).unwrap(),
        "[registries]\n"
    );
    // A link in its place leads nowhere.
    fs::remove_dir_all(&home).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &home).unwrap();
    cargo::own_settings(&home, "ours").unwrap();
    assert_eq!(
        fs::read_to_string(elsewhere.join("config.toml")).unwrap(),
        "the person's"
    );
    assert_eq!(
        fs::read_to_string(home.join("config.toml")).unwrap(),
        "ours"
    );
}

#[test]
fn node_packages_come_without_scripts_and_scripts_run_without_network() {
    let manifest = r#"{"scripts":{"postinstall":"x","prepare":"y","test":"z","install":1}}"#;
    let classic = "# yarn lockfile v1\n";
    let newer = "__metadata:\n  version: 8\n";
    let store = "--store-dir=/cache/pnpm";
    let table = [
        (
            NodeManager::Npm,
            vec![],
            vec![
                "registries tree: npm ci --ignore-scripts".to_owned(),
                "nothing tree: npm rebuild".to_owned(),
                "nothing tree: npm run prepare".to_owned(),
            ],
        ),
        (
            NodeManager::Pnpm,
            vec![(".pnpmfile.cjs", "evil")],
            vec![
                format!("registries tree: pnpm fetch --ignore-scripts --ignore-pnpmfile '--config.manage-package-manager-versions=false' '{store}'"),
                format!("nothing tree: pnpm install --frozen-lockfile --offline '{store}'"),
            ],
        ),
        (
            NodeManager::Yarn,
            vec![("yarn.lock", classic), (".yarnrc", "yarn-path \"./evil.js\"\n")],
            vec![
                "registries tree: yarn install --frozen-lockfile --ignore-scripts --non-interactive '--cache-folder=/cache/yarn-classic'".to_owned(),
                "nothing tree: npm rebuild".to_owned(),
                "nothing tree: yarn run prepare".to_owned(),
            ],
        ),
        (
            NodeManager::Yarn,
            vec![("yarn.lock", newer), (".yarnrc.yml", "yarnPath: ./evil.cjs\nplugins:\n  - ./p.cjs\n")],
            vec![
                "registries tree: yarn install --immutable '--mode=skip-build' YARN_RC_FILENAME=.gavel-yarnrc.yml".to_owned(),
                "nothing tree: yarn rebuild YARN_ENABLE_NETWORK=false".to_owned(),
            ],
        ),
        (
            NodeManager::Bun,
            vec![("bunfig.toml", "[install.security]\nscanner = \"./evil\"\n")],
            vec![
                "registries tree: bun install --frozen-lockfile --ignore-scripts '--config=/fetched/home/bunfig.toml'".to_owned(),
                "nothing tree: bun run postinstall".to_owned(),
                "nothing tree: bun run prepare".to_owned(),
            ],
        ),
    ];
    for (manager, files, expected) in table {
        let place = Place::new(&[files.as_slice(), &[("package.json", manifest)]].concat());
        let steps = node::steps(&place.tree(), manager, NodeInstall::Locked);
        assert_eq!(told(steps), expected, "{manager:?} {files:?}");
    }
}

#[test]
fn yarn_keeps_the_layout_and_nothing_that_names_code_or_hosts() {
    let settings = "nodeLinker: node-modules\nyarnPath: .yarn/releases/evil.cjs\nplugins:\n  - path: evil.cjs\n\
        npmRegistryServer: \"http://127.0.0.1:1\"\nnmMode: hardlinks-local\nnodeLinker: pnp # {x}\n";
    let place = Place::new(&[(".yarnrc.yml", settings)]);
    let kept = "nodeLinker: node-modules\nnmMode: hardlinks-local\n";
    assert_eq!(yarn::settings(&place.tree()), kept);
}

#[test]
fn go_modules_come_unless_the_tree_brings_them() {
    let place = Place::new(&[("go.mod", "")]);
    for (named, used) in [
        ("", "https://proxy.golang.org"),
        ("http://m.example", "http://m.example"),
    ] {
        let fetch = format!("registries tree: go mod download GOPROXY={used}");
        assert_eq!(told(go_maven::go(&place.tree(), named)), [fetch]);
    }
    let place = Place::new(&[("go.mod", ""), ("vendor/modules.txt", "")]);
    assert_eq!(told(go_maven::go(&place.tree(), "")), Vec::<String>::new());
}

#[test]
fn adapters_of_maven_are_fetched_for_the_versions_that_came() {
    let place = Place::new(&[("pom.xml", "")]);
    let mut tree = place.tree();
    tree.cache = place.root.path().join("cache");
    assert_eq!(go_maven::chosen_later(&tree), Vec::<String>::new());
    for name in [
        "maven-surefire-plugin/3.1.2",
        "maven-surefire-plugin/$(evil)",
    ] {
        let folder = tree.cache.join("m2/org/apache/maven/plugins").join(name);
        fs::create_dir_all(folder).unwrap();
    }
    let adapters = [
        "surefire-junit4",
        "surefire-junit-platform",
        "surefire-testng",
    ];
    let expected = adapters.map(|name| format!("org.apache.maven.surefire:{name}:3.1.2"));
    assert_eq!(go_maven::chosen_later(&tree), expected);
}

#[test]
fn maven_settings_hold_mirrors_as_text() {
    let mirror = crate::MavenMirror {
        of: "central".to_owned(),
        url: "https://m.example/<x>&".to_owned(),
    };
    let text = go_maven::settings(&[mirror]);
    assert!(
        text.contains("<mirrorOf>central</mirrorOf><url>https://m.example/&lt;x&gt;&amp;</url>")
    );
}
