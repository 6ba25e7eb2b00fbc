//! Documentation of programs that the tests make, and of the prelude.

use kenaz_base::MemoryFileSystem;
use kenaz_document::{Page, load, site};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The pages about files that exist only here.
#[track_caller]
fn pages(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    let mut fs = MemoryFileSystem::new();
    for (path, text) in files {
        fs.add(path, *text);
    }
    let paths: Vec<PathBuf> = files.iter().map(|(path, _)| PathBuf::from(path)).collect();
    let checked = load(&paths, &fs).unwrap();
    assert!(!checked.diagnostics.has_errors(), "{:?}", checked.diagnostics.into_sorted());
    site(&checked, "Title").into_iter().map(|Page { path, text }| (path, text)).collect()
}

/// Text that people see: without tags, and with characters instead of their names.
fn seen(html: &str) -> String {
    let text: String = html
        .split('<')
        .enumerate()
        .map(|(i, part)| if i == 0 { part } else { part.split_once('>').unwrap().1 })
        .collect();
    ["&lt;<", "&gt;>", "&quot;\"", "&#39;'", "&amp;&"].iter().fold(text, |text, pair| {
        let (name, c) = pair.split_at(pair.len() - 1);
        text.replace(name, c)
    })
}

/// The values of an attribute, as they are meant.
fn attributes(html: &str, name: &str) -> Vec<String> {
    let begin = format!(" {name}=\"");
    html.split(&begin).skip(1).map(|part| seen(part.split_once('"').unwrap().0)).collect()
}

/// The section about an item.
#[track_caller]
fn section<'a>(page: &'a str, id: &str) -> &'a str {
    let from =
        page.find(&format!("<section class=\"item\" id=\"{id}\">")).unwrap_or_else(|| panic!("no {id} in {page}"));
    let rest = &page[from..];
    &rest[..rest.find("</section>").unwrap()]
}

#[track_caller]
fn signature(page: &str, id: &str) -> String {
    let section = section(page, id);
    seen(section.split_once("<code>").unwrap().1.split_once("</code>").unwrap().0)
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            bytes.push(u8::from_str_radix(std::str::from_utf8(&after[..2]).unwrap(), 16).unwrap());
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// No link leads nowhere, no id is there twice, and nothing would be fetched from elsewhere.
#[track_caller]
fn must_hold_together(pages: &BTreeMap<String, String>) -> usize {
    let ids: BTreeMap<&str, BTreeSet<String>> = pages
        .iter()
        .map(|(path, text)| {
            let all = attributes(text, "id");
            let set: BTreeSet<String> = all.iter().cloned().collect();
            assert_eq!(all.len(), set.len(), "{path}: an id is there twice");
            (path.as_str(), set)
        })
        .collect();
    let mut count = 0;
    for (path, text) in pages.iter().filter(|(path, _)| path.ends_with(".html")) {
        for href in attributes(text, "href").into_iter().chain(attributes(text, "src")) {
            if href == "https://ex.org" {
                continue;
            }
            assert!(!href.contains(':'), "{path}: {href}");
            let (page, id) = href.split_once('#').unwrap_or((&href, ""));
            let target = match page {
                "" => path.clone(),
                page => kenaz_base::fs::normalise(&Path::new(path).parent().unwrap().join(decoded(page)))
                    .display()
                    .to_string(),
            };
            let there = ids.get(target.as_str()).unwrap_or_else(|| panic!("{path}: {href}"));
            assert!(id.is_empty() || there.contains(&decoded(id)), "{path}: {href}");
            count += 1;
        }
    }
    count
}

#[test]
fn the_prelude_holds_together() {
    let pages = pages(&[]);
    assert!(must_hold_together(&pages) > 5_000);
    let soacs = &pages["prelude/soacs.html"];
    assert_eq!(signature(soacs, "map"), "def map 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x");
    assert!(seen(section(soacs, "scan")).contains("Inclusive prefix combination"));
    assert!(!soacs.contains("flat_2d 'a") && !soacs.contains("id=\"flat_2d\""), "a local definition is told about");
    assert_eq!(signature(&pages["prelude/numeric.html"], "numeric.+"), "val (+): t -> t -> t");
    // What can be searched for.
    let found = &pages["search.js"];
    assert!(found.contains("[\"map\",\"value\",\"prelude/soacs.html#map\",\"Apply f to every element.\"]"));
    assert!(found.contains("[\"numeric.+\",\"value\",\"prelude/numeric.html#numeric.%2B\",\"Sum.\"]"));
}

const VECTORS: &str = "-- | Vectors of `f64`s.\n--\n-- See `norm` and `map`@term@\"/prelude/soacs\".\n\n\
    import \"inner/numbers\"\n\n\
    -- | A point with `[n]` coordinates.\ntype point [n] = [n]num\n\n\
    -- | The length of a [vector](https://ex.org).\ndef norm [n] (xs: point [n]): num =\n  -- = not here\n  f64.sqrt (f64.sum (map (\\x -> x * x) xs))\n\n\
    #[noinline]\ndef twice x = x + x + 1i32\n\n\
    local def unseen = 1i32\n\n\
    entry main (xs: []f64) = norm xs\n\n\
    module type shape = {\n  -- | What it is.\n  type t\n  val area [n]: [n]t -> t\n}\n\n\
    module squares: shape = {\n  type t = f64\n  def area = f64.sum\n}\n\n\
    module pair (s: shape) = {\n  -- | Two.\n  def two (x: s.t) = (x, x)\n}\n\n\
    module other = squares\n\nopen squares\n";

const NUMBERS: &str = "type num = f64\n";

fn example() -> BTreeMap<String, String> {
    pages(&[
        ("vectors.fut", VECTORS),
        ("inner/numbers.fut", NUMBERS),
        ("inner/tests.fut", "-- | ignore\n\nentry test = 1i32\n"),
    ])
}

#[test]
fn signatures_are_what_the_program_says() {
    let pages = example();
    must_hold_together(&pages);
    let page = &pages["vectors.html"];
    for (id, expected) in [
        ("type:point", "type point [n] = [n]num"),
        ("norm", "def norm [n] (xs: point [n]): num"),
        ("twice", "def twice x"),
        ("main", "entry main (xs: []f64)"),
        ("mtype:shape", "module type shape"),
        ("squares", "module squares: shape"),
        ("pair", "module pair (s: shape)"),
        ("other", "module other = squares"),
        ("type:shape.t", "type t"),
        ("shape.area", "val area [n]: [n]t -> t"),
        ("pair.two", "def two (x: s.t)"),
    ] {
        assert_eq!(signature(page, id), expected);
    }
    assert!(!page.contains("unseen") && !page.contains("not here"));
    assert!(seen(section(page, "twice")).contains("i32 -> i32"), "{}", section(page, "twice"));
    // A type that is not written is that of the compiler; `[]` has a name in it.
    assert!(seen(section(page, "main")).contains("[d] : [d]f64 -> f64"), "{}", section(page, "main"));
    assert!(seen(page).contains("\nopen squares"));
    assert!(section(page, "pair.two").contains("<p>Two.</p>"));
}

#[test]
fn names_lead_to_what_they_mean() {
    let pages = example();
    let page = &pages["vectors.html"];
    let hrefs = |id: &str| attributes(section(page, id), "href");
    // A type, and a size that is bound in the same signature.
    let norm = hrefs("norm");
    assert!(
        norm.contains(&"#type%3Apoint".to_string()) && norm.contains(&"inner/numbers.html#type%3Anum".to_string()),
        "{norm:?}"
    );
    let size = norm.iter().find(|href| href.starts_with("#norm~n")).unwrap();
    assert!(section(page, "norm").contains(&format!("<span id=\"{}\">n</span>", &size[1..])));
    assert!(
        norm.contains(&"https://ex.org".to_string()) && norm.contains(&"vectors.src.html#L11".to_string()),
        "{norm:?}"
    );
    assert!(hrefs("squares").contains(&"#mtype%3Ashape".to_string()));
    assert!(hrefs("pair").contains(&"#mtype%3Ashape".to_string()));
    assert!(hrefs("other").contains(&"#squares".to_string()));
    // The comment of the file.
    let head = &page[..page.find("<section").unwrap()];
    assert!(
        head.contains("<a href=\"#norm\"><code>norm</code></a>") && head.contains("prelude/soacs.html#map"),
        "{head}"
    );
    // In the source, names lead to lines, and show their types.
    let source = &pages["vectors.src.html"];
    assert!(source.contains("<a href=\"prelude/soacs.src.html#L"), "{source}");
    assert!(source.contains("title=\"norm: [n] : [n]f64 -&gt; f64\">norm</a>"), "{source}");
    let shown =
        seen(source.split_once("<pre class=\"source\"><code>").unwrap().1.split_once("</code></pre>").unwrap().0);
    assert_eq!(shown, VECTORS);
}

#[test]
fn files_may_be_left_out() {
    let pages = example();
    assert!(!pages.contains_key("inner/tests.html") && pages.contains_key("inner/tests.src.html"));
    let index = &pages["index.html"];
    assert!(seen(index).contains("Vectors of f64s.") && !index.contains("inner/tests"), "{index}");
    assert!(!pages["search.js"].contains("inner/tests"));
}

/// Pages whose names would be those of others.
#[test]
fn names_of_pages_differ() {
    let pages = pages(&[
        ("index.fut", "def a = 1i32\n"),
        ("a.fut", "def b = 1i32\n"),
        ("a.src.fut", "def e = 1i32\n"),
        ("../up.fut", "def c = 1i32\n"),
        ("a b#c.fut", "def d = 1i32\n"),
    ]);
    must_hold_together(&pages);
    let having = |id: &str| {
        let id = format!("<section class=\"item\" id=\"{id}\">");
        pages.iter().filter(|(_, text)| text.contains(&id)).map(|(path, _)| path.as_str()).collect::<Vec<_>>()
    };
    assert_eq!((having("a"), having("c"), having("d")), (vec!["index_.html"], vec!["up/up.html"], vec!["a b#c.html"]));
    assert_eq!((having("b"), having("e")), (vec!["a.html"], vec!["a.src_.html"]));
}

/// Whatever stands in a program is shown, and never part of the page.
#[test]
fn programs_cannot_write_pages() {
    let evil = "<script>alert(1)</script>\" onload=\"x";
    let program = format!(
        "-- | {evil} `{evil}` [x](javascript:alert) <img src=x onerror=x>\n\n-- | {evil}\n-- {evil}\ndef a = \"{}\"\n-- {evil}\n",
        evil.replace('"', "\\\"")
    );
    let pages = pages(&[("a.fut", &program), ("<b>&'.fut", "def b = 1i32\n")]);
    must_hold_together(&pages);
    for (path, text) in pages.iter().filter(|(path, _)| path.ends_with(".html")) {
        assert_eq!(text.matches("<script").count(), 1, "{path}");
        assert!(!text.contains("<img") && !text.contains("<b>"), "{path}");
        assert!(attributes(text, "onload").is_empty() && attributes(text, "onerror").is_empty(), "{path}");
    }
    assert!(!pages["search.js"].contains('\u{2028}'));
}

#[test]
fn names_that_cannot_be_imported() {
    let fs = MemoryFileSystem::new();
    for path in ["a.txt", "a\"b.fut", "a\nb.fut"] {
        assert_eq!(load(&[PathBuf::from(path)], &fs).err(), Some(PathBuf::from(path)));
    }
}
