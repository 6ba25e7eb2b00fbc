//! What people see.

use super::of_text;
use kenaz_explain::{Topic, json, page, text};
use kenaz_ir::target;

const PROGRAM: &str = "-- <b>\"quoted\"</b> & more
def twice [n] (xs: [n]f32) = map (* 2) xs
entry main [n] (xs: [n]f32) (i: i64) = reduce (+) xs[i] (twice xs)
";

#[test]
fn notes_stand_under_their_lines() {
    let explanation = of_text(PROGRAM, &target::MULTICORE);
    let all = text(&explanation, &[]);
    let line = all.lines().position(|line| line.contains("3 | entry main")).expect("the line is shown");
    let under: Vec<&str> = all.lines().skip(line + 1).take_while(|line| !line.is_empty()).collect();
    assert!(under.iter().any(|note| note.contains("loop: reduction over n, run by the cores")), "{all}");
    assert!(under.iter().any(|note| note.contains("check: a check is left: Index [i]")), "{all}");
    assert!(!all.contains("1 | --"), "lines without notes are left out:\n{all}");
    let only = text(&explanation, &[Topic::Check]);
    assert!(only.contains("check: ") && !only.contains("loop: "), "{only}");
}

#[test]
fn a_page_needs_nothing_else_and_quotes_the_program() {
    let explanation = of_text(PROGRAM, &target::MULTICORE);
    let page = page(&explanation);
    for outside in ["http:", "https:", "<link", " src=", "@import", "url("] {
        assert!(!page.contains(outside), "the page asks for something with {outside}");
    }
    assert!(page.contains("&lt;b&gt;&quot;quoted&quot;&lt;/b&gt; &amp; more") && !page.contains("<b>\"quoted\""));
    for line in 1..=3 {
        assert!(page.contains(&format!("data-at=\"0:{line}\"")), "line {line} is missing");
    }
    // Statements of the memory stage lead to the lines that they come from.
    let stage = page.split("id=\"stage0\"").nth(1).expect("there is a stage");
    assert!(stage.split("</pre>").next().expect("it ends").contains("data-at=\"0:3\""));
    for tag in ["div", "details", "span", "pre", "table", "svg", "ul"] {
        let (open, close) = (page.matches(&format!("<{tag}")).count(), page.matches(&format!("</{tag}>")).count());
        assert_eq!(open, close, "{tag}");
    }
}

#[test]
fn json_has_all_facts() {
    let explanation = of_text(PROGRAM, &target::C);
    let value: serde_json::Value = serde_json::from_str(&json(&explanation)).expect("it is JSON");
    assert_eq!(value["target"], "c");
    assert_eq!(value["functions"][0]["nests"][0]["sizes"][0], "n");
    assert_eq!(value["functions"][0]["checks"].as_array().map(Vec::len), Some(1));
    assert_eq!(value["sources"][0]["text"], PROGRAM);
}

#[test]
fn the_page_of_documentation_shows_what_is_said() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/explain.md");
    let page = std::fs::read_to_string(path).expect("the page is there");
    let block = |begin: &str| {
        let text = page.split(begin).nth(1).and_then(|rest| rest.split("```").next());
        text.unwrap_or_else(|| panic!("there is no block that begins with {begin:?}"))
    };
    let explanation = of_text(block("```futhark file=blur.fut\n"), &target::MULTICORE);
    let said = text(&explanation, &[]).replacen("a.fut", "blur.fut", 1);
    let shown = block("```text\n");
    assert!(said.starts_with(shown), "the page shows\n{shown}\nbut it is\n{said}");
}
