//! What `#[plugin]` writes for the configuration.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Type;

use super::export;
use crate::methods::{Method, span_of};

/// The implementation of the interface.
pub(super) fn implementation(plugin: &Type, start: &Method, config: &Type) -> TokenStream {
    let Method { ident, returns, .. } = start;
    let read = quote_spanned! {span_of(config)=>
        ::palisade_sdk::__private::config::<#config>(__config)?
    };
    let start = quote_spanned! {span_of(returns)=>
        <#returns as ::palisade_sdk::IntoStart>::into_start(Self::#ident(self, #read))
    };
    let export = export(plugin, "lifecycle");
    quote! {
        #[automatically_derived]
        impl ::palisade_sdk::__private::Starts for #plugin {
            fn start(&mut self, __config: &str) -> ::palisade_sdk::Result<()> {
                #start
            }
        }

        #export
    }
}
