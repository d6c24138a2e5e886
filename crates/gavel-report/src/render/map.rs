//! The module map: groups in rows, what is imported below what imports it, and a line for each edge.

use super::html::escaped;
use crate::document::ModuleMap;

const WIDTH: u64 = 760;
const BOX: u64 = 176;
const HIGH: u64 = 38;
const ROW: u64 = 78;
const GAP: u64 = 14;
const TOP: u64 = 8;
/// So many boxes stand beside each other.
const PER_ROW: usize = 4;

/// A box of the picture.
#[derive(Clone, Copy)]
struct Spot {
    x: u64,
    y: u64,
}

/// Draws the map; nothing for one without groups.
pub(super) fn map(map: &ModuleMap) -> String {
    let rows = rows(map);
    let mut spots = vec![Spot { x: 0, y: 0 }; map.nodes.len()];
    for (row, nodes) in rows.iter().enumerate() {
        let wide = count(nodes.len()) * (BOX + GAP) - GAP.min(count(nodes.len()) * GAP);
        let left = WIDTH.saturating_sub(wide) / 2;
        for (place, node) in nodes.iter().enumerate() {
            if let Some(spot) = spots.get_mut(*node) {
                *spot = Spot {
                    x: left + count(place) * (BOX + GAP),
                    y: TOP + count(row) * ROW,
                };
            }
        }
    }
    let height = TOP + count(rows.len()) * ROW;
    let title = "Which part imports which";
    let mut svg = format!(
        "<figure><svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\"><title>{title}</title>"
    );
    for edge in &map.edges {
        let (Some(from), Some(to)) = (spots.get(edge.from), spots.get(edge.to)) else {
            continue;
        };
        let names = (map.nodes.get(edge.from), map.nodes.get(edge.to));
        if let (Some(a), Some(b)) = names {
            let told = format!("{} imports {}: {}", a.label, b.label, edge.imports);
            svg.push_str(&line(*from, *to, &escaped(&told)));
        }
    }
    for (node, spot) in map.nodes.iter().zip(&spots) {
        let middle = spot.x + BOX / 2;
        svg.push_str(&format!(
            "<rect class=\"module\" x=\"{}\" y=\"{}\" width=\"{BOX}\" height=\"{HIGH}\" rx=\"5\"><title>{}</title></rect>\
             <text class=\"name\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
             <text class=\"amount\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            spot.x,
            spot.y,
            escaped(&node.label),
            spot.y + 16,
            escaped(&short(&node.label)),
            spot.y + 31,
            escaped(&node.shown),
        ));
    }
    svg.push_str("</svg></figure>\n");
    svg
}

/// A curve from the foot of one box to the head of another; upwards it leaves from the head.
fn line(from: Spot, to: Spot, told: &str) -> String {
    let down = to.y > from.y;
    let (start, end) = if down {
        (from.y + HIGH, to.y)
    } else {
        (from.y, to.y + HIGH)
    };
    let (a, b) = (from.x + BOX / 2, to.x + BOX / 2);
    let half = start.midpoint(end);
    let class = if down { "import" } else { "import back" };
    format!(
        "<path class=\"{class}\" d=\"M{a} {start} C{a} {half} {b} {half} {b} {end}\"><title>{told}</title></path>"
    )
}

/// The groups in rows: what imports stands above what it imports, as far as there are no circles.
fn rows(map: &ModuleMap) -> Vec<Vec<usize>> {
    let mut level = vec![0_usize; map.nodes.len()];
    // Without circles, as many rounds as there are groups settle every level.
    for _ in 0..map.nodes.len() {
        let mut moved = false;
        for edge in &map.edges {
            let wanted = level.get(edge.from).map_or(0, |from| from + 1);
            let most = map.nodes.len() - 1;
            if let Some(to) = level.get_mut(edge.to)
                && *to < wanted
                && wanted <= most
            {
                (*to, moved) = (wanted, true);
            }
        }
        if !moved {
            break;
        }
    }
    let mut used: Vec<usize> = level.clone();
    used.sort_unstable();
    used.dedup();
    let of_level = |wanted: &usize| -> Vec<usize> {
        let all = level
            .iter()
            .enumerate()
            .filter(|(_, level)| *level == wanted);
        all.map(|(node, _)| node).collect()
    };
    let rows = used.iter().map(of_level);
    rows.flat_map(|row| {
        row.chunks(PER_ROW)
            .map(<[usize]>::to_vec)
            .collect::<Vec<_>>()
    })
    .collect()
}

/// The end of a long path says more than its beginning.
fn short(label: &str) -> String {
    const MOST: usize = 26;
    let length = label.chars().count();
    if length <= MOST {
        return label.to_owned();
    }
    let cut: String = label.chars().skip(length - MOST + 1).collect();
    format!("…{cut}")
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{MapEdge, MapNode};

    fn sample(edges: &[[usize; 2]]) -> ModuleMap {
        let node = |label: &str| MapNode {
            label: label.to_owned(),
            shown: "1 file".to_owned(),
        };
        ModuleMap {
            nodes: ["a<b>", "b", "c"].map(node).to_vec(),
            edges: edges
                .iter()
                .map(|[from, to]| MapEdge {
                    from: *from,
                    to: *to,
                    imports: 2,
                })
                .collect(),
        }
    }

    #[test]
    fn what_imports_stands_above_and_names_are_text() {
        let map = sample(&[[0, 1], [1, 2], [0, 2]]);
        assert_eq!(rows(&map), [[0], [1], [2]]);
        let svg = super::map(&map);
        assert_eq!(svg.matches("<path").count(), 3);
        assert_eq!(svg.matches("<rect").count(), 3);
        assert!(svg.contains("a&lt;b&gt; imports b: 2"));
        assert!(!svg.contains("a<b>"));
    }

    #[test]
    fn circles_and_nothing_at_all_are_drawn_too() {
        let placed: usize = rows(&sample(&[[0, 1], [1, 0]])).iter().map(Vec::len).sum();
        assert_eq!(placed, 3);
        assert!(super::map(&ModuleMap::default()).ends_with("</figure>\n"));
    }
}
