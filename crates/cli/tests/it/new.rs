//! `kenaz new`: every command that a new project names works in it.

use crate::pkg::World;
use std::fs;

/// The commands of a README, in its table and its blocks, and those of the file for continuous integration.
fn commands(readme: &str, ci: &str) -> Vec<String> {
    let steps = ci.lines().filter_map(|line| line.trim().strip_prefix("- run: ")).map(str::to_string);
    let shown = readme.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_string);
    let table = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(command, _)| command.to_string());
    shown.chain(table).chain(steps).collect()
}

fn works(args: &[&str], folder: &str, count: usize) {
    let world = World::new();
    let answer = world.kenaz(&[&["new"], args].concat());
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
    let path = world.path("project").join(folder);
    let read = |file: &str| fs::read_to_string(path.join(file)).unwrap();
    let (readme, ci) = (read("README.md"), read(".github/workflows/tests.yml"));
    for text in [&readme, &ci, &read("futhark.pkg"), &read(".gitignore")] {
        assert!(!text.contains("{name}") && !text.contains("{folder}") && !text.contains("{steps}"), "{text}");
    }
    let commands = commands(&readme, &ci);
    assert_eq!(commands.len(), count, "{commands:?}");
    for command in commands {
        // A measurement takes as long as it must; that it runs is enough.
        let command = command.replace("kenaz bench ", "kenaz bench --runs 1 --no-convergence-phase --backend c ");
        let answer = world.shell(&command, &path);
        assert_eq!(answer.code, Some(0), "{command}: {}{}", answer.stdout, answer.stderr);
    }
    // What the README shows is what comes out.
    for rest in readme.split("```console\n$ ").skip(1) {
        let (command, rest) = rest.split_once('\n').unwrap();
        assert_eq!(world.shell(command, &path).stdout, rest.split("```").next().unwrap());
    }
}

#[test]
fn a_program() {
    works(&["weather"], "weather", 14);
}

#[test]
fn a_library() {
    works(&["--lib", "example.org/ada/vec-tors"], "vec-tors", 13);
}

#[test]
fn places_that_are_taken_and_odd_names() {
    let world = World::new();
    let file = |name: &str| world.path("project").join(name);
    fs::create_dir(file("empty")).unwrap();
    assert_eq!(world.kenaz(&["new", "empty"]).code, Some(0));
    let answer = world.kenaz(&["new", "empty"]);
    let said = "error: `empty` is there already, and not empty; choose another name\n";
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(2), said));
    fs::write(file("file"), "mine").unwrap();
    assert_eq!(world.kenaz(&["new", "file"]).code, Some(2));
    assert_eq!(fs::read_to_string(file("file")).unwrap(), "mine");
    for name in ["", ".", "..", "1a", "a b", "a.fut", "ä", "-a", "a/../..", "a\n", &"a".repeat(61)] {
        let answer = world.kenaz(&["new", "--", name]);
        assert!(answer.code == Some(2) && answer.stderr.starts_with("error: "), "{name}: {}", answer.stderr);
    }
    for name in ["a", "../a/b", "https://example.org/a/b", "example.org//b"] {
        let answer = world.kenaz(&["new", "--lib", name]);
        assert!(answer.code == Some(2) && answer.stderr.starts_with("error: "), "{name}: {}", answer.stderr);
    }
    let left: Vec<_> = fs::read_dir(world.path("project")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    // Folders around it are made as well.
    assert_eq!(world.kenaz(&["new", "deep/er/name"]).code, Some(0));
    assert!(file("deep/er/name/name.fut").exists());
}
