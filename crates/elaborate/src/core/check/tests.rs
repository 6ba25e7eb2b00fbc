//! A program that breaks each rule, built by hand, beside one that keeps all.

use super::{Rule, check, check_first_order};
use crate::core::{
    CoerceKind, CoreProg, Def, DefId, Dim, Exp, Free, IndexDim, Kind, Lam, Loop, LoopForm, Pat, Path, Step, Ty,
};
use kenaz_base::{Id, Prim, Symbol};
use kenaz_ir::{Attr, LocId, Name, Scalar};
use kenaz_sema::intrinsics;
use kenaz_syntax::ast::RangeKind;
use std::sync::Arc;

fn exp(kind: Kind, ty: Ty) -> Exp {
    Exp::new(kind, ty, LocId::from_index(0))
}

fn name(id: u32) -> Name {
    Name { base: Symbol::intern("x"), id }
}

fn var(id: u32, ty: Ty) -> Exp {
    exp(Kind::Var(name(id)), ty)
}

fn int(n: i64) -> Exp {
    exp(Kind::Lit(Scalar::I64(n)), Ty::I64)
}

fn yes() -> Exp {
    exp(Kind::Lit(Scalar::Bool(true)), Ty::BOOL)
}

fn ints() -> Ty {
    Ty::array(Dim::Any, Ty::I64)
}

fn array() -> Exp {
    exp(Kind::Array(vec![int(1), int(2)]), ints())
}

fn boxed(exp: Exp) -> Box<Exp> {
    Box::new(exp)
}

/// A function, with the right type and free variables.
fn lam(params: &[(u32, Ty)], body: Exp) -> Exp {
    let params: Vec<(Name, Ty)> = params.iter().map(|(id, ty)| (name(*id), ty.clone())).collect();
    let ty = params.iter().rev().fold(body.ty.clone(), |ret, (_, t)| Ty::arrow(t.clone(), ret));
    let free = crate::free::free_vars(&body, params.iter().map(|(n, _)| *n));
    exp(Kind::Lam(Arc::new(Lam { id: 0, params, body, free })), ty)
}

fn block(bindings: Vec<(u32, Exp)>, result: Exp) -> Exp {
    let ty = result.ty.clone();
    exp(Kind::Block(bindings.into_iter().map(|(id, e)| (name(id), e)).collect(), boxed(result)), ty)
}

fn intrinsic(op: &str, args: Vec<Exp>, ty: Ty) -> Exp {
    exp(Kind::Intrinsic(intrinsics::lookup(op).unwrap(), args), ty)
}

fn add(a: Exp, b: Exp) -> Exp {
    intrinsic("+", vec![a, b], Ty::I64)
}

fn sym(text: &str) -> Symbol {
    Symbol::intern(text)
}

fn pair() -> Ty {
    Ty::Record(vec![(sym("a"), Ty::I64), (sym("b"), Ty::BOOL)])
}

fn pair_value() -> Exp {
    exp(Kind::Record(vec![(sym("a"), int(1)), (sym("b"), yes())]), pair())
}

fn option() -> Ty {
    Ty::Sum(vec![(sym("none"), Vec::new()), (sym("some"), vec![Ty::I64])])
}

fn some() -> Exp {
    exp(Kind::Constr(sym("some"), vec![int(1)]), option())
}

fn prog(bodies: Vec<Exp>) -> CoreProg {
    let mut prog = CoreProg::default();
    for body in bodies {
        let loc = LocId::from_index(0);
        prog.defs.push(Def { name: sym("f"), body, entry: None, attrs: Vec::new(), loc, builtin: false });
    }
    prog
}

#[track_caller]
fn rejected(rule: Rule, bodies: Vec<Exp>) {
    assert_eq!(check(&prog(bodies)).map_err(|e| e.rule), Err(rule));
}

#[track_caller]
fn rejected_first_order(rule: Rule, bodies: Vec<Exp>) {
    let prog = prog(bodies);
    assert_eq!(check(&prog), Ok(()));
    assert_eq!(check_first_order(&prog).map_err(|e| e.rule), Err(rule));
}

fn global(index: usize, ty: Ty) -> Exp {
    exp(Kind::Global(DefId::from_index(index)), ty)
}

fn loop_(init: Exp, form: LoopForm, body: Exp, ty: Ty) -> Exp {
    exp(Kind::Loop(boxed_loop(Loop { param: name(0), init, form, body })), ty)
}

fn boxed_loop(l: Loop) -> Box<Loop> {
    Box::new(l)
}

fn size_of(e: Exp, steps: Vec<Step>, dim: usize) -> Exp {
    exp(Kind::SizeOf(boxed(e), Path { steps, dim }), Ty::I64)
}

fn int_to_int() -> Ty {
    Ty::arrow(Ty::I64, Ty::I64)
}

/// Every construct, used as it should be. Hints do not matter.
#[test]
fn accepted() {
    let successor = lam(&[(0, Ty::I64)], add(var(0, Ty::I64), int(1)));
    let call = exp(Kind::App(boxed(global(0, int_to_int())), vec![int(1)]), Ty::I64);
    let mapped =
        intrinsic("map", vec![lam(&[(1, Ty::I64)], var(1, Ty::I64)), array()], Ty::array(Dim::Const(2), Ty::I64));
    let field = exp(Kind::Project(boxed(pair_value()), sym("b")), Ty::BOOL);
    let with_field = exp(Kind::UpdateField(boxed(pair_value()), vec![sym("a")], boxed(int(2))), pair());
    let index = exp(Kind::Index(boxed(array()), vec![IndexDim::Fix(int(0))]), Ty::I64);
    let slice = IndexDim::Slice { start: None, end: Some(int(1)), step: None };
    let part = exp(Kind::Index(boxed(array()), vec![slice.clone()]), ints());
    let update = exp(Kind::Update(boxed(array()), vec![slice], boxed(array())), ints());
    let choose = exp(Kind::If(boxed(yes()), boxed(int(1)), boxed(int(2))), Ty::I64);
    let cases = vec![
        (Pat::Constr(sym("some"), vec![Pat::Name(name(2), Ty::I64)], option()), var(2, Ty::I64)),
        (Pat::Wild, int(0)),
    ];
    let matched = exp(Kind::Match(boxed(some()), cases), Ty::I64);
    let first = (Pat::Record(vec![(sym("a"), Pat::Lit(Scalar::I64(1)))]), int(0));
    let matched_record = exp(Kind::Match(boxed(pair_value()), vec![first, (Pat::Wild, int(0))]), Ty::I64);
    let looped = loop_(int(0), LoopForm::For(name(3), int(10)), add(var(0, Ty::I64), var(3, Ty::I64)), Ty::I64);
    let Kind::Loop(mut over) = looped.kind.clone() else { panic!() };
    over.param = name(4);
    over.form = LoopForm::ForIn(name(5), array());
    over.body = add(var(4, Ty::I64), var(5, Ty::I64));
    let over = exp(Kind::Loop(over), Ty::I64);
    let negated = exp(Kind::Neg(boxed(int(1))), Ty::I64);
    let not = exp(Kind::Not(boxed(yes())), Ty::BOOL);
    let range = exp(
        Kind::Range { first: boxed(int(0)), second: Some(boxed(int(2))), kind: RangeKind::UpTo, last: boxed(int(9)) },
        ints(),
    );
    let coerced = exp(Kind::Coerce(boxed(range), CoerceKind::Coercion), Ty::array(Dim::Const(5), Ty::I64));
    let asserted = exp(Kind::Assert(boxed(yes()), boxed(coerced), "true".to_owned()), ints());
    let marked = exp(Kind::Attr(Attr::Opaque, boxed(asserted)), ints());
    let size = size_of(
        exp(Kind::Record(vec![(sym("r"), array())]), Ty::Record(vec![(sym("r"), ints())])),
        vec![Step::Field(sym("r"))],
        0,
    );
    let inner = size_of(exp(Kind::Hole, Ty::array(Dim::Any, ints())), Vec::new(), 1);
    let values = vec![
        call,
        mapped,
        field,
        with_field,
        index,
        part,
        update,
        choose,
        matched,
        matched_record,
        over,
        negated,
        not,
        marked,
        size,
        inner,
    ];
    let values = values.into_iter().enumerate().map(|(i, e)| (10 + u32::try_from(i).unwrap(), e)).collect();
    // The parameter of the first loop is that of the function, too: they are in different programs.
    let first_order = prog(vec![successor, block(values, int(0))]);
    assert_eq!(check(&first_order), Ok(()));
    assert_eq!(check_first_order(&first_order), Ok(()));
    assert_eq!(check_first_order(&prog(vec![looped])), Ok(()));
}

#[test]
fn bound_once() {
    rejected(Rule::BoundOnce, vec![block(vec![(0, int(1)), (0, int(2))], int(0))]);
    rejected(Rule::BoundOnce, vec![lam(&[(0, Ty::I64)], int(0)), block(vec![(0, int(1))], int(0))]);
}

#[test]
fn bound_before_use() {
    rejected(Rule::BoundBeforeUse, vec![var(0, Ty::I64)]);
    rejected(Rule::BoundBeforeUse, vec![block(vec![(0, int(1))], var(0, Ty::BOOL))]);
    rejected(Rule::BoundBeforeUse, vec![block(vec![(0, int(1))], int(0)), var(0, Ty::I64)]);
}

#[test]
fn global_definitions() {
    rejected(Rule::Global, vec![global(0, Ty::I64)]);
    rejected(Rule::Global, vec![int(1), global(0, Ty::BOOL)]);
}

#[test]
fn free_variables() {
    let Kind::Lam(closed) = lam(&[(0, Ty::I64)], int(1)).kind else { panic!() };
    let Ok(mut closed) = Arc::try_unwrap(closed) else { panic!() };
    closed.free.push(Free { name: name(7), fields: None });
    rejected(Rule::FreeVariables, vec![exp(Kind::Lam(Arc::new(closed)), int_to_int())]);
}

#[test]
fn literal() {
    rejected(Rule::Literal, vec![exp(Kind::Lit(Scalar::I64(1)), Ty::Prim(Prim::I32))]);
}

#[test]
fn lambda() {
    let mut wrong_parameter = lam(&[(0, Ty::I64)], int(1));
    wrong_parameter.ty = Ty::arrow(Ty::BOOL, Ty::I64);
    rejected(Rule::Lambda, vec![wrong_parameter]);
    let mut wrong_body = lam(&[(0, Ty::I64)], int(1));
    wrong_body.ty = Ty::arrow(Ty::I64, Ty::BOOL);
    rejected(Rule::Lambda, vec![wrong_body]);
    rejected(Rule::Lambda, vec![lam(&[], int(1))]);
}

#[test]
fn application() {
    let function = || lam(&[(0, Ty::I64)], int(1));
    rejected(Rule::Application, vec![exp(Kind::App(boxed(function()), vec![yes()]), Ty::I64)]);
    rejected(Rule::Application, vec![exp(Kind::App(boxed(function()), vec![int(1)]), Ty::BOOL)]);
    rejected(Rule::Application, vec![exp(Kind::App(boxed(function()), vec![int(1), int(1)]), Ty::I64)]);
    rejected(Rule::Application, vec![exp(Kind::App(boxed(function()), Vec::new()), int_to_int())]);
}

#[test]
fn blocks() {
    let mut wrong = block(vec![(0, int(1))], int(0));
    wrong.ty = Ty::BOOL;
    rejected(Rule::Block, vec![wrong]);
}

#[test]
fn records() {
    rejected(Rule::Record, vec![exp(Kind::Record(vec![(sym("a"), int(1))]), pair())]);
    rejected(Rule::Record, vec![exp(Kind::Record(vec![(sym("a"), yes()), (sym("b"), yes())]), pair())]);
    rejected(Rule::Record, vec![exp(Kind::Record(Vec::new()), Ty::I64)]);
}

#[test]
fn fields() {
    rejected(Rule::Field, vec![exp(Kind::Project(boxed(pair_value()), sym("c")), Ty::I64)]);
    rejected(Rule::Field, vec![exp(Kind::Project(boxed(pair_value()), sym("a")), Ty::BOOL)]);
    rejected(Rule::Field, vec![exp(Kind::UpdateField(boxed(pair_value()), vec![sym("a")], boxed(yes())), pair())]);
    rejected(Rule::Field, vec![exp(Kind::UpdateField(boxed(pair_value()), Vec::new(), boxed(pair_value())), pair())]);
}

#[test]
fn arrays() {
    rejected(Rule::Array, vec![exp(Kind::Array(vec![int(1), yes()]), ints())]);
    rejected(Rule::Array, vec![exp(Kind::Array(Vec::new()), Ty::I64)]);
}

#[test]
fn indices() {
    let at = |dims: Vec<IndexDim>, ty: Ty| exp(Kind::Index(boxed(array()), dims), ty);
    rejected(Rule::Index, vec![at(vec![IndexDim::Fix(int(0)), IndexDim::Fix(int(0))], Ty::I64)]);
    rejected(Rule::Index, vec![at(vec![IndexDim::Fix(yes())], Ty::I64)]);
    rejected(Rule::Index, vec![at(vec![IndexDim::Fix(int(0))], ints())]);
    rejected(Rule::Index, vec![at(Vec::new(), ints())]);
    let put = |value: Exp, ty: Ty| exp(Kind::Update(boxed(array()), vec![IndexDim::Fix(int(0))], boxed(value)), ty);
    rejected(Rule::Index, vec![put(yes(), ints())]);
    rejected(Rule::Index, vec![put(int(1), Ty::I64)]);
}

#[test]
fn conditionals() {
    rejected(Rule::If, vec![exp(Kind::If(boxed(int(1)), boxed(int(1)), boxed(int(2))), Ty::I64)]);
    rejected(Rule::If, vec![exp(Kind::If(boxed(yes()), boxed(int(1)), boxed(yes())), Ty::I64)]);
}

#[test]
fn matches() {
    let of = |cases: Vec<(Pat, Exp)>| exp(Kind::Match(boxed(some()), cases), Ty::I64);
    rejected(Rule::Match, vec![of(Vec::new())]);
    rejected(Rule::Match, vec![of(vec![(Pat::Wild, yes())])]);
    rejected(Rule::Match, vec![of(vec![(Pat::Name(name(0), Ty::I64), int(1))])]);
    rejected(Rule::Match, vec![of(vec![(Pat::Lit(Scalar::I64(1)), int(1))])]);
    rejected(Rule::Match, vec![of(vec![(Pat::Record(vec![(sym("a"), Pat::Wild)]), int(1))])]);
    rejected(Rule::Match, vec![of(vec![(Pat::Constr(sym("many"), Vec::new(), option()), int(1))])]);
    rejected(Rule::Match, vec![of(vec![(Pat::Constr(sym("some"), Vec::new(), option()), int(1))])]);
    rejected(Rule::Match, vec![of(vec![(Pat::Constr(sym("none"), Vec::new(), Ty::I64), int(1))])]);
}

#[test]
fn loops() {
    let times = |n: Exp| LoopForm::For(name(1), n);
    rejected(Rule::Loop, vec![loop_(yes(), times(int(1)), int(1), Ty::I64)]);
    rejected(Rule::Loop, vec![loop_(int(1), times(int(1)), yes(), Ty::I64)]);
    rejected(Rule::Loop, vec![loop_(int(1), times(yes()), int(1), Ty::I64)]);
    rejected(Rule::Loop, vec![loop_(int(1), LoopForm::ForIn(name(1), int(1)), int(1), Ty::I64)]);
    rejected(Rule::Loop, vec![loop_(int(1), LoopForm::While(int(1)), int(1), Ty::I64)]);
}

#[test]
fn constructors() {
    rejected(Rule::Constructor, vec![exp(Kind::Constr(sym("many"), Vec::new()), option())]);
    rejected(Rule::Constructor, vec![exp(Kind::Constr(sym("some"), Vec::new()), option())]);
    rejected(Rule::Constructor, vec![exp(Kind::Constr(sym("some"), vec![yes()]), option())]);
}

#[test]
fn intrinsic_functions() {
    let broken = |op: &str, args: Vec<Exp>, ty: Ty| rejected(Rule::Intrinsic, vec![intrinsic(op, args, ty)]);
    broken("+", vec![int(1)], Ty::I64);
    broken("+", vec![int(1), yes()], Ty::I64);
    broken("+", vec![yes(), yes()], Ty::BOOL);
    broken("<", vec![int(1), int(2)], Ty::I64);
    broken("i64_to_i32", vec![yes()], Ty::Prim(Prim::I32));
    broken("i64_to_i32", vec![int(1)], Ty::I64);
    broken("map", vec![lam(&[(0, Ty::BOOL)], yes()), array()], Ty::array(Dim::Any, Ty::BOOL));
    broken("map", vec![lam(&[(0, Ty::I64)], yes()), array()], ints());
    broken("map", vec![lam(&[(0, Ty::I64)], yes())], Ty::arrow(ints(), Ty::array(Dim::Any, Ty::BOOL)));
    broken("zip", vec![array(), array()], ints());
    broken("acc", Vec::new(), Ty::I64);
    broken("acc_write", vec![int(1), int(1), int(1)], Ty::I64);
}

#[test]
fn prefixes() {
    rejected(Rule::Prefix, vec![exp(Kind::Neg(boxed(yes())), Ty::BOOL)]);
    rejected(Rule::Prefix, vec![exp(Kind::Not(boxed(array())), ints())]);
    rejected(Rule::Prefix, vec![exp(Kind::Neg(boxed(int(1))), Ty::BOOL)]);
}

#[test]
fn ranges() {
    let to = |last: Exp, ty: Ty| {
        exp(Kind::Range { first: boxed(int(0)), second: None, kind: RangeKind::UpTo, last: boxed(last) }, ty)
    };
    rejected(Rule::Range, vec![to(yes(), ints())]);
    rejected(Rule::Range, vec![to(int(1), Ty::I64)]);
    rejected(Rule::Range, vec![to(int(1), Ty::array(Dim::Any, Ty::BOOL))]);
}

#[test]
fn coercions() {
    rejected(Rule::Coerce, vec![exp(Kind::Coerce(boxed(array()), CoerceKind::Coercion), Ty::I64)]);
}

#[test]
fn assertions() {
    rejected(Rule::Assert, vec![exp(Kind::Assert(boxed(int(1)), boxed(int(1)), String::new()), Ty::I64)]);
    rejected(Rule::Assert, vec![exp(Kind::Assert(boxed(yes()), boxed(int(1)), String::new()), Ty::BOOL)]);
}

#[test]
fn attributes() {
    rejected(Rule::Attribute, vec![exp(Kind::Attr(Attr::Blank, boxed(int(1))), Ty::BOOL)]);
}

#[test]
fn sizes() {
    rejected(Rule::SizeOf, vec![size_of(array(), Vec::new(), 1)]);
    rejected(Rule::SizeOf, vec![size_of(int(1), Vec::new(), 0)]);
    rejected(Rule::SizeOf, vec![size_of(pair_value(), vec![Step::Field(sym("c"))], 0)]);
    rejected(Rule::SizeOf, vec![size_of(some(), vec![Step::Payload(sym("some"), 1)], 0)]);
    let mut wrong = size_of(array(), Vec::new(), 0);
    wrong.ty = Ty::BOOL;
    rejected(Rule::SizeOf, vec![wrong]);
}

#[test]
fn function_types() {
    rejected_first_order(Rule::FunctionType, vec![exp(Kind::Hole, int_to_int())]);
    rejected_first_order(Rule::FunctionType, vec![lam(&[(0, int_to_int())], int(1))]);
    let takes_a_function = vec![(0, exp(Kind::Hole, Ty::Record(vec![(sym("f"), int_to_int())])))];
    rejected_first_order(Rule::FunctionType, vec![block(takes_a_function, int(1))]);
}

#[test]
fn function_places() {
    rejected_first_order(Rule::FunctionPlace, vec![block(vec![(0, lam(&[(1, Ty::I64)], int(1)))], int(1))]);
}

#[test]
fn saturated_calls() {
    let function = || lam(&[(0, Ty::I64), (1, Ty::I64)], int(1));
    let ty = || Ty::arrow(Ty::I64, int_to_int());
    let direct = exp(Kind::App(boxed(lam(&[(0, Ty::I64)], int(1))), vec![int(1)]), Ty::I64);
    rejected_first_order(Rule::Saturated, vec![direct]);
    rejected_first_order(Rule::Saturated, vec![function(), block(vec![(2, global(0, ty()))], int(1))]);
    let partial =
        intrinsic("map", vec![exp(Kind::App(boxed(global(0, ty())), vec![int(1)]), int_to_int()), array()], ints());
    let prog = prog(vec![function(), partial]);
    assert_eq!(check(&prog), Ok(()));
    assert!(check_first_order(&prog).is_err());
    let nested = lam(&[(0, Ty::I64)], lam(&[(1, Ty::I64)], int(1)));
    let too_many = exp(Kind::App(boxed(global(0, ty())), vec![int(1), int(2)]), Ty::I64);
    assert!(check_first_order(&self::prog(vec![nested, too_many])).is_err());
}

#[test]
fn errors_say_where() {
    let error = check(&prog(vec![block(vec![(0, int(1))], add(var(0, Ty::I64), var(9, Ty::I64)))])).unwrap_err();
    assert_eq!(error.to_string(), "[bound-before-use] in definition `f`: `x_9` is not in scope\n  x_9");
}
