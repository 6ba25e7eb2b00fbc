//! The checker: programs that are broken in one way each, and what it says about them.

use kenaz_base::{Prim, Symbol};
use kenaz_imp::check::Rule;
use kenaz_imp::{Arg, Exp, Fun, Hint, Param, Prog, Side, Stm, Ty, check};
use kenaz_ir::{BinOp, Locs, MathFn, Name, Scalar, Space, UnOp};

fn name(base: &str, id: u32) -> Name {
    Name { base: Symbol::intern(base), id }
}

fn n() -> Name {
    name("n", 1)
}

fn m() -> Name {
    name("m", 2)
}

fn r() -> Name {
    name("r", 3)
}

fn x() -> Name {
    name("x", 4)
}

fn y() -> Name {
    name("y", 5)
}

fn int(name: Name) -> Exp {
    Exp::Var(name, Prim::I64)
}

fn param(name: Name, ty: Ty) -> Param {
    Param { name, ty }
}

const INT: Ty = Ty::Scalar(Prim::I64);

/// `fun f (n: i64) (m: block) : (r: i64) { body }`, behind `fun g (n: i64) (m: block) : (r: i64) { r = n }`.
fn program(body: Vec<Stm>) -> Prog {
    let fun = |fun: &str, body| Fun {
        name: Symbol::intern(fun),
        entry: None,
        params: vec![param(n(), INT), param(m(), Ty::Block)],
        results: vec![param(r(), INT)],
        body,
        loc: Locs::NOWHERE(),
    };
    let g = fun("g", vec![Stm::Set { name: r(), value: int(n()) }]);
    Prog { funs: vec![g, fun("f", body)], ..Prog::default() }
}

fn set(name: Name, value: Exp) -> Stm {
    Stm::Set { name, value }
}

fn bind(name: Name, value: Exp) -> Stm {
    Stm::Let { name, prim: value.prim(), value }
}

fn declare(name: Name, ty: Ty) -> Stm {
    Stm::Declare { name, ty }
}

fn done() -> Stm {
    set(r(), int(n()))
}

fn for_loop(var: Name, bound: Exp, body: Vec<Stm>) -> Stm {
    Stm::For { var, prim: Prim::I64, bound, hint: Hint::default(), body }
}

fn when(cond: bool, yes: Vec<Stm>, no: Vec<Stm>) -> Stm {
    Stm::If { cond: Exp::Const(Scalar::Bool(cond)), yes, no }
}

fn load(block: Name, prim: Prim) -> Exp {
    Exp::Load { block, prim, index: Box::new(Exp::i64(0)) }
}

#[test]
fn good_programs_pass() {
    let local = Stm::Local { name: y(), prim: Prim::I64, len: 4 };
    let store = Stm::Store { block: y(), prim: Prim::I64, index: int(x()), value: int(x()) };
    for body in [
        vec![done()],
        vec![bind(x(), load(m(), Prim::I64)), set(r(), int(x()))],
        vec![local, for_loop(x(), Exp::i64(4), vec![store]), set(r(), load(y(), Prim::I64))],
        vec![when(true, vec![done()], vec![done()])],
        vec![declare(x(), INT), set(x(), Exp::i64(0)), for_loop(y(), int(n()), vec![set(x(), int(y()))]), done()],
        vec![Stm::Call {
            fun: Symbol::intern("g"),
            args: vec![Arg::Scalar(int(n())), Arg::Block(m())],
            results: vec![r()],
        }],
    ] {
        assert_eq!(check(&program(body.clone())), Ok(()), "{body:?}");
    }
}

#[test]
fn broken_programs_are_rejected_for_their_own_reason() {
    let f64 = |x: f64| Exp::Const(Scalar::F64(x));
    let local = || Stm::Local { name: x(), prim: Prim::I32, len: 4 };
    let side = |strides: usize| Side { block: m(), offset: Exp::i64(0), strides: vec![Exp::i64(1); strides] };
    let call = |fun: &str, args: Vec<Arg>, results: Vec<Name>| Stm::Call { fun: Symbol::intern(fun), args, results };
    let case = |value: Scalar| (value, vec![done()]);
    let switch = |cases: Vec<(Scalar, Vec<Stm>)>| Stm::Switch { on: int(n()), cases, default: vec![done()] };
    let cases: Vec<(Rule, &str, Vec<Stm>)> = vec![
        (Rule::DeclaredOnce, "x_4 is declared twice", vec![bind(x(), Exp::i64(1)), bind(x(), Exp::i64(1)), done()]),
        (
            Rule::DeclaredOnce,
            "x_4 is declared twice",
            vec![for_loop(x(), int(n()), vec![]), for_loop(x(), int(n()), vec![]), done()],
        ),
        (Rule::DeclaredOnce, "n_1 is declared twice", vec![bind(n(), Exp::i64(1)), done()]),
        (Rule::DeclaredBefore, "x_4 is not in scope", vec![set(r(), int(x())), bind(x(), Exp::i64(1))]),
        (
            Rule::DeclaredBefore,
            "x_4 is not in scope",
            vec![when(true, vec![bind(x(), Exp::i64(1))], vec![]), set(r(), int(x()))],
        ),
        (Rule::DeclaredBefore, "x_4 is not in scope", vec![for_loop(x(), int(n()), vec![]), set(r(), int(x()))]),
        (Rule::Assignable, "x_4 is no variable", vec![bind(x(), Exp::i64(1)), set(x(), Exp::i64(2)), done()]),
        (Rule::Assignable, "x_4 is no variable", vec![for_loop(x(), int(n()), vec![set(x(), Exp::i64(0))]), done()]),
        (Rule::Assignable, "m_2 is no variable", vec![Stm::SetBlock { name: m(), from: m() }, done()]),
        (Rule::Assigned, "x_4 is read before it has a value", vec![declare(x(), INT), set(r(), int(x()))]),
        (
            Rule::Assigned,
            "x_4 is read before it has a value",
            vec![declare(x(), INT), when(true, vec![set(x(), Exp::i64(1))], vec![]), set(r(), int(x()))],
        ),
        (
            Rule::Assigned,
            "x_4 is read before it has a value",
            vec![declare(x(), INT), for_loop(y(), int(n()), vec![set(x(), Exp::i64(1))]), set(r(), int(x()))],
        ),
        (
            Rule::Assigned,
            "x_4 is read before it has a value",
            vec![declare(x(), Ty::Block), Stm::Free { name: x() }, done()],
        ),
        (Rule::Assigned, "the result r_3 has no value on some path", vec![]),
        (Rule::Assigned, "the result r_3 has no value on some path", vec![when(true, vec![done()], vec![])]),
        (Rule::Assigned, "the result r_3 has no value on some path", vec![for_loop(x(), int(n()), vec![done()])]),
        (Rule::Type, "1.0f64 is of type f64, not i64", vec![set(r(), f64(1.0))]),
        (Rule::Type, "n_1 is of type i64, not f64", vec![bind(x(), Exp::Var(n(), Prim::F64)), done()]),
        (
            Rule::Type,
            "there is no such operation: and(1.0f64, 1.0f64)",
            vec![bind(x(), Exp::Bin(BinOp::And, Prim::F64, Box::new(f64(1.0)), Box::new(f64(1.0)))), done()],
        ),
        (
            Rule::Type,
            "there is no such operation: neg(true)",
            vec![bind(x(), Exp::Un(UnOp::Neg, Prim::Bool, Box::new(Exp::Const(Scalar::Bool(true))))), done()],
        ),
        (
            Rule::Type,
            "there is no such operation: sqrt()",
            vec![bind(x(), Exp::Math(MathFn::Sqrt, Prim::F64, vec![])), done()],
        ),
        (Rule::Type, "x_4 has elements of type i32, not i64", vec![local(), set(r(), load(x(), Prim::I64))]),
        (
            Rule::Type,
            "1.0f64 is of type f64, not i64",
            vec![Stm::Alloc { name: x(), space: Space::Host, bytes: f64(1.0) }, done()],
        ),
        (Rule::Kind, "m_2 is no scalar", vec![set(r(), int(m()))]),
        (Rule::Kind, "n_1 is no block", vec![set(r(), load(n(), Prim::I64))]),
        (Rule::Kind, "n_1 is no block", vec![Stm::Share { name: x(), from: n() }, done()]),
        (
            Rule::Kind,
            "m_2 of g is a block",
            vec![call("g", vec![Arg::Scalar(int(n())), Arg::Scalar(int(n()))], vec![r()])],
        ),
        (Rule::OnStack, "x_4 is on the stack", vec![local(), Stm::Free { name: x() }, done()]),
        (Rule::OnStack, "x_4 is on the stack", vec![local(), Stm::Share { name: y(), from: x() }, done()]),
        (
            Rule::OnStack,
            "x_4 is on the stack",
            vec![local(), call("g", vec![Arg::Scalar(int(n())), Arg::Block(x())], vec![r()])],
        ),
        (Rule::OnStack, "x_4 has no elements", vec![Stm::Local { name: x(), prim: Prim::I8, len: 0 }, done()]),
        (Rule::Call, "there is no function f before this one", vec![call("f", vec![], vec![])]),
        (Rule::Call, "g has other parameters or results", vec![call("g", vec![], vec![r()])]),
        (
            Rule::Rank,
            "2 strides for 1 sizes",
            vec![Stm::Copy { prim: Prim::I8, sizes: vec![int(n())], to: side(1), from: side(2) }, done()],
        ),
        (
            Rule::Cases,
            "the case 1 is of another type or not the first",
            vec![switch(vec![case(Scalar::I64(1)), case(Scalar::I64(1))])],
        ),
        (Rule::Cases, "the case 1i8 is of another type or not the first", vec![switch(vec![case(Scalar::I8(1))])]),
    ];
    for (rule, message, body) in cases {
        let error = check(&program(body.clone())).expect_err(message);
        assert_eq!((error.rule, &error.message[..]), (rule, message), "{body:?}");
        assert_eq!(error.to_string(), format!("in f: [{}] {message}", rule.id()));
    }
}
