//! Packages that are damaged or mean harm: each is refused in one line, and nothing changes.

use crate::world::{World, path, write};
use kenaz_base::Rng;
use kenaz_package::Error;
use kenaz_package::contents::{MOST_BYTES, MOST_FILES};
use kenaz_package::git::{GitError, Repository, Silent};
use std::fs;

/// A project with a package in `lib`, which must stay as it is.
fn world() -> World {
    let world = World::new();
    world.release("good", "1.0.0", &[]);
    world.require(&["good 1.0.0"]);
    world.sync().unwrap();
    world
}

/// Requires the package `bad` as well, which is refused with these words.
#[track_caller]
fn refused(world: &World, said: &str) {
    let (lib, beside, lock) = (world.lib(), world.beside(), world.read("futhark.lock"));
    world.require(&["good 1.0.0", "bad 1.0.0"]);
    // What the cache has is not looked at again.
    fs::remove_dir_all(world.cache()).unwrap();
    let error = world.sync().unwrap_err();
    let text = error.to_string();
    assert!(text.contains(said), "{text}");
    assert!(!text.contains('\n') && text.chars().all(|c| !c.is_control()), "{text:?}");
    assert_eq!((world.lib(), world.beside(), world.read("futhark.lock")), (lib, beside, lock));
    assert!(!error.is_failure());
}

const MANIFEST: (&str, &str) = ("futhark.pkg", "package ex.org/bad\n");
const SOURCE: (&str, &str) = ("lib/ex.org/bad/bad.fut", "def bad = 1\n");

fn tag(world: &World) {
    world.git("bad", &["tag", "--force", "v1.0.0"]);
}

/// Tags a commit with a tree of these lines in `lib/ex.org/bad`: mode, name and object.
fn tag_tree(world: &World, entries: &[(&str, &[u8], &str)]) {
    let mut id = tree(world, entries);
    for name in ["bad", "ex.org"] {
        id = tree(world, &[("40000", name.as_bytes(), &id)]);
    }
    let manifest = blob(world, MANIFEST.1.as_bytes());
    let root = tree(world, &[("100644", b"futhark.pkg", &manifest), ("40000", b"lib", &id)]);
    let commit = world.git("bad", &["commit-tree", "-m", ".", &root]);
    world.git("bad", &["tag", "--force", "v1.0.0", &commit]);
}

/// A tree object as it is written, whatever git thinks of its names.
fn tree(world: &World, entries: &[(&str, &[u8], &str)]) -> String {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend([mode.as_bytes(), b" ", name, b"\0"].concat());
        bytes.extend((0..id.len() / 2).map(|i| u8::from_str_radix(&id[2 * i..2 * i + 2], 16).unwrap()));
    }
    world.git_with("bad", &["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &bytes)
}

fn blob(world: &World, bytes: &[u8]) -> String {
    world.git_with("bad", &["hash-object", "-w", "--stdin"], bytes)
}

#[test]
fn names_that_lead_elsewhere() {
    let world = world();
    world.begin("bad");
    let id = blob(&world, b"def bad = 1\n");
    let inside = tree(&world, &[("100644", b"bad.fut", &id)]);
    for (mode, name, object, shown) in [
        ("100644", &b".."[..], &id, ".."),
        ("40000", b"..", &inside, "../bad.fut"),
        ("100644", b"../../x", &id, "../../x"),
        ("100644", b"/x", &id, "/x"),
        ("40000", b".git", &inside, ".git/bad.fut"),
        ("40000", b".GIT", &inside, ".GIT/bad.fut"),
        ("100644", b"a\\b", &id, "a\\\\b"),
        ("100644", b"a\x1b[2Jb", &id, "a\\u{1b}[2Jb"),
        ("100644", b"a\nb", &id, "a\\nb"),
        ("100644", b"\xff\xfe", &id, "\u{fffd}\u{fffd}"),
        ("100644", "a\u{202e}b".as_bytes(), &id, "a\u{202e}b"),
    ] {
        tag_tree(&world, &[(mode, name, object)]);
        let shown = shown.replace('\u{202e}', "\\u{202e}");
        refused(
            &world,
            &format!("`ex.org/bad` 1.0.0 is refused: the name `{shown}` is not allowed in a package; require another"),
        );
    }
    tag_tree(&world, &[("100644", b"a", &id), ("100644", b"a", &id)]);
    refused(&world, "`a` is both a file and a folder");
    tag_tree(&world, &[("40000", b"a", &inside), ("100644", b"a", &id)]);
    refused(&world, "`a` is both a file and a folder");
}

#[test]
fn links_and_submodules() {
    let world = world();
    world.begin("bad");
    let target = blob(&world, b"../../../../etc/passwd");
    tag_tree(&world, &[("120000", b"link.fut", &target)]);
    refused(&world, "`link.fut` is a symbolic link, which may lead anywhere");
    tag_tree(&world, &[("160000", b"sub", &"12".repeat(20))]);
    refused(&world, "`sub` is a submodule");
    // Also where our own files should be.
    for (manifest, lib, said) in [
        ("120000", "40000", "`futhark.pkg` is a symbolic link"),
        ("100644", "120000", "it has no folder `lib/ex.org/bad`"),
        ("160000", "40000", "`futhark.pkg` is a submodule"),
    ] {
        let file = blob(&world, if manifest == "100644" { MANIFEST.1.as_bytes() } else { b"../x" });
        let lib = if lib == "40000" { (lib, tree(&world, &[])) } else { (lib, blob(&world, b"..")) };
        let root = tree(&world, &[(manifest, b"futhark.pkg", &file), (lib.0, b"lib", &lib.1)]);
        let commit = world.git("bad", &["commit-tree", "-m", ".", &root]);
        world.git("bad", &["tag", "--force", "v1.0.0", &commit]);
        refused(&world, said);
    }
}

/// A few objects can be a tree of very many files; and one file, listed often, many bytes.
#[test]
fn bombs() {
    let world = world();
    world.begin("bad");
    let mut id = blob(&world, b"def bad = 1\n");
    let mut mode = "100644";
    for _ in 0..9 {
        let names: Vec<[u8; 1]> = (b'a'..=b'j').map(|name| [name]).collect();
        let entries: Vec<(&str, &[u8], &str)> = names.iter().map(|name| (mode, &name[..], id.as_str())).collect();
        (id, mode) = (tree(&world, &entries), "40000");
    }
    tag_tree(&world, &[("40000", b"many", &id)]);
    refused(&world, &format!("it has more than {MOST_FILES} files"));
    let mib = blob(&world, &vec![b' '; 1 << 20]);
    let names: Vec<String> = (100..=100 + (MOST_BYTES >> 20)).map(|i| i.to_string()).collect();
    let entries: Vec<(&str, &[u8], &str)> =
        names.iter().map(|name| ("100644", name.as_bytes(), mib.as_str())).collect();
    tag_tree(&world, &entries);
    refused(&world, &format!("its files have more than {} MiB", MOST_BYTES >> 20));
    let mut manifest = MANIFEST.1.to_string();
    manifest.push_str(&" ".repeat(1 << 20));
    world.commit("bad", &[("futhark.pkg", &manifest), SOURCE]);
    tag(&world);
    refused(&world, "its files have more than");
}

#[test]
fn manifests_that_cannot_be_used() {
    let world = world();
    for (files, said) in [
        (vec![SOURCE], "it has no `futhark.pkg`"),
        (vec![("futhark.pkg", "require {}\n"), SOURCE], "its `futhark.pkg` does not say what it is called"),
        (
            vec![("futhark.pkg", "package ex.org/../..\n"), SOURCE],
            "its `futhark.pkg` cannot be read: line 1: `ex.org/../..` is no package path",
        ),
        (vec![("futhark.pkg", "package /etc\n"), SOURCE], "is no package path"),
        (
            vec![("futhark.pkg", "package ex.org/bad\nrequire {\n --upload-pack=x 1.0.0"), SOURCE],
            "line 3: a package path, or `}`",
        ),
        (vec![("futhark.pkg", "\u{1b}[2J\n"), SOURCE], "line 1: `\\u{1b}[2J` is not expected here"),
        (
            vec![("futhark.pkg", "package ex.org/other\n"), SOURCE],
            "it has no folder `lib/ex.org/other`, in which its files should be",
        ),
        (vec![MANIFEST], "it has no folder `lib/ex.org/bad`"),
        (vec![MANIFEST, ("lib/ex.org/bad", "")], "it has no folder `lib/ex.org/bad`"),
    ] {
        world.commit("bad", &files);
        tag(&world);
        refused(
            &world,
            &format!("`ex.org/bad` 1.0.0 is refused: {}", if said.starts_with("it") { said } else { "its" }),
        );
        refused(&world, said);
    }
}

#[test]
fn repositories_that_are_too_large() {
    let world = world();
    // What cannot be made small.
    let mut rng = Rng::new(1);
    let noise: String = (0..200_000).map(|_| char::from(b'!' + rng.below(90) as u8)).collect();
    world.commit("bad", &[MANIFEST, SOURCE, ("noise", &noise)]);
    let fetch = |largest| {
        let url = world.repo("bad").join(".git").display().to_string();
        Repository::new(&world.cache(), &url).at_most(largest).fetch(&Silent)
    };
    assert!(matches!(fetch(100_000), Err(GitError::TooLarge { largest: 100_000, .. })));
    let left = || fs::read_dir(world.cache()).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count();
    assert_eq!(left(), 1, "only the package `good` is there");
    fetch(10_000_000).unwrap();
    assert_eq!(left(), 2);
}

/// Each is small enough, and all of them are not.
#[test]
fn packages_that_are_too_large_together() {
    let world = world();
    let text = " ".repeat(60 << 20);
    let names: Vec<String> = (0..5).map(|i| format!("part{i}")).collect();
    for name in &names {
        let folder = world.folder.path.join(name);
        write(&folder.join("futhark.pkg"), &format!("package ex.org/{name}\n"));
        write(&folder.join(format!("lib/ex.org/{name}/x.fut")), &text);
    }
    let requires: String = names.iter().map(|name| format!("ex.org/{name} 1.0.0 ")).collect();
    world.write("futhark.pkg", &format!("require {{ ex.org/good 1.0.0 {requires} }}\n"));
    world.write("futhark.local", "ex.org/part* ../part*\n");
    let lib = world.lib();
    let error = world.sync().unwrap_err();
    assert!(matches!(error, Error::ManyBytes), "{error}");
    assert_eq!(world.lib(), lib);
}

/// A tag that leads to something else than a commit is none.
#[test]
fn tags_of_files() {
    let world = world();
    world.begin("bad");
    let id = blob(&world, b"x");
    world.git("bad", &["tag", "v1.0.0", &id]);
    refused(&world, "there is no version 1.0.0 of `ex.org/bad`");
}

#[test]
fn packages_inside_of_each_other() {
    let world = world();
    world.commit("bad", &[MANIFEST, SOURCE]);
    tag(&world);
    let folder = world.folder.path.join("inner");
    write(&folder.join("futhark.pkg"), "package ex.org/good/inner\n");
    write(&folder.join("lib/ex.org/good/inner/x.fut"), "");
    world.write("futhark.local", "ex.org/good/inner ../inner\n");
    world.write("futhark.pkg", "require { ex.org/good 1.0.0 ex.org/good/inner 1.0.0 }\n");
    let lib = world.lib();
    let error = world.sync().unwrap_err();
    assert!(error.to_string().starts_with("`ex.org/good` and `ex.org/good/inner` cannot both be installed"), "{error}");
    assert_eq!(world.lib(), lib);
}

#[test]
fn chains_that_are_too_long() {
    let world = world();
    // A folder has all versions.
    let folder = world.folder.path.join("chain");
    let requires: String = (0..=5_000).map(|i| format!("  ex.org/bad 1.{i}.0\n")).collect();
    write(&folder.join("futhark.pkg"), &format!("package ex.org/bad\nrequire {{\n{requires}}}\n"));
    write(&folder.join("lib/ex.org/bad/x.fut"), "");
    world.write("futhark.local", "ex.org/bad ../chain\n");
    refused(&world, "there are more than 5000 requirements");
}

#[test]
fn tags_that_were_moved() {
    let world = world();
    let first = world.release("bad", "1.0.0", &[]);
    world.require(&["good 1.0.0", "bad 1.0.0"]);
    world.sync().unwrap();
    let lib = world.lib();
    world.commit("bad", &[MANIFEST, ("lib/ex.org/bad/evil.fut", "")]);
    tag(&world);
    let second = world.git("bad", &["rev-parse", "HEAD"]);
    // From the cache it is what it was.
    assert!(!world.sync().unwrap().is_new);
    // A fresh look finds out, and so does somebody with another cache.
    let said = format!("`ex.org/bad` 1.0.0 is commit {second} now, and should be {first}: its tag was moved");
    let error = world.open().check(&world.registry().fresh()).unwrap_err();
    assert!(error.to_string().starts_with(&said), "{error}");
    refused(&world, &said);
    assert_eq!(world.lib(), lib);
    // So does the manifest, without a lock file.
    fs::remove_file(world.project().join("futhark.lock")).unwrap();
    world.require(&[&format!("bad 1.0.0 #{first}")]);
    assert!(world.sync().unwrap_err().to_string().starts_with(&said));
    // And that of another package, which is named.
    world.release("good", "1.1.0", &[&format!("bad 1.0.0 #{first}")]);
    world.require(&["good 1.1.0", "bad 1.0.0"]);
    let error = world.sync().unwrap_err();
    assert!(error.to_string().ends_with("(required by `ex.org/good` 1.1.0)"), "{error}");
}

#[test]
fn a_moved_tag_can_be_accepted() {
    let world = World::new();
    world.release("bad", "1.0.0", &[]);
    world.open().add(&world.registry(), &path("ex.org/bad"), None, false).unwrap();
    world.sync().unwrap();
    world.commit("bad", &[MANIFEST, SOURCE]);
    tag(&world);
    let add = || world.open().add(&world.registry().fresh(), &path("ex.org/bad"), None, false);
    add().unwrap();
    assert!(world.sync().unwrap().is_new);
    assert_eq!(world.lib()["ex.org/bad/bad.fut"], SOURCE.1);
    assert!(matches!(world.open().check(&world.registry().fresh()), Ok(versions) if versions.len() == 1));
}

#[test]
fn a_lock_file_that_names_other_files() {
    let world = world();
    let lock = world.read("futhark.lock");
    let at = lock.find("sha256:").unwrap() + "sha256:".len();
    world.write("futhark.lock", &format!("{}{}{}", &lock[..at], "0".repeat(64), &lock[at + 64..]));
    let error = world.sync().unwrap_err();
    assert!(matches!(error, Error::Changed { .. }), "{error}");
    world.write("futhark.lock", "<<<<<<< ours\n");
    let error = kenaz_package::Project::open(&world.project()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "`futhark.lock`, line 1: `<<<<<<<` is no package path, since `<` cannot be part of one; it looks like \
        `github.com/user/name`"
    );
}
