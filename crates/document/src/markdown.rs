//! Comments as HTML. They are Markdown; HTML in them is shown as it is written.

use kenaz_base::html::escape;
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

/// A name in backticks, and the file that it is in, if that is said.
pub(crate) struct Mention<'a> {
    pub(crate) name: &'a str,
    pub(crate) file: Option<&'a str>,
}

/// Shows a comment. `find` says where a name leads that stands in backticks, perhaps before `@term`, `@type` or
/// `@mtype` and the name of a file, as in `` `map`@term@"soacs" ``.
pub(crate) fn show(text: &str, find: &dyn Fn(Mention<'_>) -> Option<String>) -> String {
    let mut out = String::new();
    let mut events = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).peekable();
    while let Some(event) = events.next() {
        match event {
            Event::Start(tag) => start(&mut out, &tag),
            Event::End(tag) => end(&mut out, tag),
            // What is not known is shown as it is written.
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => out.push_str(&escape(&text)),
            Event::Code(code) => {
                let next = match events.peek() {
                    Some(Event::Text(text)) => text.to_string(),
                    _ => String::new(),
                };
                let (rest, file) = reference(&next);
                let shown = format!("<code>{}</code>", escape(&code));
                out.push_str(&match find(Mention { name: &code, file }) {
                    Some(href) => format!("<a href=\"{}\">{shown}</a>", escape(&href)),
                    None => shown,
                });
                if rest.len() < next.len() {
                    events.next();
                    out.push_str(&escape(rest));
                }
            }
            Event::SoftBreak => out.push('\n'),
            Event::HardBreak => out.push_str("<br>\n"),
            Event::Rule => out.push_str("<hr>\n"),
            Event::TaskListMarker(_) => {}
        }
    }
    out
}

/// What follows a reference, and the file that it names.
fn reference(text: &str) -> (&str, Option<&str>) {
    let Some(rest) = ["@term", "@type", "@mtype"].iter().find_map(|space| text.strip_prefix(space)) else {
        return (text, None);
    };
    match rest.strip_prefix("@\"").and_then(|file| file.split_once('"')) {
        Some((file, rest)) => (rest, Some(file)),
        None => (rest, None),
    }
}

/// The element of a tag. Headings are below those of the page.
fn element(tag: &TagEnd) -> Option<&'static str> {
    Some(match tag {
        TagEnd::Paragraph => "p",
        TagEnd::Heading(_) => "h4",
        TagEnd::BlockQuote(_) => "blockquote",
        TagEnd::List(true) => "ol",
        TagEnd::List(false) => "ul",
        TagEnd::Item => "li",
        TagEnd::Emphasis => "em",
        TagEnd::Strong => "strong",
        TagEnd::Strikethrough => "s",
        TagEnd::Table => "table",
        TagEnd::TableHead => "thead",
        TagEnd::TableRow => "tr",
        TagEnd::TableCell => "td",
        _ => return None,
    })
}

fn start(out: &mut String, tag: &Tag<'_>) {
    match tag {
        Tag::CodeBlock(kind) => {
            let is_program =
                !matches!(kind, CodeBlockKind::Fenced(language) if !language.is_empty() && &**language != "futhark");
            out.push_str(if is_program { "<pre class=\"example\"><code>" } else { "<pre><code>" });
        }
        Tag::Link { link_type: LinkType::Email, dest_url, .. } => {
            out.push_str(&format!("<a href=\"mailto:{}\">", escape(dest_url)));
        }
        Tag::Link { dest_url, .. } => match safe(dest_url) {
            Some(url) => out.push_str(&format!("<a href=\"{}\" rel=\"noreferrer\">", escape(url))),
            None => out.push_str("<a>"),
        },
        // A page shows nothing that it would have to fetch, so that of an image its text is left.
        tag => {
            if let Some(element) = element(&tag.to_end()) {
                out.push_str(&format!("<{element}>"));
            }
        }
    }
}

fn end(out: &mut String, tag: TagEnd) {
    match tag {
        TagEnd::CodeBlock => out.push_str("</code></pre>\n"),
        TagEnd::Link => out.push_str("</a>"),
        tag => {
            if let Some(element) = element(&tag) {
                let newline = if matches!(element, "em" | "strong" | "s") { "" } else { "\n" };
                out.push_str(&format!("</{element}>{newline}"));
            }
        }
    }
}

/// An address that only leads somewhere, and runs nothing.
fn safe(url: &str) -> Option<&str> {
    let is_known = ["https://", "http://", "mailto:", "#"].iter().any(|scheme| url.starts_with(scheme));
    let is_relative = !url.contains(':') && !url.starts_with("//");
    (is_known || is_relative).then_some(url)
}

/// The first sentence or line of a comment, as text.
pub(crate) fn summary(text: &str) -> String {
    let mut out = String::new();
    let mut after_code = false;
    for event in Parser::new_ext(text, Options::empty()) {
        let was_code = std::mem::take(&mut after_code);
        match event {
            Event::Text(text) if was_code => out.push_str(reference(&text).0),
            Event::Text(text) => out.push_str(&text),
            Event::Code(text) => {
                out.push_str(&text);
                after_code = true;
            }
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_)) => break,
            _ => {}
        }
    }
    let end = out.find(". ").map_or(out.len(), |end| end + 1);
    out.truncate(end);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        show(text, &|mention| (mention.name == "map").then(|| format!("{}.html#map", mention.file.unwrap_or("soacs"))))
    }

    #[test]
    fn comments_are_markdown() {
        assert_eq!(
            shown("As `map`@term, but *not* `x`."),
            "<p>As <a href=\"soacs.html#map\"><code>map</code></a>, but <em>not</em> <code>x</code>.</p>\n"
        );
        assert_eq!(shown("`map`@term@\"x\"!"), "<p><a href=\"x.html#map\"><code>map</code></a>!</p>\n");
        assert_eq!(shown("* a\n* b"), "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n".replace("<ul>\n", "<ul>"));
        assert_eq!(shown("```\n> f 1\n2\n```"), "<pre class=\"example\"><code>&gt; f 1\n2\n</code></pre>\n");
        assert_eq!(shown("[a](https://x.org)"), "<p><a href=\"https://x.org\" rel=\"noreferrer\">a</a></p>\n");
    }

    #[test]
    fn nothing_in_a_comment_is_run() {
        for text in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "[a](javascript:alert(1))",
            "[a](JaVaScRiPt:alert(1))",
            "![a](https://x.org/track.png)",
            "[a](//x.org \"' onclick='alert(1)\")",
            "`<script>`",
            "```\n</code></pre><script>\n```",
            "<https://x.org/\"onclick=>",
        ] {
            let shown = shown(text);
            let harmless = ["p", "/p", "a", "/a", "code", "/code", "pre class=\"example\"", "/pre"];
            for tag in shown.split('<').skip(1).filter_map(|part| part.split('>').next()) {
                assert!(harmless.contains(&tag) || tag.starts_with("a href=\"https://x.org/&quot;onclick"), "{shown}");
            }
        }
    }

    #[test]
    fn summaries_are_a_sentence() {
        assert_eq!(summary("The sum of `xs`@term. More.\n\nEven more."), "The sum of xs.");
        assert_eq!(summary("One\ntwo"), "One two");
    }
}
