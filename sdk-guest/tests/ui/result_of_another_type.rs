use palisade_sdk::prelude::*;

#[derive(Default)]
struct Plugin;

struct NotAnError;

#[plugin]
impl Plugin {
    /// Counts.
    #[tool]
    fn count(&self) -> u64 {
        1
    }

    /// Counts, or fails.
    #[tool]
    fn count_or_fail(&self) -> Result<Vec<u64>> {
        Ok(vec![1])
    }

    /// Fails with something that says nothing.
    #[tool]
    fn fail(&self) -> Result<String, NotAnError> {
        Err(NotAnError)
    }

    /// Returns something that has no JSON.
    #[tool]
    fn json(&self) -> Result<Json<NotAnError>> {
        Ok(Json::new(NotAnError))
    }
}

fn main() {}
