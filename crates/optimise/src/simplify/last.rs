//! Scans of which only the last element is used.
//!
//! ```text
//! let s: [n]i64 = scan n (a) (0) \…          let r: i64 = reduce n (a) (0) \…
//! let last: i64 = add n -1             →     let last: i64 = add n -1
//! let x: i64 = index s[last]                 let x: i64 = r
//! ```
//!
//! The last element of a scan is the reduction, so the array need not exist. Where a scan has other readers, fusion
//! makes them part of its last function; one that then hands on the array only for the sake of its last element yields
//! a reduction beside the scan instead. An empty array has no last element, so its reduction is read by nobody.
//!
//! This needs all uses of an array, which rules of the book do not know. A scan whose results are used in part, without
//! a last function, is left as it is. One walk over the function to find uses, and one more where there is something to
//! do.

use super::control::retain;
use kenaz_ir::visit::{Visit, VisitMut, copy_lambda, has_bodies, walk, walk_mut};
use kenaz_ir::{BinOp, Exp, Fresh, Fun, Lambda, Log, Name, Operand, Param, Reduce, Scalar, Soac, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most statements of an operator that is applied twice to spare an array: about what a store and a load cost.
const MOST_STATEMENTS: usize = 8;

/// Makes reductions of scans whose last element is all that is used. Gives whether there were any.
pub(super) fn reduce(fun: &mut Fun, fresh: &mut Fresh, log: &mut Log) -> bool {
    let mut uses = Uses::default();
    uses.fun(fun);
    if uses.lasts.is_subset(&uses.others) {
        return false;
    }
    let mut change = Change { uses: &uses, fresh, log, reduced: FxHashMap::default() };
    change.body(&mut fun.body);
    !change.reduced.is_empty()
}

/// How the arrays of a function are used.
#[derive(Default)]
struct Uses {
    /// Numbers that are another one and a constant.
    sums: FxHashMap<Name, (Operand, i64)>,
    /// The width of each array that comes out of an operator with scans.
    scanned: FxHashMap<Name, Operand>,
    /// Arrays whose last element is read.
    lasts: FxHashSet<Name>,
    /// Names that are used in another way.
    others: FxHashSet<Name>,
}

impl Uses {
    /// Whether a statement reads the last element of a scan.
    fn last(&self, exp: &Exp) -> Option<Name> {
        let Exp::Index(array, indices) = exp else { return None };
        let (width, [i]) = (*self.scanned.get(array)?, &indices[..]) else { return None };
        let is_last = match (*i, width) {
            (Operand::Const(Scalar::I64(i)), Operand::Const(Scalar::I64(n))) => i.checked_add(1) == Some(n),
            (Operand::Var(i), Operand::Var(_)) => self.sums.get(&i) == Some(&(width, -1)),
            _ => false,
        };
        is_last.then_some(*array)
    }
}

impl Visit for Uses {
    fn name(&mut self, name: &Name) {
        self.others.insert(*name);
    }

    fn stm(&mut self, stm: &Stm) {
        match (&stm.exp, &stm.pat[..]) {
            (Exp::Bin(BinOp::Add, x, Operand::Const(Scalar::I64(c))), [sum]) => {
                self.sums.insert(sum.name, (*x, *c));
            }
            (Exp::Bin(BinOp::Sub, x, Operand::Const(Scalar::I64(c))), [sum]) => {
                self.sums.insert(sum.name, (*x, c.wrapping_neg()));
            }
            (Exp::Soac(Soac::Screma { width, scans, .. }), pat) if !scans.is_empty() && stm.attrs.is_free() => {
                let is_flat = |param: &&Param| param.ty.rank() == 1;
                self.scanned.extend(pat.iter().filter(is_flat).map(|param| (param.name, *width)));
            }
            _ => {}
        }
        match self.last(&stm.exp) {
            Some(array) => {
                self.lasts.insert(array);
                stm.pat.iter().for_each(|param| self.param(param));
                stm.certs.iter().for_each(|cert| self.name(cert));
            }
            None => walk::stm(self, stm),
        }
    }
}

struct Change<'a> {
    uses: &'a Uses,
    fresh: &'a mut Fresh,
    log: &'a mut Log,
    /// The reduction that took the place of an array.
    reduced: FxHashMap<Name, Name>,
}

impl Change<'_> {
    fn is_last_only(&self, name: Name) -> bool {
        self.uses.lasts.contains(&name) && !self.uses.others.contains(&name)
    }

    fn is_dead(&self, name: Name) -> bool {
        !self.uses.lasts.contains(&name) && !self.uses.others.contains(&name)
    }

    /// Names for the results of a reduction with the types of its neutral elements.
    fn results(&mut self, types: &[Type], arrays: &[Option<Name>]) -> Vec<Param> {
        let mut results = Vec::new();
        for (ty, array) in types.iter().zip(arrays) {
            let name = self.fresh.named("last");
            self.reduced.extend(array.map(|array| (array, name)));
            results.push(Param::new(name, ty.clone()));
        }
        results
    }

    /// A scan without a last function, none of whose arrays has other uses, becomes a reduction.
    fn whole(&mut self, soac: &mut Soac, pat: &mut Vec<Param>) {
        let Soac::Screma { map, scans, reduces, post: None, .. } = soac else { return };
        let mut first = 0;
        let mut at = 0;
        while let Some(scan) = scans.get(at) {
            let group = first..first + scan.neutral.len();
            let names: Vec<Name> = pat[group.clone()].iter().map(|param| param.name).collect();
            let wanted = names.iter().any(|name| self.is_last_only(*name));
            let is_free = names.iter().all(|name| self.is_last_only(*name) || self.is_dead(*name));
            let is_flat = map.ret[group.clone()].iter().all(|ty| matches!(ty, Type::Prim(_)));
            if !(wanted && is_free && is_flat && self.log.fire("scan-last")) {
                (first, at) = (group.end, at + 1);
                continue;
            }
            let scan = scans.remove(at);
            let scanned: usize = scans.iter().map(|scan| scan.neutral.len()).sum();
            let types: Vec<Type> = map.ret.drain(group.clone()).collect();
            let values: Vec<Operand> = map.body.results.drain(group.clone()).collect();
            pat.drain(group);
            let arrays: Vec<Option<Name>> = names.into_iter().map(Some).collect();
            let results = self.results(&types, &arrays);
            // The first of the reductions.
            pat.splice(scanned..scanned, results);
            map.ret.splice(scanned..scanned, types);
            map.body.results.splice(scanned..scanned, values);
            reduces.insert(0, Reduce { op: scan.op, neutral: scan.neutral, commutative: false });
        }
    }

    /// An array of a scan that its last function hands on becomes a reduction beside the scan.
    fn beside(&mut self, soac: &mut Soac, pat: &mut Vec<Param>) {
        let Soac::Screma { map, scans, reduces, post: Some(post), .. } = soac else { return };
        let mut first = 0;
        for scan in scans.iter() {
            let group = first..first + scan.neutral.len();
            first = group.end;
            let reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
            let handed_on = |place: usize| {
                let is_value = |(x, param): (&Operand, &Param)| {
                    *x == Operand::Var(post.params[place].name) && self.is_last_only(param.name)
                };
                post.body.results.iter().zip(&pat[reduced..]).position(is_value)
            };
            let places: Vec<Option<usize>> = group.clone().map(handed_on).collect();
            let is_flat = map.ret[group.clone()].iter().all(|ty| matches!(ty, Type::Prim(_)));
            if places.iter().all(Option::is_none) || !is_flat || !is_small(&scan.op) || !self.log.fire("scan-last") {
                continue;
            }
            let arrays: Vec<Option<Name>> =
                places.iter().map(|place| place.map(|place| pat[reduced + place].name)).collect();
            let mut gone: Vec<usize> = places.into_iter().flatten().collect();
            gone.sort_unstable();
            retain(&mut post.body.results, &gone);
            retain(&mut post.ret, &gone);
            retain(pat, &gone.iter().map(|place| reduced + place).collect::<Vec<usize>>());
            let (types, values) = (map.ret[group.clone()].to_vec(), map.body.results[group].to_vec());
            let results = self.results(&types, &arrays);
            pat.splice(reduced..reduced, results);
            let scanned: usize = scans.iter().map(|scan| scan.neutral.len()).sum();
            let end = scanned + reduced;
            map.ret.splice(end..end, types);
            map.body.results.splice(end..end, values);
            let op = copy_lambda(&scan.op, self.fresh);
            reduces.push(Reduce { op, neutral: scan.neutral.clone(), commutative: false });
        }
    }
}

fn is_small(op: &Lambda) -> bool {
    let is_plain = |stm: &Stm| match &stm.exp {
        Exp::If(_, yes, no) => yes.stms.iter().chain(&no.stms).all(|stm| !has_bodies(&stm.exp)),
        exp => !has_bodies(exp),
    };
    op.body.stms.len() <= MOST_STATEMENTS && op.body.stms.iter().all(is_plain)
}

impl VisitMut for Change<'_> {
    fn stm(&mut self, stm: &mut Stm) {
        if let Some(last) = self.uses.last(&stm.exp).and_then(|array| self.reduced.get(&array)) {
            stm.exp = Exp::Operand((*last).into());
            return;
        }
        if stm.attrs.is_free()
            && let Exp::Soac(soac) = &mut stm.exp
        {
            self.whole(soac, &mut stm.pat);
            self.beside(soac, &mut stm.pat);
        }
        walk_mut::stm(self, stm);
    }
}
