//! Which files hold credentials: these never leave the machine.

use crate::path::RepoPath;

const NAMES: &[&str] = &[
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pypirc",
    ".git-credentials",
    ".htpasswd",
    ".dockercfg",
    ".vault-token",
    ".terraformrc",
    "terraform.rc",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "credentials.json",
    "client_secret.json",
    "service-account.json",
    "service_account.json",
    "application_default_credentials.json",
    "master.key",
    "secrets.yml",
    "secrets.yaml",
    "secrets.json",
    "secrets.toml",
    ".envrc",
];

const ENDINGS: &[&str] = &[
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
    ".gpg",
    ".age",
    ".tfstate",
    ".tfvars",
    ".ovpn",
    ".kubeconfig",
];

/// Ends of `.env…` names that are written to be read by everybody.
const SAMPLES: &[&str] = &[
    "example", "sample", "template", "dist", "defaults", "schema",
];

/// Folders whose every file is a credential.
const FOLDERS: &[&str] = &[
    ".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".gcloud",
];

/// Names of private keys, whatever follows: `id_ed25519-work`, `id_rsa.old`.
const KEY_NAMES: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/// Ends of copies that people, editors and tools leave beside a file.
const COPIES: &[&str] = &[
    "bak", "backup", "copy", "disabled", "new", "off", "old", "orig", "original", "prev",
    "previous", "save", "saved", "swo", "swp", "temp", "tmp",
];
/// A copy of a copy of a copy is still looked through.
const MOST_COPIES: usize = 4;

/// Ends of code and of what is written to be read: `jest.env.js` sets an environment up and holds none.
const READ_BY_EVERYBODY: &[&str] = &[
    "c", "cc", "cjs", "cpp", "cs", "css", "cts", "d", "go", "h", "html", "java", "js", "jsx", "kt",
    "md", "mjs", "mts", "php", "pub", "py", "rb", "rs", "rst", "swift", "ts", "tsx", "vue",
];

/// True when the file is made to hold secrets, by its name alone, copies of it included.
///
/// A name is all that can be judged without reading. `.env.example` and its like are no secrets,
/// and neither are public keys (`*.pub`).
pub fn is_credential_file(path: &RepoPath) -> bool {
    let name = path.name().to_ascii_lowercase();
    let mut names = std::iter::successors(Some(name.as_str()), |name| copied(name));
    if names.by_ref().take(MOST_COPIES + 1).any(is_credential_name) {
        return true;
    }
    let in_folder = |segment: &str| {
        FOLDERS
            .iter()
            .any(|folder| segment.eq_ignore_ascii_case(folder))
    };
    !name.ends_with(".pub")
        && path
            .folder()
            .path()
            .is_some_and(|f| f.segments().any(in_folder))
}

fn is_credential_name(name: &str) -> bool {
    is_env_file(name)
        || is_private_key(name)
        || NAMES.contains(&name)
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The name that a copy is of: `.env` of `.env.bak`, `server.pem` of `server.pem~` and `server.pem.1`.
fn copied(name: &str) -> Option<&str> {
    if let Some(of) = name.strip_suffix('~') {
        return Some(of);
    }
    if let Some(of) = name
        .strip_prefix('#')
        .and_then(|name| name.strip_suffix('#'))
    {
        return Some(of);
    }
    let (of, end) = name.rsplit_once(['.', '-', '_'])?;
    let is_number = !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit());
    (is_number || COPIES.contains(&end)).then_some(of)
}

fn is_private_key(name: &str) -> bool {
    KEY_NAMES.iter().any(|key| {
        let Some(rest) = name.strip_prefix(key) else {
            return false;
        };
        let is_readable = |part: &str| READ_BY_EVERYBODY.contains(&part);
        rest.is_empty() || rest.starts_with(['.', '-', '_']) && !rest.split('.').any(is_readable)
    })
}

fn is_env_file(name: &str) -> bool {
    name.match_indices(".env").any(|(at, found)| {
        let (before, rest) = name.split_at(at);
        let rest = rest.strip_prefix(found).unwrap_or_default();
        let Some(rest) = rest.strip_prefix(['.', '-', '_']) else {
            return rest.is_empty();
        };
        let is_sample = rest
            .split(['.', '-', '_'])
            .any(|part| SAMPLES.contains(&part));
        // `.env.js` is no code that anybody writes; `jest.env.js` is.
        !is_sample && (before.is_empty() || !is_read_by_everybody(rest))
    })
}

fn is_read_by_everybody(rest: &str) -> bool {
    let end = rest.rsplit('.').next().unwrap_or_default();
    READ_BY_EVERYBODY.contains(&end)
}

/// Ends of `.env…` names that are made for tests and meant to be committed.
const FOR_TESTS: &[&str] = &[".env.test", ".env.testing", ".env.ci"];
/// Folders in which keys and certificates are made for tests.
const TEST_FOLDERS: &[&str] = &[
    "test",
    "tests",
    "testdata",
    "fixtures",
    "__tests__",
    "__fixtures__",
    "spec",
    "testing",
];
/// Settings of package managers, which hold tokens only sometimes.
const PACKAGE_SETTINGS: &[&str] = &[".npmrc", ".yarnrc", ".yarnrc.yml"];
/// The shortest value that is looked for in output: shorter ones are ordinary words.
const SHORTEST_VALUE: usize = 6;

/// True for a credential file that is made for tests, by its name and place alone.
pub fn is_test_credential(path: &RepoPath) -> bool {
    let name = path.name().to_ascii_lowercase();
    let folders = path.segments().count().saturating_sub(1);
    let below_tests = path
        .segments()
        .take(folders)
        .any(|part| TEST_FOLDERS.contains(&part));
    FOR_TESTS.contains(&name.as_str())
        || (below_tests && ENDINGS.iter().take(6).any(|ending| name.ends_with(ending)))
}

/// True for settings of a package manager in which no token stands.
pub fn is_token_free(path: &RepoPath, text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    PACKAGE_SETTINGS.contains(&path.name())
        && !["auth", "token", "password", "secret", "cert", "key="]
            .iter()
            .any(|word| text.contains(word))
}

/// The values in a credential file: what is behind `=` or `:`, else whole lines.
pub fn credential_values(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.starts_with(['#', ';', '[', '-']));
    let values = lines.map(|line| {
        let value = line.split_once('=').or_else(|| line.split_once(": "));
        let value = value.map_or(line, |(_, value)| value);
        value.trim().trim_matches(['"', '\'']).to_owned()
    });
    values
        .filter(|value| value.len() >= SHORTEST_VALUE)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{credential_values, is_credential_file, is_test_credential, is_token_free};
    use crate::path::RepoPath;

    #[test]
    fn credential_files_are_known_by_name() {
        for name in [
            ".env",
            "app/.env.local",
            ".ENV.production",
            "prod.env",
            "id_rsa",
            ".ssh/config",
            "deploy/server.pem",
            ".npmrc",
            "infra/terraform.tfstate",
            "home/.aws/credentials",
            "app.env.local",
            "config/web.env.production",
            "app.env.production.bak",
            ".env-bak",
            ".env_old",
            ".env~",
            "#.env#",
            "..env.swp",
            "id_ed25519.old",
            "id_ed25519-work",
            "id_rsa_backup",
            "keys/id_ecdsa.1",
            "server.pem.bak",
            "server.pem.bak.2",
            "server.key~",
            "tls.p12.orig",
            "credentials.json.old",
            "secrets.yml.20260101",
            ".npmrc.backup",
        ] {
            assert!(is_credential_file(&RepoPath::new(name).unwrap()), "{name}");
        }
    }

    #[test]
    fn ordinary_files_are_not_taken_for_credentials() {
        for name in [
            ".env.example",
            ".env.sample",
            "src/env.rs",
            "environment.ts",
            ".ssh/id_rsa.pub",
            "src/key.rs",
            "docs/keys.md",
            "src/credentials.rs",
            "src/secrets.rs",
            "Cargo.toml",
            "jest.env.js",
            "src/vite.env.d.ts",
            "app.env.example",
            "app.env.sample.bak",
            ".env-sample",
            "id_ed25519.pub",
            "id_rsa.pub.old",
            "src/id_rsa.rs",
            "docs/id_ed25519.md",
            "src/main.rs.bak",
            "environment.old",
            "notes.envelope",
            "keys.old",
        ] {
            assert!(!is_credential_file(&RepoPath::new(name).unwrap()), "{name}");
        }
    }

    #[test]
    fn what_is_made_for_tests_is_known_by_name_and_place() {
        for (name, wanted) in [
            (".env.test", true),
            ("app/.env.testing", true),
            ("tests/tls/server.pem", true),
            ("crates/a/tests/fixtures/ca.key", true),
            (".env", false),
            ("tests/.env", false),
            (".env.test.local", false),
            ("server.pem", false),
            ("tests/id_rsa", false),
            ("testimony/server.key", false),
        ] {
            let path = RepoPath::new(name).unwrap();
            assert_eq!(is_test_credential(&path), wanted, "{name}");
        }
        let npmrc = RepoPath::new(".npmrc").unwrap();
        assert!(is_token_free(&npmrc, "legacy-peer-deps=true\n"));
        assert!(!is_token_free(&npmrc, "//r/:_authToken=x\n"));
        assert!(!is_token_free(&RepoPath::new(".env").unwrap(), "A=b\n"));
    }

    #[test]
    fn values_are_what_stands_behind_a_name_or_a_whole_line() {
        let text =
            "# note\nTOKEN=\"abcdefgh\"\nSHORT=a\nkey: 12345678\n-----BEGIN X-----\nMIIabcdef\n";
        assert_eq!(
            credential_values(text),
            ["abcdefgh", "12345678", "MIIabcdef"]
        );
    }
}
