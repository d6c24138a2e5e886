//! The texts of an example, each with the part that it plays; and the example again with other texts.

use gavel_domain::{
    Example, ExampleAction, ExampleFile, ExamplePath, ExampleStep, FileAfter, JsonAt, RequestBody,
};
use serde_json::Value;

/// The part that a text plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Commands, options, keys: what the product says about itself. It stays as it is.
    Interface,
    /// A value that goes in.
    Input,
    /// The same, in a file that is there before anything runs.
    FileText,
    /// What must come out.
    Expected,
    /// What must not come out, or comes out as an error.
    Also,
    /// The path of a file that is there before anything runs.
    PathBefore,
    /// The path of a file after a step.
    PathAfter,
}

/// Endings of files whose words are a language.
const CODE: [&str; 24] = [
    "py", "rs", "js", "mjs", "cjs", "ts", "tsx", "jsx", "go", "java", "kt", "c", "h", "cpp", "cs",
    "rb", "php", "sh", "sql", "html", "css", "xml", "svg", "lua",
];

/// Whoever gives each text another one, or only looks at it.
pub(super) struct Walk<'a, F> {
    /// Words of the interface that the contracts declare.
    pub(super) known: &'a [String],
    /// What is put in place of a text.
    pub(super) change: F,
}

impl<F: FnMut(Part, &str) -> String> Walk<'_, F> {
    /// The example with every text changed, in the order in which things happen.
    pub(super) fn example(&mut self, example: &Example) -> Example {
        let files = example.files.iter().map(|file| self.file_before(file));
        let files = files.collect();
        for word in &example.server {
            (self.change)(Part::Interface, word);
        }
        let steps = example.steps.iter().map(|step| self.step(step));
        Example {
            files,
            server: example.server.clone(),
            steps: steps.collect(),
            fixed: example.fixed.clone(),
        }
    }

    fn file_before(&mut self, file: &ExampleFile) -> ExampleFile {
        let path = self.path(Part::PathBefore, &file.path);
        let ending = file
            .path
            .as_str()
            .rsplit_once('.')
            .map(|(_, ending)| ending);
        let ending = ending.unwrap_or_default().to_lowercase();
        let text = if CODE.contains(&ending.as_str()) {
            (self.change)(Part::Interface, &file.text)
        } else if let ("csv" | "tsv", Some((head, rest))) =
            (ending.as_str(), file.text.split_once('\n'))
        {
            let head = (self.change)(Part::Interface, head);
            format!("{head}\n{}", (self.change)(Part::FileText, rest))
        } else {
            (self.change)(Part::FileText, &file.text)
        };
        ExampleFile { path, text }
    }

    fn path(&mut self, part: Part, path: &ExamplePath) -> ExamplePath {
        let changed = (self.change)(part, path.as_str());
        ExamplePath::new(&changed).unwrap_or_else(|| path.clone())
    }

    fn step(&mut self, step: &ExampleStep) -> ExampleStep {
        let action = match &step.action {
            ExampleAction::Run {
                args,
                stdin,
                exit,
                error,
            } => ExampleAction::Run {
                args: self.args(args),
                stdin: (self.change)(Part::Input, stdin),
                exit: *exit,
                error: self.texts(Part::Also, error),
            },
            ExampleAction::Ask {
                method,
                path,
                body,
                status,
            } => ExampleAction::Ask {
                method: *method,
                path: self.request_path(path),
                body: body.as_ref().map(|body| self.body(body)),
                status: *status,
            },
        };
        ExampleStep {
            action,
            has: self.texts(Part::Expected, &step.has),
            lacks: self.texts(Part::Also, &step.lacks),
            json: step.json.iter().map(|at| self.json_at(at)).collect(),
            files: step
                .files
                .iter()
                .map(|file| self.file_after(file))
                .collect(),
        }
    }

    fn texts(&mut self, part: Part, texts: &[String]) -> Vec<String> {
        let texts = texts.iter().map(|text| (self.change)(part, text));
        texts.collect()
    }

    fn args(&mut self, args: &[String]) -> Vec<String> {
        let mut leading = true;
        let mut changed = Vec::new();
        for (at, word) in args.iter().enumerate() {
            // Where nobody declared the commands, they are the plain words at the beginning.
            leading &= at < 2 && self.known.is_empty() && is_plain(word);
            let value = word.split_once('=').filter(|_| word.starts_with('-'));
            changed.push(match value {
                Some((name, value)) => {
                    let name = (self.change)(Part::Interface, name);
                    format!("{name}={}", (self.change)(Part::Input, value))
                }
                None if leading || self.is_interface(word) => (self.change)(Part::Interface, word),
                None => (self.change)(Part::Input, word),
            });
        }
        changed
    }

    fn is_interface(&self, word: &str) -> bool {
        word.starts_with('-') || self.known.iter().any(|known| known == word)
    }

    fn request_path(&mut self, path: &str) -> String {
        if path.contains('%') {
            return (self.change)(Part::Interface, path);
        }
        let (route, query) = match path.split_once('?') {
            Some((route, query)) => (route, Some(query)),
            None => (path, None),
        };
        let mut changed = Vec::new();
        for (at, segment) in route.split('/').enumerate() {
            // The first one names what is asked for.
            let part = match at < 2 || self.is_interface(segment) {
                true => Part::Interface,
                false => Part::Input,
            };
            changed.push((self.change)(part, segment));
        }
        let mut changed = changed.join("/");
        if let Some(query) = query {
            let mut pairs = Vec::new();
            for pair in query.split('&') {
                pairs.push(match pair.split_once('=') {
                    Some((name, value)) => {
                        let name = (self.change)(Part::Interface, name);
                        format!("{name}={}", (self.change)(Part::Input, value))
                    }
                    None => (self.change)(Part::Interface, pair),
                });
            }
            changed = format!("{changed}?{}", pairs.join("&"));
        }
        changed
    }

    fn body(&mut self, body: &RequestBody) -> RequestBody {
        match body {
            RequestBody::Json(value) => RequestBody::Json(self.value(Part::Input, value)),
            RequestBody::Text(text) => RequestBody::Text((self.change)(Part::Input, text)),
        }
    }

    fn value(&mut self, part: Part, value: &Value) -> Value {
        match value {
            Value::Null | Value::Bool(_) => value.clone(),
            Value::Number(number) => {
                let text = (self.change)(part, &number.to_string());
                serde_json::from_str(&text).unwrap_or_else(|_| value.clone())
            }
            Value::String(text) => Value::String((self.change)(part, text)),
            Value::Array(all) => all.iter().map(|one| self.value(part, one)).collect(),
            Value::Object(all) => {
                let mut changed = serde_json::Map::new();
                for (name, value) in all {
                    (self.change)(Part::Interface, name);
                    changed.insert(name.clone(), self.value(part, value));
                }
                Value::Object(changed)
            }
        }
    }

    fn json_at(&mut self, at: &JsonAt) -> JsonAt {
        (self.change)(Part::Interface, &at.pointer);
        JsonAt {
            pointer: at.pointer.clone(),
            value: self.value(Part::Expected, &at.value),
        }
    }

    fn file_after(&mut self, file: &FileAfter) -> FileAfter {
        match file {
            FileAfter::Holds(ExampleFile { path, text }) => FileAfter::Holds(ExampleFile {
                path: self.path(Part::PathAfter, path),
                text: (self.change)(Part::Expected, text),
            }),
            FileAfter::Gone(path) => FileAfter::Gone(self.path(Part::PathAfter, path)),
        }
    }
}

fn is_plain(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c == '-' || c == '_';
    !word.is_empty() && word.chars().all(plain)
}
