//! Where programs begin: such a file puts the layers together and often belongs to none of them.

use super::tree::{folder_of, name_of};

const AT_ROOT: [&str; 8] = [
    "build.rs",
    "setup.py",
    "manage.py",
    "noxfile.py",
    "main.go",
    "main.py",
    "__main__.py",
    "__init__.py",
];
const STEMS: [&str; 2] = ["index", "main"];
const SCRIPTS: [&str; 6] = ["js", "mjs", "cjs", "ts", "mts", "cts"];

/// True for a file that begins a program or names the parts of a package.
pub(super) fn is_entry_point(path: &str) -> bool {
    let (folder, name) = (folder_of(path), name_of(path));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let last = name_of(folder);
    let is_script_entry = STEMS.contains(&stem)
        && SCRIPTS.contains(&extension)
        && ["", "src", "bin"].contains(&folder);
    match name {
        "main.rs" | "lib.rs" => last == "src" || name_of(folder_of(folder)) == "bin",
        _ if extension == "rs" && last == "bin" => true,
        "__main__.py" | "__init__.py" => true,
        "main.go" => folder.is_empty() || folder.split('/').next() == Some("cmd"),
        "Main.java" => true,
        _ if is_config(path) => true,
        _ => is_script_entry || (folder.is_empty() && AT_ROOT.contains(&name)),
    }
}

/// True for the settings of a tool of JavaScript, which are written as code.
pub(super) fn is_config(path: &str) -> bool {
    let name = name_of(path);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_script = SCRIPTS.contains(&extension);
    const TOOLS: [&str; 18] = [
        "eslint",
        "vite",
        "vitest",
        "jest",
        "rollup",
        "webpack",
        "tailwind",
        "postcss",
        "babel",
        "prettier",
        "playwright",
        "svelte",
        "next",
        "nuxt",
        "astro",
        "tsup",
        "esbuild",
        "karma",
    ];
    let of_tool = stem
        .strip_suffix(".config")
        .is_some_and(|tool| TOOLS.contains(&tool));
    is_script && (of_tool || [".eslintrc", ".prettierrc", ".babelrc"].contains(&stem))
}
