//! The checker: programs that are broken in one way each, and what it says about them.

use kenaz_base::{Prim, Symbol};
use kenaz_imp::check::Rule;
use kenaz_imp::{Arg, Cell, Combined, Exp, Fun, Hint, Lanes, Lock, Param, Prog, Region, Side, Stm, Ty, check};
use kenaz_ir::{BinOp, Level, Locs, MathFn, Name, Scalar, Space, UnOp};

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
const BLOCK: Ty = Ty::Block(Space::Host);

/// `fun f (n: i64) (m: block) : (r: i64) { body }`, behind `fun g (n: i64) (m: block) : (r: i64) { r = n }`.
fn program(body: Vec<Stm>) -> Prog {
    let fun = |fun: &str, body| Fun {
        name: Symbol::intern(fun),
        entry: None,
        params: vec![param(n(), INT), param(m(), BLOCK)],
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
            vec![declare(x(), BLOCK), Stm::Free { name: x() }, done()],
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
        (Rule::Borrowed, "m_2 is not given up here", vec![Stm::Free { name: m() }, done()]),
        (
            Rule::Space,
            "x_4 is for blocks in private memory, but m_2 is in host",
            vec![declare(x(), Ty::Block(Space::Private)), Stm::SetBlock { name: x(), from: m() }, done()],
        ),
        (
            Rule::Space,
            "x_4 is in shared memory, out of reach",
            vec![Stm::Alloc { name: x(), space: Space::Shared, bytes: int(n()) }, done()],
        ),
        (
            Rule::Space,
            "x_4 is in device memory, out of reach",
            vec![
                Stm::Alloc { name: x(), space: Space::Device, bytes: int(n()) },
                Stm::Store { block: x(), prim: Prim::I64, index: Exp::i64(0), value: int(n()) },
                done(),
            ],
        ),
        (
            Rule::Space,
            "x_4 is not in the memory of a device, seen from the host",
            vec![
                Stm::Alloc { name: x(), space: Space::Host, bytes: int(n()) },
                Stm::Write { block: x(), prim: Prim::I64, index: Exp::i64(0), value: int(n()) },
                done(),
            ],
        ),
        (
            Rule::Space,
            "x_4 is in private memory, not in host",
            vec![
                Stm::Alloc { name: x(), space: Space::Private, bytes: int(n()) },
                call("g", vec![Arg::Scalar(int(n())), Arg::Block(x())], vec![r()]),
            ],
        ),
        (
            Rule::Region,
            "the loop with x_4, y_5, z_6, w_7 is no region",
            vec![
                Stm::Parallel {
                    level: Level::Core,
                    ids: vec![x(), y(), name("z", 6), name("w", 7)],
                    iterations: int(n()),
                    chunks: Exp::i64(2),
                    lanes: None,
                    body: vec![],
                    loc: Locs::NOWHERE(),
                },
                done(),
            ],
        ),
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

/// `region name: level (n: i64) (m: block) with … { body }` of `f`.
fn region(name: &str, level: Level, body: Vec<Stm>) -> Region {
    let params = vec![param(n(), INT), param(m(), BLOCK)];
    let ids = (10u32..).zip(Region::ids(level).unwrap_or_default()).map(|(id, base)| self::name(base, id)).collect();
    Region { name: Symbol::intern(name), fun: Symbol::intern("f"), level, params, ids, body, loc: Locs::NOWHERE() }
}

fn launch(region: &str, args: Vec<Arg>) -> Stm {
    Stm::Launch { region: Symbol::intern(region), args, iterations: Exp::i64(4), count: Exp::i64(2), lanes: None }
}

fn both() -> Vec<Arg> {
    vec![Arg::Scalar(int(n())), Arg::Block(m())]
}

/// A device reaches its own memory.
fn kernel(name: &str, body: Vec<Stm>) -> Region {
    Region { params: vec![param(m(), Ty::Block(Space::Device))], ..region(name, Level::Grid, body) }
}

/// A region for a block, and what launches it.
fn block(name: &str, body: Vec<Stm>) -> Region {
    Region { params: vec![param(m(), Ty::Block(Space::Device))], ..region(name, Level::Block, body) }
}

fn lanes(body: Vec<Stm>) -> Stm {
    Stm::Lanes { lane: name("lane", 20), count: Exp::i64(3), body }
}

fn shared() -> Stm {
    Stm::Shared { name: y(), offset: Exp::i64(16) }
}

#[test]
fn lanes_stand_in_a_block_and_change_nothing_around_them() {
    let store = |block: Name| Stm::Store { block, prim: Prim::I64, index: int(name("lane", 20)), value: Exp::i64(1) };
    let good = block("one", vec![shared(), lanes(vec![store(m()), store(y())]), bind(x(), load(y(), Prim::I64))]);
    let prog = |one: Region, body: Vec<Stm>| Prog { regions: vec![one], ..program(body) };
    assert_eq!(check(&prog(good.clone(), vec![done()])), Ok(()));
    let with = Lanes { count: Exp::i64(3), shared: Exp::i64(40) };
    let launched = |region: &str, args: Vec<Arg>, lanes: Option<Lanes>| {
        let Stm::Launch { region, args, iterations, count, .. } = launch(region, args) else { panic!() };
        Stm::Launch { region, args, iterations, count, lanes }
    };
    let declared = |lane: Vec<Stm>| vec![declare(x(), INT), set(x(), Exp::i64(0)), lanes(lane)];
    let host = region("one", Level::Core, vec![]);
    let cases = [
        (Rule::Lanes, "the lanes with lane_20 are not those of a block", kernel("one", vec![lanes(vec![])]), done()),
        (Rule::DeclaredOnce, "lane_20 is declared twice", block("one", vec![lanes(vec![]), lanes(vec![])]), done()),
        (
            Rule::Lanes,
            "the lanes with lane_20 are not those of a block",
            block("one", vec![lanes(vec![lanes(vec![])])]),
            done(),
        ),
        (Rule::Lanes, "x_4 belongs to all lanes", block("one", declared(vec![set(x(), Exp::i64(1))])), done()),
        (Rule::Lanes, "y_5 is not declared by a block", block("one", vec![lanes(vec![shared()])]), done()),
        (Rule::Lanes, "y_5 is not declared by a block", kernel("one", vec![shared()]), done()),
        (Rule::Borrowed, "y_5 is not given up here", block("one", vec![shared(), Stm::Free { name: y() }]), done()),
        (Rule::Lanes, "one is for core", host, launched("one", both(), Some(with))),
        (Rule::Lanes, "one is for block", good, launched("one", vec![Arg::Block(m())], None)),
    ];
    for (rule, message, one, stm) in cases {
        let error = check(&prog(one.clone(), vec![stm, done()])).expect_err(message);
        assert_eq!((error.rule, &error.message[..]), (rule, message), "{one:?}");
    }
}

fn combined(own: Name, room: Name, result: Exp) -> Combined {
    let [left, right, all] = [("left", 21), ("right", 22), ("all", 23)].map(|(base, id)| name(base, id));
    Combined { own, prim: Prim::I64, room, left, right, result, all }
}

fn combine(own: Name, room: Name, result: Exp) -> Stm {
    let values = vec![combined(own, room, result)];
    Stm::Combine { values, busy: Exp::i64(3), prefixes: false, body: vec![] }
}

#[test]
fn lanes_combine_what_each_of_them_has() {
    let own = name("own", 24);
    let per_lane = |prim: Prim, len: u64| Stm::PerLane { name: own, prim, len };
    let store = Stm::Store { block: own, prim: Prim::I64, index: Exp::i64(0), value: Exp::i64(1) };
    let left = || int(name("left", 21));
    let all = bind(x(), int(name("all", 23)));
    let good = vec![shared(), per_lane(Prim::I64, 1), lanes(vec![store.clone()]), combine(own, y(), left()), all];
    let prog = |body: Vec<Stm>| Prog { regions: vec![block("one", body)], ..program(vec![done()]) };
    assert_eq!(check(&prog(good)), Ok(()));
    let cases = [
        (Rule::OnStack, "own_24 has no elements", vec![per_lane(Prim::I64, 0)]),
        (Rule::Lanes, "own_24 is not for a block", vec![lanes(vec![per_lane(Prim::I64, 1)])]),
        (Rule::Lanes, "own_24 belongs to each lane", vec![per_lane(Prim::I64, 1), store.clone()]),
        (Rule::Type, "own_24 has elements of type i32, not i64", vec![per_lane(Prim::I32, 1), lanes(vec![store])]),
        (
            Rule::Lanes,
            "own_24 is not combined in y_5",
            vec![shared(), per_lane(Prim::I32, 1), combine(own, y(), left())],
        ),
        (Rule::Lanes, "own_24 is not combined in m_2", vec![per_lane(Prim::I64, 1), combine(own, m(), left())]),
        (
            Rule::Lanes,
            "own_24 is not for a block",
            vec![shared(), per_lane(Prim::I64, 1), lanes(vec![combine(own, y(), left())])],
        ),
        (
            Rule::DeclaredBefore,
            "left_21 is not in scope",
            vec![shared(), per_lane(Prim::I64, 1), combine(own, y(), left()), bind(x(), left())],
        ),
    ];
    for (rule, message, body) in cases {
        let error = check(&prog(body.clone())).expect_err(message);
        assert_eq!((error.rule, &error.message[..]), (rule, message), "{body:?}");
    }
}

#[test]
fn blocks_tell_and_wait_on_the_board_of_their_number() {
    let [number, turn] = [("number", 21), ("turn", 22)].map(|(base, id)| name(base, id));
    let take = Stm::Take { number, turn, board: m() };
    let in_turn = || Exp::Var(turn, Prim::U32);
    let publish = |turn: Exp| Stm::Publish { board: m(), turn, at: int(number), values: vec![Exp::i64(1)] };
    let wait = || {
        let names = vec![(x(), Prim::I64)];
        Stm::Await { names, board: m(), turn: in_turn(), at: Exp::i64(16) }
    };
    let prog = |body: Vec<Stm>| Prog { regions: vec![block("one", body)], ..program(vec![done()]) };
    assert_eq!(check(&prog(vec![take.clone(), publish(in_turn()), lanes(vec![wait()])])), Ok(()));
    let on_grid = Prog { regions: vec![kernel("one", vec![take.clone()])], ..program(vec![done()]) };
    let error = check(&on_grid).expect_err("threads take no numbers");
    assert_eq!((error.rule, &error.message[..]), (Rule::Lanes, "number_21 is not for a block"));
    let other = Exp::Const(Scalar::U32(1));
    let yes = vec![take.clone()];
    let again = Stm::Take { number: x(), turn: y(), board: m() };
    let board = Stm::Board { name: y(), words: Exp::i64(1) };
    let cases = [
        (Rule::Board, "a number is taken only sometimes", vec![lanes(vec![take.clone()])]),
        (Rule::Board, "a number is taken only sometimes", vec![Stm::If { cond: truth(), yes, no: vec![] }]),
        (Rule::Board, "x_4 is not the only number, or from no board", vec![take.clone(), again]),
        (Rule::Board, "no number was taken from m_2 in this turn", vec![take.clone(), publish(other)]),
        (Rule::Lanes, "m_2 is not for a block", vec![take.clone(), lanes(vec![publish(in_turn())])]),
        (Rule::Board, "m_2 is waited for by no lane", vec![take.clone(), wait()]),
        (Rule::Board, "m_2 is a board", vec![take, bind(x(), load(m(), Prim::I64))]),
        (Rule::Board, "y_5 is declared at block", vec![board]),
    ];
    for (rule, message, body) in cases {
        let error = check(&prog(body.clone())).expect_err(message);
        assert_eq!((error.rule, &error.message[..]), (rule, message), "{body:?}");
    }
}

fn truth() -> Exp {
    Exp::Const(Scalar::Bool(true))
}

#[test]
fn updates_are_for_threads_that_may_meet() {
    let cell = |block: Name, old: Name| Cell { block, prim: Prim::I64, index: Exp::i64(0), old, value: int(old) };
    let (a, b) = (name("a", 30), name("b", 31));
    let one = |block: Name| Stm::Update { cells: vec![cell(block, a)], lock: None, body: vec![] };
    let lock = |block: Name| Some(Lock { block, index: Exp::i64(1) });
    let two = |lock: Option<Lock>| Stm::Update { cells: vec![cell(m(), a), cell(m(), b)], lock, body: vec![] };
    let prog = |one: Region| Prog { regions: vec![one], ..program(vec![done()]) };
    let good = [
        kernel("one", vec![one(m())]),
        kernel("one", vec![two(lock(m()))]),
        block("one", vec![shared(), lanes(vec![one(y())])]),
        block("one", vec![shared(), lanes(vec![two(lock(y()))])]),
    ];
    for one in good {
        assert_eq!(check(&prog(one.clone())), Ok(()), "{one:?}");
    }
    let local = Stm::Local { name: x(), prim: Prim::I64, len: 1 };
    let none = Stm::Update { cells: vec![], lock: None, body: vec![] };
    let locked = Stm::Update { cells: vec![cell(m(), a)], lock: lock(m()), body: vec![] };
    let float = Cell { value: Exp::Const(Scalar::F64(1.0)), ..cell(m(), a) };
    let float = Stm::Update { cells: vec![float], lock: None, body: vec![] };
    let whole = "a block as a whole updates elements that others may update";
    let cases = [
        (Rule::Update, whole, block("one", vec![one(m())])),
        (Rule::Update, "no element is updated", kernel("one", vec![none])),
        (Rule::Update, "m_2 is locked for one element", kernel("one", vec![locked])),
        (Rule::Update, "2 elements are updated without a lock", kernel("one", vec![two(None)])),
        (Rule::Update, "nobody else reaches x_4 in private memory", kernel("one", vec![local, one(x())])),
        (Rule::Type, "1.0f64 is of type f64, not i64", kernel("one", vec![float])),
        (Rule::DeclaredBefore, "a_30 is not in scope", kernel("one", vec![one(m()), bind(x(), int(a))])),
        (Rule::DeclaredOnce, "a_30 is declared twice", kernel("one", vec![one(m()), one(m())])),
    ];
    for (rule, message, one) in cases {
        let error = check(&prog(one.clone())).expect_err(message);
        assert_eq!((error.rule, &error.message[..]), (rule, message), "{one:?}");
    }
}

#[test]
fn good_regions_pass() {
    let store = Stm::Store { block: m(), prim: Prim::I64, index: int(name("start", 11)), value: int(n()) };
    let regions = vec![
        region("one", Level::Core, vec![store]),
        region("two", Level::Core, vec![launch("one", both())]),
        kernel("three", vec![bind(x(), load(m(), Prim::I64))]),
    ];
    let prog = Prog { regions, ..program(vec![launch("one", both()), launch("two", both()), done()]) };
    assert_eq!(check(&prog), Ok(()));
}

/// Where it is wrong, the rule and the message, the regions, and the function that launches them.
type Broken = (&'static str, Rule, &'static str, Vec<Region>, Vec<Stm>);

/// Each is broken in the region, or in what launches it.
#[test]
fn broken_regions_are_rejected_for_their_own_reason() {
    let core = |body: Vec<Stm>| vec![region("one", Level::Core, body)];
    let called = |level: Level, body: Vec<Stm>| Region { fun: Symbol::intern("g"), ..region("one", level, body) };
    let only = || vec![launch("one", both()), done()];
    let stored = |prim: Prim| Stm::Race { block: m(), prim, index: Exp::i64(0), value: Exp::Const(Scalar::zero(prim)) };
    let on_stack = |body: Vec<Stm>| {
        let params = vec![param(n(), INT), param(m(), Ty::Block(Space::Private))];
        vec![Region { params, ..region("one", Level::Core, body) }]
    };
    let local = || Stm::Local { name: x(), prim: Prim::I32, len: 4 };
    let with_local = || vec![local(), launch("one", vec![Arg::Scalar(int(n())), Arg::Block(x())]), done()];
    let cases: Vec<Broken> = vec![
        (
            "one",
            Rule::DeclaredBefore,
            "x_4 is not in scope",
            core(vec![bind(y(), int(x()))]),
            [vec![bind(x(), Exp::i64(1))], only()].concat(),
        ),
        ("one", Rule::DeclaredBefore, "r_3 is not in scope", core(vec![done()]), only()),
        ("one", Rule::Assignable, "n_1 is no variable", core(vec![set(n(), Exp::i64(1))]), only()),
        ("one", Rule::Assignable, "m_2 is no variable", core(vec![Stm::SetBlock { name: m(), from: m() }]), only()),
        ("one", Rule::Assignable, "len_12 is no variable", core(vec![set(name("len", 12), Exp::i64(1))]), only()),
        ("one", Rule::Borrowed, "m_2 is not given up here", core(vec![Stm::Free { name: m() }]), only()),
        (
            "one",
            Rule::DeclaredOnce,
            "chunk_10 is declared twice",
            core(vec![bind(name("chunk", 10), int(n()))]),
            only(),
        ),
        (
            "one",
            Rule::Region,
            "there is no function h",
            vec![Region { fun: Symbol::intern("h"), ..region("one", Level::Core, vec![]) }],
            only(),
        ),
        (
            "one",
            Rule::Region,
            "there are two regions one",
            vec![region("one", Level::Core, vec![]), region("one", Level::Core, vec![])],
            only(),
        ),
        ("one", Rule::Region, "there are no regions for lane", vec![region("one", Level::Lane, vec![])], only()),
        (
            "one",
            Rule::Region,
            "2 ids, and not the 4 of core",
            vec![Region { ids: vec![x(), y()], ..region("one", Level::Core, vec![]) }],
            only(),
        ),
        ("f", Rule::Launch, "there is no region one of this function before", vec![], only()),
        (
            "f",
            Rule::Launch,
            "there is no region one of this function before",
            vec![called(Level::Core, vec![])],
            only(),
        ),
        (
            "one",
            Rule::Launch,
            "there is no region one of this function before",
            core(vec![launch("one", both())]),
            only(),
        ),
        ("f", Rule::Launch, "one has 2 parameters", core(vec![]), vec![launch("one", vec![]), done()]),
        (
            "f",
            Rule::Launch,
            "m_2 of one is a block",
            core(vec![]),
            vec![launch("one", vec![Arg::Scalar(int(n())), Arg::Scalar(int(n()))]), done()],
        ),
        (
            "f",
            Rule::Type,
            "1.0f64 is of type f64, not i64",
            core(vec![]),
            vec![launch("one", vec![Arg::Scalar(Exp::Const(Scalar::F64(1.0))), Arg::Block(m())]), done()],
        ),
        (
            "two",
            Rule::Nesting,
            "core stands in grid",
            vec![
                Region { params: vec![], ..region("one", Level::Core, vec![]) },
                kernel("two", vec![launch("one", vec![])]),
            ],
            vec![done()],
        ),
        (
            "one",
            Rule::Space,
            "m_2 is in host memory, out of reach",
            vec![region("one", Level::Grid, vec![])],
            vec![done()],
        ),
        (
            "one",
            Rule::Space,
            "x_4 is in host memory, out of reach",
            vec![kernel("one", vec![Stm::Alloc { name: x(), space: Space::Host, bytes: Exp::i64(8) }])],
            vec![done()],
        ),
        (
            "f",
            Rule::Space,
            "m_2 is in host memory, not in device",
            vec![kernel("one", vec![])],
            vec![launch("one", vec![Arg::Block(m())]), done()],
        ),
        (
            "f",
            Rule::OnStack,
            "x_4 is on the stack",
            vec![Region { params: vec![param(m(), Ty::Block(Space::Private))], ..region("one", Level::Grid, vec![]) }],
            vec![local(), launch("one", vec![Arg::Block(x())]), done()],
        ),
        (
            "one",
            Rule::OnStack,
            "m_2 is on the stack",
            on_stack(vec![Stm::Share { name: y(), from: m() }]),
            with_local(),
        ),
        (
            "one",
            Rule::Type,
            "m_2 has elements of type i32, not i64",
            on_stack(vec![stored(Prim::I32), stored(Prim::I64)]),
            with_local(),
        ),
        ("f", Rule::Type, "x_4 has elements of type i32, not i64", on_stack(vec![stored(Prim::I64)]), with_local()),
    ];
    for (at, rule, message, regions, body) in cases {
        let prog = Prog { regions: regions.clone(), ..program(body.clone()) };
        let error = check(&prog).expect_err(message);
        assert_eq!((error.rule, &error.message[..]), (rule, message), "{regions:?} {body:?}");
        assert_eq!(error.to_string(), format!("in {at}: [{}] {message}", rule.id()));
    }
}

/// A function that is called in a region may not launch what may not stand there.
#[test]
fn a_call_brings_its_levels_along() {
    let call = Stm::Call { fun: Symbol::intern("g"), args: both(), results: vec![x()] };
    let caller = region("two", Level::Core, vec![declare(x(), INT), call]);
    let with = |level: Level| {
        let one = Region { fun: Symbol::intern("g"), params: vec![], ..region("one", level, vec![]) };
        let mut prog = Prog { regions: vec![one, caller.clone()], ..program(vec![done()]) };
        prog.funs[0].body.push(launch("one", vec![]));
        check(&prog)
    };
    assert_eq!(with(Level::Core), Ok(()));
    let error = with(Level::Grid).expect_err("a grid in a chunk");
    assert_eq!((error.rule, error.to_string()), (Rule::Nesting, "in two: [nesting] grid stands in core".to_string()));
}
