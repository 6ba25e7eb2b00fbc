//! `kenaz literate` as users run it: pages, checks, options, mistakes.

use crate::pkg::World;
use std::fs;
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "-- Squares.\n\ndef squares (n: i64) = map (\\i -> i * i) (iota n)\n\n-- > squares 4\n\n\
                       def picture (n: i64): [n][n]f32 = replicate n (replicate n 0.5)\n\n-- > :img picture 3\n";

struct Project {
    world: World,
}

impl Project {
    fn new(program: &str) -> Project {
        let project = Project { world: World::new() };
        project.write("a.fut", program);
        project
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.world.path("project").join(file), text).unwrap();
    }

    fn read(&self, file: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.world.path("project").join(file)).unwrap()).into_owned()
    }

    fn exists(&self, file: &str) -> bool {
        self.world.path("project").join(file).exists()
    }

    /// The exit code, and what is said on both streams.
    fn literate(&self, args: &[&str]) -> (i32, String) {
        let answer = self.world.kenaz(&[&["literate", "--backend", "interpreter", "a.fut"], args].concat());
        (answer.code.unwrap(), answer.stdout + &answer.stderr)
    }
}

#[test]
fn pages_and_their_checks() {
    let project = Project::new(PROGRAM);
    assert_eq!(project.literate(&["--check"]).0, 1);
    assert!(!project.exists("a.md"));
    assert_eq!(project.literate(&[]), (0, String::new()));
    assert!(project.read("a.md").contains("```\n[0i64, 1i64, 4i64, 9i64]\n```\n"));
    assert!(project.read("a.md").ends_with("![picture 3](a-img/picture-3.png)\n"));
    assert!(project.exists("a-img/picture-3.png"));
    assert_eq!(project.literate(&["--check"]), (0, String::new()));
    // Another result, and the same in other words.
    project.write("a.fut", &PROGRAM.replace("i * i", "i * i * i"));
    let (code, said) = project.literate(&["--check"]);
    assert_eq!(code, 1);
    assert!(said.contains("-[0i64, 1i64, 4i64, 9i64]\n"), "{said}");
    assert!(said.contains("+[0i64, 1i64, 8i64, 27i64]\n"), "{said}");
    assert!(said.ends_with("error: `a.md` is not what `kenaz literate a.fut` makes\n"), "{said}");
    project.write("a.fut", &PROGRAM.replace("0.5", "0.25"));
    let (code, said) = project.literate(&["--check"]);
    assert!(code == 1 && said.contains("a-img/picture-3.png: the picture is another one"), "{said}");
    // What no page needs goes, and what others put there stays.
    project.write("a-img/mine.txt", "mine");
    project.write("a.fut", "def picture = [[1f64]]\n\n-- > :img picture\n");
    assert_eq!(project.literate(&[]).0, 0);
    assert!(project.exists("a-img/picture.png") && !project.exists("a-img/picture-3.png"));
    assert_eq!(project.read("a-img/mine.txt"), "mine");
    fs::remove_file(project.world.path("project/a-img/mine.txt")).unwrap();
    project.write("a.fut", "-- Nothing.\n");
    assert_eq!(project.literate(&[]).0, 0);
    assert!(!project.exists("a-img"));
}

#[test]
fn other_places() {
    let project = Project::new(PROGRAM);
    fs::create_dir(project.world.path("project/pages")).unwrap();
    assert_eq!(project.literate(&["-o", "pages/my page.md"]).0, 0);
    assert!(project.read("pages/my page.md").contains("(my%20page-img/picture-3.png)"));
    assert!(project.exists("pages/my page-img/picture-3.png") && !project.exists("a.md"));
    for (output, expected) in [
        ("a.fut", "error: `a.fut` cannot be the page of `a.fut`\n"),
        ("none/a.md", "error: `none/a-img` cannot be written: No such file or directory (os error 2)\n"),
    ] {
        let (code, said) = project.literate(&["-o", output]);
        assert_eq!((code, said.as_str()), (2, expected));
    }
    assert_eq!(project.read("a.fut"), PROGRAM);
}

#[test]
fn failures_and_mistakes() {
    let program = "def f (x: i64) = assert (x > 1) x\n\n-- > f 1\n\n-- > f 2\n";
    let project = Project::new(program);
    let (code, said) = project.literate(&["--stop-on-error"]);
    assert!(code == 1 && !project.exists("a.md"), "{said}");
    let (code, said) = project.literate(&["--verbose"]);
    assert_eq!(code, 1);
    assert!(
        said.starts_with("a.fut:3: f 1\na.fut:5: f 2\nerror: a.fut:3: `f 1` failed: `f` failed: Error: Assertion"),
        "{said}"
    );
    assert!(
        project.read("a.md").contains("**FAILED**\n```\n`f` failed") && project.read("a.md").ends_with("2i64\n```\n")
    );
    // A page is there only if it can be made.
    fs::remove_file(project.world.path("project/a.md")).unwrap();
    for (program, expected) in [
        ("-- > f (\n", "error: a.fut:2:1: expected an expression, found the end\n"),
        ("-- text\n-- > f\n", "error: a.fut:2:1: a directive must follow an empty line\n"),
        ("def f = 1 +\n", "error[unexpected-token]"),
        ("def f 'a (x: a) = x\n\n-- > f 1\n", "error[entry-polymorphic]"),
    ] {
        project.write("a.fut", program);
        let (code, said) = project.literate(&[]);
        assert!(code == 2 && said.starts_with(expected), "{said}");
        assert!(!project.exists("a.md"));
    }
    let answer = project.world.kenaz(&["literate", "none.fut"]);
    assert!(answer.code == Some(2) && answer.stderr.contains("none.fut"), "{}", answer.stderr);
}

#[test]
fn compiled_programs_and_results_that_are_kept() {
    let project = Project::new(PROGRAM);
    let answer = project.world.kenaz(&["literate", "a.fut"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
    let first = project.read("a.md");
    let results = project.world.path("cache/literate");
    let names = || fs::read_dir(&results).unwrap().count();
    assert_eq!(names(), 2);
    let answer = project.world.kenaz(&["literate", "a.fut", "--check"]);
    assert_eq!((answer.code, names()), (Some(0), 2));
    // An executable that is there already.
    assert_eq!(
        project.world.kenaz(&["c", "--server", "--entry-point=squares", "--entry-point=picture", "a.fut"]).code,
        Some(0)
    );
    let answer = project.world.kenaz(&["literate", "a.fut", "--skip-compilation", "--no-cache"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
    assert_eq!((project.read("a.md"), names()), (first, 2));
}

#[test]
fn missing_tools_are_named() {
    let project =
        Project::new("-- > :gnuplot {a = ([1, 2], [3, 4])};\n-- plot a\n\n-- > :audio [0f32];\n-- codec: mp3\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz"));
    command.args(["literate", "--backend", "interpreter", "a.fut"]).env("PATH", project.world.path("nothing"));
    command.env("KENAZ_CACHE", project.world.path("cache")).current_dir(project.world.path("project"));
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let expected = "error: a.fut:1: `:gnuplot {a = ([1, 2], [3, 4])};` failed: `gnuplot` is not installed; `:plot2d` needs \
                    nothing but Kenaz\nerror: a.fut:4: `:audio [0f32];` failed: `ffmpeg` is not installed; without it, \
                    videos are `format: gif` and sounds `codec: wav`\n";
    assert_eq!((output.status.code(), said.as_str()), (Some(1), expected));
}

/// The pictures that README.md shows are those that the programs in examples make.
#[test]
fn the_gallery_is_up_to_date() {
    let world = World::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz"));
    command.args(["literate", "examples/gallery.fut", "-o", "docs/gallery.md", "--check"]).current_dir(root);
    let output = command.env("KENAZ_CACHE", world.path("cache")).env_remove("CFLAGS").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&[output.stdout, output.stderr].concat()));
}

/// With scripts in the places of the tools, which write down what they are told.
#[cfg(unix)]
#[test]
fn tools_are_given_what_they_need() {
    use std::os::unix::fs::PermissionsExt;
    let program = "def frames = [[[1f32, 0f32, 1f32]], [[0f32, 1f32, 0f32]]]\n\n-- > :video frames;\n-- format: webm\n-- fps: 5\n\
                   -- loop: false\n\n-- > :audio [0i16, 1i16];\n-- codec: ogg\n\n-- > :img frame;\n-- file: a.jpg\n\n\
                   def frame = frames[0]\n\n-- > :gnuplot {a = ([1, 2], [3.5, 4])};\n-- plot a with lines\n";
    let project = Project::new(program);
    let bin = project.world.path("bin");
    fs::create_dir(&bin).unwrap();
    let last = "for last; do :; done";
    for (name, script) in [
        ("ffmpeg", format!("{last}\n{{ echo \"$@\"; wc -c; }} > \"$last\"")),
        ("convert", format!("{last}\n{{ echo convert; head -c 4 \"$1\"; }} > \"$last\"")),
        (
            "gnuplot",
            "script=$(cat)\nfile=$(echo \"$script\" | sed -n \"s/^a='\\(.*\\)'$/\\1/p\")\n\
             { echo \"$script\" | tail -n 1; cat \"$file\"; } > \"$(echo \"$script\" | sed -n \"s/^set output '\\(.*\\)'$/\\1/p\")\""
                .to_string(),
        ),
    ] {
        fs::write(bin.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let answer = project
        .world
        .shell("PATH=\"$PWD/../bin:$PATH\" kenaz literate --backend interpreter a.fut", &project.world.path("project"));
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
    let video = project.read("a-img/frames.webm");
    let options = "-loglevel error -y -f rawvideo -pixel_format rgb24 -video_size 3x1 -framerate 5 -i - -vf ";
    assert!(video.starts_with(options) && video.lines().last().unwrap().trim() == "18", "{video}");
    let sound = project.read("a-img/0i16-1i16.ogg");
    assert!(
        sound.starts_with("-loglevel error -y -f wav -i - ") && sound.lines().last().unwrap().trim() == "48",
        "{sound}"
    );
    assert!(project.read("a-img/a.jpg").starts_with("convert\n"));
    assert_eq!(project.read("a-img/a-1-2-3-5-4.png"), "plot a with lines\n1 3.5\n2 4\n");
    assert!(project.read("a.md").contains("<video src=\"a-img/frames.webm\" controls autoplay muted></video>"));
}
