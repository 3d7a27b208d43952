//! What a guest asks the host to do for it is bounded by the host: no length
//! that a guest names becomes memory as it is.

use palisade_tests::rpc;
use palisade_tests::stage::{MIB, Stage, done};
use serde_json::json;

#[test]
fn lengths() {
    let stage = Stage::new();
    let sparse = a_terabyte(&stage);
    let mut session = stage.session("escapes-by-handle", "rw");
    done(&mut session, "random", json!({"length": 1_000}));
    let before = session.process.peak_memory();
    let lengths: [u64; 4] = [10_000_000, 5_000_000_000, 1 << 42, u64::MAX];
    for length in lengths {
        for (tool, arguments) in [
            ("random", json!({"length": length})),
            ("print_zeroes", json!({"length": length})),
            (
                "write_zeroes",
                json!({"root": "/in", "path": "zeroes", "length": length}),
            ),
        ] {
            // However it ends, it ends, and nothing of it is written.
            session.call(tool, arguments);
        }
        let read = json!({"root": "/in", "path": sparse, "length": length});
        let answer = done(&mut session, "read_length", read);
        let got: u64 = answer.split(' ').next().unwrap().parse().unwrap();
        assert!(got <= length && got <= MIB, "{answer}");
    }
    let took = session.process.peak_memory() - before;
    assert!(took < 64 * MIB, "the host took {} MiB", took / MIB);
    let zeroes = stage.inside().join("zeroes").metadata().unwrap();
    assert!(zeroes.len() <= MIB, "{} bytes were written", zeroes.len());
}

/// A file that is long and takes no room.
fn a_terabyte(stage: &Stage) -> &'static str {
    let file = std::fs::File::create(stage.inside().join("sparse")).unwrap();
    file.set_len(1 << 40).unwrap();
    "sparse"
}

#[test]
fn output_nobody_allowed() {
    let stage = Stage::new();
    let mut session = stage.session("escapes-by-handle", "rw");
    let before = session.process.peak_memory();
    let result = session.call("print_unasked", json!({"length": 30_000_000}));
    rpc::text(&result);
    let took = session.process.peak_memory() - before;
    assert!(took < 100 * MIB, "the host took {} MiB", took / MIB);
    assert_eq!(done(&mut session, "preopens", json!({})), "/in");
}
