use super::*;

const TEXT: &str = "\
A crate never uses one of its own row, except: a → b → c.

| row | crate | state | its room |
|---|---|---|---|
| top | `gavel-a` | here | x |
|  | `gavel-b` | here | x |
|  | `gavel-c` | here | x |
| low | `gavel-d` | here | x |
|  | `gavel-e` | planned | x |
";

fn edge(from: &str, to: &str, kind: Option<&str>) -> Packages {
    let mut packages: Vec<Package> = ["gavel-a", "gavel-b", "gavel-c", "gavel-d"]
        .map(|name| Package {
            name: name.to_owned(),
            ..Package::default()
        })
        .into();
    let dependency = Dependency {
        name: to.to_owned(),
        kind: kind.map(str::to_owned),
        path: Some("crates".to_owned()),
    };
    match packages.iter_mut().find(|package| package.name == from) {
        Some(package) => package.dependencies.push(dependency),
        None => packages.push(Package {
            name: from.to_owned(),
            dependencies: vec![dependency],
            ..Package::default()
        }),
    }
    Packages { packages }
}

fn findings(from: &str, to: &str, kind: Option<&str>) -> usize {
    let tree = Tree::of(&[("ARCHITECTURE.md", TEXT)]);
    check(&tree, &edge(from, to, kind)).unwrap().len()
}

#[test]
fn arrows_point_down_or_along_an_exception() {
    assert_eq!(findings("gavel-a", "gavel-d", None), 0);
    assert_eq!(findings("gavel-a", "gavel-c", None), 0);
    assert_eq!(findings("gavel-d", "gavel-a", None), 1);
    assert_eq!(findings("gavel-c", "gavel-a", None), 1);
    assert_eq!(findings("gavel-d", "gavel-a", Some("dev")), 1);
}

#[test]
fn the_testkit_stays_in_tests() {
    assert_eq!(findings("gavel-d", "gavel-testkit", Some("dev")), 0);
    assert_eq!(findings("gavel-d", "gavel-testkit", None), 1);
    assert_eq!(findings("gavel-testkit", "gavel-a", None), 0);
    assert_eq!(findings("xtask", "gavel-d", None), 1);
}

#[test]
fn the_table_says_what_exists() {
    let unlisted = findings("gavel-z", "gavel-d", None);
    assert_eq!(unlisted, 2, "not in the table, and an arrow from nowhere");
    let planned = findings("gavel-e", "gavel-x", None);
    assert_eq!(planned, 2, "marked planned, and an arrow to nowhere");
    let tree = Tree::of(&[("ARCHITECTURE.md", "except: a → b.")]);
    assert!(check(&tree, &Packages::default()).is_err());
}
