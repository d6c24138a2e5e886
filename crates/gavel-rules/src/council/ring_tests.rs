use proptest::prelude::*;

use super::*;

#[test]
fn everybody_answers_a_neighbour() {
    assert_eq!(ring(&[]), []);
    assert_eq!(ring(&[1]), []);
    assert_eq!(ring(&[1, 2]), [(1, 2)]);
    assert_eq!(ring(&[1, 2, 3]), [(1, 2), (2, 3), (3, 1)]);
    // The third seat left.
    assert_eq!(ring(&[1, 2, 4, 5]), [(1, 2), (2, 4), (4, 5), (5, 1)]);
}

proptest! {
    #[test]
    fn every_seat_is_heard_and_answered(seats in prop::collection::btree_set(1_u32..100, 2..9)) {
        let seats: Vec<_> = seats.into_iter().collect();
        let pairs = ring(&seats);
        prop_assert_eq!(pairs.len(), if seats.len() == 2 { 1 } else { seats.len() });
        for seat in &seats {
            let with = |(one, other): &&(u32, u32)| one == seat || other == seat;
            let met = pairs.iter().filter(with).count();
            prop_assert_eq!(met, if seats.len() == 2 { 1 } else { 2 });
        }
        prop_assert!(pairs.iter().all(|(one, other)| one != other));
    }
}

#[test]
fn each_seat_answers_the_strongest_that_stands_against_it() {
    let choice = |option| {
        [Choice {
            decision: "store".to_owned(),
            option,
            confidence: 50,
            cites: Vec::new(),
            broken: Vec::new(),
        }]
    };
    let (a, b) = (choice(0), choice(1));
    let seat = |seat, weight, choices| Standing {
        seat,
        weight,
        choices,
    };
    let five = [
        seat(1, 500, &a[..]),
        seat(2, 900, &b[..]),
        seat(3, 700, &b[..]),
        seat(4, 500, &a[..]),
        seat(5, 500, &[]),
    ];
    assert_eq!(opponents(&five), [(1, 2), (2, 1), (3, 1), (4, 2), (5, 1)]);
    let agreed = [seat(1, 500, &a[..]), seat(3, 500, &a[..])];
    assert_eq!(opponents(&agreed), [(1, 3), (3, 1)]);
    assert_eq!(opponents(&agreed[..1]), []);
}
