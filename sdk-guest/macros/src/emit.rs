//! The code that `#[plugin]` writes.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{ItemImpl, Type};

use crate::methods::{Method, span_of};
use crate::offers::Offers;
use crate::options::Labels;
use crate::parameters::{Argument, Parameter};
use crate::problems::Problems;

mod completion;
mod lifecycle;
mod prompts;
mod resources;
mod tools;

/// The impl block without this macro's marks, and what makes a plugin of it.
pub(crate) fn plugin(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut block: ItemImpl = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(_) => {
            let error = syn::Error::new(
                Span::call_site(),
                "`#[plugin]` stands on an impl block: `#[plugin] impl MyPlugin { … }`",
            )
            .into_compile_error();
            return quote!(#error #item);
        }
    };
    let mut problems = Problems::default();
    if !options.is_empty() {
        problems.at(options, "`#[plugin]` takes no options");
    }
    check_block(&block, &mut problems);
    let offers = Offers::read(&mut block.items, &mut problems);
    if offers.is_empty() {
        problems.at(
            &block.self_ty,
            "a plugin offers something: mark at least one method with `#[tool]`, `#[resource]` or \
             `#[prompt]`",
        );
    }
    match problems.into_code() {
        Some(errors) => quote!(#block #errors),
        None => {
            let plugin = implementation(&block.self_ty, &offers);
            quote!(#block #plugin)
        }
    }
}

fn check_block(block: &ItemImpl, problems: &mut Problems) {
    if let Some((path, _)) = &block.trait_ {
        problems.at(
            path,
            "`#[plugin]` stands on the type's own impl block, not on that of a trait",
        );
    }
    if !block.generics.params.is_empty() {
        problems.at(
            &block.generics,
            "a plugin is one concrete type, without parameters",
        );
    }
}

fn implementation(plugin: &Type, offers: &Offers) -> TokenStream {
    let fresh = quote_spanned! {span_of(plugin)=>
        ::palisade_sdk::__private::fresh::<#plugin>()
    };
    // Only what is offered is exported.
    let tools = (!offers.tools.is_empty()).then(|| tools::implementation(plugin, &offers.tools));
    let resources = offers
        .has_resources()
        .then(|| resources::implementation(plugin, offers));
    let prompts =
        (!offers.prompts.is_empty()).then(|| prompts::implementation(plugin, &offers.prompts));
    let completion = (!offers.completers.is_empty())
        .then(|| completion::implementation(plugin, &offers.completers));
    let lifecycle = offers
        .start
        .as_ref()
        .map(|(start, config)| lifecycle::implementation(plugin, start, config));
    quote! {
        #[automatically_derived]
        impl ::palisade_sdk::__private::Plugin for #plugin {
            fn fresh() -> Self {
                #fresh
            }

            fn state() -> &'static ::std::thread::LocalKey<
                ::palisade_sdk::__private::State<Self>,
            > {
                ::std::thread_local! {
                    static STATE: ::palisade_sdk::__private::State<#plugin> =
                        const { ::palisade_sdk::__private::State::new() };
                }
                &STATE
            }
        }

        // Where nothing is exported, it is used all the same.
        #[cfg(not(target_arch = "wasm32"))]
        const _: fn() -> #plugin = <#plugin as ::palisade_sdk::__private::Plugin>::fresh;

        #tools
        #resources
        #prompts
        #completion
        #lifecycle
    }
}

/// Exports an interface, in WebAssembly.
fn export(plugin: &Type, interface: &str) -> TokenStream {
    let interface = format_ident!("{interface}");
    quote! {
        const _: () = {
            #[allow(dead_code, reason = "what is exported takes a name, not a type")]
            type __Plugin = #plugin;

            #[cfg(target_arch = "wasm32")]
            ::palisade_sdk::bindings::#interface::export!(
                __Plugin with_types_in ::palisade_sdk::bindings::#interface
            );
        };
    }
}

fn option<T: quote::ToTokens>(value: Option<&T>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

fn icons(labels: &Labels) -> TokenStream {
    match &labels.icons {
        Some(icons) => quote_spanned!(span_of(icons)=> ::palisade_sdk::__private::icons(#icons)),
        None => quote!(::std::vec::Vec::new()),
    }
}

fn meta(labels: &Labels) -> TokenStream {
    let meta = labels
        .meta
        .as_ref()
        .map(|meta| quote_spanned!(span_of(meta)=> ::std::string::String::from(#meta)));
    option(meta.as_ref())
}

/// The parameters of a method: the call, and for each argument what `argument`
/// makes of it.
fn parameters<'a>(
    method: &'a Method,
    mut argument: impl FnMut(&'a Argument) -> TokenStream + 'a,
) -> impl Iterator<Item = TokenStream> + 'a {
    method
        .parameters
        .iter()
        .map(move |parameter| match parameter {
            Parameter::Context => quote!(__context),
            Parameter::Argument(it) => argument(it),
            // Refused before this.
            Parameter::Whole(_) => TokenStream::new(),
        })
}
