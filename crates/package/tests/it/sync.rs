//! What is added, selected and installed.

use crate::world::{World, path, version, write};
use kenaz_package::project::name_of_folder;
use kenaz_package::{Error, SyncOptions};
use std::fs;

fn versions(world: &World) -> String {
    let packages = world.sync().unwrap().packages;
    packages
        .iter()
        .map(|(path, version)| format!("{} {version}", &path.as_str()["ex.org/".len()..]))
        .collect::<Vec<_>>()
        .join(", ")
}

#[test]
fn packages_come_with_what_they_require() {
    let world = World::new();
    world.release("a", "1.0.0", &["b 1.2.0", "c 0.1.0"]);
    world.release("b", "1.2.0", &[]);
    world.release("b", "1.3.0", &[]);
    world.release("b", "1.10.0", &[]);
    world.release("c", "0.1.0", &["b 1.3.0"]);
    world.require(&["a 1.0.0"]);
    let synced = world.sync().unwrap();
    assert!(synced.is_new && synced.changes.len() == 3 && synced.renamed.is_empty());
    let lib = world.lib();
    assert_eq!(world.names(), "ex.org/a/a.fut ex.org/b/b.fut ex.org/c/c.fut");
    // The least version that will do, and not the newest.
    assert_eq!(lib["ex.org/b/b.fut"], "def version = \"b 1.3.0\"\n");
    let lock = world.read("futhark.lock");
    let commit = world.git("b", &["rev-parse", "v1.3.0"]);
    assert!(lock.contains(&format!("\nex.org/b 1.3.0 #{commit} sha256:")), "{lock}");
    // There is nothing left to do.
    let again = world.sync().unwrap();
    assert!(!again.is_new && again.changes.is_empty());
    assert_eq!(world.read("futhark.lock"), lock);
    assert_eq!(world.beside(), ["futhark.lock", "futhark.pkg", "lib"]);
}

#[test]
fn packages_that_nobody_requires_go() {
    let world = World::new();
    world.release("a", "1.0.0", &["b 1.0.0"]);
    world.release("a", "1.1.0", &[]);
    world.release("b", "1.0.0", &[]);
    world.require(&["a 1.0.0"]);
    assert_eq!(versions(&world), "a 1.0.0, b 1.0.0");
    world.require(&["a 1.1.0"]);
    assert_eq!(versions(&world), "a 1.1.0");
    assert_eq!(world.names(), "ex.org/a/a.fut");
    assert_eq!(world.open().remove(&path("ex.org/a")).unwrap().old, Some(version("1.1.0")));
    assert_eq!(versions(&world), "");
    assert_eq!(world.names(), "");
    assert!(!world.project().join("lib/ex.org").exists());
    let error = world.open().remove(&path("ex.org/a")).unwrap_err();
    assert_eq!(error.to_string(), "`futhark.pkg` does not require `ex.org/a`");
}

#[test]
fn the_newest_version_is_added() {
    let world = World::new();
    for version in ["0.9.0", "0.10.0", "1.0.0", "2.0.0", "2.1.0"] {
        world.release("a", version, &[]);
    }
    // What looks like a version and is none.
    for tag in ["v1.2", "1.9.0", "v1.5.0-rc1", "v01.6.0", "latest"] {
        world.git("a", &["tag", tag]);
    }
    let add = |name: &str, wanted: Option<&str>| {
        let added = world.open().add(&world.registry(), &path(name), wanted.map(version), false);
        added.map(|change| change.new.unwrap().to_string())
    };
    assert_eq!(add("ex.org/a", None).unwrap(), "1.0.0");
    assert_eq!(add("ex.org/a@2", None).unwrap(), "2.1.0");
    let (one, two) = (world.git("a", &["rev-parse", "v1.0.0"]), world.git("a", &["rev-parse", "v2.1.0"]));
    let text = format!("require {{\n  ex.org/a 1.0.0 #{one}\n  ex.org/a@2 2.1.0 #{two}\n}}\n");
    assert_eq!(world.read("futhark.pkg"), text);
    assert_eq!(versions(&world), "a 1.0.0, a@2 2.1.0");
    assert_eq!(world.names(), "ex.org/a/a.fut ex.org/a@2/a.fut");
    assert_eq!(add("ex.org/a", Some("0.9.0")).unwrap(), "0.9.0");
    for (name, wanted, said) in [
        ("ex.org/a", Some("1.5.0"), "there is no version 1.5.0 of `ex.org/a`; the newest are 1.0.0, 0.10.0, 0.9.0"),
        (
            "ex.org/a",
            Some("2.0.0"),
            "there is no version 2.0.0 of `ex.org/a`; major version 2 is the package `ex.org/a@2`",
        ),
        (
            "ex.org/a@2",
            Some("1.0.0"),
            "there is no version 1.0.0 of `ex.org/a@2`; major version 1 is the package `ex.org/a`",
        ),
        (
            "ex.org/a@3",
            None,
            "`ex.org/a@3` has no release; the newest in another major version is 2.1.0 of `ex.org/a@2`",
        ),
    ] {
        assert_eq!(add(name, wanted).unwrap_err().to_string(), said);
    }
    let all: Vec<String> =
        world.registry().versions(&path("ex.org/a")).unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(all, ["0.9.0", "0.10.0", "1.0.0", "2.0.0", "2.1.0"]);
}

#[test]
fn upgrades_stay_in_their_major_version() {
    let world = World::new();
    for version in ["0.1.0", "1.0.0", "1.2.0", "2.0.0"] {
        world.release("a", version, &[]);
        world.release("b", version, &[]);
    }
    world.write("futhark.pkg", "-- mine\nrequire { ex.org/a 0.1.0 -- old\n  ex.org/b 1.2.0\n}\n");
    let upgrade = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(|name| path(name)).collect();
        world.open().upgrade(&world.registry(), &names).map(|changes| changes.len())
    };
    assert_eq!(upgrade(&["ex.org/b"]).unwrap(), 0);
    assert_eq!(upgrade(&[]).unwrap(), 1);
    let commit = world.git("a", &["rev-parse", "v1.2.0"]);
    let text = format!("-- mine\nrequire {{ ex.org/a 1.2.0 #{commit} -- old\n  ex.org/b 1.2.0\n}}\n");
    assert_eq!(world.read("futhark.pkg"), text);
    let error = upgrade(&["ex.org/bb"]).unwrap_err();
    assert_eq!(error.to_string(), "`futhark.pkg` does not require `ex.org/bb`; did you mean `ex.org/b`?");
}

#[test]
fn commits_without_releases() {
    let world = World::new();
    let files = [("futhark.pkg", "package ex.org/a\n"), ("lib/ex.org/a/a.fut", "def a = 1\n")];
    let old = world.commit("a", &files);
    let new = world.commit("a", &[files[0], ("lib/ex.org/a/b.fut", "def b = 1\n")]);
    let change = world.open().add(&world.registry(), &path("ex.org/a"), None, false).unwrap();
    assert_eq!(change.new.unwrap().to_string(), format!("0.0.0-20260131235959+{new}"));
    world.sync().unwrap();
    assert_eq!(world.names(), "ex.org/a/b.fut");
    // A hash may be cut short.
    world.require(&[&format!("a 0.0.0-20200101000000+{}", &old[..9])]);
    world.sync().unwrap();
    assert_eq!(world.names(), "ex.org/a/a.fut");
    // The time may be that of when somebody added it.
    world.require(&[&format!("a 0.0.0-29990101000000+{old}")]);
    assert_eq!(world.open().upgrade(&world.registry(), &[]).unwrap().len(), 1);
    assert!(world.read("futhark.pkg").contains(&new));
    assert_eq!(world.open().upgrade(&world.registry(), &[]).unwrap(), []);
    world.require(&["a 0.0.0-20200101000000+0123456789abcdef"]);
    let error = world.sync().unwrap_err();
    assert!(matches!(&error, Error::NoCommit { commit, .. } if commit == "0123456789abcdef"), "{error}");
    // Any release is newer.
    world.release("a", "0.0.1", &[]);
    world.require(&[&format!("a 0.0.0-20200101000000+{}", &old[..9])]);
    world.open().upgrade(&world.registry(), &[]).unwrap();
    assert!(world.read("futhark.pkg").contains("ex.org/a 0.0.1 #"));
}

/// The name that a package has for itself says where its files are, and whoever requires it says where they go.
#[test]
fn packages_with_another_name() {
    let world = World::new();
    world.commit("a", &[("futhark.pkg", "package ex.org/old/\n"), ("lib/ex.org/old/a.fut", "def a = 1\n")]);
    world.git("a", &["tag", "v1.0.0"]);
    let error = world.open().add(&world.registry(), &path("ex.org/a"), None, false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`ex.org/a` calls itself `ex.org/old`; add that, or say `--renamed` if it is a copy or has moved"
    );
    assert!(!world.project().join("futhark.pkg").exists());
    world.open().add(&world.registry(), &path("ex.org/a"), None, true).unwrap();
    let synced = world.sync().unwrap();
    assert_eq!(synced.renamed, [(path("ex.org/a"), path("ex.org/old"))]);
    assert_eq!(world.names(), "ex.org/a/a.fut");
}

#[test]
fn packages_may_require_each_other() {
    let world = World::new();
    world.release("a", "1.0.0", &["b 1.0.0"]);
    world.release("a", "1.1.0", &["b 1.0.0"]);
    world.release("b", "1.0.0", &["a 1.1.0", "b 1.0.0"]);
    world.require(&["a 1.0.0"]);
    assert_eq!(versions(&world), "a 1.1.0, b 1.0.0");
}

#[test]
fn the_own_package_stays() {
    let world = World::new();
    world.release("a", "1.0.0", &["own 1.0.0"]);
    world.release("own", "1.0.0", &[]);
    let sources = kenaz_package::Project::init(&world.project(), &path("ex.org/own")).unwrap();
    world.write(&sources.join("mine.fut").display().to_string(), "def mine = 1\n");
    world.open().add(&world.registry(), &path("ex.org/a"), None, false).unwrap();
    assert_eq!(versions(&world), "a 1.0.0");
    assert_eq!(world.names(), "ex.org/a/a.fut ex.org/own/mine.fut");
    world.open().check(&world.registry().fresh()).unwrap();
    let error = world.open().add(&world.registry(), &path("ex.org/own"), None, false).unwrap_err();
    assert_eq!(error.to_string(), "`ex.org/own` is the package of this folder, and cannot require itself");
    let error = kenaz_package::Project::init(&world.project(), &path("ex.org/own")).unwrap_err();
    assert!(matches!(error, Error::ManifestExists { .. }));
}

#[test]
fn folders_are_taken_as_they_are() {
    let world = World::new();
    world.release("b", "1.0.0", &[]);
    let folder = world.folder.path.join("mine");
    write(&folder.join("futhark.pkg"), "package ex.org/a\nrequire { ex.org/b 1.0.0 }\n");
    write(&folder.join("lib/ex.org/a/a.fut"), "def a = 1\n");
    assert_eq!(name_of_folder(&folder).unwrap(), path("ex.org/a"));
    world.write("futhark.local", "ex.org/a ../mine\n");
    world.open().add(&world.registry(), &path("ex.org/a"), None, false).unwrap();
    assert_eq!(versions(&world), "a 0.0.0, b 1.0.0");
    assert_eq!(world.lib()["ex.org/a/a.fut"], "def a = 1\n");
    // What changes there is no contradiction to the lock file.
    write(&folder.join("lib/ex.org/a/a.fut"), "def a = 2\n");
    assert!(matches!(world.open().check(&world.registry()), Err(Error::NotSynced { .. })));
    assert_eq!(versions(&world), "a 0.0.0, b 1.0.0");
    assert_eq!(world.lib()["ex.org/a/a.fut"], "def a = 2\n");
    world.open().check(&world.registry()).unwrap();
    // A requirement of a release stays when the folder is added.
    world.require(&["a 1.7.0"]);
    world.open().add(&world.registry(), &path("ex.org/a"), None, false).unwrap();
    assert!(world.read("futhark.pkg").contains("ex.org/a 1.7.0\n"));
    assert_eq!(world.open().upgrade(&world.registry(), &[]).unwrap(), []);
    fs::remove_file(folder.join("futhark.pkg")).unwrap();
    let error = world.sync().unwrap_err();
    assert!(error.to_string().ends_with("it must be the folder of a package"), "{error}");
}

#[test]
fn the_lock_file_can_be_a_must() {
    let world = World::new();
    world.release("a", "1.0.0", &[]);
    world.release("a", "1.1.0", &[]);
    world.require(&["a 1.0.0"]);
    let locked = SyncOptions { locked: true, ..SyncOptions::default() };
    assert!(matches!(world.sync_with(&world.registry(), locked), Err(Error::NotLocked)));
    assert_eq!(world.beside(), ["futhark.pkg"]);
    world.sync().unwrap();
    fs::remove_dir_all(world.project().join("lib")).unwrap();
    assert!(world.sync_with(&world.registry(), locked).unwrap().is_new);
    world.require(&["a 1.1.0"]);
    assert!(matches!(world.sync_with(&world.registry(), locked), Err(Error::NotLocked)));
}

#[test]
fn check_says_what_is_wrong() {
    let world = World::new();
    world.release("a", "1.0.0", &["b 1.0.0"]);
    world.release("b", "1.0.0", &[]);
    let check = || world.open().check(&world.registry().fresh()).map(|versions| versions.len());
    assert!(matches!(check(), Err(Error::NoManifest)));
    world.require(&["a 1.0.0"]);
    assert_eq!(check().unwrap(), 2);
    world.sync().unwrap();
    assert_eq!(check().unwrap(), 2);
    world.write("lib/ex.org/b/b.fut", "def version = \"mine\"\n");
    assert!(matches!(check(), Err(Error::NotSynced { path }) if path.as_str() == "ex.org/b"));
    world.write("futhark.pkg", "package ex.org/own\nrequire { ex.org/a 1.0.0 }\n");
    assert!(matches!(check(), Err(Error::NoSources { path }) if path.as_str() == "ex.org/own"));
    world.require(&["a 1.0.0", "c 1.0.0"]);
    let error = check().unwrap_err();
    assert!(error.is_failure() && error.to_string().contains("repos/c/.git"), "{error}");
}
