//! Refusals as JSON-RPC errors.

use palisade_runtime::contract::ErrorKind;
use rmcp::ErrorData;
use rmcp::model::ErrorCode;

use crate::service::Refusal;

/// A refusal of a method that names something by a parameter.
pub(super) fn error(refused: Refusal) -> ErrorData {
    let code = match refused.kind {
        ErrorKind::InvalidParams | ErrorKind::NotFound => ErrorCode::INVALID_PARAMS,
        ErrorKind::Unsupported => ErrorCode::METHOD_NOT_FOUND,
        ErrorKind::Denied | ErrorKind::Internal => ErrorCode::INTERNAL_ERROR,
    };
    ErrorData::new(code, refused.message, refused.data)
}

/// A refusal to read. Revisions before 2026-07-28 have a code of their own for
/// a resource that is not there; rmcp takes it back for the newer ones.
pub(super) fn of_resource(refused: Refusal) -> ErrorData {
    if refused.kind == ErrorKind::NotFound {
        return ErrorData::resource_not_found(refused.message, refused.data);
    }
    error(refused)
}
