//! Help, its examples, completions and manual pages.

use crate::pkg::World;
use kenaz_cli::examples::{EXAMPLES, FIRST, PACKAGES};
use std::fs;

/// The subcommands that `kenaz --help` lists.
fn subcommands(world: &World) -> Vec<String> {
    let help = world.kenaz(&["--help"]).stdout;
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_string);
    names.filter(|name| name != "help").collect()
}

#[test]
fn every_command_has_examples() {
    let world = World::new();
    let names = subcommands(&world);
    assert!(names.len() > 20 && names.is_sorted(), "{names:?}");
    assert_eq!(names, EXAMPLES.iter().map(|(name, _)| (*name).to_string()).collect::<Vec<_>>());
    for (name, examples) in EXAMPLES {
        let help = world.kenaz(&[name, "--help"]).stdout;
        assert!(help.contains(&format!("Examples:\n  {}\n      {}", examples[0].0, examples[0].1)), "{help}");
    }
}

#[test]
fn examples_of_packages_run() {
    let world = World::new();
    for version in ["1.0.0", "1.1.0"] {
        world.release("ada/vectors", version, "", "vectors.fut", &format!("-- {version}\n"));
    }
    let answer = world.kenaz(&["new", "--lib", "example.org/ada/vectors"]);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    let own = world.path("project/ball/lib/example.org/ada/ball");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("ball.fut"), "def one = 1i32\n").unwrap();
    let mut names: Vec<&str> = Vec::new();
    for (name, examples) in PACKAGES {
        names.push(name);
        let help = world.kenaz(&["pkg", name, "--help"]).stdout;
        assert!(help.contains(&format!("Examples:\n  {}\n", examples[0].0)), "{help}");
        for (line, _) in *examples {
            let line = line.replace("github.com", "example.org");
            let answer = world.shell(&line, &world.path("project/ball"));
            assert_eq!(answer.code, Some(0), "{line}: {}{}", answer.stdout, answer.stderr);
        }
    }
    names.sort_unstable();
    let help = world.kenaz(&["pkg", "--help"]).stdout;
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let listed = list.lines().filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    assert_eq!(names, listed.collect::<Vec<_>>());
}

/// In a folder with the files that the examples name.
#[test]
fn examples_run() {
    let world = World::new();
    let folder = world.path("project");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let program = include_str!("../../src/new/program.fut").replace("[1000000]", "[1000]");
    write("a.fut", &program);
    write("old.fut", &program);
    write("xs.txt", "[1.0, 2.0]");
    write("table.csv", "1,2\n3,4\n");
    write("page.fut", "-- A page.\n\nentry picture (xs: []f64): [][]f64 = [xs]\n\n-- > picture [1f64]\n");
    // Those of packages are run by another test.
    let own = EXAMPLES.iter().filter(|(name, _)| *name != "pkg");
    let own = FIRST.iter().chain(own.flat_map(|(_, examples)| *examples));
    for (line, about) in own {
        assert!(about.len() < 90, "{about}");
        let mut command = (*line).to_string();
        // What would take long is done once.
        for (name, more) in [
            ("kenaz bench", " --runs 1 --no-convergence-phase --convergence-max-seconds 1"),
            ("kenaz autotune", " --runs 1"),
            ("kenaz tune", " --seed 1"),
        ] {
            if command.starts_with(name) {
                command = command.replace("30s", "1s") + more;
            }
        }
        let answer = world.shell(&command, &folder);
        // There may be no device, and no C compiler for one is needed. No editor is there to say goodbye.
        let expected = if command == "kenaz lsp" { 1 } else { 0 };
        assert_eq!(answer.code, Some(expected), "{command}: {}{}", answer.stdout, answer.stderr);
        if *name_of(&command) == *"kenaz literate" && !command.contains("--check") {
            assert!(folder.join("page.md").exists());
        }
    }
    assert!(folder.join("r.png").exists() && folder.join("man1/kenaz-run.1").exists());
    assert!(folder.join("ball/ball.fut").exists() && folder.join("vectors/futhark.pkg").exists());
}

fn name_of(command: &str) -> String {
    command.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

#[test]
fn completions_know_commands_and_options() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = world.kenaz(&["completions", shell]).stdout;
        for word in ["literate", "explain-error", "stop-on-error", "multicore"] {
            assert!(text.contains(word), "{shell} lacks {word}");
        }
    }
    fs::write(world.path("project/kenaz.bash"), world.kenaz(&["completions", "bash"]).stdout).unwrap();
    let script = "source ./kenaz.bash; COMP_WORDS=(kenaz lit); COMP_CWORD=1; _kenaz kenaz lit kenaz; echo ${COMPREPLY[@]}; \
                  COMP_WORDS=(kenaz literate --stop); COMP_CWORD=2; _kenaz kenaz --stop literate; echo ${COMPREPLY[@]}";
    let answer = world.shell(&format!("bash -c '{script}'"), &world.path("project"));
    assert_eq!(answer.stdout, "literate\n--stop-on-error\n", "{}", answer.stderr);
    assert_eq!(world.kenaz(&["completions", "none"]).code, Some(2));
}

#[test]
fn manual_pages() {
    let world = World::new();
    let page = world.kenaz(&["man", "pkg", "add"]).stdout;
    assert!(
        page.contains(".SH NAME\nkenaz\\-pkg\\-add \\- Require a package") && page.contains("kenaz pkg add"),
        "{page}"
    );
    assert!(world.kenaz(&["man"]).stdout.contains("kenaz\\-run(1)"));
    let answer = world.kenaz(&["man", "none"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(2), "error: there is no command `kenaz none`\n"));
    assert_eq!(world.kenaz(&["man", "--output", "pages"]).code, Some(0));
    for name in subcommands(&world) {
        let page = fs::read_to_string(world.path(&format!("project/pages/kenaz-{name}.1"))).unwrap();
        assert!(page.contains("Examples:") && page.contains(".SH SYNOPSIS"), "{page}");
    }
    fs::write(world.path("project/file"), "").unwrap();
    assert_eq!(world.kenaz(&["man", "--output", "file"]).code, Some(2));
}
