use super::*;
use crate::finding::Check;
use crate::{Limits, MemoryTree, scan_deep};

fn plan_of(files: &[(&str, &str)]) -> RenovationPlan {
    plan(&scan_deep(
        &MemoryTree::of(files.iter().copied()),
        &Limits::default(),
    ))
}

const SOUND: [(&str, &str); 5] = [
    ("README.md", "# x"),
    ("LICENSE", "x"),
    (".gitlab-ci.yml", "x"),
    ("go.mod", "module x\n"),
    ("main.go", "package main\nfunc main() {}\n"),
];

#[test]
fn a_repository_without_findings_has_nothing_to_do() {
    let plan = plan_of(&SOUND);
    assert_eq!(plan.tasks, []);
    assert_eq!((plan.brief.grade, plan.brief.points), (Grade::A, 100));
}

#[test]
fn secrets_come_first_and_cost_most() {
    let token = format!(
        "token = \"ghp_{}\"\n",
        "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"
    );
    let mut files = SOUND.to_vec();
    files.retain(|(path, _)| *path != "README.md");
    files.push(("a.py", &token));
    let plan = plan_of(&files);
    let first = plan.tasks.first().unwrap();
    assert_eq!(first.kind, PatternKind::Check(Check::Secret));
    assert_eq!((first.priority, first.automatable), (Level::High, false));
    assert_eq!(first.steps[0], "begin at a.py:1");
    assert!(plan.brief.points < 85, "{}", plan.brief.points);
    let priorities: Vec<Level> = plan.tasks.iter().map(|task| task.priority).collect();
    let mut sorted = priorities.clone();
    sorted.sort_by(|a, b| b.cmp(a));
    assert_eq!(priorities, sorted);
}

#[test]
fn an_older_version_than_elsewhere_is_outdated_and_all_else_is_unknown() {
    let plan = plan_of(&[
        ("a/requirements.txt", "x==1.2\ny==3"),
        ("b/requirements.txt", "x==1.10"),
    ]);
    let shown: Vec<(String, VersionStatus)> = plan
        .versions
        .iter()
        .map(|line| {
            let current = line.current.as_ref().unwrap();
            (format!("{} {}", line.package, current.text), line.status)
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("x 1.2".to_owned(), VersionStatus::Outdated),
            ("x 1.10".to_owned(), VersionStatus::Unknown),
            ("y 3".to_owned(), VersionStatus::Unknown),
        ]
    );
    let latest = Latest::Repository {
        version: "1.10".to_owned(),
        evidence: Evidence::line(
            &gavel_workspace::RepoPath::new("b/requirements.txt").unwrap(),
            1,
        ),
    };
    assert_eq!(plan.versions[0].latest, latest);
    assert!(
        plan.patterns
            .iter()
            .any(|one| one.kind == PatternKind::SeveralVersions)
    );
}

#[test]
fn grades_follow_from_points() {
    let cases = [
        (100, Grade::A),
        (90, Grade::A),
        (89, Grade::B),
        (65, Grade::C),
        (50, Grade::D),
        (0, Grade::F),
    ];
    for (points, grade) in cases {
        assert_eq!(Grade::of_points(points), grade, "{points}");
    }
}
