//! Which source files hold the product: not tests, not what builds or configures.

use crate::path::RepoPath;
use crate::syntax::SourceLanguage;

/// The language of a file whose name says that faults may be planted in it.
///
/// Of Rust, only what Cargo itself takes for tests, benches and examples is left out by name: a module
/// below `src` is one of the product until something declares it behind `#[cfg(test)]`.
pub fn is_product_file(file: &RepoPath) -> Option<SourceLanguage> {
    let language = SourceLanguage::of_path(file)?;
    let is = match language {
        SourceLanguage::Rust => is_rust(file),
        SourceLanguage::Python => is_python(file),
        SourceLanguage::JavaScript | SourceLanguage::TypeScript | SourceLanguage::Tsx => {
            is_javascript(file)
        }
    };
    is.then_some(language)
}

fn folders(file: &RepoPath) -> Vec<&str> {
    let mut segments: Vec<&str> = file.segments().collect();
    segments.pop();
    segments
}

fn is_rust(file: &RepoPath) -> bool {
    let folders = folders(file);
    let package = folders.iter().take_while(|folder| **folder != "src");
    let aside = ["tests", "benches", "examples", "target"];
    let in_source = folders.contains(&"src");
    !package.into_iter().any(|folder| aside.contains(folder))
        && (in_source || file.name() != "build.rs")
}

fn is_python(file: &RepoPath) -> bool {
    let name = file.name();
    let aside = ["test", "tests", "testing", ".venv", "venv", "site-packages"];
    let builds = [
        "conftest.py",
        "setup.py",
        "noxfile.py",
        "tasks.py",
        "tests.py",
    ];
    !folders(file).iter().any(|folder| aside.contains(folder))
        && !name.starts_with("test_")
        && !name.ends_with("_test.py")
        && !name.ends_with(".pyi")
        && !builds.contains(&name)
}

fn is_javascript(file: &RepoPath) -> bool {
    let name = file.name();
    let aside = [
        "test",
        "tests",
        "__tests__",
        "__mocks__",
        "e2e",
        "node_modules",
        "coverage",
    ];
    let of_tests = [".test.", ".spec.", ".config.", ".conf.", ".d.", ".min."];
    let builds = ["gulpfile.js", "Gruntfile.js", "webpack.js", "test.js"];
    !folders(file).iter().any(|folder| aside.contains(folder))
        && !of_tests.iter().any(|part| name.contains(part))
        && !name.starts_with('.')
        && !builds.contains(&name)
}

#[cfg(test)]
#[path = "product_files_tests.rs"]
mod tests;
