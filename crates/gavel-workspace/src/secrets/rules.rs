//! The table of secrets: words that make a rule worth running, the form, and how it is judged.

use super::judge::Judge;

/// One kind of secret. The group `secret` of the form is taken out; without it, all of it.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) kind: &'static str,
    pub(super) words: &'static [&'static str],
    pub(super) form: &'static str,
    pub(super) judge: Judge,
}

const fn form(kind: &'static str, words: &'static [&'static str], form: &'static str) -> Rule {
    Rule {
        kind,
        words,
        form,
        judge: Judge::Form,
    }
}

const fn random(kind: &'static str, words: &'static [&'static str], form: &'static str) -> Rule {
    Rule {
        kind,
        words,
        form,
        judge: Judge::Random,
    }
}

pub(super) const RULES: &[Rule] = &[
    // Keys of clouds.
    form(
        "aws key",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
    ),
    random(
        "aws secret",
        &[
            "secret_access_key",
            "secretaccesskey",
            "aws_secret",
            "aws-secret",
        ],
        r#"(?i)(?:secret_?access_?key|aws[_-]secret[a-z_-]*)["']?\s*[:=]\s*["']?(?P<secret>[A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)"#,
    ),
    form("google key", &["AIza"], r"\bAIza[0-9A-Za-z_-]{35}"),
    form(
        "google token",
        &["GOCSPX-", "ya29."],
        r"\b(?:GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[A-Za-z0-9_-]{20,})",
    ),
    form(
        "azure key",
        &["AccountKey=", "SharedAccessKey="],
        r"(?i)(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})",
    ),
    form(
        "digitalocean token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"\bdo[opr]_v1_[a-f0-9]{64}",
    ),
    form("databricks token", &["dapi"], r"\bdapi[a-f0-9]{32}\b"),
    form(
        "vault token",
        &["hvs.", "hvb."],
        r"\bhv[sb]\.[A-Za-z0-9_-]{24,}",
    ),
    // Keys of models.
    form(
        "anthropic key",
        &["sk-ant-"],
        r"\bsk-ant-[A-Za-z0-9_-]{20,}",
    ),
    random(
        "openai key",
        &["sk-"],
        r"\bsk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,}",
    ),
    form(
        "model key",
        &["gsk_", "xai-", "pplx-", "hf_"],
        r"\b(?:gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{60,}|pplx-[A-Za-z0-9]{40,}|hf_[A-Za-z0-9]{34,})",
    ),
    // Tokens of code hosts, registries and Gavel itself.
    form(
        "github token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})",
    ),
    form(
        "gitlab token",
        &["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-"],
        r"\bgl(?:pat|dt|rt|ptt|cbt|soat)-[A-Za-z0-9_-]{20,}",
    ),
    form("npm token", &["npm_"], r"\bnpm_[A-Za-z0-9]{36}\b"),
    form(
        "npm token",
        &["_authToken"],
        r"(?i)_authToken\s*=\s*(?P<secret>[^\s$\[{]{8,})",
    ),
    form("pypi token", &["pypi-AgE"], r"\bpypi-AgE[A-Za-z0-9_-]{50,}"),
    random("crates.io token", &["cio"], r"\bcio[A-Za-z0-9]{32}\b"),
    form(
        "docker token",
        &["dckr_pat_"],
        r"\bdckr_pat_[A-Za-z0-9_-]{20,}",
    ),
    form("gavel key", &["gvl_"], r"\bgvl_[A-Za-z0-9_-]{20,}"),
    // Chat, payment and other services.
    form(
        "slack token",
        &["xox", "xapp-"],
        r"\b(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{20,})",
    ),
    form(
        "slack webhook",
        &["hooks.slack.com"],
        r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}",
    ),
    form(
        "discord webhook",
        &["/api/webhooks/"],
        r"discord(?:app)?\.com/api/webhooks/[0-9]+/[A-Za-z0-9_-]{40,}",
    ),
    form(
        "telegram token",
        &[":AA"],
        r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b",
    ),
    form(
        "stripe key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
        r"\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,})",
    ),
    form(
        "sendgrid key",
        &["SG."],
        r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
    ),
    form("twilio key", &["SK"], r"\bSK[0-9a-f]{32}\b"),
    form(
        "shopify token",
        &["shpat_", "shpss_", "shppa_"],
        r"\bshp(?:at|ss|pa)_[a-fA-F0-9]{32}\b",
    ),
    form("linear key", &["lin_api_"], r"\blin_api_[A-Za-z0-9]{40}\b"),
    // Whole keys.
    form(
        "private key",
        &["PRIVATE KEY"],
        concat!(
            r"-----BEGIN [A-Z0-9 ]{0,20}PRIVATE KEY(?: BLOCK)?-----",
            r#"(?:\s|\\[nr]|["'+,])*(?:(?:Proc-Type|DEK-Info|Version|Comment)[^\n]*\n\s*)*"#,
            r#"(?:[A-Za-z0-9+/=]{20,}(?:\s|\\[nr]|["'+,])*)+"#,
            r#"(?:[A-Za-z0-9+/=]{1,19}(?:\s|\\[nr]|["'+,])*)*"#,
            r"(?:-----END [A-Z0-9 ]{0,20}PRIVATE KEY(?: BLOCK)?-----)?",
        ),
    ),
    form(
        "age key",
        &["AGE-SECRET-KEY-1"],
        r"\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b",
    ),
    form(
        "putty key",
        &["Private-Lines:"],
        r"Private-Lines:\s*[0-9]+\s+(?P<secret>(?:[A-Za-z0-9+/=]{20,}\s*)+)",
    ),
    // Things that carry a secret inside.
    form(
        "jwt",
        &["eyJ"],
        r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    ),
    Rule {
        kind: "url password",
        words: &["://"],
        form: r#"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@"'<>`]{0,100}:(?P<secret>[^\s/@"'<>`]{3,200})@[A-Za-z0-9\[]"#,
        judge: Judge::Password,
    },
    random(
        "bearer token",
        &["bearer ", "authorization"],
        r#"(?i)(?:\bbearer\s+|authorization["']?\s*[:=]\s*["']?(?:basic|token)\s+)(?P<secret>[A-Za-z0-9._~+/-]{16,}=*)"#,
    ),
    // A name that promises a secret, and a value that looks like one: quoted, or as in `.env`.
    random(
        "password",
        WORDS_OF_SECRETS,
        concat!(
            r#"(?i)(?:password|passwd|passphrase|pwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|token|credential)s?[a-z0-9_]{0,20}"#,
            r#"\\?["'`]?(?:\s?:\s?[&A-Za-z0-9_'<>\[\] ]{1,30})?\s{0,4}(?::=|=>|[=:])\s{0,4}[a-z]{0,2}\\?["'`](?P<secret>[^"'`\s\\]{8,200})\\?["'`]"#,
        ),
    ),
    random(
        "password",
        WORDS_OF_SECRETS,
        concat!(
            r#"(?m)^\s*(?:export\s+|set\s+|-\s+)?[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|API_?KEY|ACCESS_KEY|PRIVATE_KEY|TOKEN)[A-Z0-9_]{0,20}"#,
            r#"\s?[=:]\s?(?P<secret>[^\s"'`#]{8,200})\s*$"#,
        ),
    ),
    random(
        "password",
        WORDS_OF_SECRETS,
        r#"(?m)^\s*[a-z0-9_.-]{0,40}(?:password|passwd|secret|api_?key|token)[ \t]*[:=][ \t]*(?P<secret>[^\s"'`#,;()]{8,200})[ \t]*$"#,
    ),
    // As people write it down: `the password is …`, `api key: …` amid a sentence.
    random(
        "password",
        WORDS_OF_SECRETS,
        concat!(
            r#"(?i)\b(?:password|passwd|passphrase|secret|api[_ -]?key|access[_ -]?key|private[_ -]?key|token|credential)s?"#,
            r#"(?:\s+(?:is|was)\s*:?\s+|\s?[=:]\s?)[`"']?(?P<secret>[A-Za-z0-9+/_!@#$%^&*~=.-]{12,200})"#,
        ),
    ),
];

const WORDS_OF_SECRETS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "api_key",
    "api-key",
    "api key",
    "apikey",
    "access_key",
    "access-key",
    "access key",
    "accesskey",
    "private_key",
    "private-key",
    "private key",
    "privatekey",
    "token",
    "credential",
];
