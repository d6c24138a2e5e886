//! What is beyond reach: words that ask for more than a program which keeps lists in a text file.

use std::fmt;

use super::words::singular;

/// What an idea would need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is explained by what it displays")]
pub enum Barrier {
    Network,
    WebPage,
    Window,
    Phone,
    Payments,
    OtherLanguage,
    RealTime,
    Game,
    Learning,
    Cluster,
    DatabaseServer,
    ManyUsers,
    Secrecy,
    Media,
    Machine,
    LanguageTool,
    Messages,
    Exchange,
    Drawing,
    Calculation,
    /// The rules do not know what the words ask for.
    NotUnderstood,
}

impl fmt::Display for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Network => "needs a network",
            Self::WebPage => "needs a web page",
            Self::Window => "needs windows or another graphical surface",
            Self::Phone => "needs a phone",
            Self::Payments => "needs payments",
            Self::OtherLanguage => "needs another programming language",
            Self::RealTime => "needs to act by itself, all the time",
            Self::Game => "is a game",
            Self::Learning => "needs machine learning",
            Self::Cluster => "needs a cluster",
            Self::DatabaseServer => "needs a database",
            Self::ManyUsers => "needs several users",
            Self::Secrecy => "needs encryption",
            Self::Media => "needs pictures, sound or film",
            Self::Machine => "needs to control a machine",
            Self::LanguageTool => "is a tool for programming languages",
            Self::Messages => "needs to send messages",
            Self::Exchange => "needs to read or write other formats",
            Self::Drawing => "needs charts or drawings",
            Self::Calculation => "needs calculations of its own",
            Self::NotUnderstood => "is not understood by these rules",
        })
    }
}

/// Phrases that always stand for a barrier; each word in the singular, a `*` stands for any ending.
const HARD: &[(Barrier, &str)] = &[
    (
        Barrier::Network,
        "api|graphql|network|internet|online|cloud|sync|synchron*|scrap*|crawl*|download*|upload*|http|https|tcp|\
         udp|proxy|vpn|torrent|peer-to-peer|p2p|rss|feed reader|microservice*|socket|websocket*|dns|load balancer|weather|stock price|exchange rate",
    ),
    (
        Barrier::WebPage,
        "web|web app|web shop|webapp|webshop|web site|browser|html|css|frontend|dashboard|blog engine|landing page|react|\
         shop front|e-commerce|ecommerce|online shop|online store|marketplace|social network",
    ),
    (
        Barrier::Window,
        "gui|desktop app|window|widget|drag and drop|graphical|qt|gtk|electron|tui|text editor|editor|touch screen",
    ),
    (
        Barrier::Phone,
        "ios|android|iphone|ipad|mobile|phone app|smartwatch|app store",
    ),
    (
        Barrier::Payments,
        "checkout|stripe|paypal|credit card*|billing|shopping cart",
    ),
    (
        Barrier::OtherLanguage,
        "python|javascript|typescript|java|golang|ruby|php|c++|c#|swift|kotlin|haskell|elixir|node|django|spreadsheet|\
         excel",
    ),
    (
        Barrier::RealTime,
        "real-time|live|daemon|background|cron|scheduler|watcher|alarm|stopwatch|pomodoro|monitor*|trading|bot|chatbot",
    ),
    (
        Barrier::Game,
        "game engine|multiplayer|shooter|chess|tetris|puzzle game|platformer|arcade|minecraft|simulat*",
    ),
    (
        Barrier::Learning,
        "neural|machine learning|deep learning|ml|ai|llm|gpt|chatgpt|predict*|recommend*|classif*|train a|trained|training data|vector search|\
         speech|translate|translator|sentiment",
    ),
    (
        Barrier::Cluster,
        "kubernetes|k8s|docker|container|operator|cluster|helm|terraform|distributed|consensus|raft|message queue|kafka",
    ),
    (
        Barrier::DatabaseServer,
        "postgres|postgresql|mysql|mariadb|mongodb|redis|sqlite|sql|oracle|database engine|key-value store",
    ),
    (
        Barrier::ManyUsers,
        "multi-user|user|login|log in|sign up|signup|permission|role-based|team chat|chat|forum|collaborat*|shared|\
         oauth|authenticat*",
    ),
    (
        Barrier::Secrecy,
        "password|encrypt*|decrypt*|crypto*|blockchain|bitcoin|wallet|nft|secret|digital signature|certificate authority",
    ),
    (
        Barrier::Media,
        "audio player|music player|video player|video editor|photo editor|image processing|resiz*|ocr|camera|stream*|\
         podcast app|screenshot|3d|renderer|rendering|ray tracer|synthesizer",
    ),
    (
        Barrier::Machine,
        "operating system|kernel|driver|firmware|robot|drone|arduino|raspberry pi|sensor|emulator|hypervisor|bootloader|\
         smart home|bluetooth|usb|gps|printer|print",
    ),
    (
        Barrier::LanguageTool,
        "compiler|interpreter|transpiler|parser|linter|debugger|language server|virtual machine|programming language|\
         code formatter|static analy*|framework|library for|package manager|build system|version control",
    ),
    (
        Barrier::Messages,
        "send*|notif*|remind*|sms|newsletter|email client|slack|telegram|whatsapp|push message",
    ),
    (
        Barrier::Exchange,
        "import*|export*|csv|json|xml|pdf|yaml|convert*|markdown|latex|barcode|qr|scan*|backup|migrat*",
    ),
    (
        Barrier::Drawing,
        "chart|graph|plot*|diagram|visual*|calendar view|kanban|drawing|map|gantt",
    ),
    (
        Barrier::Calculation,
        "calculat*|optimi*|statistic*|average|forecast*|interest rate|currency conversion|tax|solv*|route plan*|\
         depreciat*|probabilit*|matrix|physics|search engine|recur*|sort*|ranking|schedul*",
    ),
];

/// Words that stand for a barrier unless they name what is kept, or one of its fields.
const SOFT: &[(Barrier, &str)] = &[
    (Barrier::Network, "server|share"),
    (Barrier::WebPage, "website|webpage|page"),
    (Barrier::Payments, "payment|subscription|bank"),
    (Barrier::Game, "game"),
    (Barrier::Media, "photo|video|picture|image|music|audio|film"),
    (Barrier::Messages, "email|message|phone|reminder"),
    (Barrier::Learning, "model"),
    (Barrier::DatabaseServer, "database"),
    (Barrier::ManyUsers, "account"),
    (Barrier::Machine, "device"),
];

/// Every barrier in the words, with the words that name it. `kept` are the words
/// of things that the program would keep: there, soft words are names.
pub(super) fn barriers(words: &[String], kept: &[String]) -> Vec<(Barrier, String)> {
    let mut found: Vec<(Barrier, String)> = Vec::new();
    let hard = HARD
        .iter()
        .flat_map(|(barrier, phrases)| phrases.split('|').map(move |p| (*barrier, p)));
    for (barrier, phrase) in hard {
        push_unless_inside(&mut found, barrier, phrase_in(words, phrase));
    }
    for (barrier, phrases) in SOFT {
        for phrase in phrases
            .split('|')
            .filter(|phrase| !kept.iter().any(|word| word == phrase))
        {
            push_unless_inside(&mut found, *barrier, phrase_in(words, phrase));
        }
    }
    found
}

/// `web shop` says all that `web` says.
fn push_unless_inside(
    found: &mut Vec<(Barrier, String)>,
    barrier: Barrier,
    phrase: Option<String>,
) {
    let Some(phrase) = phrase else { return };
    let same = |(other, text): &(Barrier, String)| *other == barrier && text.contains(&phrase);
    if found.iter().any(same) {
        return;
    }
    found.retain(|(other, text)| *other != barrier || !phrase.contains(text.as_str()));
    found.push((barrier, phrase));
}

fn phrase_in(words: &[String], phrase: &str) -> Option<String> {
    let wanted: Vec<&str> = phrase.split(' ').collect();
    let same = |word: &str, wanted: &str| match wanted.strip_suffix('*') {
        Some(stem) => word.starts_with(stem),
        None => word == wanted || singular(word) == wanted,
    };
    let hit = words.windows(wanted.len()).find(|window| {
        let mut pairs = window.iter().zip(&wanted);
        pairs.all(|(word, wanted)| same(word, wanted))
    })?;
    Some(hit.join(" "))
}
