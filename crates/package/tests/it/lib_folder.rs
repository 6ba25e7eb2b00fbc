//! The folder `lib`: what is kept, and that it changes at once or not at all.

use crate::world::{World, path};
use kenaz_package::contents::Contents;
use kenaz_package::install::Lib;
use kenaz_package::lock::{Lock, Locked};
use kenaz_package::{Error, SyncOptions, Version};
use std::collections::BTreeMap;
use std::fs;

fn world() -> World {
    let world = World::new();
    world.release("a", "1.0.0", &["b 1.0.0"]);
    world.release("a", "1.1.0", &[]);
    world.release("b", "1.0.0", &[]);
    world.require(&["a 1.0.0"]);
    world
}

#[test]
fn other_files_stay() {
    let world = world();
    world.write("lib/mine.fut", "def mine = 1\n");
    world.write("lib/ex.org/other/x.fut", "def x = 1\n");
    fs::create_dir(world.project().join("lib/empty")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", world.project().join("lib/link")).unwrap();
    let other = fs::File::open(world.project().join("lib/mine.fut")).unwrap();
    world.sync().unwrap();
    // They are the very same files, so that an editor that has one open still writes to it.
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let now = fs::metadata(world.project().join("lib/mine.fut")).unwrap();
        assert_eq!(now.ino(), other.metadata().unwrap().ino());
        assert_eq!(fs::read_link(world.project().join("lib/link")).unwrap(), std::path::Path::new("nowhere"));
        fs::remove_file(world.project().join("lib/link")).unwrap();
    }
    assert!(world.project().join("lib/empty").is_dir());
    assert_eq!(world.names(), "ex.org/a/a.fut ex.org/b/b.fut ex.org/other/x.fut mine.fut");
    world.require(&["a 1.1.0"]);
    world.sync().unwrap();
    assert_eq!(world.names(), "ex.org/a/a.fut ex.org/other/x.fut mine.fut");
    drop(other);
}

/// Nothing is lost that somebody has written into the folder of a package.
#[test]
fn changed_packages_are_not_replaced() {
    let world = world();
    world.sync().unwrap();
    for change in ["lib/ex.org/a/a.fut", "lib/ex.org/a/new.fut", "lib/ex.org/b/b.fut"] {
        world.require(&["a 1.0.0"]);
        world.sync_with(&world.registry(), SyncOptions { force: true, ..SyncOptions::default() }).unwrap();
        world.write(change, "def mine = 1\n");
        world.require(&["a 1.1.0"]);
        let before = world.lib();
        let error = world.sync().unwrap_err();
        assert!(matches!(&error, Error::Foreign { path } if change.contains(path.as_str())), "{error}");
        assert_eq!(world.lib(), before);
        let force = SyncOptions { force: true, ..SyncOptions::default() };
        assert!(world.sync_with(&world.registry(), force).unwrap().is_new);
        assert_eq!(world.names(), "ex.org/a/a.fut");
    }
}

/// A `lib` from another tool has no lock file; what is in it is taken for what it is.
#[test]
fn packages_without_a_lock_file() {
    let world = world();
    world.sync().unwrap();
    fs::remove_file(world.project().join("futhark.lock")).unwrap();
    assert!(!world.sync().unwrap().is_new);
    fs::remove_file(world.project().join("futhark.lock")).unwrap();
    world.require(&["a 1.1.0"]);
    assert!(matches!(world.sync(), Err(Error::Foreign { .. })));
    // A lost `lib` comes back.
    world.require(&["a 1.0.0"]);
    world.sync().unwrap();
    fs::remove_dir_all(world.project().join("lib")).unwrap();
    assert!(world.sync().unwrap().is_new);
    assert_eq!(world.names(), "ex.org/a/a.fut ex.org/b/b.fut");
}

#[test]
fn a_lib_that_is_no_folder() {
    let world = world();
    world.write("lib", "");
    assert!(matches!(world.sync(), Err(Error::NoLib { .. })));
    assert_eq!(world.read("lib"), "");
    fs::remove_file(world.project().join("lib")).unwrap();
    #[cfg(unix)]
    {
        let elsewhere = world.folder.path.join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, world.project().join("lib")).unwrap();
        assert!(matches!(world.sync(), Err(Error::NoLib { .. })));
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
        // Nor is a package written through a link.
        fs::remove_file(world.project().join("lib")).unwrap();
        fs::create_dir_all(world.project().join("lib/ex.org")).unwrap();
        std::os::unix::fs::symlink(&elsewhere, world.project().join("lib/ex.org/a")).unwrap();
        assert!(matches!(world.sync(), Err(Error::NoLib { .. })));
        fs::remove_dir_all(world.project().join("lib")).unwrap();
        fs::create_dir_all(world.project().join("lib")).unwrap();
        std::os::unix::fs::symlink(&elsewhere, world.project().join("lib/ex.org")).unwrap();
        assert!(matches!(world.sync(), Err(Error::NoLib { .. })));
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    }
    assert!(!world.beside().iter().any(|name| name.ends_with("unfinished")), "{:?}", world.beside());
}

fn contents(text: &str) -> Contents {
    let mut contents = Contents::default();
    contents.insert("x.fut", text.as_bytes().to_vec()).unwrap();
    contents
}

/// When the last step fails, everything is as it was.
#[test]
fn a_failure_leaves_it_as_it_was() {
    let world = World::new();
    let lib = Lib::new(&world.project());
    let packages = |text: &str| BTreeMap::from([(path("ex.org/a"), contents(text))]);
    let fail = || Err(Error::NotLocked);
    assert!(matches!(lib.install(&packages("1"), &Lock::default(), None, false, fail), Err(Error::NotLocked)));
    assert_eq!(world.beside(), [""; 0]);
    assert!(lib.install(&packages("1"), &Lock::default(), None, false, || Ok(())).unwrap());
    let locked = Locked { version: Version::new(1, 0, 0), commit: None, hash: contents("1").hash() };
    let lock = Lock { packages: BTreeMap::from([(path("ex.org/a"), locked)]) };
    assert!(matches!(lib.install(&packages("2"), &lock, None, false, fail), Err(Error::NotLocked)));
    assert_eq!(world.lib()["ex.org/a/x.fut"], "1");
    assert!(lib.install(&packages("2"), &lock, None, false, || Ok(())).unwrap());
    assert_eq!(world.lib()["ex.org/a/x.fut"], "2");
    assert_eq!(world.beside(), ["lib"]);
}

/// Where two folders cannot change places in one step, a command may be killed between two of them.
#[test]
fn a_lost_folder_is_found_again() {
    let world = world();
    world.sync().unwrap();
    let lib = world.lib();
    fs::rename(world.project().join("lib"), world.project().join("lib~old")).unwrap();
    world.open();
    assert_eq!((world.lib(), world.beside()), (lib, vec!["futhark.lock".into(), "futhark.pkg".into(), "lib".into()]));
}
