//! What one request may see.

use palisade_policy::ClientRoots;
use rmcp::ErrorData;
use rmcp::model::InputRequiredResult;
use rmcp::service::{RequestContext, RoleServer};

use super::{Asked, Said};
use crate::adapter::asking::{self, Binding, CantAsk, Echo};
use crate::adapter::context;
use crate::adapter::handler::Handler;
use crate::service::{Service, View};

/// How a request begins.
pub(in crate::adapter) enum Admitted {
    /// It may see this.
    Go(View),
    /// Its client has to say first which roots it has.
    Ask(InputRequiredResult),
}

/// Finds out what a request may see that can ask. `directories` is whether it
/// is for a plugin that has any; what its client keeps is opened in `echo`.
///
/// # Errors
///
/// If it is cancelled meanwhile, or brings along what is not its own.
pub(in crate::adapter) async fn admit(
    handler: &Handler,
    context: &RequestContext<RoleServer>,
    directories: bool,
    binding: impl FnOnce() -> Binding,
    echo: &mut Echo,
) -> Result<Admitted, ErrorData> {
    let service = handler.service();
    if !directories || service.client_roots() == ClientRoots::Ignore {
        return Ok(Admitted::Go(View::default()));
    }
    if !context::is_stateless(context) {
        return of_session(handler, context).await.map(Admitted::Go);
    }
    if !context::declares_roots(context) {
        let view = undeclared(service, handler.shared().said());
        return Ok(Admitted::Go(view));
    }
    let seal = handler.shared().seal();
    let binding = binding();
    echo.open(seal, &binding)?;
    let round = echo.round.get_or_insert_default();
    if let Asked::Answered(uris) = &mut round.client_roots {
        let narrowing = service.narrow(std::mem::take(uris)).await;
        // All that is to be remembered of a list that may be long.
        *uris = narrowing.used;
        handler.shared().said().once(narrowing.warnings);
        return Ok(Admitted::Go(narrowing.view));
    }
    let problem = match round.ask_roots() {
        Ok(question) => match asking::hand_over(seal, round, vec![question], &binding) {
            Some(questions) => return Ok(Admitted::Ask(questions)),
            None => CantAsk::TooMuch,
        },
        Err(problem) => problem,
    };
    Err(ErrorData::invalid_request(problem.to_string(), None))
}

/// What a request may see that can't ask: of a stateless client that has roots
/// nothing is known.
///
/// # Errors
///
/// If it is cancelled meanwhile.
pub(in crate::adapter) async fn unasked(
    handler: &Handler,
    context: &RequestContext<RoleServer>,
) -> Result<View, ErrorData> {
    let service = handler.service();
    if !service.has_directories() || service.client_roots() == ClientRoots::Ignore {
        return Ok(View::default());
    }
    if !context::is_stateless(context) {
        return of_session(handler, context).await;
    }
    if context::declares_roots(context) {
        return Ok(View::nothing());
    }
    Ok(undeclared(service, handler.shared().said()))
}

/// What a request of a handshake revision may see.
async fn of_session(
    handler: &Handler,
    context: &RequestContext<RoleServer>,
) -> Result<View, ErrorData> {
    match handler.roots() {
        Some(session) if session.declared() => {
            // It may have to be asked.
            let _waits = handler.in_flight.wait();
            session.view(context).await
        }
        // It says so here and not in a session: there is nobody to be asked.
        _ if context::declares_roots(context) => Ok(View::nothing()),
        Some(session) => Ok(undeclared(handler.service(), session.said())),
        None => Ok(undeclared(handler.service(), handler.shared().said())),
    }
}

/// What a client may see that has no roots.
pub(super) fn undeclared(service: &Service, said: &Said) -> View {
    if service.client_roots() != ClientRoots::Require || !service.has_directories() {
        return View::default();
    }
    let why = "no granted directory is available: this client has no roots, and \
               --client-roots require asks for them";
    said.once(vec![why.to_owned()]);
    View::nothing()
}
