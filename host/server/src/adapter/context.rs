//! What a request says about its client, in the contract's terms.

use palisade_runtime::contract;
use rmcp::model::{ClientCapabilities, ProtocolVersion, RequestMetaObject};
use rmcp::service::{RequestContext, RoleServer};

/// Keys of `_meta` that belong to the protocol and not to a plugin.
const PROTOCOL_PREFIX: &str = "io.modelcontextprotocol/";

/// Where a request says what its client can.
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Whether the request is one of the stateless revisions.
pub(super) fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context
        .meta
        .protocol_version()
        .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Whether the request says that its client has roots; one of a session need
/// not say so again.
pub(super) fn declares_roots(context: &RequestContext<RoleServer>) -> bool {
    (is_stateless(context) || context.meta.contains_key(CLIENT_CAPABILITIES))
        && context
            .client_capabilities()
            .is_some_and(|client| client.roots.is_some())
}

/// The context a plugin gets with a call.
pub(super) fn of(context: &RequestContext<RoleServer>) -> contract::Context {
    let meta = &context.meta;
    contract::Context {
        meta: plugin_meta(meta),
        trace: meta
            .get_traceparent()
            .map(|traceparent| contract::TraceContext {
                traceparent: traceparent.to_owned(),
                tracestate: meta.get_tracestate().map(str::to_owned),
                baggage: meta.get_baggage().map(str::to_owned),
            }),
        client: context
            .client_info()
            .map(|client| contract::Implementation {
                name: client.name,
                version: client.version,
                title: client.title,
            }),
        capabilities: context
            .client_capabilities()
            .map_or(contract::ClientCapabilities::empty(), |it| {
                capabilities(&it)
            }),
        wants_progress: meta.get_progress_token().is_some(),
        answers: Vec::new(),
        state: None,
    }
}

fn plugin_meta(meta: &RequestMetaObject) -> Option<String> {
    let own: serde_json::Map<_, _> = meta
        .iter()
        .filter(|(key, _)| {
            !key.starts_with(PROTOCOL_PREFIX)
                && !matches!(
                    key.as_str(),
                    "progressToken" | "traceparent" | "tracestate" | "baggage"
                )
        })
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    (!own.is_empty()).then(|| serde_json::Value::Object(own).to_string())
}

fn capabilities(declared: &ClientCapabilities) -> contract::ClientCapabilities {
    use contract::ClientCapabilities as Can;
    let mut can = Can::empty();
    if declared.roots.is_some() {
        can |= Can::ROOTS;
    }
    if let Some(sampling) = &declared.sampling {
        can |= Can::SAMPLING;
        if sampling.tools.is_some() {
            can |= Can::SAMPLING_TOOLS;
        }
    }
    if let Some(elicitation) = &declared.elicitation {
        // An empty object means form mode only.
        if elicitation.form.is_some() || elicitation.url.is_none() {
            can |= Can::ELICITATION_FORM;
        }
        if elicitation.url.is_some() {
            can |= Can::ELICITATION_URL;
        }
    }
    can
}
