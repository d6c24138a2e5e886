use std::path::Path;

use proptest::prelude::*;

use super::{Scrubber, SecretKind};

fn scrubber() -> Scrubber {
    Scrubber::new([]).unwrap()
}

/// Random characters of a form, the same every time; no test holds a real token.
fn mixed(length: usize) -> String {
    let letters = "aZ3kQ9xB7mT1pL5wR8cV2nD6yH4jF0sG".chars();
    letters.cycle().take(length).collect()
}

fn hex(length: usize) -> String {
    "9f86d081884c7d659a2feaa0c55ad015"
        .chars()
        .cycle()
        .take(length)
        .collect()
}

fn upper(length: usize) -> String {
    "QZ3KW7XB2MT5PL4R".chars().cycle().take(length).collect()
}

#[test]
fn each_kind_is_taken_out_and_named() {
    let jwt = format!("eyJ{}.eyJ{}.{}", mixed(20), mixed(30), mixed(43));
    let key = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{}\n{}\nab12==\n-----END RSA PRIVATE KEY-----",
        mixed(64),
        mixed(64)
    );
    let table = [
        ("aws key", format!("AKIA{}", upper(16))),
        ("google key", format!("AIza{}", mixed(35))),
        ("anthropic key", format!("sk-ant-api03-{}", mixed(90))),
        ("openai key", format!("sk-proj-{}", mixed(48))),
        ("openai key", format!("sk-{}", mixed(48))),
        ("github token", format!("ghp_{}", mixed(36))),
        ("github token", format!("github_pat_{}", mixed(60))),
        ("gitlab token", format!("glpat-{}", mixed(20))),
        ("npm token", format!("npm_{}", mixed(36))),
        ("pypi token", format!("pypi-AgE{}", mixed(100))),
        (
            "slack token",
            format!("xoxb-{}-{}", "123456789012", mixed(24)),
        ),
        ("stripe key", format!("sk_live_{}", mixed(24))),
        ("sendgrid key", format!("SG.{}.{}", mixed(22), mixed(43))),
        ("twilio key", format!("SK{}", hex(32))),
        ("digitalocean token", format!("dop_v1_{}", hex(64))),
        ("gavel key", format!("gvl_{}", mixed(32))),
        ("jwt", jwt),
        ("private key", key),
    ];
    for (kind, secret) in table {
        for text in [
            format!("x = {secret}\n"),
            format!("(\"{secret}\")"),
            secret.clone(),
        ] {
            let scrubbed = scrubber().scrub(&text);
            assert!(!scrubbed.text.contains(&secret), "{kind}: {text}");
            assert_eq!(scrubbed.found, [SecretKind(kind)], "{text}");
            assert!(
                scrubbed.text.contains(&format!("[secret: {kind}]")),
                "{}",
                scrubbed.text
            );
        }
    }
}

#[test]
fn secrets_inside_other_texts_are_taken_out() {
    let table = [
        ("aws_secret_access_key = ", mixed(40), "\n"),
        (
            "DefaultEndpointsProtocol=https;AccountKey=",
            format!("{}==", mixed(86)),
            ";x=y",
        ),
        (
            "postgres://app:",
            "hunter22x".to_owned(),
            "@db.internal:5432/app",
        ),
        ("Authorization: Bearer ", mixed(40), "\r\nHost: x"),
        ("password = \"", "Tr0ub4dor&3x".to_owned(), "\""),
        ("  \"client_secret\": \"", mixed(32), "\","),
        ("const apiKey = '", hex(32), "';"),
        ("let DB_PASSWORD: &str = r\"", mixed(16), "\";"),
        ("export DB_PASSWORD=", mixed(16), "\n"),
        ("API_TOKEN=", hex(40), ""),
        ("spring.datasource.password: ", mixed(16), "\n"),
        ("//registry.example.org/:_authToken=", hex(36), "\n"),
        ("{\\\"token\\\": \\\"", hex(40), "\\\"}"),
        ("the admin password is ", mixed(16), " since May"),
        ("log in; the api key was: ", hex(32), ", it is old"),
        ("staging (token=", mixed(24), ") works"),
    ];
    for (before, secret, after) in table {
        let scrubbed = scrubber().scrub(&format!("{before}{secret}{after}"));
        assert!(
            !scrubbed.text.contains(&secret),
            "{before}{secret}{after} -> {}",
            scrubbed.text
        );
        assert!(scrubbed.text.starts_with(before), "{}", scrubbed.text);
        assert!(scrubbed.text.ends_with(after), "{}", scrubbed.text);
        assert_eq!(scrubbed.found.len(), 1);
    }
}

#[test]
fn keys_that_were_cut_off_are_still_taken_out() {
    let text = format!(
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n{}",
        mixed(70),
        mixed(31)
    );
    assert_eq!(scrubber().scrub(&text).text, "[secret: private key]");
    let json = format!(
        "-----BEGIN PRIVATE KEY-----\\n{}\\n-----END PRIVATE KEY-----\\n",
        mixed(64)
    );
    assert_eq!(scrubber().scrub(&json).text, "[secret: private key]\\n");
}

#[test]
fn ordinary_code_is_left_alone() {
    for text in [
        "let token = lexer.next_token();",
        "The token is refreshed every 30 minutes, the secret is rotated-monthly.",
        "The password is stored as argon2id-v19 and the api key is read-only.",
        "password: SecretString,",
        "fn set_password(&mut self, password: &str) -> Result<(), PasswordError>",
        "const TOKEN_URL: &str = \"https://oauth2.example.org/token\";",
        "password = os.environ[\"DB_PASSWORD\"]",
        "DB_PASSWORD=${DB_PASSWORD}",
        "token: \"your-token-here-123\"",
        "api_key = \"<your api key>\"",
        "\"token_type\": \"access_token_v2\",",
        "max_tokens: 4096,",
        "postgres://user:password@localhost/app",
        "https://{user}:{password}@host/",
        "git@github.com:owner/repo.git",
        "class=\"sk-circle-fade-dot sk-folding-cube-container\"",
        "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "checksum = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
        "sha512-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08==",
        "const HEADER: &str = \"-----BEGIN PRIVATE KEY-----\";\nfn parse_private_key_block() {}",
        "Authorization: Bearer <token>",
        "secret_name: \"projects/app/secrets/db-password/versions/1\"",
        "use crate::token::{Token, TokenKind};",
        "key: \"build-1/phase-0/commit\"",
        "tokens::TOKEN_LIMIT_2048",
        "password_field.id = \"login-password-2\"",
    ] {
        let scrubbed = scrubber().scrub(text);
        assert_eq!(scrubbed.text, text, "{:?}", scrubbed.found);
    }
}

#[test]
fn known_values_go_in_every_spelling() {
    let scrubber = Scrubber::new(["pass word/\"7\"", "hi"]).unwrap();
    let text = "hi: pass word/\"7\", pass%20word%2F%227%22, \"pass word/\\\"7\\\"\" and cGFzcyB3b3JkLyI3Ig==";
    let scrubbed = scrubber.scrub(text);
    assert_eq!(
        scrubbed.text,
        "hi: [secret: known value], [secret: known value], \"[secret: known value]\" and \
         [secret: known value]Ig=="
    );
    assert_eq!(scrubbed.found, [SecretKind::KNOWN; 4]);
}

#[test]
fn the_sources_of_gavel_hold_no_secret() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tree = crate::TreeRoot::open(&root.canonicalize().unwrap()).unwrap();
    let walked = tree.walk(&crate::RepoDir::ROOT, 100_000).unwrap();
    assert!(walked.files.len() > 50);
    let scrubber = scrubber();
    let mut wrong = Vec::new();
    for path in walked.files {
        let Ok(content) = tree.read(&path, 4_000_000) else {
            continue;
        };
        let text = String::from_utf8_lossy(&content.bytes);
        // Tests of secrets hold what looks like secrets.
        let is_about_secrets = path.as_str().contains("secret") || path.as_str().contains("test");
        let found = scrubber.scrub(&text).found;
        if !found.is_empty() && !is_about_secrets {
            wrong.push(format!("{path}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_secret_behind_what_another_rule_took_is_found() {
    let (token, password) = (format!("ghp_{}", mixed(36)), hex(32));
    let text = format!("TOKEN={token}TOKEN=password = \"{password}");
    let scrubbed = scrubber().scrub(&text);
    assert!(!scrubbed.text.contains(&password), "{}", scrubbed.text);
    assert_eq!(scrubbed.found.len(), 2);
}

proptest! {
    #[test]
    fn scrubbing_twice_is_scrubbing_once(
        pieces in prop::collection::vec(prop_oneof![
            Just("password = \"".to_owned()), Just("\"".to_owned()), Just("\n".to_owned()),
            Just("TOKEN=".to_owned()), Just("https://a:".to_owned()), Just("@b".to_owned()),
            Just(format!("ghp_{}", mixed(36))), Just(hex(32)), "[ -~]{0,12}", "\\PC{0,4}",
        ], 0..12)
    ) {
        let scrubber = scrubber();
        let once = scrubber.scrub(&pieces.concat());
        let twice = scrubber.scrub(&once.text);
        prop_assert_eq!(&twice.text, &once.text);
    }

    #[test]
    fn a_known_value_never_remains(before in "\\PC{0,20}", value in "[!-~]{4,20}", after in "\\PC{0,20}") {
        let scrubber = Scrubber::new([value.as_str()]).unwrap();
        let scrubbed = scrubber.scrub(&format!("{before} {value} {after}"));
        let rest = scrubbed.text.replace("[secret: known value]", "");
        prop_assert!(!rest.contains(&value), "{}", scrubbed.text);
    }
}

#[test]
fn known_values_go_in_hex_and_as_addresses_write_base64() {
    let value = "pass>>word?amber";
    let scrubber = Scrubber::new([value]).unwrap();
    for spelled in [
        "706173733e3e776f72643f616d626572",
        "706173733E3E776F72643F616D626572",
        "cGFzcz4-d29yZD9hbWJlcg",
    ] {
        let text = scrubber.scrub(&format!("x {spelled} y")).text;
        assert!(!text.contains(spelled), "{text}");
    }
    let other = "x 706173733e3e776f72643f616d626573 y";
    assert_eq!(scrubber.scrub(other).text, other);
}
