//! `kenaz doc` and `kenaz test --doc` as users run them.

use crate::pkg::World;
use std::fs;

#[test]
fn the_page_on_documentation() {
    let world = World::new();
    assert!(world.run_page("documentation.md") >= 4);
    let page = fs::read_to_string(world.path("project/pages/statistics.html")).unwrap();
    assert!(page.contains("<a href=\"#mean\"><code>mean</code></a>"), "{page}");
}

#[test]
fn folders_of_others_are_left_alone() {
    let world = World::new();
    let file = |name: &str| world.path("project").join(name);
    fs::write(file("a.fut"), "def a = 1i32\n").unwrap();
    fs::create_dir_all(file("mine")).unwrap();
    fs::write(file("mine/index.html"), "mine").unwrap();
    fs::create_dir_all(file("empty")).unwrap();
    let kenaz = |args: &[&str]| world.kenaz(args);
    let answer = kenaz(&["doc", "a.fut", "-o", "mine"]);
    let said = "error: `mine` is there already, and not from `kenaz doc`; choose another folder, or remove it\n";
    assert_eq!((answer.code, &*answer.stderr), (Some(2), said));
    assert_eq!(fs::read_to_string(file("mine/index.html")).unwrap(), "mine");
    assert_eq!(kenaz(&["doc", "a.fut", "-o", "empty"]).code, Some(0));
    // Older pages go.
    fs::rename(file("a.fut"), file("b.fut")).unwrap();
    assert_eq!(kenaz(&["doc", "b.fut", "-o", "./empty//"]).stdout, "empty/index.html\n");
    assert!(file("empty/b.html").exists() && !file("empty/a.html").exists());
    // A program with a mistake changes nothing.
    fs::write(file("b.fut"), "def b = a\n").unwrap();
    let answer = kenaz(&["doc", "b.fut", "-o", "empty"]);
    assert!(answer.code == Some(2) && answer.stderr.contains("error[unknown-name]"), "{}", answer.stderr);
    assert!(file("empty/b.html").exists());
    let answer = kenaz(&["doc", "none.fut", "-o", "x"]);
    assert_eq!((answer.code, answer.stderr.lines().count()), (Some(2), 1));
    fs::write(file("c.txt"), "").unwrap();
    let answer = kenaz(&["doc", "c.txt", "-o", "x"]);
    assert_eq!(answer.stderr, "error: `c.txt` cannot be imported; give it a name that ends with `.fut`\n");
    assert!(!file("x").exists());
}

#[test]
fn examples_are_run_by_every_back_end() {
    let world = World::new();
    let comment = "-- |\n-- ```\n-- > twice [1, 2]\n-- [2i32, 4i32]\n-- > twice 1\n-- ```\n";
    fs::write(world.path("project/a \"b.fut"), format!("{comment}def twice = map (* 2i32)\n")).unwrap();
    for backend in ["interpreter", "c"] {
        let answer = world.kenaz(&["test", "--doc", "--backend", backend, "a \"b.fut"]);
        assert_eq!(answer.code, Some(1), "{}", answer.stderr);
        let end = "1 passed, 1 failed\n";
        assert!(answer.stdout.starts_with("a \"b.fut:5:\n  the program does not compile\n"), "{}", answer.stdout);
        assert!(answer.stdout.contains("--> example:7:") && answer.stdout.ends_with(end), "{}", answer.stdout);
    }
    assert_eq!(world.kenaz(&["test", "--doc", "none.fut"]).code, Some(2));
}
