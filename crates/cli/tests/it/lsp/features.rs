//! What the server answers about a small project.

use super::client::Client;
use serde_json::{Value, json};

const VEC: &str = "\
-- | A point of the plane.
type point = {x: f64, y: f64}

-- | The distance from the origin.
def norm (p: point): f64 = f64.sqrt (p.x * p.x + p.y * p.y)

module type shape = {
  -- | The area for a width.
  val area: f64 -> f64
}

module square: shape = {
  def area (a: f64): f64 = a * a
}
";

const MAIN: &str = "\
import \"vec\"

-- ==
-- input { [1.0, 2.0] } output { 5.0 }
entry main [n] (xs: [n]f64): f64 =
  let squares = map (\\w -> square.area w) xs
  in reduce (+) 0 squares

def far (q: point) = norm q > 10
";

fn project() -> Client {
    let mut client = Client::new(&[("vec.fut", VEC), ("main.fut", MAIN)]);
    client.open("main.fut", None);
    client
}

fn hover(client: &mut Client, mark: &str) -> String {
    let params = client.at("main.fut", mark);
    let answer = client.ask("textDocument/hover", params);
    answer["contents"]["value"].as_str().unwrap_or("nothing").to_string()
}

#[test]
fn hovering_tells_types_sizes_and_documentation() {
    let mut client = project();
    let text = hover(&mut client, "let squ|ares");
    assert!(text.contains("squares : [n]f64"), "{text}");
    let text = hover(&mut client, "= no|rm q");
    assert!(text.contains("def norm (p: point): f64") && text.contains("The distance from the origin."), "{text}");
    assert!(text.contains("from `vec.fut`"), "{text}");
    // The member of a module has the documentation of its module type.
    let text = hover(&mut client, "square.ar|ea");
    assert!(text.contains("def area (a: f64): f64") && text.contains("The area for a width."), "{text}");
    // A polymorphic function of the prelude, in general and here.
    let text = hover(&mut client, "redu|ce (+)");
    assert!(text.contains("Here:") && text.contains("(f64 -> f64 -> f64) -> f64 -> [n]f64 -> f64"), "{text}");
    assert!(text.contains("from the prelude"), "{text}");
    let text = hover(&mut client, "[n|] (xs");
    assert!(text.contains("[n]") && text.contains("size"), "{text}");
    let text = hover(&mut client, "> 1|0");
    assert!(text.contains("10 : f64"), "{text}");
    assert_eq!(hover(&mut client, "\n|\n-- =="), "nothing");
    client.end();
}

#[test]
fn names_lead_to_their_definitions() {
    let mut client = project();
    for (mark, expected) in [
        ("let squ|ares", "main.fut:6:squares"),
        ("0 squ|ares", "main.fut:6:squares"),
        ("= no|rm q", "vec.fut:5:norm"),
        ("(q: po|int)", "vec.fut:2:point"),
        ("squ|are.area", "vec.fut:12:square"),
        ("square.ar|ea", "vec.fut:13:area"),
        ("area w|", "main.fut:6:w"),
        ("import \"v|ec", "vec.fut:1:"),
    ] {
        let params = client.at("main.fut", mark);
        let answer = client.ask("textDocument/definition", params);
        assert_eq!(client.places(&answer), [expected], "{mark}");
    }
    // A name of the prelude leads to a copy of it that the editor can open.
    let params = client.at("main.fut", "redu|ce (+)");
    let answer = client.ask("textDocument/definition", params);
    let uri = answer[0]["uri"].as_str().expect("an address").to_string();
    let path = uri.strip_prefix("file://").expect("a file");
    let line = answer[0]["range"]["start"]["line"].as_u64().expect("a line") as usize;
    let text = std::fs::read_to_string(path).expect("a copy of the prelude");
    assert!(text.lines().nth(line).expect("a line").starts_with("def reduce "), "{uri}:{line}");
    client.end();
}

fn references(client: &mut Client, file: &str, mark: &str, declaration: bool) -> Vec<String> {
    let mut params = client.at(file, mark);
    params["context"] = json!({ "includeDeclaration": declaration });
    let answer = client.ask("textDocument/references", params);
    client.places(&answer)
}

#[test]
fn uses_are_found_in_all_files() {
    let mut client = project();
    assert_eq!(references(&mut client, "main.fut", "= no|rm q", true), ["main.fut:9:norm", "vec.fut:5:norm"]);
    assert_eq!(references(&mut client, "main.fut", "[n|] (xs", false), ["main.fut:5:n"]);
    // From where it is defined, with what is not saved.
    client.open("vec.fut", Some(&VEC.replace("def norm", "def other = 1i32\ndef norm")));
    assert_eq!(references(&mut client, "vec.fut", "def no|rm", true), ["main.fut:9:norm", "vec.fut:6:norm"]);
    let params = client.at("main.fut", "let squ|ares");
    let highlights = client.ask("textDocument/documentHighlight", params);
    let lines: Vec<_> =
        highlights.as_array().unwrap().iter().map(|one| one["range"]["start"]["line"].clone()).collect();
    assert_eq!(lines, [5, 6]);
    client.end();
}

/// The files after a rename, or why there is none.
fn rename(client: &mut Client, file: &str, mark: &str, name: &str) -> Vec<String> {
    let mut params = client.at(file, mark);
    params["newName"] = json!(name);
    let answer = client.ask("textDocument/rename", params);
    let mut found = Vec::new();
    for (uri, edits) in answer["changes"].as_object().expect("changes") {
        let file = client.file(&json!(uri));
        for edit in edits.as_array().expect("edits") {
            let (line, old) = client.text_at(&file, &edit["range"]);
            found.push(format!("{file}:{line}:{old}:{}", edit["newText"].as_str().expect("a text")));
        }
    }
    found.sort();
    found
}

fn refused(client: &mut Client, file: &str, mark: &str, name: &str) -> String {
    let mut params = client.at(file, mark);
    params["newName"] = json!(name);
    client.refusal("textDocument/rename", params)
}

#[test]
fn renaming_changes_all_uses() {
    let mut client = project();
    let changed = rename(&mut client, "main.fut", "= no|rm q", "len");
    assert_eq!(changed, ["main.fut:9:norm:len", "vec.fut:5:norm:len"]);
    // What a module type describes changes with its description.
    let changed = rename(&mut client, "main.fut", "square.ar|ea", "size");
    assert_eq!(changed, ["main.fut:6:area:size", "vec.fut:13:area:size", "vec.fut:9:area:size"]);
    let changed = rename(&mut client, "main.fut", "[n|] (xs", "m");
    assert_eq!(changed, ["main.fut:5:n:m", "main.fut:5:n:m"]);
    client.end();
}

#[test]
fn renaming_writes_fields_out() {
    let text = "def f (r: {a: i32}) =\n  let {a} = r\n  in {a, b = a}\ndef g (s: i32) = loop s for i < 3i32 do s + i\n";
    let mut client = Client::new(&[("main.fut", text)]);
    client.open("main.fut", None);
    let changed = rename(&mut client, "main.fut", "let {a|}", "z");
    assert_eq!(changed, ["main.fut:2:a:a = z", "main.fut:3:a:a = z", "main.fut:3:a:z"]);
    // The parameter of a loop that takes its value from outside has the same name.
    let changed = rename(&mut client, "main.fut", "do s|", "t");
    assert_eq!(changed, ["main.fut:4:s:t", "main.fut:4:s:t", "main.fut:4:s:t"]);
    client.end();
}

#[test]
fn renaming_is_refused_where_it_would_change_the_program() {
    let mut client = project();
    let why = refused(&mut client, "main.fut", "redu|ce (+)", "fold");
    assert_eq!(why, "`reduce` is a name of the prelude, which cannot be changed");
    assert_eq!(refused(&mut client, "main.fut", "let squ|ares", "if"), "`if` is a keyword");
    assert_eq!(refused(&mut client, "main.fut", "let squ|ares", "a b"), "`a b` is not a name");
    // An operator that is read with others in another order.
    client.change("main.fut", "def (+^) (a: i32) (b: i32) = a - b\ndef f = 1 +^ 2 * 3\n");
    let why = refused(&mut client, "main.fut", "1 +|^", "*^");
    assert_eq!(why, "`*^` binds its operands more or less tightly than `+^`");
    assert_eq!(rename(&mut client, "main.fut", "1 +|^", "-^"), ["main.fut:1:+^:-^", "main.fut:2:+^:-^"]);
    let text = "def a = 1i32\ndef f (b: i32) = a + b\n";
    client.open("other.fut", Some(text));
    let why = refused(&mut client, "other.fut", "(b|: i32)", "a");
    assert_eq!(why, "`a` is taken: a name in line 2 of `other.fut` would mean something else");
    client.change("other.fut", "def a = 1i32\ndef f (b: i32 = a + b\n");
    let why = refused(&mut client, "other.fut", "def a|", "c");
    assert_eq!(why, "`other.fut` has errors in its syntax: they must be mended first");
    client.end();
}

/// The labels of a completion in `main.fut`, at the end of `line` instead of the last line.
fn completion(client: &mut Client, text: &str) -> Vec<Value> {
    let at = text.find('|').expect("a mark");
    let plain = text.replacen('|', "", 1);
    client.change("main.fut", &plain);
    let before = &plain[..at];
    let column = before.rsplit('\n').next().unwrap_or("").encode_utf16().count();
    let mut params = client.document("main.fut");
    params["position"] = json!({ "line": before.matches('\n').count(), "character": column });
    let answer = client.ask("textDocument/completion", params);
    answer["items"].as_array().expect("items").clone()
}

fn labels(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["label"].as_str().expect("a label")).collect()
}

#[test]
fn completion_knows_what_is_in_scope() {
    let mut client = project();
    let items = completion(
        &mut client,
        "import \"vec\"\ndef f (alpha: i32) =\n  let beta = alpha\n  in al|\ndef alter = 1i32\n",
    );
    let found = labels(&items);
    assert!(found.contains(&"alpha") && found.contains(&"all") && !found.contains(&"alter"), "{found:?}");
    assert!(!found.contains(&"beta"), "the letters do not occur in it: {found:?}");
    let alpha = items.iter().find(|item| item["label"] == "alpha").expect("alpha");
    assert_eq!((&alpha["detail"], &alpha["sortText"]), (&json!("i32"), &json!("0alpha")));
    // Nothing is written yet, and what follows is as good as before.
    let items = completion(&mut client, "import \"vec\"\ndef f (alpha: i32) =\n  let beta = |\n  in beta\n");
    let found = labels(&items);
    assert!(["alpha", "norm", "square", "map", "if"].iter().all(|name| found.contains(name)), "{found:?}");
    assert!(!found.contains(&"f") && !found.contains(&"beta") && !found.contains(&"point"), "{found:?}");
    // Types.
    let items = completion(&mut client, "import \"vec\"\ndef f 't (a: |) = a\n");
    let found = labels(&items);
    assert!(["t", "point", "i32", "f64"].iter().all(|name| found.contains(name)), "{found:?}");
    assert!(!found.contains(&"norm") && !found.contains(&"map"), "{found:?}");
    // Modules alone.
    let items = completion(&mut client, "import \"vec\"\nmodule m = |\n");
    let found = labels(&items);
    assert!(found.contains(&"square") && found.contains(&"f32") && !found.contains(&"norm"), "{found:?}");
    assert_eq!(labels(&completion(&mut client, "def fo|")), [""; 0], "a new name");
    let found = completion(&mut client, "def f = 1i32\nen|");
    assert_eq!(labels(&found), ["entry", "open"], "letters in their order");
    client.end();
}

#[test]
fn completion_knows_fields_and_members() {
    let mut client = project();
    let items = completion(&mut client, "import \"vec\"\ndef f (p: point) = p.|\n");
    assert_eq!(labels(&items), ["x", "y"]);
    assert_eq!(items[0]["detail"], "f64");
    let items = completion(&mut client, "import \"vec\"\ndef f (ps: []point) = ps[0].|y + 1\n");
    assert_eq!(labels(&items), ["x", "y"]);
    let items = completion(&mut client, "import \"vec\"\ndef f (p: point) =\n  let q = p.\n  in square.|\n");
    assert_eq!(labels(&items), ["area"]);
    assert_eq!(items[0]["detail"], "f64 -> f64");
    let items = completion(&mut client, "def f (x: f32) = f32.sq|\n");
    let sqrt = items.iter().find(|item| item["label"] == "sqrt").expect("sqrt");
    assert_eq!(sqrt["detail"], "f32 -> f32");
    let resolved = client.ask("completionItem/resolve", sqrt.clone());
    assert!(!resolved["documentation"]["value"].as_str().expect("documentation").is_empty());
    let found = completion(&mut client, "def f (x: f32) = #[seque|] x\n");
    assert_eq!(labels(&found), ["sequential", "sequential_outer", "sequential_inner"]);
    assert_eq!(labels(&completion(&mut client, "import \"|\n")), ["vec"]);
    client.end();
}

#[test]
fn signatures_tell_which_parameter_is_next() {
    let mut client = project();
    let text = "def f (a: i32) (b: f64): f64 = b\ndef g = f 1 \ndef h = reduce (+) 0 \n";
    client.change("main.fut", text);
    let params = client.at("main.fut", "f 1 |\n");
    let help = client.ask("textDocument/signatureHelp", params);
    assert_eq!(help["signatures"][0]["label"], "f (a: i32) (b: f64) : f64");
    assert_eq!(help["activeParameter"], 1);
    assert_eq!(help["signatures"][0]["parameters"][1]["label"], json!([11, 19]));
    let params = client.at("main.fut", "(+) 0 |\n");
    let help = client.ask("textDocument/signatureHelp", params);
    assert_eq!(help["activeParameter"], 2);
    let params = client.at("main.fut", "redu|ce");
    assert_eq!(client.ask("textDocument/signatureHelp", params), Value::Null);
    // Inside an argument that is not complete.
    client.change("main.fut", "def h (xs: []i32) = map (\\x -> \n");
    let params = client.at("main.fut", "-> |");
    let help = client.ask("textDocument/signatureHelp", params);
    assert_eq!(
        (&help["activeParameter"], &help["signatures"][0]["parameters"][0]["label"]),
        (&json!(0), &json!([4, 15]))
    );
    client.end();
}

#[test]
fn hints_show_what_is_inferred() {
    let mut client = project();
    let mut params = client.document("main.fut");
    params["range"] = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = client.ask("textDocument/inlayHint", params);
    let shown: Vec<String> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|hint| {
            format!("{}:{}{}", hint["position"]["line"], hint["position"]["character"], hint["label"].as_str().unwrap())
        })
        .collect();
    // Behind `squares`, `w` and the parameters of `far`.
    assert_eq!(shown, ["5:13: [n]f64", "5:23: f64", "8:18: bool"]);
    client.end();
}

#[test]
fn symbols_of_files_and_of_the_project() {
    let mut client = project();
    let params = client.document("vec.fut");
    let symbols = client.ask("textDocument/documentSymbol", params);
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|symbol| symbol["name"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(names(&symbols), ["point", "norm", "shape", "square"]);
    assert_eq!(names(&symbols[3]["children"]), ["area"]);
    // Abbreviations are written out.
    assert_eq!(symbols[1]["detail"], "{x: f64, y: f64} -> f64");
    let found = client.ask("workspace/symbol", json!({ "query": "ar" }));
    let mut all: Vec<String> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|symbol| {
            format!("{}.{}", symbol["containerName"].as_str().unwrap_or(""), symbol["name"].as_str().unwrap())
        })
        .collect();
    all.sort();
    assert_eq!(all, [".far", ".square", "shape.area", "square.area"]);
    client.end();
}

#[test]
fn documents_are_laid_out() {
    let mut client = project();
    client.change("main.fut", "def f  x = x+1i32\n\ndef g  y = y\n");
    let mut params = client.document("main.fut");
    params["options"] = json!({ "tabSize": 2, "insertSpaces": true });
    let edits = client.ask("textDocument/formatting", params.clone());
    assert_eq!(edits.as_array().unwrap().len(), 1);
    assert_eq!(edits[0]["newText"], "def f x = x + 1i32\n\ndef g y = y\n");
    params["range"] = json!({ "start": { "line": 2, "character": 0 }, "end": { "line": 3, "character": 0 } });
    let edits = client.ask("textDocument/rangeFormatting", params.clone());
    assert_eq!(edits[0]["newText"], "def g y = y\n");
    assert_eq!(edits[0]["range"]["start"]["line"], 2);
    client.change("main.fut", "def f x = (x\n");
    let why = client.refusal("textDocument/formatting", params);
    assert!(why.starts_with("a file with errors in its syntax is left as it is: "), "{why}");
    client.end();
}

#[test]
fn hints_of_diagnostics_are_actions() {
    let mut client = project();
    // A name that was perhaps meant; the module in front stays.
    for (text, old, new) in [
        ("def f (x: i32) = lenght [x]\n", "lenght", "length"),
        ("def f (x: f32) = f32.sqtr x\n", "sqtr", "sqrt"),
        ("def f (x: i32) =\n  let y = x in 1i32\n", "y", "_y"),
    ] {
        client.change("main.fut", text);
        let mut params = client.document("main.fut");
        params["range"] = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
        params["context"] = json!({ "diagnostics": [] });
        let actions = client.ask("textDocument/codeAction", params);
        let edit = &actions[0]["edit"]["changes"][client.uri("main.fut")][0];
        assert_eq!(actions[0]["title"], format!("Change to `{new}`"));
        assert_eq!((client.text_at("main.fut", &edit["range"]).1.as_str(), &edit["newText"]), (old, &json!(new)));
    }
    client.change("main.fut", "def f (x: i32) = x + 1 $ 2\n");
    let mut params = client.document("main.fut");
    let place = json!({ "line": 0, "character": 23 });
    params["range"] = json!({ "start": place, "end": place });
    params["context"] = json!({ "diagnostics": [] });
    let actions = client.ask("textDocument/codeAction", params);
    let fix = &actions[0];
    assert_eq!(fix["edit"]["changes"][client.uri("main.fut")][0]["newText"], "<|");
    let (line, old) = client.text_at("main.fut", &fix["edit"]["changes"][client.uri("main.fut")][0]["range"]);
    assert_eq!((line, old.as_str()), (1, "$"));
    assert_eq!(actions[1]["title"], "Explain `unknown-character`");
    let command = actions[1]["command"].clone();
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    let page = client.ask("workspace/executeCommand", params);
    let path = page.as_str().unwrap().strip_prefix("file://").unwrap();
    assert!(std::fs::read_to_string(path).unwrap().contains("unknown-character"));
    client.end();
}

#[test]
fn lenses_run_tests_and_tell_what_becomes_of_entries() {
    let mut client = project();
    let params = client.document("main.fut");
    let lenses = client.ask("textDocument/codeLens", params);
    let lenses = lenses.as_array().unwrap();
    let titles: Vec<&Value> = lenses.iter().map(|lens| &lens["command"]["title"]).collect();
    assert_eq!(titles, [&json!("Run tests"), &json!("Run benchmarks"), &Value::Null]);
    assert_eq!((&lenses[0]["range"]["start"]["line"], &lenses[2]["range"]["start"]["line"]), (&json!(2), &json!(4)));
    let entry = client.ask("codeLens/resolve", lenses[2].clone());
    // One loop computes everything, and nothing is allocated.
    assert_eq!(entry["command"]["title"], "1 loop, 0 allocations, 0 copies, 0 checks");
    let command = lenses[0]["command"].clone();
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    client.ask("workspace/executeCommand", params);
    let shown = loop {
        if let Some(at) = client.told.iter().position(|one| one["method"] == "window/showMessage") {
            break client.told.remove(at);
        }
        // Any request brings the messages before its answer.
        let params = client.document("main.fut");
        client.ask("textDocument/foldingRange", params);
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    assert_eq!(shown["params"]["type"], 3, "{shown}");
    assert!(shown["params"]["message"].as_str().unwrap().contains("1 passed, 0 failed"), "{shown}");
    client.end();
}

#[test]
fn folds_and_classes_of_names() {
    let mut client = project();
    client.open("vec.fut", None);
    let params = client.document("vec.fut");
    let folds = client.ask("textDocument/foldingRange", params.clone());
    let lines: Vec<_> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|fold| (fold["startLine"].as_u64().unwrap(), fold["endLine"].as_u64().unwrap()))
        .collect();
    assert_eq!(lines, [(6, 9), (11, 13)]);
    let tokens = client.ask("textDocument/semanticTokens/full", params);
    let legend = client.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"].clone();
    let numbers: Vec<u64> = tokens["data"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    let (mut line, mut column) = (0, 0);
    let mut classes = Vec::new();
    for token in numbers.chunks(5) {
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        line += token[0];
        let text = VEC.lines().nth(line as usize).unwrap();
        let text: String = text.chars().skip(column as usize).take(token[2] as usize).collect();
        classes.push(format!("{text} {}", legend[token[3] as usize].as_str().unwrap()));
    }
    for expected in [
        "-- | A point of the plane. comment",
        "type keyword",
        "point type",
        "norm function",
        "p parameter",
        "f64 type",
        "f64 namespace",
        "sqrt function",
        "* operator",
        "shape interface",
        "square namespace",
    ] {
        assert!(classes.iter().any(|class| class == expected), "{expected}: {classes:?}");
    }
    client.end();
}
