//! Traversals: no name is missed; free variables, copies, inlining.

use kenaz_ir::visit::{self, Visit, VisitMut};
use kenaz_ir::{Builder, Fresh, Loc, Locs, Name, Operand, Type, check, parse, print};
use std::collections::BTreeSet;

const OPERATORS: &str = include_str!("../operators.ir");

/// The text with each number of a name changed.
fn renumbered(text: &str, f: impl Fn(u32) -> u32) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('_') {
        out.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if let Ok(id) = rest[..digits].parse() {
            out.push_str(&f(id).to_string());
            rest = &rest[digits..];
        }
    }
    out + rest
}

#[test]
fn no_name_is_missed() {
    struct Shift;
    impl VisitMut for Shift {
        fn name(&mut self, name: &mut Name) {
            name.id += 1000;
        }

        fn binder(&mut self, name: &mut Name) {
            name.id += 1000;
        }
    }
    let mut prog = parse::prog(OPERATORS).unwrap();
    prog.funs.iter_mut().for_each(|fun| Shift.fun(fun));
    assert_eq!(print::prog(&prog), renumbered(OPERATORS, |id| id + 1000));
}

#[test]
fn no_name_is_missed_reading() {
    #[derive(Default)]
    struct Seen(BTreeSet<u32>);
    impl Visit for Seen {
        fn name(&mut self, name: &Name) {
            self.0.insert(name.id);
        }

        fn binder(&mut self, name: &Name) {
            self.0.insert(name.id);
        }
    }
    let prog = parse::prog(OPERATORS).unwrap();
    let mut seen = Seen::default();
    prog.funs.iter().for_each(|fun| seen.fun(fun));
    let written = std::cell::RefCell::new(BTreeSet::new());
    renumbered(OPERATORS, |id| {
        written.borrow_mut().insert(id);
        id
    });
    assert!(seen.0.is_superset(&written.into_inner()));
}

fn ids(names: BTreeSet<Name>) -> Vec<u32> {
    names.into_iter().map(|name| name.id).collect()
}

#[test]
fn free_variables_are_used_but_not_bound() {
    let prog = parse::prog(
        "fun f (n_1: i64) (m_2: i64) (a_3: [n_1][m_2]i64) (c_4: cert) : = {
           let b_5: [n_1]i64 = <c_4> map n_1 (a_3) \\(r_6: [m_2]i64) -> {
             let x_7: i64 = loop (y_8: i64 = 0) for i_9: i64 < m_2 {
               let z_10: i64 = index r_6[i_9]
               let w_11: i64 = add y_8 z_10
               in w_11
             }
             in x_7
           }
           in b_5
         }",
    )
    .unwrap();
    let body = &prog.funs[0].body;
    let stm = &body.stms[0];
    assert_eq!(ids(visit::free_in_exp(&stm.exp)), [1, 2, 3]);
    assert_eq!(ids(visit::free_in_stm(stm)), [1, 2, 3, 4]);
    assert_eq!(ids(visit::free_in_body(body)), [1, 2, 3, 4]);
    let mut lambdas = Vec::new();
    visit::for_each_lambda(&stm.exp, |lambda| lambdas.push(lambda.clone()));
    assert_eq!(lambdas.iter().map(|l| ids(visit::free_in_lambda(l))).collect::<Vec<_>>(), [[2]]);
    assert_eq!(ids(visit::free_in_body(&lambdas[0].body)), [2, 6]);
    assert_eq!(ids(visit::free_in_type(&lambdas[0].params[0].ty)), [2]);
    let mut bodies = 0;
    visit::for_each_body(&stm.exp, |_| bodies += 1);
    assert_eq!(bodies, 1, "not the one inside it");
    assert_eq!(visit::bound_in_body(body).len(), 7);
}

#[test]
fn an_inlined_body_has_new_names_and_positions() {
    let mut prog = parse::prog(
        "fun f (n_1: i64) (a_2: [n_1]i64) : (i64) = {
           let x_3: i64 = reduce n_1 (a_2) (0) \\(y_4: i64, z_5: i64) -> { let w_6: i64 = add y_4 z_5 at f.fut:2:3 in w_6 }
           let v_7: i64 = add x_3 n_1 at f.fut:3:1 < g.fut:4:4
           in v_7
         }
         fun main (b_8: [3]i64) : (i64) = { in 0 }",
    )
    .unwrap();
    let f = prog.funs[0].clone();
    let b = prog.funs[1].params[0].name;
    let mut body = visit::instantiate(&f.params, &f.body, &[Operand::i64(3), b.into()], &mut prog.fresh);
    let place = kenaz_base::Symbol::intern("main.fut:9:9");
    let call = prog.locs.add(Loc { place, caller: None });
    visit::relocate(&mut body, &mut prog.locs, call);
    prog.funs[1].body = body;
    check::array(&prog).unwrap();
    let text = print::fun(&prog.funs[1], &prog.locs);
    assert!(text.contains("reduce 3 (b_8)"), "{text}");
    assert!(text.contains("at f.fut:2:3 < main.fut:9:9"), "{text}");
    assert!(text.contains("at f.fut:3:1 < g.fut:4:4 < main.fut:9:9"), "{text}");
    assert!(!text.contains("w_6") && !text.contains("n_1"), "{text}");
}

#[test]
fn a_copied_lambda_shares_no_binding() {
    let mut b = Builder::new();
    let lambda = b.lambda_over(&[Type::I64], |b, x| {
        let y = b.bin(kenaz_ir::BinOp::Add, x[0], Operand::i64(1));
        vec![y]
    });
    let copy = visit::copy_lambda(&lambda, &mut b.fresh);
    assert_ne!(copy.params[0].name, lambda.params[0].name);
    assert_eq!(ids(visit::free_in_lambda(&copy)), [] as [u32; 0]);
    assert_eq!(copy.ret, lambda.ret);
}

#[test]
fn depth_costs_no_stack() {
    let depth = 5_000;
    let text = format!(
        "fun f (x_1: bool) : = {{ {}{} in }}",
        "let () = if x_1 then { in } else { ".repeat(depth),
        "in } ".repeat(depth)
    );
    let prog = parse::prog(&text).unwrap();
    let copy = visit::copy_body(&prog.funs[0].body, &mut Fresh::from(5));
    assert!(copy == prog.funs[0].body);
    assert_eq!(ids(visit::free_in_body(&copy)), [1]);
}

#[test]
fn the_builder_makes_what_the_checker_accepts() {
    use kenaz_ir::{BinOp, CmpOp, DimSlice, Exp, Fun, Message, MessagePart, Param, Prog};
    let mut b = Builder::new();
    let n = b.param("n", Type::I64);
    let size: Operand = n.name.into();
    let xs = b.param("xs", Type::I64.array_of(size));
    let place = kenaz_base::Symbol::intern("p.fut:1:1");
    b.loc = b.locs.add(Loc { place, caller: None });
    b.begin();
    let cond = b.cmp(CmpOp::Lt, Operand::i64(0), size);
    let cert = b.assert(cond, Message::new(vec![MessagePart::Text("empty".into()), MessagePart::Value(size)]));
    let first = b.with_certs(&[cert], |b| b.index(xs.name, vec![Operand::i64(0)]));
    let add = b.lambda_over(&[Type::I64], |b, x| vec![b.bin(BinOp::Add, x[0], first)]);
    let sums = b.map(size, vec![xs.name], add);
    let positive = b.lambda_over(&[Type::I64], |b, x| vec![b.cmp(CmpOp::Lt, Operand::i64(0), x[0])]);
    let (count, kept) = b.filter(size, vec![sums[0]], positive);
    let copy = b.copy(kept[0]);
    let updated = b.update(copy, vec![DimSlice::Fix(Operand::i64(0))], first);
    let (yes, no) = (b.body(|_| vec![first]), b.body(|b| vec![b.bin(BinOp::Mul, first, first)]));
    let chosen = b.if_(cond, yes, no, vec![Type::I64]);
    let loop_param = b.param("acc", Type::I64);
    let acc = loop_param.name;
    let i = b.name("i", Type::I64);
    let body = b.body(|b| vec![b.bin(BinOp::Add, acc, i)]);
    let form = kenaz_ir::LoopForm::For(i, kenaz_base::Prim::I64, size);
    let total = b.let_infer("total", Exp::Loop { params: vec![(loop_param, chosen[0].into())], form, body });
    let body = b.end(vec![count.into(), updated.into(), total.into()]);
    let k = b.param("k", Type::I64);
    let size = k.name.into();
    let arrays = Param { unique: true, ..b.param("r", Type::I64.array_of(size)) };
    let results = vec![k, arrays, b.param("t", Type::I64)];
    let name = kenaz_base::Symbol::intern("f");
    let fun = Fun {
        name,
        entry: None,
        params: vec![n, xs],
        results,
        body,
        attrs: kenaz_ir::Attrs::default(),
        loc: Locs::NOWHERE(),
    };
    let prog = Prog { funs: vec![fun], locs: b.locs, fresh: b.fresh };
    check::array(&prog).unwrap_or_else(|e| panic!("{e}\n{prog}"));
    let text = prog.to_string();
    assert_eq!(parse::prog(&text).unwrap().to_string(), text);
    assert!(text.contains("at p.fut:1:1"), "{text}");
}
