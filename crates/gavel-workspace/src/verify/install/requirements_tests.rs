use super::*;

fn read(files: &[(&str, &str)]) -> Requirements {
    Requirements::read("requirements.txt", |name| {
        let found = files.iter().find(|(file, _)| *file == name);
        found.map(|(_, text)| (*text).to_owned())
    })
}

fn elsewhere(host: Option<(&str, u16)>, line: &str) -> Elsewhere {
    Elsewhere {
        host: host.and_then(|(host, port)| Destination::new(host, port)),
        line: line.to_owned(),
    }
}

#[test]
fn names_are_fetched_and_nothing_else_of_a_list_is_obeyed() {
    let found = read(&[
        (
            "requirements.txt",
            "# a list\n--index-url http://127.0.0.1:9/simple\n-i http://evil.example\n\
             --extra-index-url=http://evil.example\n--find-links http://evil.example\n\
             --no-binary :all:\n--pre\nsix==1.16.0  # why\nrequests[socks]>=2,<3 ; python_version > '3'\n\
             -r more/dev.txt\n-c bounds.txt\n-e .\n./lib\nwheels/a-1.0-py3-none-any.whl\n\
             attrs==23.1.0 \\\n    --hash=sha256:abc \\\n    --hash=sha256:def --no-binary=x\n\
             git+https://github.com/a/b@main\npkg @ https://files.example/x.tar.gz\n\
             -e git+ssh://git@git.example/x\n",
        ),
        (
            "more/dev.txt",
            "pytest\n-r ../requirements.txt\n-r again.txt\n",
        ),
        ("more/again.txt", "tox\n"),
        ("bounds.txt", "urllib3<2\n"),
    ]);
    let expected = Requirements {
        named: [
            "six==1.16.0",
            "requests[socks]>=2,<3 ; python_version > '3'",
            "pytest",
            "tox",
            "attrs==23.1.0 --hash=sha256:abc --hash=sha256:def",
        ]
        .map(str::to_owned)
        .into(),
        bounds: vec!["urllib3<2".to_owned()],
        local: [".", "./lib", "wheels/a-1.0-py3-none-any.whl"]
            .map(str::to_owned)
            .into(),
        elsewhere: vec![
            elsewhere(Some(("github.com", 443)), "git+https://github.com/a/b@main"),
            elsewhere(
                Some(("files.example", 443)),
                "pkg @ https://files.example/x.tar.gz",
            ),
            elsewhere(None, "git+ssh://git@git.example/x"),
        ],
    };
    assert_eq!(found, expected);
    assert!(found.has_hashes());
}

#[test]
fn a_file_that_names_itself_comes_to_an_end() {
    let found = read(&[("requirements.txt", "six\n-r requirements.txt\n")]);
    assert_eq!(found.named.len(), DEEPEST + 1);
}

#[test]
fn what_is_no_requirement_is_not_passed_on() {
    for line in ["--", "-", "\u{7f}", "six\u{0}", "$(id)", "'x'", "\"y\"; z"] {
        let found = Requirements::of([line]);
        assert_eq!(found.named, Vec::<String>::new(), "{line:?}");
    }
}
