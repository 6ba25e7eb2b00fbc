//! `kenaz pkg` as users run it: the commands of docs/packages.md, exit codes, what git may not do, interrupts.

use kenaz_base::TemporaryFolder;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const RIGHT: Option<i32> = Some(0);
const FAILURE: Option<i32> = Some(1);
const MISTAKE: Option<i32> = Some(2);

/// A folder with repositories that git finds below `https://example.org/`, and a project.
pub(crate) struct World {
    folder: TemporaryFolder,
}

pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl World {
    pub(crate) fn new() -> World {
        let world = World { folder: TemporaryFolder::new().unwrap() };
        let config = format!("[url \"{}/\"]\n\tinsteadOf = https://example.org/\n", world.path("repos").display());
        fs::write(world.path("gitconfig"), config).unwrap();
        fs::create_dir_all(world.path("project")).unwrap();
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path.join(name)
    }

    /// Releases a version of `example.org/NAME` with one file.
    pub(crate) fn release(&self, name: &str, version: &str, requires: &str, file: &str, source: &str) {
        let repo = self.path("repos").join(name);
        let git = |args: &[&str]| {
            let mut git = Command::new("git");
            git.current_dir(&repo).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
            for who in ["AUTHOR", "COMMITTER"] {
                git.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.org");
                git.env(format!("GIT_{who}_DATE"), "2026-01-31T23:59:59Z");
            }
            assert!(git.status().unwrap().success(), "{args:?}");
        };
        if !repo.exists() {
            fs::create_dir_all(&repo).unwrap();
            git(&["init", "--quiet", "--initial-branch=main", "--template="]);
        }
        let major = if version.starts_with(['0', '1']) { String::new() } else { format!("@{}", &version[..1]) };
        let _ = fs::remove_dir_all(repo.join("lib"));
        let folder = repo.join(format!("lib/example.org/{name}{major}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(file), source).unwrap();
        let manifest = format!("package example.org/{name}{major}\n\nrequire {{\n{requires}}}\n");
        fs::write(repo.join("futhark.pkg"), manifest).unwrap();
        git(&["add", "--all"]);
        git(&["commit", "--quiet", "--message", version]);
        git(&["tag", &format!("v{version}")]);
    }

    fn prepare(&self, command: &mut Command) {
        let kenaz = Path::new(env!("CARGO_BIN_EXE_kenaz"));
        let path = std::env::var_os("PATH").unwrap();
        let folders = [kenaz.parent().unwrap().to_path_buf()].into_iter().chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).unwrap());
        command.env("KENAZ_CACHE", self.path("cache")).env("GIT_CONFIG_GLOBAL", self.path("gitconfig"));
        command.env("GIT_CONFIG_NOSYSTEM", "1").env_remove("COLUMNS").env("HOME", &self.folder.path);
        // Programs on pages are small, and compiled once.
        command.stdin(Stdio::null()).env("CFLAGS", "-O0");
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz"));
        self.prepare(&mut command);
        command.arg("pkg").args(args).current_dir(self.path("project"));
        command
    }

    #[track_caller]
    fn pkg(&self, args: &[&str]) -> Answer {
        finish(&mut self.command(args))
    }

    #[track_caller]
    fn right(&self, args: &[&str]) -> String {
        let answer = self.pkg(args);
        assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""), "{args:?}");
        answer.stdout
    }

    /// What a command says in the folder of the project.
    #[track_caller]
    pub(crate) fn kenaz(&self, args: &[&str]) -> Answer {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz"));
        self.prepare(&mut command);
        finish(command.args(args).current_dir(self.path("project")))
    }

    /// What a line of the shell says in a folder.
    #[track_caller]
    pub(crate) fn shell(&self, line: &str, folder: &Path) -> Answer {
        let mut shell = Command::new("sh");
        self.prepare(&mut shell);
        finish(shell.args(["-c", line]).current_dir(folder))
    }

    /// Writes the files of a page of docs and runs its commands, one after the other; how many there are.
    #[track_caller]
    pub(crate) fn run_page(&self, name: &str) -> usize {
        let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)).unwrap();
        let mut here = self.path("project");
        let mut commands = 0;
        for (kind, lines) in blocks(&page) {
            if let Some((_, file)) = kind.split_once(" file=") {
                fs::create_dir_all(here.join(file).parent().unwrap()).unwrap();
                fs::write(here.join(file), lines.join("\n") + "\n").unwrap();
            }
            if kind != "console" {
                continue;
            }
            for (line, expected) in console(&lines) {
                if let Some(folder) = line.strip_prefix("cd ") {
                    here = here.join(folder).canonicalize().unwrap();
                    continue;
                }
                let answer = self.shell(line, &here);
                assert_eq!(
                    format!("{}{}", answer.stdout, answer.stderr).lines().collect::<Vec<_>>(),
                    expected,
                    "{line}"
                );
                commands += 1;
            }
        }
        commands
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path("project").join(file)).unwrap()
    }
}

#[track_caller]
fn finish(command: &mut Command) -> Answer {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let answer = Answer { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
    assert!(!answer.stderr.contains("panicked") && !answer.stderr.contains("[bug]"), "{}", answer.stderr);
    answer
}

/// Two versions of a package that say which they are.
fn two_versions() -> World {
    let world = World::new();
    for version in ["1.0.0", "1.1.0"] {
        world.release("ada/a", version, "", "a.fut", &format!("def version = \"{version}\"\n"));
    }
    world
}

/// A block of Markdown: what stands behind its fence, and its lines.
fn blocks(page: &str) -> Vec<(&str, Vec<&str>)> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            blocks.push((kind, lines.by_ref().take_while(|line| *line != "```").collect()));
        }
    }
    blocks
}

/// The page is true: its files are written and its commands run, one after the other.
#[test]
fn the_page_on_packages() {
    let world = World::new();
    let norm = "import \"../../bob/numbers/numbers\"\ndef norm (xs: []f64): f64 = f64.sqrt (f64.sum (map square xs))\n";
    let square = "def square (x: f64): f64 = x * x\n";
    world.release("bob/numbers", "0.3.0", "", "numbers.fut", square);
    world.release("bob/numbers", "0.4.0", "", "numbers.fut", &format!("{square}def cube (x: f64): f64 = x * x * x\n"));
    let requires = "  example.org/bob/numbers 0.3.0\n";
    for version in ["0.9.0", "1.0.0", "1.1.0"] {
        world.release("ada/vectors", version, requires, "vectors.fut", &format!("-- Version {version}.\n{norm}"));
    }
    world.release("ada/vectors", "2.0.0", "", "vectors.fut", "def norm (x: f64) = x\n");

    assert!(world.run_page("packages.md") >= 15);
}

/// The commands of a block, each with the lines that it prints.
fn console<'a>(lines: &[&'a str]) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in lines {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command, Vec::new())),
            (None, Some((_, output))) => output.push(line),
            (None, None) => panic!("`{line}` is printed by no command"),
        }
    }
    commands
}

#[test]
fn mistakes_get_one_line() {
    let world = two_versions();
    for (args, said) in [
        (&["sync"][..], "there is no `futhark.pkg` in this folder; `kenaz pkg add PACKAGE` makes one"),
        (&["upgrade"], "there is no `futhark.pkg` in this folder; `kenaz pkg add PACKAGE` makes one"),
        (
            &["remove", "example.org/ada/a"],
            "there is no `futhark.pkg` in this folder; `kenaz pkg add PACKAGE` makes one",
        ),
        (&["add", "https://example.org/ada/a"], "`https://example.org/ada/a` is a URL; write it without `https://`"),
        (&["add", "example.org/ada/a", "1.1"], "`1.1` is no version; it has three numbers, as in `1.2.3`"),
        (
            &["add", "example.org/ada/a", "1.2.0"],
            "there is no version 1.2.0 of `example.org/ada/a`; the newest are 1.1.0, 1.0.0",
        ),
        (
            &["add", "--offline", "example.org/bob/b"],
            "`example.org/bob/b` is not in the cache; leave out `--offline` to fetch it",
        ),
        (
            &["add", "--", "--upload-pack=touch x"],
            "`--upload-pack=touch x` is no package path, since `=` cannot be part of one; it looks like `github.com/user/name`",
        ),
        (
            &["versions", "--", "-x"],
            "`-x` is no package path, since its part `-x` begins with `-`; it looks like `github.com/user/name`",
        ),
        (
            &["init", "example.org/../x"],
            "`example.org/../x` is no package path, since its part `..` begins with `.`; it looks like `github.com/user/name`",
        ),
        (
            &["add", "--path", "nowhere"],
            "`nowhere` cannot be used for `a package`: its `futhark.pkg` cannot be read (No such file or directory (os error 2)); it must be the folder of a package",
        ),
        (&["replace", "example.org/ada/a", "x\ny"], "`futhark.local`, line 1: `x\\ny` cannot stand in this file"),
    ] {
        let answer = world.pkg(args);
        assert_eq!(
            (answer.code, &*answer.stdout, answer.stderr),
            (MISTAKE, "", format!("error: {said}\n")),
            "{args:?}"
        );
    }
    assert_eq!(fs::read_dir(world.path("project")).unwrap().count(), 0);
    for (file, text, said) in [
        (
            "futhark.pkg",
            "require {\n  a 1.0\n}\n",
            "`futhark.pkg`, line 2: `1.0` is no version; it has three numbers, as in `1.2.3`",
        ),
        ("futhark.lock", "x\n", "`futhark.lock`, line 1: this is no package with its version and hash"),
        ("futhark.local", "x\n", "`futhark.local`, line 1: a line has a package path and where it comes from"),
    ] {
        let file = world.path("project").join(file);
        fs::write(&file, text).unwrap();
        for args in [&["sync"][..], &["check"], &["add", "example.org/ada/a"]] {
            let answer = world.pkg(args);
            assert_eq!(
                (answer.code, &*answer.stdout, answer.stderr),
                (MISTAKE, "", format!("error: {said}\n")),
                "{args:?}"
            );
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn no_network_and_no_git() {
    let world = two_versions();
    let answer = world.pkg(&["versions", "example.org/ada/none"]);
    let end = "does not appear to be a git repository\n";
    assert!(
        answer.stderr.starts_with("error: `https://example.org/ada/none` cannot be fetched: "),
        "{}",
        answer.stderr
    );
    assert!(answer.stderr.ends_with(end) && answer.stderr.lines().count() == 1, "{}", answer.stderr);
    assert_eq!(answer.code, FAILURE);
    let answer = finish(world.command(&["versions", "example.org/ada/a"]).env("PATH", world.path("empty")));
    assert_eq!(answer.code, FAILURE);
    assert!(answer.stderr.starts_with("error: `git` cannot be started: "), "{}", answer.stderr);
    // A cache that cannot be written.
    fs::write(world.path("file"), "").unwrap();
    let answer = finish(world.command(&["versions", "example.org/ada/a"]).env("KENAZ_CACHE", world.path("file")));
    assert_eq!(answer.code, FAILURE);
    assert!(answer.stderr.contains("`$KENAZ_CACHE` names another folder"), "{}", answer.stderr);
    // Where there is no place for a cache, there is none.
    let mut command = world.command(&["versions", "example.org/ada/a"]);
    let answer = finish(command.env_remove("KENAZ_CACHE").env_remove("XDG_CACHE_HOME").env_remove("HOME"));
    assert_eq!((answer.code, &*answer.stdout), (RIGHT, "1.0.0\n1.1.0\n"));
}

/// Such variables are set where a hook of git starts the command, and the user may have hooks of his own.
#[cfg(unix)]
#[test]
fn git_is_used_without_what_is_around() {
    use std::os::unix::fs::PermissionsExt;
    let world = two_versions();
    let hooks = world.path("hooks");
    fs::create_dir_all(hooks.join("hooks")).unwrap();
    for name in ["reference-transaction", "post-checkout", "post-merge", "ssh"] {
        for file in [hooks.join(name), hooks.join("hooks").join(name)] {
            fs::write(&file, format!("#!/bin/sh\ntouch '{}'\n", world.path("ran").display())).unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    let mut config = fs::read_to_string(world.path("gitconfig")).unwrap();
    config.push_str(&format!("[core]\n\thooksPath = {0}\n[init]\n\ttemplateDir = {0}\n", hooks.display()));
    fs::write(world.path("gitconfig"), config).unwrap();
    let other = world.path("other.git");
    assert!(Command::new("git").args(["init", "--quiet", "--bare", "--"]).arg(&other).status().unwrap().success());
    let mut command = world.command(&["add", "example.org/ada/a"]);
    command.env("GIT_DIR", &other).env("GIT_INDEX_FILE", "x").env("GIT_OBJECT_DIRECTORY", other.join("objects"));
    let answer = finish(command.env("GIT_WORK_TREE", world.path("project")).env("GIT_NAMESPACE", "x"));
    assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""));
    world.right(&["sync"]);
    assert!(!world.path("ran").exists());
    assert!(!other.join("refs/tags/v1.0.0").exists() && !other.join("packed-refs").exists());
    // Addresses that would run a command.
    for from in ["ext::sh -c touch% x://", "ext::sh://x", "file:///nowhere"] {
        world.right(&["replace", "example.org/bob/b", from]);
        let answer = world.pkg(&["versions", "example.org/bob/b"]);
        assert_eq!(answer.code, FAILURE, "{}", answer.stderr);
        assert!(!world.path("project/x").exists());
    }
}

/// A repository that wants a password gives an error, and asks nobody.
#[cfg(unix)]
#[test]
fn nobody_is_asked_for_a_password() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = format!("[url \"http://{}/\"]\n\tinsteadOf = https://example.org/\n", server.local_addr().unwrap());
    fs::write(world.path("gitconfig"), config).unwrap();
    let ask = world.path("ask");
    fs::write(&ask, format!("#!/bin/sh\ntouch '{}'\necho x\n", world.path("asked").display())).unwrap();
    fs::set_permissions(&ask, fs::Permissions::from_mode(0o755)).unwrap();
    std::thread::spawn(move || {
        for stream in server.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let head = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
        }
    });
    let mut command = world.command(&["versions", "example.org/ada/a"]);
    command
        .env("GIT_ASKPASS", &ask)
        .env("SSH_ASKPASS", &ask)
        .env("DISPLAY", ":0")
        .env("NO_PROXY", "*")
        .env_remove("http_proxy");
    let answer = finish(&mut command);
    let said = "error: `https://example.org/ada/a` cannot be fetched: there is no such repository, or it is private (docs/packages.md \
        says how to use private ones)\n";
    assert_eq!((answer.code, &*answer.stderr), (FAILURE, said));
    assert!(!world.path("asked").exists());
}

/// Whenever the command is killed, `lib` is the old one or the new one, and the next command goes on from there.
#[cfg(unix)]
#[test]
fn a_killed_command_leaves_a_whole_folder() {
    let world = two_versions();
    let file = "lib/example.org/ada/a/a.fut";
    world.right(&["add", "example.org/ada/a", "1.0.0"]);
    world.right(&["sync"]);
    let manifest = |version: &str| {
        let text = format!("require {{\n  example.org/ada/a {version}\n}}\n");
        fs::write(world.path("project/futhark.pkg"), text).unwrap();
    };
    for round in 0..24 {
        manifest(if round % 2 == 0 { "1.1.0" } else { "1.0.0" });
        let mut child =
            world.command(&["sync", "--offline"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(4 * round));
        let signal = if round % 3 == 0 { "-KILL" } else { "-TERM" };
        // It may be done already.
        let _ = Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
        child.wait().unwrap();
        let text = world.read(file);
        assert!(text == "def version = \"1.0.0\"\n" || text == "def version = \"1.1.0\"\n", "{text}");
        let left = |extension: &str| {
            let entries = fs::read_dir(world.path("project")).unwrap().map(|entry| entry.unwrap().path());
            entries.into_iter().filter(|path| path.extension().is_some_and(|e| e == extension)).collect::<Vec<_>>()
        };
        for path in left("unfinished") {
            assert_eq!(signal, "-KILL", "{path:?}");
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
    }
    manifest("1.1.0");
    world.right(&["sync", "--offline"]);
    assert_eq!(world.read(file), "def version = \"1.1.0\"\n");
    world.right(&["check"]);
}
