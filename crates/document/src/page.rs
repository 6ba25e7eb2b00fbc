//! The pages: an index, one for each file, and one for its source.

use crate::html::percent;
use crate::items::{self, Item, Kind};
use crate::links::Links;
use crate::load::root_is;
use crate::markdown::Mention;
use crate::{code, markdown};
use kenaz_base::html::escape;
use kenaz_base::{FileId, Span, fs};
use kenaz_sema::Checked;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

/// A file of the site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// Its path in the folder of the site, with `/`.
    pub path: String,
    pub text: String,
}

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("search.js");
/// By what our pages can be known.
pub const GENERATOR: &str = "kenaz doc";

/// A file of the program that has pages.
struct Source {
    id: FileId,
    /// The name of its pages.
    name: String,
    doc: Option<String>,
    items: Vec<Item>,
    is_builtin: bool,
    /// Its comment says that it is not to be told about.
    is_ignored: bool,
}

struct Site<'a> {
    checked: &'a Checked,
    title: &'a str,
    sources: Vec<Source>,
    links: Links,
}

/// All files of a site about a program.
pub fn site(checked: &Checked, title: &str) -> Vec<Page> {
    let mut taken: BTreeSet<String> = BTreeSet::from(["index".to_string()]);
    let mut sources: Vec<Source> = Vec::new();
    for file in checked.files.iter().filter(|file| !root_is(checked.sources.file(file.file))) {
        let source = checked.sources.file(file.file);
        let mut name = name_of(source.path());
        while !taken.insert(name.clone()) || !taken.insert(format!("{name}.src")) {
            name.push('_');
        }
        let doc = file.doc.as_ref().map(|doc| doc.text.clone());
        let is_ignored = doc.as_ref().is_some_and(|doc| doc.trim() == "ignore");
        let items = if is_ignored { Vec::new() } else { items::of_file(checked, file) };
        sources.push(Source { id: file.file, name, doc, items, is_builtin: source.builtin, is_ignored });
    }
    sources.sort_by(|one, two| (one.is_builtin, &one.name).cmp(&(two.is_builtin, &two.name)));
    let mut links = Links::new(checked);
    for source in &sources {
        links.tell(source.id, &source.items);
    }
    let site = Site { checked, title, sources, links };
    let mut pages = vec![
        Page { path: "style.css".to_string(), text: STYLE.to_string() },
        Page { path: "search.js".to_string(), text: site.script() },
        Page { path: "index.html".to_string(), text: site.index() },
    ];
    for source in &site.sources {
        if !source.is_ignored {
            pages.push(Page { path: format!("{}.html", source.name), text: site.documentation(source) });
        }
        pages.push(Page { path: format!("{}.src.html", source.name), text: site.text(source) });
    }
    pages
}

/// A path as the name of a page: without its extension, and below the folder of the site.
fn name_of(path: &Path) -> String {
    let parts = path.with_extension("");
    let parts = parts.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
        Component::ParentDir => Some("up".to_string()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// From the folder of a page to that of the site.
fn to_root(name: &str) -> String {
    "../".repeat(name.matches('/').count())
}

impl Site<'_> {
    fn source(&self, id: FileId) -> Option<&Source> {
        self.sources.iter().find(|source| source.id == id)
    }

    /// Where a definition is told about, seen from a page, or else its line in the source.
    fn target(&self, from: &str, defined: Span) -> Option<String> {
        match self.links.told(defined) {
            Some(told) => self.item(from, told),
            None => self.line(from, defined),
        }
    }

    fn item(&self, from: &str, (page, id): &(FileId, String)) -> Option<String> {
        let page = &self.source(*page)?.name;
        let page = if page == from { String::new() } else { format!("{}{}.html", to_root(from), percent(page)) };
        Some(format!("{page}#{}", percent(id)))
    }

    /// A line in the source, seen from a page.
    fn line(&self, from: &str, at: Span) -> Option<String> {
        let page = &self.source(at.file)?.name;
        let (line, _) = self.checked.sources.file(at.file).line_col(at.lo);
        Some(format!("{}{}.src.html#L{line}", to_root(from), percent(page)))
    }

    fn comment(&self, source: &Source, text: &str) -> String {
        let find = |mention: Mention<'_>| {
            let page = match mention.file {
                None => source.id,
                Some(file) => {
                    let folder = source.name.rsplit_once('/').map_or("", |(folder, _)| folder);
                    let name = name_of(&fs::normalise(&Path::new(folder).join(format!("{file}.fut"))));
                    self.sources.iter().find(|source| source.name == name)?.id
                }
            };
            self.item(&source.name, self.links.named(page, mention.name)?)
        };
        markdown::show(text, &find)
    }

    fn frame(&self, name: &str, title: &str, nav: &str, main: &str) -> String {
        let root = to_root(name);
        let home = escape(self.title);
        let title = if title.is_empty() { home.clone() } else { format!("{} – {home}", escape(title)) };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\" data-root=\"{root}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"generator\" content=\"{GENERATOR}\">\n\
             <title>{title}</title>\n<link rel=\"stylesheet\" href=\"{root}style.css\">\n<script src=\"{root}search.js\" defer></script>\n\
             </head>\n<body>\n<header><a class=\"home\" href=\"{root}index.html\">{home}</a>\n\
             <div class=\"search\"><input id=\"search\" type=\"search\" placeholder=\"Search (press /)\" aria-label=\"Search\" \
             autocomplete=\"off\" hidden>\n<ol id=\"found\" hidden></ol></div></header>\n<div class=\"columns\">\n\
             <nav aria-label=\"On this page\">\n{nav}</nav>\n<main>\n{main}</main>\n</div>\n</body>\n</html>\n"
        )
    }

    fn index(&self) -> String {
        let mut main = format!("<h1>{}</h1>\n", escape(self.title));
        let mut nav = String::new();
        for (is_builtin, heading) in [(false, "Files"), (true, "Prelude")] {
            let mut rows = String::new();
            for source in self.sources.iter().filter(|source| source.is_builtin == is_builtin && !source.is_ignored) {
                let summary = source.doc.as_deref().map(markdown::summary).unwrap_or_default();
                let name = escape(&source.name);
                let href = percent(&source.name);
                rows.push_str(&format!("<dt><a href=\"{href}.html\">{name}</a></dt>\n<dd>{}</dd>\n", escape(&summary)));
            }
            if !rows.is_empty() {
                let id = heading.to_lowercase();
                main.push_str(&format!("<h2 id=\"{id}\">{heading}</h2>\n<dl class=\"files\">\n{rows}</dl>\n"));
                nav.push_str(&format!("<a href=\"#{id}\">{heading}</a>\n"));
            }
        }
        self.frame("index", "", &nav, &main)
    }

    fn documentation(&self, source: &Source) -> String {
        let mut main = format!(
            "<h1>{}</h1>\n<p class=\"meta\"><a href=\"{}.src.html\">source</a></p>\n",
            escape(&source.name),
            percent(source.name.rsplit('/').next().unwrap_or(&source.name))
        );
        if let Some(doc) = &source.doc {
            main.push_str(&format!("<div class=\"doc\">{}</div>\n", self.comment(source, doc)));
        }
        let mut nav = String::new();
        contents(&source.items, &mut nav);
        for item in &source.items {
            self.show_item(source, item, &mut main);
        }
        self.frame(&source.name, &source.name, &nav, &main)
    }

    fn show_item(&self, source: &Source, item: &Item, out: &mut String) {
        let id = if item.id.is_empty() { String::new() } else { format!(" id=\"{}\"", escape(&item.id)) };
        out.push_str(&format!("<section class=\"item\"{id}>\n<div class=\"head\"><pre class=\"signature\"><code>"));
        out.push_str(&self.signature(source, item));
        out.push_str("</code></pre>\n");
        let line = self.line(&source.name, item.signature).unwrap_or_default();
        let own = if item.id.is_empty() {
            String::new()
        } else {
            format!("<a href=\"#{}\">{}</a> · ", percent(&item.id), item.kind.words())
        };
        out.push_str(&format!("<p class=\"meta\">{own}<a href=\"{}\">source</a></p></div>\n", escape(&line)));
        if let Some(inferred) = &item.inferred {
            out.push_str(&format!("<p class=\"inferred\"><code>{}</code></p>\n", escape(inferred)));
        }
        if let Some(doc) = &item.doc {
            out.push_str(&format!("<div class=\"doc\">{}</div>\n", self.comment(source, doc)));
        }
        if !item.items.is_empty() {
            out.push_str("<div class=\"members\">\n");
            for member in &item.items {
                kenaz_base::with_stack(|| self.show_item(source, member, out));
            }
            out.push_str("</div>\n");
        }
        out.push_str("</section>\n");
    }

    /// The text that says what an item is. Sizes and names of parameters lead to where they are bound in it.
    fn signature(&self, source: &Source, item: &Item) -> String {
        let span = item.signature;
        let is_inside = |at: Span| {
            at.file == span.file && (span.lo..span.hi).contains(&at.lo) && Some(at.lo) != item.defined.map(|d| d.lo)
        };
        // The same name may be bound twice.
        let local = |at: Span| format!("{}~{}{}", item.id, self.checked.sources.text(at), at.lo);
        let bound: BTreeMap<u32, String> = self
            .links
            .within(span)
            .filter(|(_, used)| is_inside(used.defined))
            .map(|(_, used)| (used.defined.lo, local(used.defined)))
            .collect();
        let target = |defined: Span| {
            if is_inside(defined) && self.links.told(defined).is_none() {
                return Some(format!("#{}", percent(&local(defined))));
            }
            self.target(&source.name, defined)
        };
        let attributes = |at: u32| match bound.get(&at) {
            Some(id) => Some(format!("id=\"{}\"", escape(id))),
            None => item.defined.filter(|defined| defined.lo == at).map(|_| "class=\"name\"".to_string()),
        };
        code::show(self.checked, &self.links, span, &target, &attributes)
    }

    /// The text of a file, with numbers of lines, in which names lead to where they are defined.
    fn text(&self, source: &Source) -> String {
        let file = self.checked.sources.file(source.id);
        let span = Span::new(source.id, 0, file.text.len() as u32);
        let shown = code::show(self.checked, &self.links, span, &|defined| self.line(&source.name, defined), &|_| None);
        let mut main = format!("<h1>{}.fut</h1>\n", escape(&source.name));
        if !source.is_ignored {
            let own = percent(source.name.rsplit('/').next().unwrap_or(&source.name));
            main.push_str(&format!("<p class=\"meta\"><a href=\"{own}.html\">documentation</a></p>\n"));
        }
        main.push_str("<pre class=\"source\"><code>");
        for (line, number) in shown.lines().zip(1..) {
            main.push_str(&format!("<span class=\"line\" id=\"L{number}\"><a class=\"n\" href=\"#L{number}\" data-n=\"{number}\"></a>{line}\n</span>"));
        }
        main.push_str("</code></pre>\n");
        self.frame(&source.name, &format!("{}.fut", source.name), "", &main)
    }

    /// The search, with what can be found.
    fn script(&self) -> String {
        let mut rows = Vec::new();
        for source in self.sources.iter().filter(|source| !source.is_ignored) {
            rows.push((source.name.clone(), "file", format!("{}.html", percent(&source.name)), String::new()));
            let mut left: Vec<&Item> = source.items.iter().collect();
            while let Some(item) = left.pop() {
                left.extend(&item.items);
                if item.kind != Kind::Open {
                    let summary = item.doc.as_deref().map(markdown::summary).unwrap_or_default();
                    let href = format!("{}.html#{}", percent(&source.name), percent(&item.id));
                    rows.push((item.name.clone(), item.kind.words(), href, summary));
                }
            }
        }
        rows.sort();
        let rows = serde_json::to_string(&rows).expect("texts can be written as JSON");
        format!("const FOUND = {rows};\n{SCRIPT}")
    }
}

/// The names of items, as a list of links.
fn contents(items: &[Item], out: &mut String) {
    let named: Vec<&Item> = items.iter().filter(|item| item.kind != Kind::Open).collect();
    if named.is_empty() {
        return;
    }
    out.push_str("<ul>\n");
    for item in named {
        let short = item
            .name
            .rsplit_once('.')
            .map_or(item.name.as_str(), |(_, last)| if last.is_empty() { &item.name } else { last });
        out.push_str(&format!("<li><a href=\"#{}\">{}</a>", percent(&item.id), escape(short)));
        kenaz_base::with_stack(|| contents(&item.items, out));
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n");
}
