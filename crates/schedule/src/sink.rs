//! Arrays that only what comes after the scans of a `par` needs are made there.
//!
//! ```text
//! par (i < n) scan (0) ⊕ own own {… let r = replicate [2] x in x} post (s) { in s, r }
//!   ⇒ par (i < n) scan (0) ⊕ own own {… in x} post (s) { let r = replicate [2] x in s, r }
//! ```
//!
//! The block of an array belongs to the body that makes it, and is freed there. Arrays that the first body needs as
//! well are made twice. Views of other arrays may stay where they are.

use kenaz_ir::effects::{self, Memory};
use kenaz_ir::visit::{copy_body, free_in_body, free_in_stm};
use kenaz_ir::{Body, Fresh, Name, Par, Stm};
use std::collections::BTreeSet;

pub(crate) fn sink(par: &mut Par, fresh: &mut Fresh) {
    let Some(post) = &mut par.post else { return };
    let mut wanted = free_in_body(&post.body);
    let mut sunk: Vec<bool> = vec![false; par.body.stms.len()];
    for (stm, sunk) in par.body.stms.iter().zip(&mut sunk).rev() {
        if stm.pat.iter().any(|param| param.ty.is_array() && wanted.contains(&param.name)) {
            *sunk = true;
            wanted.extend(free_in_stm(stm));
        }
    }
    let is_sunk = |stms: Vec<Stm>| stms.into_iter().zip(&sunk).filter(|(_, sunk)| **sunk).map(|(stm, _)| stm);
    let stms: Vec<Stm> = is_sunk(par.body.stms.clone()).collect();
    if stms.iter().all(|stm| matches!(effects::memory(&stm.exp), Memory::Of(..))) {
        return;
    }
    let made: BTreeSet<Name> = stms.iter().flat_map(|stm| stm.pat.iter().map(|param| param.name)).collect();
    let results = std::mem::take(&mut post.body.results);
    let after = stms.into_iter().chain(std::mem::take(&mut post.body.stms)).collect();
    post.body = Body { stms: after, results };
    let mut used: BTreeSet<Name> = par.body.results.iter().filter_map(|x| x.name()).collect();
    let mut kept = Vec::new();
    for (stm, sunk) in std::mem::take(&mut par.body.stms).into_iter().zip(&sunk).rev() {
        if *sunk && !stm.pat.iter().any(|param| used.contains(&param.name)) {
            continue;
        }
        used.extend(free_in_stm(&stm));
        kept.push(stm);
    }
    kept.reverse();
    par.body.stms = kept;
    if par.body.stms.iter().any(|stm| stm.pat.iter().any(|param| made.contains(&param.name))) {
        post.body = copy_body(&post.body, fresh);
    }
}
