//! Shape functions go where they are called.

use super::Slicer;
use super::check::vouch;
use kenaz_base::Symbol;
use kenaz_ir::visit::{Subst, Visit, VisitMut, instantiate, relocate, walk};
use kenaz_ir::{Exp, Fun, Name, Operand, Stm};
use rustc_hash::FxHashSet;

impl Slicer<'_> {
    /// The body of a shape function in the place of a call, which binds the same names. Those that nothing computes are
    /// not bound any more.
    pub(super) fn inline_shape(&mut self, call: Stm, shape: &Fun, out: &mut Vec<Stm>) {
        let Exp::Call(_, args) = &call.exp else { unreachable!("a call") };
        let mut body = instantiate(&shape.params, &shape.body, args, self.fresh);
        relocate(&mut body, self.locs, call.loc);
        vouch(&mut body.stms, &call.certs, &self.cheap);
        let mut bound: Vec<Operand> = Vec::new();
        let mut others: Vec<(Name, Operand)> = Vec::new();
        for (i, param) in call.pat.into_iter().enumerate() {
            // The statement that computes it binds it, unless there is none or it already binds another.
            let result = body.results[i];
            let is_free = !bound.contains(&result);
            let binds = |stm: &&mut Stm| is_free && matches!(&stm.pat[..], [p] if Operand::Var(p.name) == result);
            bound.push(param.name.into());
            match body.stms.iter_mut().find(binds) {
                Some(own) => {
                    let mut subst = Subst::new();
                    subst.insert(own.pat[0].name, param.name);
                    own.pat[0].name = param.name;
                    subst.apply_to_body(&mut body);
                }
                None => others.push((param.name, result)),
            }
        }
        for mut stm in body.stms {
            VisitMut::stm(&mut super::Outside(&self.subst), &mut stm);
            self.stm(stm, out);
        }
        for (name, result) in others {
            let result = self.subst.get(result);
            self.subst.insert(name, result);
        }
    }
}

/// The functions that are called.
pub(super) fn called(funs: &[Fun]) -> FxHashSet<Symbol> {
    struct Called(FxHashSet<Symbol>);
    impl Visit for Called {
        fn exp(&mut self, exp: &Exp) {
            if let Exp::Call(f, _) = exp {
                self.0.insert(*f);
            }
            walk::exp(self, exp);
        }
    }
    let mut called = Called(FxHashSet::default());
    funs.iter().for_each(|fun| called.fun(fun));
    called.0
}
