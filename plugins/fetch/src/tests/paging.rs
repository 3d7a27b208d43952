use proptest::prelude::*;

use crate::paging::Window;

fn part(text: &str, start: u64, length: u32) -> String {
    Window { start, length }.of(text)
}

#[test]
fn a_part_says_how_to_get_the_next() {
    assert_eq!(
        part("abcdef", 0, 4),
        "abcd\n\n<error>Content truncated. Call the fetch tool with a start_index of 4 to get more content.</error>"
    );
    assert_eq!(part("abcdef", 4, 4), "ef");
    assert_eq!(part("abcdef", 2, 4), "cdef");
    for start in [6, 7, u64::MAX] {
        assert_eq!(
            part("abcdef", start, 4),
            "<error>No more content available.</error>"
        );
    }
    assert_eq!(part("", 0, 4), "<error>No more content available.</error>");
}

#[test]
fn characters_are_counted_and_not_bytes() {
    assert!(part("日本語", 0, 2).starts_with("日本\n\n<error>"));
    assert!(part("日本語", 0, 2).contains("start_index of 2 "));
    assert_eq!(part("日本語", 2, 2), "語");
}

proptest! {
    /// Who follows what is said gets all of it, in order, and comes to an end.
    #[test]
    fn parts_make_up_the_whole(text in "\\PC{1,80}", length in 1_u32..20) {
        let mut whole = String::new();
        let mut start = 0;
        loop {
            let shown = part(&text, start, length);
            match shown.split_once("\n\n<error>Content truncated. Call the fetch tool with a start_index of ") {
                None => {
                    whole.push_str(&shown);
                    break;
                }
                Some((part, rest)) => {
                    prop_assert_eq!(part.chars().count(), length as usize);
                    whole.push_str(part);
                    start = rest.split(' ').next().unwrap().parse().unwrap();
                }
            }
        }
        prop_assert_eq!(whole, text);
    }
}
