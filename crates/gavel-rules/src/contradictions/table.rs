//! The table: which answers do not go together. Words are separated by `|`.

use super::IDEA;
use super::said::Said;

/// What an answer must say to be one side of a contradiction.
#[derive(Debug)]
pub(super) enum Reading {
    /// One of the first words, and none of the second.
    Says(&'static str, &'static str),
    /// It begins with a no and says none of these.
    None(&'static str),
}

impl Reading {
    pub(super) fn fits(&self, said: &Said) -> bool {
        match self {
            Self::Says(words, others) => said.says(words) && !said.says(others),
            Self::None(others) => said.denies() && !said.says(others),
        }
    }
}

/// Two readings that do not go together.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: &'static str,
    /// The side that decides more.
    pub(super) stays: (&'static str, Reading),
    pub(super) yields: (&'static str, Reading),
    pub(super) why: &'static str,
}

const PLATFORM: &str = "target-platform";
const PRODUCT: &str = "product-type";
const FRONTEND: &str = "frontend-approach";
const ARCHITECTURE: &str = "backend-architecture";
const STACK: &str = "backend-stack";
const DATABASE: &str = "db-strategy";
const AUDIENCE: &str = "audience";
const DESIGN: &str = "design-status";
const DEPLOYMENT: &str = "deployment";

const TERMINAL: &str = "cli|terminal|command line|console|shell";
const GRAPHICAL: &str = "web|browser|desktop|gui|mobile|ios|android|website|pwa|tablet|windows|mac";
const WEB: &str = "web|browser|website|pwa";
const FRONTEND_LIBRARY: &str = "react|vue|svelte|angular|solid|preact|next|nuxt|astro|shadcn|\
    radix|headlessui|headless ui|tailwind|bootstrap|html|css|htmx|flutter|swiftui|electron|tauri";
const STORAGE: &str = "file|files|sqlite|json|csv|yaml|toml|database|db|postgres*|mysql|mariadb|\
    mongo*|redis|dynamo*|disk|store|storage|schema|table|tables|s3|bucket|kv";
const DATABASE_SERVER: &str = "postgres*|mysql|mariadb|mongo*|redis|dynamo*|cockroach*|oracle|\
    mssql|sql server|cassandra|firestore";
const ONE_FILE: &str = "sqlite|text file|json file|csv|flat file|one file|single file|plain text";
const MANY_PEOPLE: &str = "1m|1m+|10m|10m+|million*|100000|1000000|hundred thousand*|web scale";
const KEEPS_THINGS: &str = "tracker|manager|inventory|catalog|catalogue|log|diary|journal|\
    bookmark*|todo|todos|ledger|archive|library of|history|remember*|save|saves|saved|store|stores|\
    stored|keep|keeps|kept|record|records|collection|address book|notes|list of";
const FORGETS: &str = "stateless|in memory|converts|converter|formatter";
const OWN_MACHINES: &str = "self host*|own server|own machine|on premise*|on prem|bare metal";
const CLOUD_ONLY: &str = "lambda|serverless|cloud run|cloud functions|kubernetes|k8s|fargate|vercel|\
    netlify|cluster";
const SERVED: &str = "saas|marketplace|b2b platform|web service|online service";
const NOT_SERVED: &str = "cli tool|script|library|command line tool|crate|package";
const BACKEND: &str = "monolith|modular monolith|microservice*|serverless|api|server|service*";

/// Every pair, the telling ones first.
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "terminal_with_frontend",
        stays: (PLATFORM, Reading::Says(TERMINAL, GRAPHICAL)),
        yields: (FRONTEND, Reading::Says(FRONTEND_LIBRARY, "")),
        why: "a program in a terminal has no use for a library that draws pages",
    },
    Rule {
        id: "web_without_frontend",
        stays: (PLATFORM, Reading::Says(WEB, "api")),
        yields: (
            FRONTEND,
            Reading::None("html|template*|server rendered|pages|css"),
        ),
        why: "something in a browser needs pages, and the frontend is said to be none",
    },
    Rule {
        id: "kept_without_storage",
        stays: (IDEA, Reading::Says(KEEPS_THINGS, FORGETS)),
        yields: (DATABASE, Reading::None(STORAGE)),
        why: "the idea is about things that are kept, and nothing is there to keep them in",
    },
    Rule {
        id: "serverless_on_own_machines",
        stays: (DEPLOYMENT, Reading::Says(OWN_MACHINES, "")),
        yields: (
            ARCHITECTURE,
            Reading::Says("serverless|lambda|cloud functions", ""),
        ),
        why: "serverless code runs on somebody else's machines, not on one's own",
    },
    Rule {
        id: "own_machines_in_a_cloud",
        stays: (DEPLOYMENT, Reading::Says(OWN_MACHINES, "hybrid")),
        yields: (
            STACK,
            Reading::Says("lambda|cloud functions|cloud run|workers|vercel", ""),
        ),
        why: "that runtime exists in one vendor's cloud only",
    },
    Rule {
        id: "served_without_backend",
        stays: (PRODUCT, Reading::Says(SERVED, "")),
        yields: (ARCHITECTURE, Reading::None(BACKEND)),
        why: "something that is offered as a service needs a part that serves",
    },
    Rule {
        id: "served_in_a_terminal",
        stays: (PLATFORM, Reading::Says(TERMINAL, GRAPHICAL)),
        yields: (PRODUCT, Reading::Says(SERVED, "")),
        why: "a service for customers is reached otherwise than by a terminal alone",
    },
    Rule {
        id: "tool_of_services",
        stays: (PRODUCT, Reading::Says(NOT_SERVED, SERVED)),
        yields: (ARCHITECTURE, Reading::Says("microservice*|serverless", "")),
        why: "one program on one machine is not made of services",
    },
    Rule {
        id: "tool_in_a_cluster",
        stays: (PRODUCT, Reading::Says(NOT_SERVED, SERVED)),
        yields: (DEPLOYMENT, Reading::Says(CLOUD_ONLY, "")),
        why: "a tool that people install is not deployed to a cluster",
    },
    Rule {
        id: "database_server_without_backend",
        stays: (ARCHITECTURE, Reading::None(BACKEND)),
        yields: (DATABASE, Reading::Says(DATABASE_SERVER, "")),
        why: "a database server with nothing before it would be open to everybody who uses the program",
    },
    Rule {
        id: "backend_without_stack",
        stays: (ARCHITECTURE, Reading::Says(BACKEND, "")),
        yields: (
            STACK,
            Reading::None("rust|go|python|node|java|c#|net|typescript|ruby|php|elixir"),
        ),
        why: "there is a backend, and nothing that it is written in",
    },
    Rule {
        id: "crowd_on_one_file",
        stays: (AUDIENCE, Reading::Says(MANY_PEOPLE, "")),
        yields: (DATABASE, Reading::Says(ONE_FILE, DATABASE_SERVER)),
        why: "so many people cannot write into one file",
    },
    Rule {
        id: "design_without_surface",
        stays: (PLATFORM, Reading::Says(TERMINAL, GRAPHICAL)),
        yields: (
            DESIGN,
            Reading::Says("system exists|design system|mockups*|figma", ""),
        ),
        why: "mockups and design systems describe pages, and a terminal shows none",
    },
];
