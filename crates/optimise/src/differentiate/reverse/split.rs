//! Operators apart: a fused operator becomes a map, and then scans, reductions or writes of arrays as they are.

use super::super::{Derived, activity};
use super::Reverse;
use kenaz_ir::{Body, Exp, Lambda, Name, Operand, Param, Reduce, Scan, Soac, Stm, Type};

/// Whether a function yields its parameters.
fn is_identity(lambda: &Lambda) -> bool {
    lambda.body.stms.is_empty()
        && lambda.params.iter().map(|p| Operand::Var(p.name)).eq(lambda.body.results.iter().copied())
}

impl Reverse<'_> {
    /// The statements that do one thing each and together what one did.
    pub(super) fn split(&mut self, stm: &Stm) -> Derived<Vec<Stm>> {
        let stms = match &stm.exp {
            Exp::Soac(Soac::Screma { width, arrays, map, scans, reduces, post }) => {
                let is_map = scans.is_empty() && reduces.is_empty() && post.is_none();
                let one = match (&scans[..], &reduces[..], post) {
                    ([scan], [], None) => Some(scan.neutral.len()),
                    ([], [reduce], None) => Some(reduce.neutral.len()),
                    _ => None,
                };
                if is_map || one == Some(map.ret.len()) && is_identity(map) {
                    return Ok(vec![stm.clone()]);
                }
                self.split_screma(stm, *width, arrays, map, (scans, reduces, post.as_ref()))
            }
            Exp::Soac(Soac::Scatter { width, arrays, map, dests }) if !is_identity(map) => {
                let (first, arrays, map) = self.mapped(stm, *width, arrays, map);
                let soac = Soac::Scatter { width: *width, arrays, map, dests: dests.clone() };
                vec![first, Stm { exp: Exp::Soac(soac), ..stm.clone() }]
            }
            Exp::Soac(Soac::Hist { width, arrays, map, ops }) if !is_identity(map) => {
                let (first, arrays, map) = self.mapped(stm, *width, arrays, map);
                let soac = Soac::Hist { width: *width, arrays, map, ops: ops.clone() };
                vec![first, Stm { exp: Exp::Soac(soac), ..stm.clone() }]
            }
            Exp::Loop { .. } => match self.with_fixed_sizes(stm).or_else(|| self.stripmined(stm)) {
                Some(stms) => stms,
                None => return Ok(vec![stm.clone()]),
            },
            _ => return Ok(vec![stm.clone()]),
        };
        // New names are active where they should be.
        let body = Body { stms, results: Vec::new() };
        activity::spread(&self.cx.b, &body, &mut self.active);
        Ok(body.stms)
    }

    /// The map in front of an operator, and what is left for that.
    fn mapped(&mut self, stm: &Stm, width: Operand, arrays: &[Name], map: &Lambda) -> (Stm, Vec<Name>, Lambda) {
        let pat: Vec<Param> = map.ret.iter().map(|ty| self.cx.b.param("mapped", ty.array_of(width))).collect();
        let names = pat.iter().map(|p| p.name).collect();
        let identity = self.cx.b.identity(&map.ret);
        let soac = Soac::Screma {
            width,
            arrays: arrays.to_vec(),
            map: map.clone(),
            scans: Vec::new(),
            reduces: Vec::new(),
            post: None,
        };
        (Stm { pat, exp: Exp::Soac(soac), ..stm.clone() }, names, identity)
    }

    fn split_screma(
        &mut self,
        stm: &Stm,
        width: Operand,
        arrays: &[Name],
        map: &Lambda,
        (scans, reduces, post): (&[Scan], &[Reduce], Option<&Lambda>),
    ) -> Vec<Stm> {
        let scanned: usize = scans.iter().map(|s| s.neutral.len()).sum();
        let reduced: usize = reduces.iter().map(|r| r.neutral.len()).sum();
        let mut first: Vec<Param> = Vec::new();
        for ty in &map.ret[..scanned + reduced] {
            first.push(self.cx.b.param("mapped", ty.array_of(width)));
        }
        let (results, mut after): (&[Param], Vec<Stm>) = match post {
            None => {
                first.extend(stm.pat[scanned + reduced..].iter().cloned());
                (&stm.pat[..scanned + reduced], Vec::new())
            }
            Some(_) => {
                for ty in &map.ret[scanned + reduced..] {
                    first.push(self.cx.b.param("mapped", ty.array_of(width)));
                }
                (&stm.pat[..reduced], Vec::new())
            }
        };
        let mut inputs = &first[..];
        let mut outputs = results;
        let mut of_scans: Vec<Name> = Vec::new();
        let alone = |pat: Vec<Param>, soac: Soac| Stm { pat, exp: Exp::Soac(soac), ..stm.clone() };
        for scan in scans {
            let (own, others) = inputs.split_at(scan.neutral.len());
            inputs = others;
            let pat: Vec<Param> = if post.is_some() {
                own.iter().map(|p| self.cx.b.param("scanned", p.ty.clone())).collect()
            } else {
                let (pat, others) = outputs.split_at(own.len());
                outputs = others;
                pat.to_vec()
            };
            of_scans.extend(pat.iter().map(|p| p.name));
            let types: Vec<Type> = own.iter().map(|p| p.ty.row(1)).collect();
            let map = self.cx.b.identity(&types);
            let arrays = own.iter().map(|p| p.name).collect();
            let scans = vec![scan.clone()];
            after.push(alone(pat, Soac::Screma { width, arrays, map, scans, reduces: Vec::new(), post: None }));
        }
        for reduce in reduces {
            let (own, others) = inputs.split_at(reduce.neutral.len());
            inputs = others;
            let (pat, others) = outputs.split_at(own.len());
            outputs = others;
            let types: Vec<Type> = own.iter().map(|p| p.ty.row(1)).collect();
            let map = self.cx.b.identity(&types);
            let arrays = own.iter().map(|p| p.name).collect();
            let reduces = vec![reduce.clone()];
            let soac = Soac::Screma { width, arrays, map, scans: Vec::new(), reduces, post: None };
            after.push(alone(pat.to_vec(), soac));
        }
        if let Some(post) = post {
            let arrays = of_scans.into_iter().chain(inputs.iter().map(|p| p.name)).collect();
            let map = post.clone();
            let soac = Soac::Screma { width, arrays, map, scans: Vec::new(), reduces: Vec::new(), post: None };
            after.push(alone(stm.pat[reduced..].to_vec(), soac));
        }
        let map = Soac::Screma {
            width,
            arrays: arrays.to_vec(),
            map: map.clone(),
            scans: Vec::new(),
            reduces: Vec::new(),
            post: None,
        };
        let mut all = vec![alone(first, map)];
        all.extend(after);
        all
    }
}
