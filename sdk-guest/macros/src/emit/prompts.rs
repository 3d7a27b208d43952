//! What `#[plugin]` writes for prompts.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{LitStr, Type};

use super::{export, icons, meta, option, parameters};
use crate::methods::{Method, span_of};
use crate::parameters::{Argument, Parameter};
use crate::prompts::Prompt;

/// The implementation of the interface.
pub(super) fn implementation(plugin: &Type, prompts: &[Prompt]) -> TokenStream {
    let list = prompts.iter().map(list_entry);
    let get = prompts.iter().map(get_arm);
    let export = export(plugin, "prompts");
    quote! {
        #[automatically_derived]
        impl ::palisade_sdk::__private::Prompts for #plugin {
            fn list() -> ::std::vec::Vec<::palisade_sdk::__private::Prompt> {
                let mut __prompts = ::std::vec::Vec::new();
                #(#list)*
                __prompts
            }

            fn get(
                &mut self,
                __name: &str,
                __arguments: &[(::std::string::String, ::std::string::String)],
                __context: &::palisade_sdk::Context,
            ) -> ::palisade_sdk::Result<::palisade_sdk::PromptResult> {
                match __name {
                    #(#get)*
                    _ => ::core::result::Result::Err(
                        ::palisade_sdk::__private::unknown_prompt(__name),
                    ),
                }
            }
        }

        #export
    }
}

fn list_entry(prompt: &Prompt) -> TokenStream {
    let Prompt {
        method,
        name,
        labels,
    } = prompt;
    let Method {
        description,
        conditions,
        ..
    } = method;
    let title = option(labels.title.as_ref());
    let icons = icons(labels);
    let meta = meta(labels);
    let arguments = method.parameters.iter().filter_map(|parameter| {
        let Parameter::Argument(argument) = parameter else {
            return None;
        };
        let Argument {
            name, description, ..
        } = &**argument;
        let title = option(argument.options.title.as_ref());
        let required = argument.is_optional_text() == Some(false);
        Some(quote! {
            ::palisade_sdk::__private::PromptArgument {
                name: #name,
                title: #title,
                description: #description,
                required: #required,
            }
        })
    });
    quote! {
        #(#conditions)*
        __prompts.push(
            ::palisade_sdk::__private::PromptEntry {
                name: #name,
                title: #title,
                description: #description,
                arguments: &[#(#arguments),*],
                icons: #icons,
                meta: #meta,
            }
            .prompt(),
        );
    }
}

fn get_arm(prompt: &Prompt) -> TokenStream {
    let Method {
        ident,
        returns,
        conditions,
        ..
    } = &prompt.method;
    let parameters = parameters(&prompt.method, |argument| {
        let name = &argument.name;
        if argument.is_optional_text() == Some(true) {
            quote!(::palisade_sdk::__private::optional_text(__arguments, #name))
        } else {
            quote!(::palisade_sdk::__private::required_text(__arguments, #name)?)
        }
    });
    let name = LitStr::new(&prompt.name, ident.span());
    let call = quote!(Self::#ident(self, #(#parameters),*));
    quote_spanned! {span_of(returns)=>
        #(#conditions)*
        #name => <#returns as ::palisade_sdk::IntoPrompt>::into_prompt(#call),
    }
}
