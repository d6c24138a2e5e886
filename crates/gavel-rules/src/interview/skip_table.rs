//! The table: what settles a question, and why it is not asked then.

use gavel_domain::AnswerSource;
use gavel_domain::AnswerSource::{Idea, NotNeeded, Repository};

use super::depth::Depth;
use super::skip::{Rule, When};

const TOOLS: &[&str] = &["cli-tool", "script", "library"];
const STORES: &[(&str, &[&str])] = &[
    (
        "SQLite",
        &["rusqlite", "sqlite3", "better-sqlite3", "aiosqlite"],
    ),
    (
        "PostgreSQL",
        &[
            "pg",
            "psycopg",
            "psycopg2",
            "tokio-postgres",
            "postgres",
            "asyncpg",
            "pgx",
            "npgsql",
        ],
    ),
    ("MySQL", &["mysql", "mysql2", "mysqlclient", "PyMySQL"]),
    ("MongoDB", &["mongodb", "mongoose", "pymongo", "mongoid"]),
    ("Redis", &["redis", "ioredis", "redis-py"]),
];
const PAGES: &[(&str, &[&str])] = &[
    ("React", &["react", "next"]),
    ("Vue", &["vue", "nuxt"]),
    ("Svelte", &["svelte", "@sveltejs/kit"]),
    ("Angular", &["@angular/core"]),
];

const fn rule(question: &'static str, when: When, source: AnswerSource, why: &'static str) -> Rule {
    Rule {
        question,
        when,
        source,
        why,
    }
}

/// The whole table; of several lines that hold, the first counts.
pub(super) const RULES: &[Rule] = &[
    rule(
        "product-type",
        When::Project,
        Repository,
        "the repository holds the product already",
    ),
    rule(
        "product-type",
        When::IdeaNames(
            "cli|command line|terminal|library|crate|sdk|script|saas|marketplace|b2b|game",
        ),
        Idea,
        "the idea says what it is",
    ),
    rule(
        "target-platform",
        When::Project,
        Repository,
        "it runs where the repository's code runs",
    ),
    rule(
        "target-platform",
        When::IdeaNames(
            "web|browser|website|ios|iphone|android|desktop|windows|mac|macos|linux|terminal|\
             command line|cli",
        ),
        Idea,
        "the idea says where it runs",
    ),
    rule(
        "target-platform",
        When::Product(&["cli-tool", "script"]),
        NotNeeded,
        "such a tool runs in a terminal",
    ),
    rule(
        "target-platform",
        When::Product(&["library"]),
        NotNeeded,
        "a library runs where its caller runs",
    ),
    rule(
        "audience",
        When::Explained,
        Repository,
        "the README says who it is for",
    ),
    rule(
        "audience",
        When::IdeaTells(
            "for me|myself|for my|for our|team|teams|family|students|customers|patients|teachers|\
             children|kids|employees|colleagues|developers|clients|members|personal|one person",
        ),
        Idea,
        "the idea says who uses it",
    ),
    rule(
        "backend-architecture",
        When::Product(TOOLS),
        NotNeeded,
        "a tool or a library is one program",
    ),
    rule(
        "backend-architecture",
        When::IdeaNames("monolith|microservices|microservice|serverless"),
        Idea,
        "the idea says how it is divided",
    ),
    rule(
        "backend-stack",
        When::OneLanguage,
        Repository,
        "the repository is written in one language",
    ),
    rule(
        "backend-stack",
        When::IdeaNames(
            "rust|python|typescript|javascript|node|golang|java|kotlin|c#|ruby|rails|php|elixir|swift|\
             django|flask|fastapi|laravel|spring|c++|bash",
        ),
        Idea,
        "the idea names the language",
    ),
    rule(
        "db-strategy",
        When::DependsOn(STORES),
        Repository,
        "the repository has a place for its data",
    ),
    rule(
        "db-strategy",
        When::IdeaNames(
            "sqlite|postgres|postgresql|mysql|mariadb|mongodb|redis|json file|csv|text file",
        ),
        Idea,
        "the idea says where data is kept",
    ),
    rule(
        "db-strategy",
        When::IdeaTells("stateless|converter|converts|formatter|calculator"),
        NotNeeded,
        "what the idea describes keeps nothing",
    ),
    rule(
        "frontend-approach",
        When::Product(TOOLS),
        NotNeeded,
        "such a tool has no pages",
    ),
    rule(
        "frontend-approach",
        When::NoScreens,
        NotNeeded,
        "there is nothing to look at but a terminal",
    ),
    rule(
        "frontend-approach",
        When::DependsOn(PAGES),
        Repository,
        "the repository has pages already",
    ),
    rule(
        "frontend-approach",
        When::IdeaNames("react|vue|svelte|angular|htmx|flutter"),
        Idea,
        "the idea says how its pages are made",
    ),
    rule(
        "ba-status",
        When::UpTo(Depth::Standard),
        NotNeeded,
        "the spec is shown before anything is built",
    ),
    rule(
        "design-status",
        When::Product(TOOLS),
        NotNeeded,
        "such a tool has no pages",
    ),
    rule(
        "design-status",
        When::NoScreens,
        NotNeeded,
        "there is nothing to draw",
    ),
    rule(
        "design-status",
        When::UpTo(Depth::Trivial),
        NotNeeded,
        "a small idea needs no design of its own",
    ),
    rule(
        "deployment",
        When::Product(TOOLS),
        NotNeeded,
        "people install such a tool",
    ),
    rule(
        "deployment",
        When::Project,
        Repository,
        "it gets to people as it did before",
    ),
];
