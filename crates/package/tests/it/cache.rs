//! What is fetched, and when.

use crate::world::{World, path, version};
use kenaz_package::{Error, SyncOptions};
use std::fs;

fn world() -> World {
    let world = World::new();
    world.release("a", "1.0.0", &["b 1.0.0"]);
    world.release("b", "1.0.0", &[]);
    world.require(&["a 1.0.0"]);
    world
}

#[test]
fn the_cache_is_enough() {
    let world = world();
    let offline = |world: &World| world.sync_with(&world.registry().offline(true), SyncOptions::default());
    let error = offline(&world).unwrap_err();
    assert_eq!(error.to_string(), "`ex.org/a` 1.0.0 is not in the cache; leave out `--offline` to fetch it");
    world.sync().unwrap();
    fs::rename(world.folder.path.join("repos"), world.folder.path.join("gone")).unwrap();
    fs::remove_dir_all(world.project().join("lib")).unwrap();
    // Nothing is fetched that is there, whether that is allowed or not.
    assert!(world.sync().unwrap().is_new);
    fs::remove_dir_all(world.project().join("lib")).unwrap();
    assert!(offline(&world).unwrap().is_new);
    assert_eq!(world.registry().offline(true).versions(&path("ex.org/a")).unwrap(), [version("1.0.0")]);
    world.require(&["a 1.1.0"]);
    let error = offline(&world).unwrap_err();
    assert!(matches!(error, Error::Offline { .. }), "{error}");
    let error = world.sync().unwrap_err();
    assert!(error.is_failure() && error.to_string().contains("cannot be fetched"), "{error}");
}

#[test]
fn new_versions_are_fetched_when_they_are_wanted() {
    let world = world();
    world.sync().unwrap();
    world.release("a", "1.1.0", &[]);
    world.require(&["a 1.1.0"]);
    world.sync().unwrap();
    assert_eq!(world.names(), "ex.org/a/a.fut");
    // History may be written anew, and tags may go.
    world.git("a", &["tag", "--delete", "v1.0.0", "v1.1.0"]);
    fs::remove_dir_all(world.repo("a")).unwrap();
    world.release("a", "1.2.0", &[]);
    world.require(&["a 1.2.0"]);
    world.sync().unwrap();
    assert_eq!(world.registry().versions(&path("ex.org/a")).unwrap(), [version("1.2.0")]);
}

/// A cache that lost a part of its files is fetched again.
#[test]
fn a_damaged_cache_is_mended() {
    let world = world();
    world.sync().unwrap();
    let lib = world.lib();
    let folders: Vec<_> = fs::read_dir(world.cache()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let pack = |folder: &std::path::Path| {
        let packs = fs::read_dir(folder.join("objects/pack")).unwrap().map(|entry| entry.unwrap().path());
        packs.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "pack")).unwrap()
    };
    type Damage<'a> = &'a dyn Fn(&std::path::Path);
    let rewrite = |path: &std::path::Path, bytes: &[u8]| {
        // Git makes packs read-only.
        fs::remove_file(path).unwrap();
        fs::write(path, bytes).unwrap();
    };
    let truncate: Damage<'_> = &|folder| {
        let pack = pack(folder);
        let bytes = fs::read(&pack).unwrap();
        rewrite(&pack, &bytes[..bytes.len() / 2]);
    };
    let overwrite: Damage<'_> = &|folder| {
        let pack = pack(folder);
        let mut bytes = fs::read(&pack).unwrap();
        bytes[20..].fill(0x55);
        rewrite(&pack, &bytes);
    };
    let remove_pack: Damage<'_> = &|folder| fs::remove_file(pack(folder)).unwrap();
    let remove_head: Damage<'_> = &|folder| fs::remove_file(folder.join("HEAD")).unwrap();
    let remove_refs: Damage<'_> = &|folder| {
        let _ = fs::remove_file(folder.join("packed-refs"));
        fs::remove_dir_all(folder.join("refs")).unwrap();
    };
    for damage in [truncate, overwrite, remove_pack, remove_head, remove_refs] {
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            damage(folder);
        }
        fs::remove_dir_all(world.project().join("lib")).unwrap();
        world.sync().unwrap();
        assert_eq!(world.lib(), lib);
    }
}

/// Several commands at once get whole packages, from one cache.
#[test]
fn many_at_once() {
    let worlds: Vec<World> = (0..4).map(|_| world()).collect();
    let first = &worlds[0];
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                first.sync().unwrap();
            });
        }
    });
    assert_eq!(first.names(), "ex.org/a/a.fut ex.org/b/b.fut");
    assert_eq!(first.beside(), ["futhark.lock", "futhark.pkg", "lib"]);
}
