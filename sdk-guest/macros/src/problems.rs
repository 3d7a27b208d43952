//! Everything that is wrong with a plugin, told at once.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Collects compile errors.
#[derive(Default)]
pub(crate) struct Problems(Option<syn::Error>);

impl Problems {
    /// Adds one, pointing at `place`.
    pub(crate) fn at(&mut self, place: impl ToTokens, message: impl Display) {
        self.add(syn::Error::new_spanned(place, message));
    }

    /// Adds one.
    pub(crate) fn add(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            none => *none = Some(error),
        }
    }

    /// The errors as code that causes them, if there are any.
    pub(crate) fn into_code(self) -> Option<TokenStream> {
        self.0.map(syn::Error::into_compile_error)
    }
}

/// ` (did you mean …?)`, if one of `known` is close to `word`.
pub(crate) fn did_you_mean(word: &str, known: &[&str]) -> String {
    known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min()
        .map(|(_, candidate)| format!(", did you mean `{candidate}`?"))
        .unwrap_or_default()
}
