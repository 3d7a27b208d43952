//! Tools that say a lot while they run.

use palisade_sdk::prelude::*;

/// Talks.
#[derive(Default)]
struct Chatty;

#[plugin]
impl Chatty {
    /// Reports progress in equal steps, each with a message.
    #[tool]
    fn progress(&self, steps: u32, ctx: &Context) -> String {
        for step in 1..=steps {
            let message = format!("step {step}");
            ctx.progress(step.into(), Some(steps.into()), Some(&message));
        }
        format!("{steps} steps")
    }

    /// Logs numbered messages at level info.
    #[tool]
    fn logs(&self, count: u32, ctx: &Context) -> String {
        for number in 1..=count {
            ctx.info(format_args!("message {number}"));
        }
        format!("{count} messages")
    }

    /// Logs one message at each level, which says the level's name.
    #[tool]
    fn log_levels(&self, ctx: &Context) -> &'static str {
        for (level, name) in [
            (Level::Debug, "debug"),
            (Level::Info, "info"),
            (Level::Notice, "notice"),
            (Level::Warning, "warning"),
            (Level::Error, "error"),
            (Level::Critical, "critical"),
            (Level::Alert, "alert"),
            (Level::Emergency, "emergency"),
        ] {
            ctx.log(level, name);
        }
        "eight levels"
    }

    /// Logs one object under the name of a logger.
    #[tool]
    fn log_object(&self, ctx: &Context) -> &'static str {
        let value = std::collections::BTreeMap::from([("answer", 42)]);
        ctx.log_value(Level::Warning, Some("deep thought"), &value);
        "one object"
    }

    /// Logs one message of a size.
    #[tool]
    fn log_of(&self, bytes: usize, ctx: &Context) -> &'static str {
        ctx.info("x".repeat(bytes));
        "one message"
    }

    /// Reports progress that falls, repeats itself and is not a number, then
    /// a last step that rises: 10, 20 and 30 are all a client may see.
    #[tool]
    fn backwards(&self, ctx: &Context) -> &'static str {
        for progress in [
            10.0,
            5.0,
            10.0,
            f64::NAN,
            -1.0,
            20.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            20.0,
            30.0,
        ] {
            ctx.progress(progress, Some(f64::NAN), None);
        }
        "there and back again"
    }

    /// Logs and reports progress a million times.
    #[tool]
    fn flood(&self, ctx: &Context) -> &'static str {
        for number in 0..1_000_000_u32 {
            ctx.info("all work and no play");
            ctx.progress(number.into(), None, None);
        }
        "a million of each"
    }
}
