//! Reads a person's own configuration of package managers for the addresses of registries, and for
//! nothing else: names, passwords and tokens are left where they are.

use std::collections::BTreeMap;

use gavel_rules::{Destination, NamedBy};
use toml::{Table, Value};

use super::{MavenMirror, Registries, Upstream};

/// What a person's configuration comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersonRegistries {
    /// What install steps may reach.
    pub registries: Registries,
    /// Variables that lead package managers there.
    pub env: BTreeMap<String, String>,
}

/// Where configuration comes from: variables by name, files by their path (`~/` is the home).
struct Sources<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    file: &'a dyn Fn(&str) -> Option<String>,
}

impl Sources<'_> {
    fn variable(&self, names: &[&str]) -> Option<String> {
        let set = |name: &&str| (self.variable)(name).filter(|value| !value.trim().is_empty());
        names.iter().find_map(set)
    }

    fn files(&self, names: &[&str]) -> Vec<String> {
        names.iter().filter_map(|name| (self.file)(name)).collect()
    }
}

/// Public registries, where nothing else is configured.
const NPM: [&str; 2] = ["registry.npmjs.org", "registry.yarnpkg.com"];
const PYTHON: [&str; 2] = ["pypi.org", "files.pythonhosted.org"];
const CARGO: [&str; 2] = ["index.crates.io", "static.crates.io"];
const GO: [&str; 1] = ["proxy.golang.org"];
const GO_SUMS: &str = "sum.golang.org";
const MAVEN: [&str; 2] = ["repo.maven.apache.org", "repo1.maven.org"];
const NUGET: [&str; 1] = ["api.nuget.org"];

/// Variables that name certificates; taken over when the file is one that every command can read.
const CERTIFICATES: [&str; 5] = [
    "CARGO_HTTP_CAINFO",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_FILE",
];

/// Finds the registries that a person's package managers are configured for.
///
/// `variable` gives an environment variable, `file` the text of a file by its absolute path or by one
/// that begins with `~/`.
pub fn registries_of(
    variable: &dyn Fn(&str) -> Option<String>,
    file: &dyn Fn(&str) -> Option<String>,
) -> PersonRegistries {
    let from = Sources { variable, file };
    let mut found = PersonRegistries::default();
    found.npm(&from);
    found.python(&from);
    found.cargo(&from);
    found.go(&from);
    found.maven(&from);
    found.nuget(&from);
    found.registries.upstream = upstream(&from);
    for name in CERTIFICATES {
        let readable =
            |path: &String| path.starts_with("/etc/ssl/certs/") || path.starts_with("/usr/");
        if let Some(path) = from.variable(&[name]).filter(readable) {
            found.env.insert(name.to_owned(), path);
        }
    }
    // Certificates of the system, as all the others use.
    for name in ["UV_NATIVE_TLS", "UV_SYSTEM_CERTS"] {
        found.env.insert(name.to_owned(), "1".to_owned());
    }
    found
}

impl PersonRegistries {
    /// Allows the host of a URL; false when it has none.
    fn allow(&mut self, url: &str) -> bool {
        let host = Destination::of_url(url);
        if let Some(host) = host.clone() {
            self.registries.reach.allow(host, NamedBy::Person);
        }
        host.is_some()
    }

    fn allow_defaults(&mut self, hosts: &[&str]) {
        for host in hosts.iter().filter_map(|host| Destination::new(host, 443)) {
            self.registries.reach.allow(host, NamedBy::Default);
        }
    }

    fn npm(&mut self, from: &Sources<'_>) {
        let mut lines = BTreeMap::new();
        for text in from.files(&["/etc/npmrc", "/usr/etc/npmrc", "~/.npmrc"]) {
            for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
                let (key, value) = (key.trim(), value.trim().trim_matches('"'));
                if key == "registry" || key.starts_with('@') && key.ends_with(":registry") {
                    lines.insert(key.to_owned(), value.to_owned());
                }
            }
        }
        if let Some(url) = from.variable(&["npm_config_registry", "NPM_CONFIG_REGISTRY"]) {
            lines.insert("registry".to_owned(), url);
        }
        for (key, url) in lines {
            if self.allow(&url) {
                self.registries
                    .npm
                    .push(format!("{key}={}", without_user(&url)));
            }
        }
        let is_main = |line: &String| line.starts_with("registry=");
        match self.registries.npm.iter().find(|line| is_main(line)) {
            None => self.allow_defaults(&NPM),
            Some(line) => {
                let url = line.trim_start_matches("registry=").to_owned();
                self.env
                    .insert("YARN_NPM_REGISTRY_SERVER".to_owned(), url.clone());
                self.env.insert("npm_config_registry".to_owned(), url);
            }
        }
    }

    fn python(&mut self, from: &Sources<'_>) {
        let mut main = None;
        let mut more = Vec::new();
        for text in from.files(&["/etc/pip.conf", "~/.pip/pip.conf", "~/.config/pip/pip.conf"]) {
            main = ini_values(&text, "index-url").pop().or(main);
            more.extend(ini_values(&text, "extra-index-url"));
        }
        for text in from.files(&["/etc/uv/uv.toml", "~/.config/uv/uv.toml"]) {
            let (named, others) = uv_indexes(&text.parse().unwrap_or_default());
            main = named.or(main);
            more.extend(others);
        }
        let named = ["PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"];
        main = from.variable(&named).or(main);
        for name in ["PIP_EXTRA_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL"] {
            let given = from.variable(&[name]).unwrap_or_default();
            more.extend(given.split_whitespace().map(after_name));
        }
        match main.filter(|url| self.allow(url)) {
            None => self.allow_defaults(&PYTHON),
            Some(url) => {
                for name in ["PIP_INDEX_URL", "UV_DEFAULT_INDEX"] {
                    self.env.insert(name.to_owned(), without_user(&url));
                }
            }
        }
        more.retain(|url| self.allow(url));
        if !more.is_empty() {
            let more: Vec<_> = more.iter().map(|url| without_user(url)).collect();
            for name in ["PIP_EXTRA_INDEX_URL", "UV_INDEX"] {
                self.env.insert(name.to_owned(), more.join(" "));
            }
        }
    }

    /// Keeps source replacements by address and the addresses of registries.
    fn cargo(&mut self, from: &Sources<'_>) {
        let texts = from.files(&["$CARGO_HOME/config.toml", "$CARGO_HOME/config"]);
        let text = texts.first().map_or("", String::as_str);
        let given: Table = text.parse().unwrap_or_default();
        let tables = |name: &str| {
            let table = given.get(name).and_then(Value::as_table).cloned();
            table.unwrap_or_default()
        };
        let mut sources = Table::new();
        let mut replaces = false;
        for (name, source) in tables("source") {
            let text = |key: &str| source.get(key).and_then(Value::as_str);
            let mut kept = Table::new();
            if let Some(url) = text("registry").filter(|url| self.allow(url)) {
                kept.insert("registry".to_owned(), without_user(url).into());
            }
            if let Some(other) = text("replace-with") {
                replaces |= name == "crates-io";
                kept.insert("replace-with".to_owned(), other.into());
            }
            sources.insert(name, Value::Table(kept));
        }
        // One that leads to a folder of the person's cannot be used in a sandbox.
        let known: Vec<String> = sources
            .iter()
            .filter(|(_, source)| source.get("registry").is_some())
            .map(|(name, _)| name.clone())
            .collect();
        for (_, source) in &mut sources {
            let table = source.as_table_mut();
            let lost = table
                .as_ref()
                .and_then(|table| table.get("replace-with"))
                .cloned();
            let lost = lost.filter(|to| !known.iter().any(|name| to.as_str() == Some(name)));
            if let (Some(table), Some(_)) = (table, lost) {
                table.remove("replace-with");
                replaces = false;
            }
        }
        let sources: Table = sources
            .into_iter()
            .filter(|(_, source)| source.as_table().is_some_and(|table| !table.is_empty()))
            .collect();
        let mut registries = Table::new();
        for (name, registry) in tables("registries") {
            let index = registry.get("index").and_then(Value::as_str);
            if let Some(index) = index.filter(|url| self.allow(url)) {
                let table = Table::from_iter([("index".to_owned(), without_user(index).into())]);
                registries.insert(name, Value::Table(table));
            }
        }
        if !replaces {
            self.allow_defaults(&CARGO);
        }
        let all = Table::from_iter([
            ("source".to_owned(), Value::Table(sources)),
            ("registries".to_owned(), Value::Table(registries)),
        ]);
        let some = |(_, table): &(String, Value)| table.as_table().is_some_and(|t| !t.is_empty());
        let all: Table = all.into_iter().filter(some).collect();
        self.registries.cargo = toml::to_string(&all).unwrap_or_default();
    }

    fn go(&mut self, from: &Sources<'_>) {
        let texts = from.files(&["~/.config/go/env"]);
        let written = |name: &str| {
            let lines = texts.iter().flat_map(|text| text.lines());
            let mut values =
                lines.filter_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='));
            values.next().map(str::to_owned)
        };
        let proxies = from.variable(&["GOPROXY"]).or_else(|| written("GOPROXY"));
        let proxies = proxies.unwrap_or_default();
        let named: Vec<_> = proxies
            .split([',', '|'])
            .filter(|url| self.allow(url))
            .collect();
        if named.is_empty() {
            self.allow_defaults(&GO);
        }
        let named: Vec<_> = named.iter().map(|url| without_user(url)).collect();
        self.registries.go = named.join(",");
        match from.variable(&["GOSUMDB"]).or_else(|| written("GOSUMDB")) {
            Some(off) if off == "off" => drop(self.env.insert("GOSUMDB".to_owned(), off)),
            Some(_) | None => self.allow_defaults(&[GO_SUMS]),
        }
    }

    fn maven(&mut self, from: &Sources<'_>) {
        let mut all = false;
        for text in from.files(&["~/.m2/settings.xml"]) {
            for mirror in elements(&text, "mirror") {
                let value = |name: &str| elements(mirror, name).first().map(|text| text.trim());
                let (Some(of), Some(url)) = (value("mirrorOf"), value("url")) else {
                    continue;
                };
                if self.allow(url) {
                    all |= of
                        .split(',')
                        .any(|of| matches!(of.trim(), "*" | "central" | "external:*"));
                    let (of, url) = (of.to_owned(), without_user(url));
                    self.registries.maven.push(MavenMirror { of, url });
                }
            }
            for repository in elements(&text, "repository") {
                for url in elements(repository, "url") {
                    self.allow(url);
                }
            }
        }
        if !all {
            self.allow_defaults(&MAVEN);
        }
    }

    fn nuget(&mut self, from: &Sources<'_>) {
        let mut named = false;
        for text in from.files(&["~/.nuget/NuGet/NuGet.Config"]) {
            for part in text.split("value=\"").skip(1) {
                named |= self.allow(part.split('"').next().unwrap_or_default());
            }
        }
        if !named {
            self.allow_defaults(&NUGET);
        }
    }
}

fn upstream(from: &Sources<'_>) -> Option<Upstream> {
    const NAMES: [&str; 6] = [
        "HTTPS_PROXY",
        "https_proxy",
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
        "all_proxy",
    ];
    let named = from.variable(&NAMES)?;
    let url = match named.contains("://") {
        true => named,
        false => format!("http://{named}"),
    };
    let except = from.variable(&["NO_PROXY", "no_proxy"]).unwrap_or_default();
    let except = except
        .split(',')
        .map(|host| host.trim().to_ascii_lowercase());
    Some(Upstream {
        proxy: Destination::of_url(&url)?,
        except: except.filter(|host| !host.is_empty()).collect(),
    })
}

/// A URL without a user name and password.
fn without_user(url: &str) -> String {
    let url = url.trim();
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// The values of a key in the sections `[global]`, `[install]` and `[download]`; values may go on over lines.
fn ini_values(text: &str, key: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let indented = line.starts_with([' ', '\t']);
        let line = line.trim();
        if line.starts_with(['#', ';', '[']) || line.is_empty() {
            goes_on = false;
        } else if indented && goes_on {
            values.extend(line.split_whitespace().map(str::to_owned));
        } else {
            let named = line.split_once(['=', ':']);
            let ours = named.filter(|(name, _)| name.trim().replace('_', "-") == key);
            goes_on = ours.is_some();
            let value = ours.map_or("", |(_, value)| value);
            values.extend(value.split_whitespace().map(str::to_owned));
        }
    }
    values
}

/// The main index of a uv configuration, and the others.
fn uv_indexes(table: &Table) -> (Option<String>, Vec<String>) {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let mut main = text(table.get("index-url"));
    main = main.or_else(|| text(table.get("pip").and_then(|pip| pip.get("index-url"))));
    let mut more = Vec::new();
    let listed = table.get("index").and_then(Value::as_array);
    for index in listed.into_iter().flatten() {
        let is_main = index.get("default").and_then(Value::as_bool);
        match (is_main, text(index.get("url"))) {
            (Some(true), Some(url)) => main = Some(url),
            (_, Some(url)) => more.push(url),
            (_, None) => {}
        }
    }
    let listed = table.get("extra-index-url").and_then(Value::as_array);
    more.extend(
        listed
            .into_iter()
            .flatten()
            .filter_map(|url| text(Some(url))),
    );
    (main, more)
}

/// uv writes `name=url`.
fn after_name(index: &str) -> String {
    match index.split_once('=') {
        Some((name, url)) if !name.contains(':') => url.to_owned(),
        Some(_) | None => index.to_owned(),
    }
}

/// The insides of elements of this name, as far as they do not nest.
fn elements<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let parts = text.split(open.as_str()).skip(1);
    parts
        .filter_map(|part| part.split_once(close.as_str()))
        .map(|(inside, _)| inside)
        .collect()
}

#[cfg(test)]
#[path = "person_tests.rs"]
mod tests;
