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

/// True when the file is made to hold secrets, by its name alone.
///
/// A name is all that can be judged without reading. `.env.example` and its like are no secrets,
/// and neither are public keys (`*.pub`).
pub fn is_credential_file(path: &RepoPath) -> bool {
    let name = path.name().to_ascii_lowercase();
    if is_env_file(&name) || NAMES.contains(&name.as_str()) {
        return true;
    }
    if ENDINGS.iter().any(|ending| name.ends_with(ending)) {
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

fn is_env_file(name: &str) -> bool {
    if name == ".env" || name.ends_with(".env") {
        return true;
    }
    name.strip_prefix(".env.")
        .is_some_and(|rest| !rest.split('.').any(|part| SAMPLES.contains(&part)))
}

#[cfg(test)]
mod tests {
    use super::is_credential_file;
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
        ] {
            assert!(!is_credential_file(&RepoPath::new(name).unwrap()), "{name}");
        }
    }
}
