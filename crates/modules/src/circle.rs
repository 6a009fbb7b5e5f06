//! Circles of a graph: its strongly connected parts of two nodes or more.

use std::collections::{BTreeMap, BTreeSet};

/// Each node with those that it points at.
pub type Graph<T> = BTreeMap<T, BTreeSet<T>>;

/// The circles of `graph`, each as its nodes: those that reach each other.
pub fn circles<T: Ord + Clone>(graph: &Graph<T>) -> Vec<BTreeSet<T>> {
    let mut left: BTreeSet<T> = graph.keys().cloned().collect();
    let turned = turned(graph);
    let mut found = Vec::new();
    while let Some(node) = left.first().cloned() {
        let reached = reached(graph, &node);
        let circle: BTreeSet<T> =
            reached.intersection(&self::reached(&turned, &node)).cloned().collect();
        left = left.difference(&circle).cloned().collect();
        if circle.len() > 1 {
            found.push(circle);
        }
        left.remove(&node);
    }
    found
}

/// A graph with its arrows turned round.
fn turned<T: Ord + Clone>(graph: &Graph<T>) -> Graph<T> {
    let mut turned = Graph::new();
    for (from, targets) in graph {
        for to in targets {
            turned.entry(to.clone()).or_insert_with(BTreeSet::new).insert(from.clone());
        }
    }
    turned
}

/// What can be reached from `node`, itself included.
fn reached<T: Ord + Clone>(graph: &Graph<T>, node: &T) -> BTreeSet<T> {
    let (mut seen, mut open) = (BTreeSet::from([node.clone()]), vec![node.clone()]);
    while let Some(at) = open.pop() {
        for next in graph.get(&at).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(arrows: &[(&'static str, &'static str)]) -> Graph<&'static str> {
        let mut graph = Graph::new();
        for &(from, to) in arrows {
            graph.entry(from).or_insert_with(BTreeSet::new).insert(to);
        }
        graph
    }

    #[test]
    fn what_reaches_itself_is_a_circle_and_what_leads_there_is_not() {
        let tree = [("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")];
        assert!(circles(&graph(&tree)).is_empty());
        let two = [&tree[..], &[("d", "b"), ("e", "f"), ("f", "e"), ("f", "a")]].concat();
        let found = circles(&graph(&two));
        assert_eq!(found, [BTreeSet::from(["b", "c", "d"]), BTreeSet::from(["e", "f"])]);
    }
}
