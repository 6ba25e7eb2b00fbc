//! The inputs of a case: given, given in part, or made up from the types of parameters.

use super::case::{Answer, Directives};
use kenaz_base::Rng;
use kenaz_ir::entry::{Signature, Slot};
use kenaz_ir::{Fun, Name, Operand, Param, Prog, Scalar, Type};
use kenaz_runtime::{Data, ParamType, Reader, Value};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;

/// A run of a function.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub args: Vec<Value>,
    /// What must come out.
    pub answer: Option<Answer>,
}

/// How many inputs are made up where none are given.
const RUNS: usize = 12;

/// The function to run: the one that is named, `main`, or else the last.
pub(super) fn main<'p>(prog: &'p Prog, directives: &Directives) -> Result<&'p Fun, String> {
    let find = |name: &str| prog.funs.iter().find(|fun| fun.name.as_str() == name);
    let found = match &directives.function {
        Some(name) => find(name),
        None => find("main").or(prog.funs.last()),
    };
    found.ok_or_else(|| "there is no function to run".to_string())
}

/// The runs that the directives ask for.
pub(super) fn runs(fun: &Fun, directives: &Directives) -> Result<Vec<Run>, String> {
    let visible = visible(fun)?;
    let mut runs = Vec::new();
    if directives.inputs.is_empty() {
        let count = if visible.is_empty() { 1 } else { directives.runs.unwrap_or(RUNS) };
        let unknown = vec![None; visible.len()];
        for seed in 0..count {
            let mut maker = Maker { rng: Rng::new(seed as u64), extreme: directives.extreme };
            runs.push(Run { args: maker.complete(fun, &visible, &unknown)?, answer: None });
        }
    }
    for input in &directives.inputs {
        let given = choices(&input.text, &visible)?;
        if input.answer.is_some() && given.len() > 1 {
            return Err(format!("`{}` are several inputs, with one answer", input.text));
        }
        for given in given {
            let mut maker = Maker { rng: Rng::new(runs.len() as u64), extreme: directives.extreme };
            runs.push(Run { args: maker.complete(fun, &visible, &given)?, answer: input.answer.clone() });
        }
    }
    Ok(runs)
}

/// The parameters whose values a user gives: without those that are there for memory only and, in entry points, sizes.
fn visible(fun: &Fun) -> Result<Vec<&Param>, String> {
    let is_offset = |name: Name| {
        let mut places = fun.params.iter().filter_map(|param| param.place.as_ref());
        places.any(|place| place.layout.offset.names().any(|n| n == name))
    };
    let is_hidden = |param: &&Param| match &param.ty {
        Type::Mem(_) => true,
        ty => *ty == Type::I64 && is_offset(param.name),
    };
    let shown: Vec<&Param> = fun.params.iter().filter(|param| !is_hidden(param)).collect();
    let Some(entry) = &fun.entry else { return Ok(shown) };
    let params: Vec<Param> = shown.iter().map(|param| (*param).clone()).collect();
    let results: Vec<Param> = fun.results.iter().filter(|param| !is_hidden(param)).cloned().collect();
    let signature = Signature::of(Some(entry), &params, &results).map_err(|why| format!("the entry point: {why}"))?;
    let slots = shown.into_iter().zip(&signature.params);
    Ok(slots.filter(|(_, slot)| matches!(slot, Slot::Part(_))).map(|(param, _)| param).collect())
}

type Given = Vec<Option<Value>>;

/// All combinations of the values that a line gives.
fn choices(line: &str, params: &[&Param]) -> Result<Vec<Given>, String> {
    let words = words(line)?;
    if words.len() != params.len() {
        return Err(format!("`{line}` are {} inputs, but there are {} parameters", words.len(), params.len()));
    }
    let mut all: Vec<Given> = vec![Vec::new()];
    for (word, param) in words.iter().zip(params) {
        let values = values(word, param)?;
        all = all
            .into_iter()
            .flat_map(|before| {
                values.iter().map(move |value| before.iter().cloned().chain([value.clone()]).collect::<Given>())
            })
            .collect();
    }
    Ok(all)
}

/// Splits at blanks outside of brackets.
fn words(line: &str) -> Result<Vec<&str>, String> {
    let (mut depth, mut start, mut words) = (0usize, None, Vec::new());
    for (at, c) in line.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth = depth.checked_sub(1).ok_or(format!("a bracket too many in `{line}`"))?,
            _ => {}
        }
        match start {
            Some(from) if c.is_whitespace() && depth == 0 => {
                words.push(&line[from..at]);
                start = None;
            }
            None if !c.is_whitespace() => start = Some(at),
            _ => {}
        }
    }
    words.extend(start.map(|from| &line[from..]));
    if depth == 0 { Ok(words) } else { Err(format!("a bracket is open in `{line}`")) }
}

/// The values that one word gives, of which none may be left open.
fn values(word: &str, param: &Param) -> Result<Given, String> {
    if word == "_" {
        return Ok(vec![None]);
    }
    if let Some(set) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return set.split(',').map(|value| self::value(value.trim(), param).map(Some)).collect();
    }
    if let Some((from, to)) = word.split_once("...") {
        let bound = |text: &str| text.parse::<i64>().map_err(|_| format!("`{word}` is no range"));
        return (bound(from)?..=bound(to)?).map(|n| value(&n.to_string(), param).map(Some)).collect();
    }
    Ok(vec![Some(value(word, param)?)])
}

fn value(text: &str, param: &Param) -> Result<Value, String> {
    let prim = param.ty.prim().ok_or_else(|| format!("`{}` cannot be given", param.name))?;
    let ty = ParamType { rank: param.ty.dims().len(), prim };
    let mut reader = Reader::new(text.as_bytes());
    let value = reader.next_of(ty).and_then(|value| reader.finish().map(|()| value));
    value.map_err(|error| format!("`{text}` for `{}`: {error}", param.name))
}

/// The first rows of an array, as many as its size says.
fn cut(value: &Value, param: &Param, sizes: &BTreeMap<Name, i64>) -> Value {
    let (Some(Operand::Var(name)), Some(rows)) = (param.ty.dims().first(), value.shape().first()) else {
        return value.clone();
    };
    let size = sizes.get(name).and_then(|size| usize::try_from(*size).ok()).filter(|size| size < rows);
    let Some(size) = size else { return value.clone() };
    let shape: Vec<usize> = [size].into_iter().chain(value.shape()[1..].iter().copied()).collect();
    let mut data = Data::empty(value.prim());
    for i in 0..shape.iter().product() {
        assert!(data.push(value.data().get(i)), "an element of the same array");
    }
    Value::new(shape, data)
}

/// Makes up what is not given, the same every time.
struct Maker {
    rng: Rng,
    extreme: bool,
}

impl Maker {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[(self.rng.next() % from.len() as u64) as usize]
    }

    fn scalar(&mut self, ty: &Type) -> Result<Scalar, String> {
        let prim = ty.prim().ok_or_else(|| format!("a value of type `{ty}` cannot be made up"))?;
        let (float, small) = if self.extreme {
            let float = self.pick(&[0.0, -0.0, 1.0, -2.5, f64::NAN, f64::INFINITY, 7.0]);
            (float, self.pick(&[0, 1, 2, 3, 5, 1, 0, -1, -7, i64::MAX, i64::MIN]))
        } else {
            (self.pick(&[0.0, 1.0, -2.5, 0.5, 7.0, 3.0]), self.pick(&[0, 1, 2, 3, 0, 1, 5, -1, -7, 10, 20]))
        };
        Ok(match Scalar::zero(prim) {
            Scalar::F32(_) => Scalar::F32(float as f32),
            Scalar::F64(_) => Scalar::F64(float),
            Scalar::Bool(_) => Scalar::Bool(small % 2 != 0),
            _ => Scalar::from_bits(prim, small as u64),
        })
    }

    /// Values for the visible parameters: those given, and others whose sizes fit them.
    fn complete(&mut self, fun: &Fun, visible: &[&Param], given: &[Option<Value>]) -> Result<Vec<Value>, String> {
        let mut sizes: BTreeMap<Name, i64> = BTreeMap::new();
        let values = || visible.iter().zip(given).filter_map(|(param, value)| Some((param, value.as_ref()?)));
        for (param, value) in values() {
            if let Some(Scalar::I64(n)) = value.as_scalar() {
                sizes.insert(param.name, n);
            }
        }
        for (param, value) in values() {
            for (dim, size) in param.ty.dims().iter().zip(value.shape()) {
                if let Operand::Var(name) = dim {
                    sizes.entry(*name).or_insert(*size as i64);
                }
            }
        }
        for param in &fun.params {
            for dim in param.ty.dims() {
                if let Operand::Var(name) = dim
                    && !sizes.contains_key(name)
                {
                    sizes.insert(*name, self.pick(&[0, 1, 3, 4]));
                }
            }
        }
        let make = |(param, value): (&&Param, &Option<Value>)| match value {
            Some(value) => Ok(cut(value, param, &sizes)),
            None => self.value(param, &sizes),
        };
        visible.iter().zip(given).map(make).collect()
    }

    fn value(&mut self, param: &Param, sizes: &BTreeMap<Name, i64>) -> Result<Value, String> {
        if let Type::Prim(_) = param.ty {
            return match sizes.get(&param.name) {
                Some(size) => Ok(Value::scalar(Scalar::I64(*size))),
                None => Ok(Value::scalar(self.scalar(&param.ty)?)),
            };
        }
        let mut shape = Vec::new();
        for dim in param.ty.dims() {
            let size = match dim {
                Operand::Const(c) => c.as_i64().unwrap_or(0),
                Operand::Var(name) => sizes[name],
            };
            shape.push(usize::try_from(size).map_err(|_| format!("`{}` has a negative size", param.name))?);
        }
        let mut data = Data::empty(param.ty.prim().ok_or_else(|| format!("`{}` cannot be made up", param.name))?);
        for _ in 0..shape.iter().product() {
            let scalar = self.scalar(&param.ty)?;
            assert!(data.push(scalar), "a scalar of the type of the elements");
        }
        Ok(Value::new(shape, data))
    }
}

/// Tests of this module itself: that it can fail.
pub(super) fn harness_trials() -> Vec<Trial> {
    let holds = |condition: bool| if condition { Ok(()) } else { Err(Failed::from("does not hold")) };
    let fun = "fun main (n_1: i64) (k_2: i64) (a_3: [n_1]i32) : = { in }";
    let shown = move |line: &str| -> Result<Vec<String>, String> {
        let prog = kenaz_ir::parse::prog(fun).map_err(|error| error.to_string())?;
        let inputs = vec![super::case::Input { text: line.to_string(), answer: None }];
        let directives = Directives { inputs, ..Directives::default() };
        let runs = runs(main(&prog, &directives)?, &directives)?;
        let text = |run: &Run| run.args.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        Ok(runs.iter().map(text).collect())
    };
    vec![Trial::test("harness/ir/inputs", move || {
        holds(shown("2 7 [1, 2]")? == ["2i64 7i64 [1i32, 2i32]"])?;
        holds(shown("_ {7, -1} [1, 2]")? == ["2i64 7i64 [1i32, 2i32]", "2i64 -1i64 [1i32, 2i32]"])?;
        holds(shown("0...3 -1...1 _")?.len() == 12)?;
        holds(shown("1...2 7 [1, 2]")? == ["1i64 7i64 [1i32]", "2i64 7i64 [1i32, 2i32]"])?;
        holds(shown("3 0 _")?[0].matches("i32").count() == 3)?;
        holds(shown("_ _ _")?.len() == 1)?;
        holds(shown("2 7").is_err() && shown("2 7 [1, 2").is_err() && shown("2 7 [1.5]").is_err())
    })]
}
