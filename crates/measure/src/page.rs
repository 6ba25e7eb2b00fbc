//! Pages of HTML that need nothing else: in light and dark, on screens of any width.

use kenaz_base::html::escape;

/// How wide the text of a page may become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// That of text.
    Text,
    /// All of the screen, for pictures beside each other.
    Screen,
}

/// A page with a title, given what is in it.
pub fn page(title: &str, width: Width, body: &str) -> String {
    let title = escape(title);
    let class = match width {
        Width::Text => "",
        Width::Screen => " class=\"wide\"",
    };
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{title}</title>\n\
         <style>{STYLE}</style></head>\n<body><main{class}>\n{body}</main></body></html>\n"
    )
}

/// Colours have names, by which pictures use them too. A table with the class `cards` shows each row by itself where
/// there is no room for columns; its cells are named by `data-name` there.
const STYLE: &str = ":root{color-scheme:light dark;--ink:#222;--soft:#595959;--line:#ddddd8;--fill:#f4f4f1;--paper:#fff;\
--first:#3b6fb6;--second:#b8560f;--good:#1a7f4b;--bad:#b42525;--focus:#1a5fd0}
@media(prefers-color-scheme:dark){:root{--ink:#e6e6e2;--soft:#a8a8a4;--line:#3c3c40;--fill:#232327;--paper:#16161a;\
--first:#82b1f1;--second:#f0a25c;--good:#63cb94;--bad:#f27c7c;--focus:#8ab8ff}}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;margin:0;color:var(--ink);background:var(--paper)}
main{max-width:60em;margin:0 auto;padding:1.5em 1em 4em}main.wide{max-width:110em}
h1{font-size:1.7em;line-height:1.25;margin:.4em 0}h2{font-size:1.25em;margin:2em 0 .3em}h3{font-size:1em;margin:1.5em 0 .3em;\
overflow-wrap:anywhere}
p{max-width:52em;margin:.4em 0}a{color:var(--first)}nav a{margin-right:1.2em;display:inline-block}.soft{color:var(--soft)}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.25em .7em;border-bottom:1px solid var(--line);\
vertical-align:top}th{font-weight:600}td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
pre,code{font:13px/1.4 ui-monospace,monospace}pre{background:var(--fill);padding:1em;overflow-x:auto}
svg{width:100%;height:auto;display:block}svg text{font:11px system-ui,sans-serif;fill:var(--soft)}.best{font-weight:bold}
.good{color:var(--good)}.bad{color:var(--bad)}
.panels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22em),1fr));gap:1em 1.5em}
figure{margin:0;padding:.7em;border:1px solid var(--line);border-radius:6px;min-width:0}
figcaption{font-weight:600;overflow-wrap:anywhere}figcaption span{font-weight:400;color:var(--soft)}
.point text{display:none;fill:var(--ink);paint-order:stroke;stroke:var(--paper);stroke-width:4px}
.point:hover text,.point:focus text{display:block}.point:focus{outline:none}.point:focus circle{stroke:var(--focus);\
stroke-width:3px}
.key{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin:0 .3em 0 0}
.key.first{background:var(--first)}.key.second{background:var(--second)}.key+.key{margin-left:1em}
td svg{width:12em;height:1.4em}td svg+span{display:block}
details{margin:1em 0}summary{cursor:pointer;color:var(--first)}
@media(max-width:46em){.cards thead{display:none}.cards,.cards tbody{display:block}.cards tr{display:block;\
border-bottom:1px solid var(--line);padding:.5em 0}.cards td{display:flex;justify-content:space-between;gap:1em;border:0;\
padding:.1em 0;text-align:right}.cards td[colspan]{text-align:left}.cards td:first-child{font-weight:600;text-align:left;overflow-wrap:anywhere}\
.cards td[data-name]::before{content:attr(data-name);color:var(--soft);text-align:left;white-space:nowrap;flex:1}\
.cards td:empty{display:none}.cards td svg{width:7em;flex:none}.cards td svg+span{white-space:nowrap}}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_need_nothing_else() {
        let page = page("a < b", Width::Screen, "<p>x</p>");
        assert!(page.contains("<title>a &lt; b</title>") && page.contains("<main class=\"wide\">\n<p>x</p></main>"));
        for outside in ["http", "url(", "src=", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert_eq!(STYLE.matches('{').count(), STYLE.matches('}').count());
    }
}
