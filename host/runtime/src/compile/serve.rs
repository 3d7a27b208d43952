//! The process in which a plugin is compiled.

use std::io::{Read, Write};

use crate::compile::Understood;
use crate::compile::frames::{self, Frame, unexpected};
use crate::engine::Engine;
use crate::error::LoadError;

/// The process that asked can't be answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeCompilerError {
    /// It is gone, or says something else than agreed.
    #[error("the process that wanted something compiled can't be talked to")]
    Channel(#[source] std::io::Error),
    /// What was to hold before the plugin runs does not.
    #[error("{0}")]
    Wall(String),
}

/// Compiles one component for the process at the other end of `channel`, a
/// [`CompilerProcess`](crate::CompilerProcess), with an engine like its own.
/// `before_it_runs` is called once the code has been handed over and before any
/// of the plugin runs.
///
/// # Errors
///
/// [`ServeCompilerError`]. That a component is no good is no error: it is what
/// the other process is told.
pub fn serve_compiler(
    mut channel: impl Read + Write,
    engine: &Engine,
    before_it_runs: impl FnOnce() -> Result<(), String>,
) -> Result<(), ServeCompilerError> {
    let failed = ServeCompilerError::Channel;
    let (kind, component) = frames::read(&mut channel, u64::MAX).map_err(failed)?;
    if kind != Frame::Component {
        return Err(failed(unexpected("something else than a component")));
    }
    let compiled = Understood::new(engine, &component).and_then(|it| Ok((it.code()?, it)));
    let (code, understood) = match compiled {
        Ok(compiled) => compiled,
        Err(error) => return refuse(&mut channel, &error),
    };
    drop(component);
    frames::write_json(&mut channel, Frame::About, &understood.about).map_err(failed)?;
    frames::write(&mut channel, Frame::Code, &code).map_err(failed)?;
    drop(code);
    let (kind, _) = frames::read(&mut channel, 0).map_err(failed)?;
    if kind != Frame::GoOn {
        return Err(failed(unexpected("something else than to go on")));
    }
    before_it_runs().map_err(ServeCompilerError::Wall)?;
    let listing = understood.list().and_then(|listing| {
        listing.check(understood.about.offers)?;
        Ok(listing)
    });
    match listing {
        Ok(listing) => frames::write_json(&mut channel, Frame::Listing, &listing).map_err(failed),
        Err(error) => refuse(&mut channel, &error),
    }
}

fn refuse(channel: &mut impl Write, error: &LoadError) -> Result<(), ServeCompilerError> {
    frames::write_json(channel, Frame::Refusal, error).map_err(ServeCompilerError::Channel)
}
