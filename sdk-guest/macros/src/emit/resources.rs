//! What `#[plugin]` writes for resources.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{LitStr, Type};

use super::{export, icons, meta, option, parameters};
use crate::methods::{Method, span_of};
use crate::offers::Offers;
use crate::resources::{Address, Resource};
use crate::template::Template;

/// The implementation of the interface.
pub(super) fn implementation(plugin: &Type, offers: &Offers) -> TokenStream {
    let list = offers.resources.iter().filter_map(|resource| {
        let Address::One(uri) = &resource.address else {
            return None;
        };
        let entry = entry(resource, uri);
        let conditions = &resource.method.conditions;
        Some(quote!(#(#conditions)* __resources.push(#entry.resource());))
    });
    let listing = offers.listing.as_ref().map(listing);
    let templates = offers.resources.iter().filter_map(|resource| {
        let (text, _) = resource.family()?;
        let entry = entry(resource, text);
        let conditions = &resource.method.conditions;
        Some(quote!(#(#conditions)* __templates.push(#entry.template());))
    });
    let exact = offers.resources.iter().filter_map(exact);
    let families = offers.resources.iter().filter_map(family);
    let fallback = match &offers.reading {
        Some(method) => fallback(method),
        None => quote! {
            ::core::result::Result::Err(::palisade_sdk::__private::unknown_resource(__uri))
        },
    };
    let export = export(plugin, "resources");
    quote! {
        #[automatically_derived]
        impl ::palisade_sdk::__private::Resources for #plugin {
            fn list(&mut self, __context: &::palisade_sdk::Context) -> ::palisade_sdk::Result<
                ::std::vec::Vec<::palisade_sdk::bindings::types::ResourceInfo>,
            > {
                #[allow(unused_mut, reason = "there may be none")]
                let mut __resources = ::std::vec::Vec::new();
                #(#list)*
                #listing
                ::core::result::Result::Ok(__resources)
            }

            fn templates() -> ::std::vec::Vec<::palisade_sdk::__private::ResourceTemplate> {
                #[allow(unused_mut, reason = "there may be none")]
                let mut __templates = ::std::vec::Vec::new();
                #(#templates)*
                __templates
            }

            fn read(
                &mut self,
                __uri: &str,
                __context: &::palisade_sdk::Context,
            ) -> ::palisade_sdk::Result<
                ::std::vec::Vec<::palisade_sdk::bindings::types::ResourceContents>,
            > {
                match __uri {
                    #(#exact)*
                    _ => {}
                }
                #(#families)*
                #fallback
            }
        }

        #export
    }
}

fn entry(resource: &Resource, uri: &LitStr) -> TokenStream {
    let Resource {
        method,
        name,
        options,
        ..
    } = resource;
    let description = &method.description;
    let title = option(options.labels.title.as_ref());
    let mime_type = option(options.mime_type.as_ref());
    let size = option(options.size.as_ref());
    let icons = icons(&options.labels);
    let meta = meta(&options.labels);
    quote! {
        ::palisade_sdk::__private::ResourceEntry {
            uri: #uri,
            name: #name,
            title: #title,
            description: #description,
            mime_type: #mime_type,
            size: #size,
            icons: #icons,
            meta: #meta,
        }
    }
}

fn listing(method: &Method) -> TokenStream {
    let Method {
        ident,
        returns,
        conditions,
        ..
    } = method;
    let parameters = parameters(method, |_| TokenStream::new());
    let call = quote!(Self::#ident(self, #(#parameters),*));
    quote_spanned! {span_of(returns)=>
        #(#conditions)*
        __resources.extend(
            <#returns as ::palisade_sdk::IntoResources>::into_resources(#call)?,
        );
    }
}

fn exact(resource: &Resource) -> Option<TokenStream> {
    let Address::One(uri) = &resource.address else {
        return None;
    };
    let conditions = &resource.method.conditions;
    let read = read(
        &resource.method,
        option(resource.options.mime_type.as_ref()),
        |_| TokenStream::new(),
    );
    Some(quote!(#(#conditions)* #uri => return #read,))
}

fn family(resource: &Resource) -> Option<TokenStream> {
    let (_, Template { start, variables }) = resource.family()?;
    let after = variables.iter().map(|(_, after)| after);
    let conditions = &resource.method.conditions;
    let read = read(
        &resource.method,
        option(resource.options.mime_type.as_ref()),
        |argument| {
            // Always found: parameters without a variable were refused.
            let place = variables
                .iter()
                .position(|(name, _)| *name == argument.name)
                .unwrap_or_default();
            let ty = &argument.ty;
            quote_spanned! {span_of(ty)=>
                ::palisade_sdk::__private::variable::<#ty>(&__values, #place, __uri)?
            }
        },
    );
    Some(quote! {
        #(#conditions)*
        if let ::core::option::Option::Some(__values) = (::palisade_sdk::__private::Template {
            start: #start,
            after: &[#(#after),*],
        })
        .matches(__uri)
        {
            return #read;
        }
    })
}

fn fallback(method: &Method) -> TokenStream {
    read(method, quote!(::core::option::Option::None), |_| {
        quote!(::std::string::String::from(__uri))
    })
}

fn read<'a>(
    method: &'a Method,
    mime_type: TokenStream,
    argument: impl FnMut(&'a crate::parameters::Argument) -> TokenStream + 'a,
) -> TokenStream {
    let Method { ident, returns, .. } = method;
    let parameters = parameters(method, argument);
    let call = quote!(Self::#ident(self, #(#parameters),*));
    quote_spanned! {span_of(returns)=>
        ::palisade_sdk::__private::contents::<#returns>(#call, __uri, #mime_type)
    }
}
