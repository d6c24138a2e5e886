//! Routes: addresses that code answers, as the usual frameworks write them.
//!
//! An address that is put together at run time is not found.

use crate::language::Family;
use crate::lines::{string_at, strings_of};
use crate::source::{Code, CodeLine};
use crate::survey::Route;

const VERBS: [&str; 7] = ["get", "post", "put", "patch", "delete", "head", "options"];

/// The routes of a file.
pub(crate) fn routes_of(code: &Code<'_>) -> Vec<Route> {
    let mut found = Vec::new();
    let mut add = |line: &CodeLine<'_>, method: &str, address: &str| {
        let route = Route {
            method: method.to_ascii_uppercase(),
            address: address.to_owned(),
            evidence: code.evidence(line.number),
        };
        if !found.contains(&route) {
            found.push(route);
        }
    };
    let facts = Frameworks::of(code);
    let Some(read) = reader(code.language.family(), &facts) else {
        return found;
    };
    for line in code.program_lines() {
        // A route has an address or an attribute: most lines have neither.
        if !line.text.contains(['"', '\'', '`', '@', '[', ':']) {
            continue;
        }
        read(&line, &mut |method, address| add(&line, method, address));
    }
    if let Some(address) = &facts.next_address {
        for line in code.lines() {
            for verb in VERBS {
                let verb = verb.to_ascii_uppercase();
                let starts = [
                    "export async function ",
                    "export function ",
                    "export const ",
                ];
                let defines = starts.iter().any(|start| {
                    let name = line.code.strip_prefix(start).unwrap_or_default();
                    name.strip_prefix(verb.as_str())
                        .is_some_and(|rest| rest.starts_with(['(', ' ', ':']))
                });
                if defines {
                    add(&line, &verb, address);
                }
            }
        }
    }
    found
}

/// Reads the routes of a line.
type Read = fn(&CodeLine<'_>, &mut Add<'_>);

/// How routes look in a family of languages; nothing where none are looked for.
fn reader(family: Family, facts: &Frameworks) -> Option<Read> {
    Some(match family {
        Family::Script => script,
        Family::Python => python,
        Family::Rust => rust,
        Family::Go => go,
        Family::Jvm => java,
        Family::DotNet => csharp,
        Family::Php => php,
        Family::Ruby if facts.is_routes_file => ruby,
        Family::Ruby | Family::Prisma | Family::Sql | Family::Counted => return None,
    })
}

/// What the place of a file says.
struct Frameworks {
    is_routes_file: bool,
    next_address: Option<String>,
}

impl Frameworks {
    fn of(code: &Code<'_>) -> Self {
        let path = code.path.as_str();
        Self {
            is_routes_file: path.ends_with("config/routes.rb")
                || code.masked.text.contains("Sinatra")
                || code.masked.text.contains("require 'sinatra"),
            next_address: next_address(path),
        }
    }
}

/// `app/users/[id]/route.ts` answers `/users/[id]`.
fn next_address(path: &str) -> Option<String> {
    let (folder, name) = path.rsplit_once('/')?;
    let is_route = matches!(name, "route.ts" | "route.js" | "route.tsx");
    let parts = folder.split('/');
    let inside: Vec<&str> = parts.skip_while(|part| *part != "app").skip(1).collect();
    let shown = inside.iter().filter(|part| !part.starts_with(['(', '@']));
    let address = shown.fold(String::new(), |address, part| format!("{address}/{part}"));
    let is_app = folder.split('/').any(|part| part == "app");
    (is_route && is_app).then(|| {
        if address.is_empty() {
            "/".to_owned()
        } else {
            address
        }
    })
}

type Add<'a> = dyn FnMut(&str, &str) + 'a;

fn is_address(text: &str) -> bool {
    text.starts_with('/') && !text.starts_with("//") && !text.contains(' ')
}

/// `app.get('/x'`, `router.route('/x')`, `@Get('x')`.
fn script(line: &CodeLine<'_>, add: &mut Add<'_>) {
    let receivers = [
        "app", "router", "server", "fastify", "api", "routes", "route", "r", "app_",
    ];
    for verb in VERBS.into_iter().chain(["all"]) {
        let call = format!(".{verb}(");
        for (at, _) in line.code.match_indices(&call) {
            let before = line.code.get(..at).unwrap_or_default();
            let name = before
                .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
                .next();
            let name = name.unwrap_or_default();
            let lower = name.to_ascii_lowercase();
            let fits =
                receivers.contains(&name) || lower.ends_with("router") || lower.ends_with("app");
            if fits
                && let Some(address) =
                    string_at(line.text, at + call.len()).filter(|text| is_address(text))
            {
                add(if verb == "all" { "any" } else { verb }, address);
            }
        }
    }
    let trimmed = line.code.trim_start();
    for verb in ["Get", "Post", "Put", "Patch", "Delete"] {
        let mark = format!("@{verb}(");
        if trimmed.starts_with(&mark) {
            let address = line.string_after(&mark).unwrap_or("");
            add(verb, &with_slash(address));
        }
    }
}

fn with_slash(address: &str) -> String {
    if address.starts_with('/') {
        address.to_owned()
    } else {
        format!("/{address}")
    }
}

/// `@app.get("/x")`, `@app.route("/x", methods=["POST"])`, `path("x", …)`.
fn python(line: &CodeLine<'_>, add: &mut Add<'_>) {
    let trimmed = line.code.trim_start();
    if trimmed.starts_with('@') {
        for verb in VERBS {
            if let Some(address) = line
                .string_after(&format!(".{verb}("))
                .filter(|text| is_address(text))
            {
                add(verb, address);
            }
        }
        if let Some(address) = line.string_after(".route(") {
            let methods = line.text.split_once("methods").map_or("", |(_, rest)| rest);
            let methods = strings_of(methods);
            if methods.is_empty() {
                add("get", address);
            }
            for method in methods {
                add(method, address);
            }
        }
    }
    // Django's list of addresses.
    if ["path(", "re_path("]
        .iter()
        .any(|start| trimmed.starts_with(start))
    {
        for call in ["re_path(", "path("] {
            let raw = line.string_after(&format!("{call}r"));
            if let Some(address) = line.string_after(call).or(raw) {
                add("any", &with_slash(address));
                break;
            }
        }
    }
}

/// `.route("/x", get(h))`, `#[get("/x")]`.
fn rust(line: &CodeLine<'_>, add: &mut Add<'_>) {
    if let Some(address) = line.string_after(".route(").filter(|text| is_address(text)) {
        let rest = line.code.split_once(".route(").map_or("", |(_, rest)| rest);
        let mut any = false;
        for verb in VERBS {
            let call = format!("{verb}(");
            let called = rest.match_indices(&call).any(|(at, _)| {
                let before = rest.get(..at).and_then(|text| text.chars().next_back());
                before.is_none_or(|c| !(c.is_alphanumeric() || c == '_'))
            });
            if called {
                add(verb, address);
                any = true;
            }
        }
        if !any {
            add("any", address);
        }
    }
    let trimmed = line.code.trim_start();
    for verb in VERBS {
        let mark = format!("#[{verb}(");
        if trimmed.starts_with(&mark)
            && let Some(address) = line.string_after(&mark)
        {
            add(verb, address);
        }
    }
}

/// `r.GET("/x"`, `http.HandleFunc("GET /x"`, `r.HandleFunc("/x", h).Methods("POST")`.
fn go(line: &CodeLine<'_>, add: &mut Add<'_>) {
    for verb in VERBS {
        let upper = verb.to_ascii_uppercase();
        let title: String = upper.chars().take(1).chain(verb.chars().skip(1)).collect();
        for name in [upper, title] {
            let address = line.string_after(&format!(".{name}("));
            if let Some(address) = address.filter(|text| is_address(text)) {
                add(verb, address);
            }
        }
    }
    for call in [".HandleFunc(", ".Handle("] {
        let Some(address) = line.string_after(call) else {
            continue;
        };
        let methods = line
            .text
            .split_once(".Methods(")
            .map_or("", |(_, rest)| rest);
        match address.split_once(' ') {
            Some((method, address)) if is_address(address) => add(method, address),
            Some(_) => {}
            None if !is_address(address) => {}
            None => match strings_of(methods).first() {
                Some(method) => add(method, address),
                None => add("any", address),
            },
        }
    }
}

/// `@GetMapping("/x")`, `@Path("/x")`.
fn java(line: &CodeLine<'_>, add: &mut Add<'_>) {
    let trimmed = line.code.trim_start();
    for verb in ["Get", "Post", "Put", "Patch", "Delete"] {
        let mark = format!("@{verb}Mapping");
        if trimmed.starts_with(&mark) {
            let strings = strings_of(line.text);
            add(verb, &with_slash(strings.first().copied().unwrap_or("")));
        }
    }
    let ktor = VERBS
        .iter()
        .find(|verb| trimmed.starts_with(&format!("{verb}(")));
    if let Some(verb) = ktor
        && line.code.trim_end().ends_with('{')
        && let Some(address) = line.string_after(&format!("{verb}("))
    {
        add(verb, &with_slash(address));
    }
}

/// `[HttpGet("x")]`, `app.MapGet("/x"`.
fn csharp(line: &CodeLine<'_>, add: &mut Add<'_>) {
    let trimmed = line.code.trim_start();
    for verb in ["Get", "Post", "Put", "Patch", "Delete"] {
        if trimmed.starts_with(&format!("[Http{verb}")) {
            let address = line.string_after(&format!("Http{verb}("));
            add(verb, &with_slash(address.unwrap_or("")));
        }
        if let Some(address) = line.string_after(&format!(".Map{verb}(")) {
            add(verb, &with_slash(address));
        }
    }
}

/// `Route::get('/x'`, `$app->get('/x'`, `#[Route('/x'`.
fn php(line: &CodeLine<'_>, add: &mut Add<'_>) {
    for verb in VERBS.into_iter().chain(["any"]) {
        let laravel = line.string_after(&format!("Route::{verb}("));
        let slim = ["$app->", "$group->"].iter();
        let slim = slim
            .filter_map(|receiver| line.string_after(&format!("{receiver}{verb}(")))
            .next();
        if let Some(address) = laravel.or(slim) {
            add(verb, &with_slash(address));
        }
    }
    if let Some(address) = line.string_after("#[Route(") {
        let methods = line.text.split_once("methods").map_or("", |(_, rest)| rest);
        add(
            strings_of(methods).first().copied().unwrap_or("any"),
            address,
        );
    }
}

/// `get '/x'`, `resources :users`.
fn ruby(line: &CodeLine<'_>, add: &mut Add<'_>) {
    let trimmed = line.text.trim_start();
    for verb in VERBS {
        let call = trimmed.strip_prefix(verb);
        let call = call.filter(|rest| rest.starts_with([' ', '(']));
        let address = call.and_then(|rest| string_at(rest, 1));
        if let Some(address) = address {
            add(verb, &with_slash(address));
        }
    }
    for call in ["resources :", "resource :"] {
        if let Some(rest) = trimmed.strip_prefix(call) {
            add("any", &with_slash(crate::lines::word(rest)));
        }
    }
    if let Some(rest) = trimmed.strip_prefix("root ")
        && !strings_of(rest).is_empty()
    {
        add("get", "/");
    }
}

#[cfg(test)]
mod tests {
    use gavel_workspace::RepoPath;

    use crate::language::Language;

    #[test]
    fn routes_are_found_as_frameworks_write_them() {
        let cases = [
            ("a.js", "app.get('/a', f); // app.get('/b')", vec!["GET /a"]),
            ("a.ts", "userRouter.post(`/a`, f)", vec!["POST /a"]),
            ("a.ts", "map.get('/a'); cache.delete('/x')", vec![]),
            ("a.ts", "  @Post('a/:id')", vec!["POST /a/:id"]),
            (
                "app/a/[id]/route.ts",
                "export async function GET(r) {}",
                vec!["GET /a/[id]"],
            ),
            (
                "a.py",
                "@app.route('/a', methods=['GET', 'POST'])",
                vec!["GET /a", "POST /a"],
            ),
            (
                "a.py",
                "@router.delete(\"/a/{id}\")",
                vec!["DELETE /a/{id}"],
            ),
            (
                "a.py",
                "    path('a/<int:id>', views.a),",
                vec!["ANY /a/<int:id>"],
            ),
            ("a.py", "response = client.get('/a')", vec![]),
            (
                "a.rs",
                ".route(\"/a\", get(list).post(make))",
                vec!["GET /a", "POST /a"],
            ),
            ("a.rs", "#[put(\"/a\")]", vec!["PUT /a"]),
            ("a.go", "r.GET(\"/a\", f)", vec!["GET /a"]),
            ("a.go", "mux.HandleFunc(\"POST /a\", f)", vec!["POST /a"]),
            (
                "a.go",
                "r.HandleFunc(\"/a\", f).Methods(\"PUT\")",
                vec!["PUT /a"],
            ),
            ("A.java", "@GetMapping(\"/a\")", vec!["GET /a"]),
            ("a.kt", "  get(\"/a\") {", vec!["GET /a"]),
            ("A.cs", "[HttpDelete(\"a/{id}\")]", vec!["DELETE /a/{id}"]),
            ("A.cs", "app.MapGet(\"/a\", () => 1);", vec!["GET /a"]),
            (
                "a.php",
                "Route::get('/a', [A::class, 'x']);",
                vec!["GET /a"],
            ),
            (
                "config/routes.rb",
                "resources :users\nget '/a', to: 'x#y'",
                vec!["ANY /users", "GET /a"],
            ),
            ("a.rb", "get '/a'", vec![]),
        ];
        for (path, text, wanted) in cases {
            let path = RepoPath::new(path).unwrap();
            let language = Language::of_path(path.as_str()).unwrap();
            let found = crate::source::read(&path, language, text).routes;
            let found: Vec<String> = found
                .iter()
                .map(|one| format!("{} {}", one.method, one.address))
                .collect();
            assert_eq!(found, wanted, "{text}");
        }
    }
}
