//! Nine contracts that agree with each other and with the spec.

use gavel_domain::ContractKind;

pub(super) const fn text(kind: ContractKind) -> &'static str {
    match kind {
        ContractKind::Manifesto => MANIFESTO,
        ContractKind::Blueprint => BLUEPRINT,
        ContractKind::Stack => STACK,
        ContractKind::Schema => SCHEMA,
        ContractKind::Physics => PHYSICS,
        ContractKind::Boundaries => BOUNDARIES,
        ContractKind::Ui => UI,
        ContractKind::Phases => PHASES,
        ContractKind::BuilderDirective => DIRECTIVE,
    }
}

const MANIFESTO: &str = "# Manifesto

## Small
- one program, one file

## Honest
- errors are told

## Kept
- nothing is lost
";

const BLUEPRINT: &str = "# Blueprint

## Intent
- keep bookmarks

## Invariants
- an id is never used again

## Must ship
- add, list, find

## Not now
- synchronising

## Layers
- `cli`: reads the command line
- `store`: keeps the file

## Deployment
- one binary
";

const STACK: &str = "# Stack

## Language
- Rust

## Storage
- a text file

## Tests
- command: `cargo test`

## Dependencies
- none
";

const SCHEMA: &str = "# Schema

## Conventions
- An entry is known by its id, a number that is never used again.

## Entity: bookmark (bookmarks)

| field | type | required | notes |
|---|---|---|---|
| title | text | yes | what it is called |
| tags | tags | no | any number of words |
";

const PHYSICS: &str = "info:
  title: bookmarks
  version: \"1\"
  description: keeps bookmarks with tags
commands:
  bookmark add:
    entity: bookmark
    summary: stores a new bookmark
    exits: {0: stored, 2: wrong usage}
  bookmark list:
    entity: bookmark
    summary: lists bookmarks
  bookmark find:
    entity: bookmark
    summary: finds bookmarks by a word
";

const BOUNDARIES: &str = r#"{"description": "two layers",
 "layers": [
  {"name": "cli", "glob": "src/main.rs", "forbidden": [{"pattern": "unsafe", "reason": "not needed"}]},
  {"name": "store", "glob": "src/store.rs", "forbidden": []}
 ],
 "known_violations": []}
"#;

const UI: &str = "# UI

## Shell
- a command line

## Screens
- the list

## Flows
- add, then list

## Out of scope
- colours
";

const PHASES: &str = "# Phases

## Phase 0: Genesis

**Objective:** Entries can be stored and read.

**Deliverables:**
- the data file and its format

**Schema coverage:** bookmark

**Exit criteria:**
- `bookmark_listed`: A bookmark that was added is listed.
  ```
  $ bookmark list
  has Alpha
  ```

## Phase 1: Finding

**Objective:** Entries can be found.

**Deliverables:**
- the command find

**Schema coverage:** bookmark

**Exit criteria:**
- `bookmark_found`: A bookmark is found by a word of its title.
  ```
  $ bookmark list
  has Alpha
  ```
";

const DIRECTIVE: &str = "# Builder directive

## Instructions
1. Read the contracts.
2. Write the tests first.

## Phases
- Phase 0: Genesis
- Phase 1: Finding

## Done
- every criterion has a passed test
";
