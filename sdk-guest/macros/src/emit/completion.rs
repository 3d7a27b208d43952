//! What `#[plugin]` writes for completion.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Type;

use super::{export, parameters};
use crate::methods::{Method, span_of};
use crate::prompts::{Completer, Of, Target};

/// The implementation of the interface.
pub(super) fn implementation(plugin: &Type, completers: &[Completer]) -> TokenStream {
    let arms = completers.iter().map(arm);
    let export = export(plugin, "completion");
    quote! {
        #[automatically_derived]
        impl ::palisade_sdk::__private::Completes for #plugin {
            fn complete(
                &mut self,
                __wanted: ::palisade_sdk::__private::Wanted<'_>,
                __context: &::palisade_sdk::Context,
            ) -> ::palisade_sdk::Result<::palisade_sdk::Completion> {
                match (__wanted.of, __wanted.argument) {
                    #(#arms)*
                    // Nothing comes to mind for any other.
                    _ => ::core::result::Result::Ok(
                        ::palisade_sdk::Completion::new([] as [&str; 0]),
                    ),
                }
            }
        }

        #export
    }
}

fn arm(completer: &Completer) -> TokenStream {
    let Method {
        ident,
        returns,
        conditions,
        ..
    } = &completer.method;
    let targets = completer.targets.iter().map(|Target { of, argument }| {
        let (kind, of) = match of {
            Of::Prompt(name) => (quote!(Prompt), name),
            Of::Template(text) => (quote!(Template), text),
        };
        quote!((::palisade_sdk::__private::Of::#kind(#of), #argument))
    });
    let mut first = true;
    let parameters = parameters(&completer.method, move |argument| {
        if std::mem::take(&mut first) {
            return quote!(::std::string::String::from(__wanted.value));
        }
        let name = &argument.name;
        quote!(::palisade_sdk::__private::optional_text(__wanted.filled, #name))
    });
    let call = quote!(Self::#ident(self, #(#parameters),*));
    quote_spanned! {span_of(returns)=>
        #(#conditions)*
        #(#targets)|* => <#returns as ::palisade_sdk::IntoCompletion>::into_completion(#call),
    }
}
