use super::*;

type Texts = &'static [(&'static str, &'static str)];

fn found(variables: Texts, files: Texts) -> PersonRegistries {
    let look = |list: Texts, name: &str| {
        let row = list.iter().find(|(known, _)| *known == name);
        row.map(|(_, text)| (*text).to_owned())
    };
    registries_of(&|name| look(variables, name), &|name| look(files, name))
}

fn hosts(found: &PersonRegistries, by: NamedBy) -> Vec<String> {
    let named = found
        .registries
        .reach
        .hosts()
        .filter(|(_, named)| *named == by);
    named.map(|(host, _)| host.to_string()).collect()
}

#[test]
fn without_configuration_the_public_registries_are_allowed() {
    let found = found(&[], &[]);
    let public = [
        NPM.as_slice(),
        &PYTHON,
        &CARGO,
        &GO,
        &[GO_SUMS],
        &MAVEN,
        &NUGET,
    ]
    .concat();
    let mut public: Vec<_> = public.iter().map(|host| format!("{host}:443")).collect();
    public.sort();
    assert_eq!(hosts(&found, NamedBy::Default), public);
    assert_eq!(hosts(&found, NamedBy::Person), Vec::<String>::new());
    assert_eq!(found.registries.npm, Vec::<String>::new());
    assert_eq!(found.registries.cargo, "");
}

#[test]
fn a_mirror_takes_the_place_of_the_public_registry_and_its_password_stays_behind() {
    let found = found(
        &[("GOPROXY", "https://go.example|direct"), ("GOSUMDB", "off")],
        &[
            (
                "~/.npmrc",
                "registry=https://me:secret@npm.example/r/\n@corp:registry = http://corp.example:4873/\n//npm.example/r/:_authToken=secret\n",
            ),
            (
                "~/.config/pip/pip.conf",
                "[global]\nindex-url = https://u:secret@pypi.example/simple\nextra-index-url =\n    https://a.example/simple\n    https://b.example/simple\ncert = /x\n",
            ),
            (
                "$CARGO_HOME/config.toml",
                "[source.crates-io]\nreplace-with = 'mirror'\n[source.mirror]\nregistry = 'sparse+https://crates.example/'\n[registries.corp]\nindex = 'sparse+https://corp-crates.example/'\ntoken = 'secret'\ncredential-provider = ['x']\n[build]\nrustc-wrapper = 'x'\n",
            ),
            (
                "~/.m2/settings.xml",
                "<settings><servers><server><password>secret</password></server></servers><mirrors><mirror><id>x</id><mirrorOf>*</mirrorOf><url>https://mvn.example/m2</url></mirror></mirrors></settings>",
            ),
            (
                "~/.nuget/NuGet/NuGet.Config",
                "<add key=\"n\" value=\"https://nuget.example/v3/index.json\" />",
            ),
        ],
    );
    assert_eq!(hosts(&found, NamedBy::Default), Vec::<String>::new());
    let named = [
        "a.example:443",
        "b.example:443",
        "corp-crates.example:443",
        "corp.example:4873",
        "crates.example:443",
        "go.example:443",
        "mvn.example:443",
        "npm.example:443",
        "nuget.example:443",
        "pypi.example:443",
    ];
    assert_eq!(hosts(&found, NamedBy::Person), named);
    assert!(!format!("{found:?}").contains("secret"));
    let lines = [
        "@corp:registry=http://corp.example:4873/",
        "registry=https://npm.example/r/",
    ];
    assert_eq!(found.registries.npm, lines);
    let cargo = "[registries.corp]\nindex = \"sparse+https://corp-crates.example/\"\n\n\
        [source.crates-io]\nreplace-with = \"mirror\"\n\n[source.mirror]\nregistry = \"sparse+https://crates.example/\"\n";
    assert_eq!(found.registries.cargo, cargo);
    assert_eq!(found.registries.go, "https://go.example");
    let env = |name: &str| found.env.get(name).map(String::as_str);
    assert_eq!(env("PIP_INDEX_URL"), Some("https://pypi.example/simple"));
    assert_eq!(
        env("PIP_EXTRA_INDEX_URL"),
        Some("https://a.example/simple https://b.example/simple")
    );
    assert_eq!(
        env("YARN_NPM_REGISTRY_SERVER"),
        Some("https://npm.example/r/")
    );
    assert_eq!(env("GOSUMDB"), Some("off"));
}

#[test]
fn variables_count_over_files_and_uv_has_its_own() {
    let found = found(
        &[
            ("PIP_INDEX_URL", "http://127.0.0.1:3141/simple"),
            (
                "UV_INDEX",
                "corp=https://uv.example/simple https://uv2.example/simple",
            ),
            ("npm_config_registry", "http://127.0.0.1:4873"),
            ("PIP_CERT", "/etc/ssl/certs/ca.crt"),
            ("SSL_CERT_FILE", "/home/p/ca.crt"),
        ],
        &[
            (
                "~/.config/pip/pip.conf",
                "[global]\nindex-url = https://pypi.example/simple\n",
            ),
            (
                "~/.config/uv/uv.toml",
                "[[index]]\nurl = 'https://main.example'\ndefault = true\n[[index]]\nurl = 'https://other.example'\n",
            ),
        ],
    );
    let named = [
        "127.0.0.1:3141",
        "127.0.0.1:4873",
        "other.example:443",
        "uv.example:443",
        "uv2.example:443",
    ];
    assert_eq!(hosts(&found, NamedBy::Person), named);
    let env = |name: &str| found.env.get(name).map(String::as_str);
    assert_eq!(
        env("UV_DEFAULT_INDEX"),
        Some("http://127.0.0.1:3141/simple")
    );
    assert_eq!(
        (env("PIP_CERT"), env("SSL_CERT_FILE")),
        (Some("/etc/ssl/certs/ca.crt"), None)
    );
}

#[test]
fn a_source_in_a_folder_of_the_persons_is_left_out() {
    let found = found(
        &[],
        &[(
            "$CARGO_HOME/config.toml",
            "[source.crates-io]\nreplace-with = 'v'\n[source.v]\ndirectory = '/home/p/v'\n",
        )],
    );
    assert!(hosts(&found, NamedBy::Default).contains(&"index.crates.io:443".to_owned()));
    assert!(
        !found.registries.cargo.contains("replace-with"),
        "{}",
        found.registries.cargo
    );
}

#[test]
fn a_proxy_of_the_person_is_found_with_its_exceptions() {
    let found = found(
        &[
            ("https_proxy", "proxy.example:8080"),
            ("NO_PROXY", "localhost, .Corp.example"),
        ],
        &[],
    );
    let expected = Upstream {
        proxy: Destination::new("proxy.example", 8080).unwrap(),
        except: vec!["localhost".to_owned(), ".corp.example".to_owned()],
    };
    assert_eq!(found.registries.upstream, Some(expected));
}
