//! The part of the environment that differs by profile: whether there is a network, and what package
//! managers must leave alone while there is one.

use std::path::Path;

pub(super) use super::gateway::PROXY;
use super::policy::Profile;

/// What tells package managers not to try the network.
pub(super) const OFFLINE: [(&str, &str); 5] = [
    ("CARGO_NET_OFFLINE", "true"),
    ("npm_config_offline", "true"),
    ("PIP_NO_INDEX", "1"),
    ("GOPROXY", "off"),
    ("UV_OFFLINE", "1"),
];

/// The names under which programs look for a proxy. There is no other way out.
pub(super) const PROXIES: [&str; 12] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "npm_config_proxy",
    "npm_config_https_proxy",
    "CARGO_HTTP_PROXY",
    "PIP_PROXY",
    "YARN_HTTP_PROXY",
    "YARN_HTTPS_PROXY",
];

/// What keeps package managers from running or downloading programs that a tree names. Each of these
/// stands above a tree's own files.
const NOTHING_OF_THE_TREE: [(&str, &str); 23] = [
    ("npm_config_ignore_scripts", "true"),
    // A tree's .npmrc may name another program.
    ("npm_config_git", "git"),
    ("npm_config_script_shell", "/bin/false"),
    // Not empty: npm takes that for "not set", and then the tree's.
    ("npm_config_noproxy", "gavel.invalid"),
    ("YARN_IGNORE_PATH", "1"),
    ("YARN_ENABLE_SCRIPTS", "false"),
    ("YARN_ENABLE_TELEMETRY", "0"),
    ("COREPACK_ENV_FILE", "0"),
    ("COREPACK_ENABLE_UNSAFE_CUSTOM_URLS", "0"),
    ("COREPACK_ENABLE_DOWNLOAD_PROMPT", "0"),
    ("GOTOOLCHAIN", "local"),
    ("GOVCS", "*:off"),
    ("GOFLAGS", "-mod=mod"),
    ("UV_NO_BUILD", "1"),
    ("UV_NO_CONFIG", "1"),
    ("PIP_ONLY_BINARY", ":all:"),
    ("RUSTC_WRAPPER", ""),
    ("RUSTC_WORKSPACE_WRAPPER", ""),
    ("CARGO_NET_GIT_FETCH_WITH_CLI", "false"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_ALLOW_PROTOCOL", "http:https"),
    ("NO_PROXY", ""),
    ("no_proxy", ""),
];

/// Everything that a profile sets (`Some`) and that it takes away (`None`).
pub(super) fn settings(
    profile: Profile,
    cache: &Path,
    fetch: &Path,
) -> Vec<(&'static str, Option<String>)> {
    let in_profile = |wanted: Profile, value: &str| (profile == wanted).then(|| value.to_owned());
    let mut list = Vec::new();
    for (name, value) in OFFLINE {
        list.push((name, in_profile(Profile::Run, value)));
    }
    for name in PROXIES {
        list.push((name, in_profile(Profile::Install, PROXY)));
    }
    for (name, value) in NOTHING_OF_THE_TREE {
        list.push((name, in_profile(Profile::Install, value)));
    }
    // What runs without network may write the other home, and with it settings of package managers.
    let home = match profile {
        Profile::Run => cache,
        Profile::Install => fetch,
    };
    list.push(("HOME", Some(home.join("home").display().to_string())));
    list
}
