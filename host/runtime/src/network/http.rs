//! `wasi:http`: requests, sent by `palisade-net`.

use std::sync::Arc;

use http_body_util::BodyExt as _;
use palisade_net::{NetError, Timeouts};
use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, Resource};
use wasmtime_wasi_http::p2::bindings::http::types::{DnsErrorPayload, ErrorCode, IoError};
use wasmtime_wasi_http::{
    Error, RequestOptions, Result, WasiBody, WasiHttpCtxView, WasiHttpHooks, WasiHttpView,
};

use super::Network;
use crate::state::State;

/// The interface by which it is linked.
const TYPES: &str = "wasi:http/types@0.2.12";

/// Puts right what a guest is told of a body that broke off: wasmtime-wasi-http
/// looks for an error of another type than the one that its bodies have, and so
/// never finds any.
pub(super) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    let error_code = |store: StoreContextMut<'_, State>, (error,): (Resource<IoError>,)| {
        let error = store.data().table.get(&error)?;
        Ok((error.downcast_ref::<Error>().and_then(code),))
    };
    linker
        .instance(TYPES)?
        .func_wrap("http-error-code", error_code)
}

/// The errors that [`told`] makes, as WASI has them.
fn code(error: &Error) -> Option<ErrorCode> {
    match error {
        Error::InternalError(sentence) => Some(ErrorCode::InternalError(sentence.clone())),
        Error::DnsError { rcode, info_code } => Some(ErrorCode::DnsError(DnsErrorPayload {
            rcode: rcode.clone(),
            info_code: *info_code,
        })),
        _ => None,
    }
}

/// How requests of one instance are sent.
pub(crate) struct Hooks(pub(crate) Arc<Network>);

/// What becomes of a request's other end.
type Ended = Box<dyn Future<Output = Result<()>> + Send>;

/// An answer, or why there is none.
type Sent = Box<dyn Future<Output = Result<(http::Response<WasiBody>, Ended)>> + Send>;

impl WasiHttpHooks for Hooks {
    /// It is what the rules were held against, and nobody else's to say.
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Ended,
    ) -> Sent {
        let network = Arc::clone(&self.0);
        Box::new(async move {
            let sent = network.egress.send(request, timeouts(options)).await;
            let answer = sent.map_err(told)?;
            let answer = answer.map(|body| body.map_err(told).boxed_unsync());
            let ended: Ended = Box::new(std::future::ready(Ok(())));
            Ok((answer, ended))
        })
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView {
            hooks: &mut self.hooks,
            table: &mut self.table,
            ctx: &mut self.http,
        }
    }
}

/// A guest may have less patience than the host, never more.
fn timeouts(options: Option<RequestOptions>) -> Timeouts {
    let most = Timeouts::default();
    let options = options.unwrap_or_default();
    Timeouts {
        connect: options.connect_timeout.unwrap_or(most.connect),
        first_byte: options.first_byte_timeout.unwrap_or(most.first_byte),
        idle: options.between_bytes_timeout.unwrap_or(most.idle),
    }
}

/// In words that a guest can show: most codes of WASI carry none.
fn told(error: NetError) -> Error {
    let sentence = Some(error.sentence());
    match error {
        NetError::NoSuchHost(_) => Error::DnsError {
            rcode: sentence,
            info_code: None,
        },
        _ => Error::InternalError(sentence),
    }
}
