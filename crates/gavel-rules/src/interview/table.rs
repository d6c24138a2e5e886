//! What the ten questions take: a value and the words that mean it, `|` between them. A `*` stands
//! for any ending. The first value that is said wins where only one can be.

/// The form of an answer.
#[derive(Debug)]
pub(super) enum Form {
    /// One of these.
    OneOf(&'static [(&'static str, &'static str)]),
    /// One or more of these.
    Some(&'static [(&'static str, &'static str)]),
    /// One of these, or words, which count as the value that is named last.
    WordsOr(&'static [(&'static str, &'static str)], &'static str),
    /// Any words; those that are listed make two answers the same.
    Words(&'static [(&'static str, &'static str)]),
}

pub(super) const FORMS: [(&str, Form); 10] = [
    ("product-type", Form::OneOf(PRODUCTS)),
    ("target-platform", Form::Some(PLATFORMS)),
    ("audience", Form::Words(&[])),
    ("backend-architecture", Form::OneOf(ARCHITECTURES)),
    ("backend-stack", Form::Words(LANGUAGES)),
    ("db-strategy", Form::Some(STORES)),
    ("frontend-approach", Form::Words(FRONTENDS)),
    ("ba-status", Form::WordsOr(REQUIREMENTS, "partial")),
    ("design-status", Form::OneOf(DESIGNS)),
    ("deployment", Form::Some(DEPLOYMENTS)),
];

pub(super) const PRODUCTS: &[(&str, &str)] = &[
    (
        "cli-tool",
        "cli|cli tool|command line*|commandline|terminal*|console*|tui|shell tool",
    ),
    ("script", "script*|one off|cron job"),
    (
        "library",
        "library|libraries|crate|package|sdk|module|gem|plugin|extension",
    ),
    ("saas", "saas|software as a service|subscription"),
    ("marketplace", "marketplace*|market place"),
    ("b2b-platform", "b2b*|business to business|platform"),
    (
        "internal-tool",
        "internal*|in house|back office|backoffice|admin*|intranet|dashboard",
    ),
    (
        "consumer-app",
        "consumer*|app|apps|application|web app|website|web site|site|shop|game|mobile*|desktop*|\
         browser*|page|pages|bot",
    ),
    (
        "other",
        "other|service|services|api|server|backend|daemon|program|tool|utility",
    ),
];

pub(super) const PLATFORMS: &[(&str, &str)] = &[
    ("web", "web|browser*|website|web site|pwa|online|http|https"),
    ("mobile-ios", "ios|iphone|ipad|mobile|phone*|apple"),
    ("mobile-android", "android|mobile|phone*"),
    (
        "desktop-win",
        "windows|desktop|pc|win|win32|laptop*|computer*",
    ),
    ("desktop-mac", "mac|macos|osx|desktop|laptop*|computer*"),
    ("desktop-linux", "linux|desktop|unix|bsd|laptop*|computer*"),
    (
        "cli",
        "cli|terminal*|console*|command line*|commandline|shell*|ssh",
    ),
    (
        "server",
        "server*|cloud|container*|docker|kubernetes|cluster|backend|hosted",
    ),
    (
        "library",
        "library|crate|package|wherever|anywhere|any|every platform|cross platform",
    ),
];

const ARCHITECTURES: &[(&str, &str)] = &[
    (
        "modular-monolith",
        "modular monolith|modules|modular|layers|layered|hexagonal",
    ),
    (
        "microservices",
        "microservice*|micro services|several services|services",
    ),
    ("serverless", "serverless|lambda*|functions|edge functions"),
    (
        "monolith",
        "monolith*|one program|single program|one binary|single binary|one process|single process|\
         one app|single app|one application|single application|one service|single service|\
         one package|single package|one crate|single crate|one file|single file|one module|\
         single module|one library|simple|server|client|mvc|all in one|one executable|\
         single executable|one script|single script",
    ),
    (
        "none",
        "none|nothing|library only|static|frontend only|client only",
    ),
];

pub(super) const LANGUAGES: &[(&str, &str)] = &[
    ("rust", "rust|cargo|axum|actix|tokio"),
    (
        "typescript",
        "typescript|ts|node|nodejs|deno|bun|express|nestjs|javascript|js|next|nextjs",
    ),
    ("python", "python|django|flask|fastapi|pytest"),
    ("go", "go|golang"),
    ("java", "java|spring*|quarkus"),
    ("kotlin", "kotlin"),
    ("csharp", "c#|csharp|net|dotnet|asp"),
    ("ruby", "ruby|rails|sinatra"),
    ("php", "php|laravel|symfony"),
    ("elixir", "elixir|phoenix"),
    ("swift", "swift"),
    ("cpp", "c++|cpp"),
    ("dart", "dart|flutter"),
    ("bash", "bash|sh|shell script|posix shell"),
];

pub(super) const STORES: &[(&str, &str)] = &[
    (
        "none",
        "stateless|in memory|keeps nothing|stores nothing|no data",
    ),
    (
        "existing-schema",
        "existing schema|existing database|the present schema",
    ),
    ("migrate-from", "migrate*|migration from|import from"),
    ("sqlite", "sqlite*"),
    ("postgres", "postgres*|pg|supabase|neon|timescale"),
    ("mysql", "mysql|mariadb"),
    ("mongodb", "mongo*|documentdb"),
    ("redis", "redis|valkey"),
    ("sql-server", "mssql|sql server|oracle"),
    (
        "cloud-store",
        "dynamo*|firestore|firebase|s3|bucket|blob storage|cosmos*",
    ),
    ("browser", "localstorage|local storage|indexeddb|cookies"),
    (
        "file",
        "file|files|json|csv|yaml|toml|xml|text|markdown|disk|filesystem|file system|sled|lmdb|\
         redb|rocksdb|embedded",
    ),
    (
        "database",
        "database*|db|sql|relational|key value|greenfield|store|storage|warehouse",
    ),
];

const FRONTENDS: &[(&str, &str)] = &[
    ("react", "react|next|nextjs|shadcn|radix|headlessui|remix"),
    ("vue", "vue|nuxt"),
    ("svelte", "svelte|sveltekit"),
    ("angular", "angular"),
    ("html", "html|htmx|server rendered|templates|css|pages"),
    ("flutter", "flutter"),
    (
        "native",
        "swiftui|jetpack|native|winui|gtk|qt|egui|tauri|electron",
    ),
    (
        "terminal",
        "tui|ratatui|commands|command line|terminal|help text|cli|prompt*",
    ),
    ("none", "none|nothing|headless"),
];

const REQUIREMENTS: &[(&str, &str)] = &[
    (
        "complete",
        "complete|finished|done|worked out|final|agreed|signed off",
    ),
    (
        "partial",
        "partial*|some|half|started|rough*|draft*|sketch*",
    ),
    ("none", "none|nothing|no requirements"),
];

const DESIGNS: &[(&str, &str)] = &[
    (
        "system-exists",
        "system exists|design system|style guide|brand*|component library|existing|yes|\
         exists|as it is|as the repository",
    ),
    (
        "mockups-only",
        "mockup*|mock up*|wireframe*|sketch*|figma|prototype*|drawing*|screenshots|draft*",
    ),
    (
        "none",
        "none|nothing|plain|simple|default|minimal|to be made|not needed|later",
    ),
];

const DEPLOYMENTS: &[(&str, &str)] = &[
    ("hybrid", "hybrid|both"),
    (
        "self-host",
        "self host*|selfhost*|own server|own machine*|on premise*|on prem|bare metal|docker*|compose|\
         systemd|vps|container*|podman|raspberry pi|home server",
    ),
    (
        "cloud",
        "cloud*|aws|gcp|azure|vercel|netlify|heroku|fly|render|lambda|kubernetes|k8s|cloudflare|\
         railway|pages|hosted|hosting|serverless|saas|web server|server",
    ),
    (
        "install",
        "install*|binary|binaries|executable|package|packages|crates|npm|npx|pip|pipx|pypi|brew|\
         homebrew|apt|release*|download*|app store|play store|store|cargo|copy|copied|git|clone|\
         zip|tarball|local*|run|runs|from source|gem|nuget|maven|script",
    ),
    ("none", "none|nothing|not deployed|not at all|later"),
];
