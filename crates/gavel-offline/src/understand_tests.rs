use super::*;
use crate::design::{Command, Entity, Field, Group, Kind};

/// One line per entity, small enough to read as a table.
fn compact(design: &Design) -> String {
    let mut lines = vec![design.program().to_owned()];
    lines.extend(design.entities().iter().map(entity_line));
    lines.join("\n")
}

fn entity_line(entity: &Entity) -> String {
    let fields: Vec<String> = entity.fields.iter().map(field_word).collect();
    let extras: Vec<String> = entity.commands.iter().filter_map(extra).collect();
    let mut line = format!(
        "  {} ({}): {}",
        entity.name,
        entity.plural,
        fields.join(" ")
    );
    if !extras.is_empty() {
        line += &format!(" | {}", extras.join(", "));
    }
    line
}

fn field_word(field: &Field) -> String {
    let kind = match &field.kind {
        Kind::Text => String::new(),
        Kind::Integer => ":integer".to_owned(),
        Kind::Amount => ":amount".to_owned(),
        Kind::Date => ":date".to_owned(),
        Kind::Tags => ":tags".to_owned(),
        Kind::Flag => ":flag".to_owned(),
        Kind::Reference { entity } => format!("->{entity}"),
    };
    format!(
        "{}{kind}{}",
        field.name,
        if field.required { "!" } else { "" }
    )
}

fn extra(command: &Command) -> Option<String> {
    match command {
        Command::Mark { flag } => Some(format!("mark {flag}")),
        Command::Total { of, day, by } => {
            let by: Vec<&str> = by.iter().map(Group::word).collect();
            Some(format!(
                "total {of} on {} by {}",
                day.as_deref().unwrap_or("-"),
                by.join("+")
            ))
        }
        Command::Add
        | Command::List
        | Command::Show
        | Command::Edit
        | Command::Delete
        | Command::Search => None,
    }
}

fn answer(idea: &str) -> String {
    match understand(idea) {
        Understood::InReach(design) => compact(&design),
        Understood::Vague { .. } => "vague".to_owned(),
        Understood::BeyondReach { reasons, .. } => {
            let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
            format!("beyond: {}", reasons.join("; "))
        }
    }
}

fn table(ideas: &[&str]) -> String {
    ideas
        .iter()
        .map(|idea| format!("{idea}\n{}\n\n", answer(idea)))
        .collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn ideas_in_reach() {
    let ideas = [
        "a bookmark manager with tags",
        "track my expenses by category with a total per month",
        "a tool to keep recipes and their ingredients",
        "inventory for a small shop: products, suppliers, stock counts",
        "reading list of books with author, rating and finish date",
        "todo list with due dates and priorities",
        "habit tracker",
        "contacts with birthdays",
        "time log for projects: project, hours, day; sum per project",
        "a wine collection with region, grape, year and price",
        "I want to keep track of my board games with player count, minutes and a played flag",
        "Subscriptions with price, renewal date and category, and monthly totals",
        "a diary",
        "a CLI to manage projects and their tasks",
        "keep a log of my runs: distance, day, shoes; total distance per month and per shoes",
        "invoices with customers and a sum per year",
        "A program that lets me store quotes and search them",
        "shopping list",
        "list of servers with owner and operating-system",
        "Track payments by payee, with yearly totals",
        "track hours worked per client",
        "tool library: tools, members, loans",
        "a mood journal with date, mood and note",
        "movies to watch with genre and rating",
        "A simple note-taking app",
        "music collection with artists and albums",
        "a CLI app for tracking job applications: company, role, status, date applied",
        "Build me a small program to track water intake with total per day",
        "blood pressure log with systolic, diastolic and date",
        "a task manager with projects, priorities and deadlines",
        "A command-line tool that stores code snippets with language and tags and lets me search them.",
    ];
    insta::assert_snapshot!(table(&ideas), @r#"
    a bookmark manager with tags
    bookmark-manager
      bookmark (bookmarks): url! title tags:tags

    track my expenses by category with a total per month
    expenses
      expense (expenses): amount:amount! day:date! category! note | total amount on day by month+category

    a tool to keep recipes and their ingredients
    recipes
      recipe (recipes): name! instructions
      ingredient (ingredients): name! quantity recipe->recipe!

    inventory for a small shop: products, suppliers, stock counts
    inventory
      product (products): name! price:amount stock-count:integer supplier->supplier
      supplier (suppliers): name! email phone

    reading list of books with author, rating and finish date
    reading-list
      book (books): title! author rating:integer finish-date:date

    todo list with due dates and priorities
    todo-list
      todo (todos): title! due-date:date priority done:flag | mark done

    habit tracker
    habit-tracker
      habit (habits): name! note
      checkin (checkins): day:date! habit->habit!

    contacts with birthdays
    contacts
      contact (contacts): name! email phone birthday:date

    time log for projects: project, hours, day; sum per project
    time-log
      entry (entries): hours:amount! day:date! project! | total hours on day by project

    a wine collection with region, grape, year and price
    wine-collection
      wine (wines): name! region grape year:integer price:amount

    I want to keep track of my board games with player count, minutes and a played flag
    board-games
      board-game (board-games): name! player-count:integer minutes:integer played:flag | mark played

    Subscriptions with price, renewal date and category, and monthly totals
    subscriptions
      subscription (subscriptions): name! price:amount! renewal-date:date! category | total price on renewal-date by month

    a diary
    diary
      entry (entries): day:date! text!

    a CLI to manage projects and their tasks
    projects
      project (projects): name! note
      task (tasks): title! done:flag project->project! | mark done

    keep a log of my runs: distance, day, shoes; total distance per month and per shoes
    runs
      run (runs): distance:amount! day:date! shoe! | total distance on day by month+shoe

    invoices with customers and a sum per year
    invoices
      invoice (invoices): number! amount:amount! day:date! paid:flag customer->customer! | total amount on day by year, mark paid
      customer (customers): name! email phone

    A program that lets me store quotes and search them
    quotes
      quote (quotes): text! author

    shopping list
    shopping-list
      item (items): name! quantity:integer bought:flag | mark bought

    list of servers with owner and operating-system
    servers
      server (servers): name! owner operating-system

    Track payments by payee, with yearly totals
    payments
      payment (payments): amount:amount! day:date! payee! note | total amount on day by year+payee

    track hours worked per client
    entries
      entry (entries): hours:amount! day:date! note client! | total hours on day by client

    tool library: tools, members, loans
    tool-library
      tool (tools): name! note
      member (members): name! note
      loan (loans): item! borrower! day:date! returned:flag | mark returned

    a mood journal with date, mood and note
    mood-journal
      mood (moods): date:date! mood note

    movies to watch with genre and rating
    movies
      movie (movies): title! genre rating:integer

    A simple note-taking app
    notes
      note (notes): title! text

    music collection with artists and albums
    music-collection
      artist (artists): name! note
      album (albums): title! year:integer artist->artist

    a CLI app for tracking job applications: company, role, status, date applied
    job-applications
      job-application (job-applications): company! role status date-applied:date

    Build me a small program to track water intake with total per day
    water-intakes
      water-intake (water-intakes): note amount:amount! day:date! | total amount on day by day

    blood pressure log with systolic, diastolic and date
    blood-pressure-log
      blood-pressure (blood-pressures): systolic diastolic date:date!

    a task manager with projects, priorities and deadlines
    task-manager
      task (tasks): title! priority deadline:date done:flag project->project | mark done
      project (projects): name! note

    A command-line tool that stores code snippets with language and tags and lets me search them.
    code-snippets
      code-snippet (code-snippets): name! language tags:tags
    "#);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn ideas_beyond_reach() {
    let ideas = [
        "a game engine",
        "a web shop with payments",
        "a Kubernetes operator",
        "a chat server",
        "an iOS app",
        "a compiler for Python",
        "a neural network library",
        "a real-time stock trading bot",
        "a password manager",
        "a todo list with a GUI",
        "a bookmark manager that syncs to the cloud",
        "a multiplayer chess game",
        "a REST API for recipes",
        "an expense tracker for several users with login",
        "a dashboard of my expenses with charts",
        "a tool that converts markdown to html",
        "an Android app to track habits",
        "a blockchain wallet",
        "a postgres backed inventory",
        "contacts that get reminder emails on their birthdays",
        "an operating system kernel",
        "import my bank statements from csv and categorise them",
        "a music player",
        "a photo collection with thumbnails rendered in a window",
        "a text editor",
        "a script in python that tracks books",
        "total of expenses per week",
        "a search engine",
        "a rocket",
        "books I might want to burn when it is cold",
        "a calculator",
        "eine Liste meiner Bücher",
        "a budget tracker with income and expenses and a total per month",
        "track my plants and when I watered them",
        "a self-driving car",
        "a stock price tracker",
        "a habit tracker with push notifications",
        "an airline booking system",
        "a sudoku solver",
        "weather app",
    ];
    insta::assert_snapshot!(table(&ideas), @r#"
    a game engine
    beyond: "game engine" is a game

    a web shop with payments
    beyond: "web shop" needs a web page; "payments" needs payments

    a Kubernetes operator
    beyond: "kubernetes" needs a cluster; "operator" needs a cluster

    a chat server
    beyond: "chat" needs several users; "server" needs a network

    an iOS app
    beyond: "ios" needs a phone

    a compiler for Python
    beyond: "python" needs another programming language; "compiler" is a tool for programming languages

    a neural network library
    beyond: "network" needs a network; "neural" needs machine learning

    a real-time stock trading bot
    beyond: "real-time" needs to act by itself, all the time; "trading" needs to act by itself, all the time; "bot" needs to act by itself, all the time

    a password manager
    beyond: "password" needs encryption

    a todo list with a GUI
    beyond: "gui" needs windows or another graphical surface

    a bookmark manager that syncs to the cloud
    beyond: "cloud" needs a network; "syncs" needs a network

    a multiplayer chess game
    beyond: "multiplayer" is a game; "chess" is a game; "game" is a game

    a REST API for recipes
    beyond: "api" needs a network

    an expense tracker for several users with login
    beyond: "users" needs several users; "login" needs several users

    a dashboard of my expenses with charts
    beyond: "dashboard" needs a web page; "charts" needs charts or drawings

    a tool that converts markdown to html
    beyond: "html" needs a web page; "converts" needs to read or write other formats; "markdown" needs to read or write other formats

    an Android app to track habits
    beyond: "android" needs a phone

    a blockchain wallet
    beyond: "blockchain" needs encryption; "wallet" needs encryption

    a postgres backed inventory
    beyond: "postgres" needs a database

    contacts that get reminder emails on their birthdays
    beyond: "reminder" needs to send messages

    an operating system kernel
    beyond: "operating system" needs to control a machine; "kernel" needs to control a machine

    import my bank statements from csv and categorise them
    beyond: "import" needs to read or write other formats; "csv" needs to read or write other formats; "bank" needs payments

    a music player
    beyond: "music player" needs pictures, sound or film

    a photo collection with thumbnails rendered in a window
    beyond: "window" needs windows or another graphical surface; "thumbnails" needs pictures, sound or film

    a text editor
    beyond: "text editor" needs windows or another graphical surface

    a script in python that tracks books
    beyond: "python" needs another programming language

    total of expenses per week
    beyond: "total" is not understood by these rules; "week" is not understood by these rules

    a search engine
    beyond: "search engine" needs calculations of its own

    a rocket
    beyond: "rocket" is not understood by these rules

    books I might want to burn when it is cold
    beyond: "i might want" is not understood by these rules; "burn when it is cold" is not understood by these rules

    a calculator
    beyond: "calculator" needs calculations of its own

    eine Liste meiner Bücher
    beyond: "eine liste meiner bücher" is not English, and these rules read English alone: say it in English, or connect a model

    a budget tracker with income and expenses and a total per month
    beyond: "expenses" is not understood by these rules

    track my plants and when I watered them
    beyond: "i watered them" is not understood by these rules

    a self-driving car
    beyond: "self-driving car" is not understood by these rules

    a stock price tracker
    beyond: "stock price" needs a network

    a habit tracker with push notifications
    beyond: "notifications" needs to send messages

    an airline booking system
    beyond: "airline booking" is not understood by these rules

    a sudoku solver
    beyond: "solver" needs calculations of its own

    weather app
    beyond: "weather" needs a network
    "#);
}

#[test]
fn vague_ideas() {
    for idea in [
        "",
        "   ",
        "?!",
        "an app",
        "something cool",
        "a list",
        "make me a simple tool",
        "help",
        "a",
        "snippets",
        "flashcards",
        "todo: ",
    ] {
        let vague = matches!(understand(idea), Understood::Vague { .. });
        assert_eq!(vague, idea != "todo: ", "{idea}: {}", answer(idea));
    }
}

#[test]
fn the_same_idea_gives_the_same_design() {
    let idea = "track my expenses by category with a total per month";
    assert_eq!(understand(idea), understand(idea));
}

#[test]
fn any_text_gets_an_answer() {
    for idea in [
        "with with with",
        "per per",
        ": , ;",
        "of of for to",
        "a list of \u{1F600}",
        "total",
        "and their",
        "by",
    ] {
        assert!(!answer(idea).is_empty());
    }
    let long = "very ".repeat(5_000) + "long list of things with a thing";
    assert!(!answer(&long).is_empty());
}

#[test]
fn many_more_ideas_are_told_apart() {
    for idea in include_str!("understand/ideas/within.txt").lines() {
        let within = matches!(understand(idea), Understood::InReach(_));
        assert!(within, "{idea}: {}", answer(idea));
    }
    for idea in include_str!("understand/ideas/beyond.txt").lines() {
        let beyond = matches!(understand(idea), Understood::BeyondReach { .. });
        assert!(beyond, "{idea}: {}", answer(idea));
    }
}

#[test]
fn things_of_others_belong_as_people_mean_it() {
    let ideas = [
        "library of books and their borrowers",
        "a list of gift ideas per person",
        "a home inventory with room, item, value and purchase date",
        "a cookie manager with domain and expiry date",
    ];
    insta::assert_snapshot!(table(&ideas), @r"
    library of books and their borrowers
    library
      book (books): title! author borrower->borrower
      borrower (borrowers): name! note

    a list of gift ideas per person
    gift-ideas
      gift-idea (gift-ideas): title! note person

    a home inventory with room, item, value and purchase date
    inventory
      item (items): room item! value:amount purchase-date:date

    a cookie manager with domain and expiry date
    cookie-manager
      cookie (cookies): name! domain expiry-date:date
    ");
}

#[test]
fn ideas_as_people_type_them() {
    let ideas = [
        "I run a small vet practice and want to keep track of pets (name, species, owner) and their visits (date, reason, cost)",
        "what's in my wine cellar: wine name, vintage, region, number of bottles",
        "list of tools I lent out: tool, neighbour, date lent, returned yes/no",
        "keep a list of tools I lent to my neighbours, with the date and whether it came back",
        "fuel log for my car: date, litres, price, station; total per month",
        "pets with name and owner, and visits with date, reason and cost",
        "clients and their invoices with number, amount and due date, total per year",
        "books and films with rating",
        "what is in my freezer: item, quantity, date frozen",
        "movies with rating (1-5)",
    ];
    insta::assert_snapshot!(table(&ideas), @r#"
    I run a small vet practice and want to keep track of pets (name, species, owner) and their visits (date, reason, cost)
    pets
      pet (pets): name! species owner
      visit (visits): date:date! reason cost:amount pet->pet!

    what's in my wine cellar: wine name, vintage, region, number of bottles
    wine-cellar
      wine (wines): name! vintage:integer region bottles:integer

    list of tools I lent out: tool, neighbour, date lent, returned yes/no
    tools
      tool (tools): tool! neighbour date-lent:date returned:flag | mark returned

    keep a list of tools I lent to my neighbours, with the date and whether it came back
    tools
      tool (tools): name! date:date came-back:flag | mark came-back

    fuel log for my car: date, litres, price, station; total per month
    fuel-log
      fuel (fuels): date:date! litres:amount price:amount! station | total price on date by month

    pets with name and owner, and visits with date, reason and cost
    pets
      pet (pets): name! owner
      visit (visits): date:date! reason cost:amount pet->pet!

    clients and their invoices with number, amount and due date, total per year
    clients
      client (clients): name! email phone
      invoice (invoices): number! amount:amount! due-date:date! paid:flag client->client! | total amount on due-date by year, mark paid

    books and films with rating
    books
      book (books): title! author rating:integer
      film (films): title! director year:integer rating:integer

    what is in my freezer: item, quantity, date frozen
    freezer
      item (items): item! quantity:integer date-frozen:date

    movies with rating (1-5)
    beyond: "1-5" is not understood by these rules
    "#);
}
