//! Several techniques in one drive, each with the hooks that it claims on the dies on which it works.

use super::hooks::{all_metrics, works_on};
use super::{Conventional, Hook, Hooks, Technique};
use crate::drive::DriveState;
use crate::error::Error;
use crate::metrics::Counters;
use crate::nand::infeasible;
use serde_json::{Map, Value};

const HOOKS: usize = Hook::Idle as usize + 1;

/// A technique of the stack.
struct Layer {
    name: String,
    /// The group that it is given.
    group: Option<usize>,
    technique: Box<dyn Technique>,
}

/// Techniques chosen at run time.
pub struct Stack {
    layers: Vec<Layer>,
    /// The layer that claims each hook on the first group, at hand: most drives have no other. The last layer
    /// is the conventional drive.
    first: [usize; HOOKS],
    /// The same by group. Groups that no technique is given have the last row in common.
    owner: Vec<[usize; HOOKS]>,
    /// True where one of them claims [`Hook::Route`], at hand for every unit that is written.
    is_routed: bool,
}

impl Stack {
    /// Joins techniques.
    ///
    /// # Errors
    /// Two of them claim the same hook of the same group.
    pub fn new(techniques: Vec<(String, Box<dyn Technique>)>) -> Result<Self, Error> {
        let mut layers: Vec<Layer> = techniques.into_iter().map(Layer::of).collect();
        let conventional = layers.len();
        let given = layers.iter().filter_map(|layer| layer.group).map(|group| group + 1).max();
        let mut owner = vec![[conventional; HOOKS]; given.unwrap_or(0) + 1];
        for (index, layer) in layers.iter().enumerate() {
            for &hook in layer.technique.claims() {
                for (group, owner) in owner.iter_mut().enumerate() {
                    if !layer.claims_on(hook, group) {
                        continue;
                    }
                    let claimed = owner[hook as usize];
                    if claimed != conventional {
                        return Err(both_claim(&layers[claimed], layer, hook));
                    }
                    owner[hook as usize] = index;
                }
            }
        }
        check_programs(&layers)?;
        layers.push(Layer::of(("conventional".into(), Box::new(Conventional))));
        let is_routed = owner[0][Hook::Route as usize] != conventional;
        Ok(Self { layers, first: owner[0], owner, is_routed })
    }

    #[inline]
    fn owner_of(&self, hook: Hook, group: usize) -> usize {
        let row = match group {
            0 => &self.first,
            _ => &self.owner[group.min(self.owner.len() - 1)],
        };
        row[hook as usize]
    }
}

impl Layer {
    fn of((name, technique): (String, Box<dyn Technique>)) -> Self {
        Self { name, group: technique.group(), technique }
    }

    /// True where a hook that it claims is its own in a group.
    fn claims_on(&self, hook: Hook, group: usize) -> bool {
        matches!(hook, Hook::Route | Hook::Idle) || works_on(self.group, group)
    }
}

/// Refuses two techniques that answer the same.
fn both_claim(one: &Layer, other: &Layer, hook: Hook) -> Error {
    infeasible(
        format!("{} and {} both claim the hook {hook:?}", one.name, other.name),
        "leave one of the two techniques out",
    )
}

/// Refuses a technique that programs units apart in a group that another one maps by whole programs.
fn check_programs(layers: &[Layer]) -> Result<(), Error> {
    let apart = layers.iter().filter(|layer| layer.technique.programs_apart());
    for (layer, group) in apart.filter_map(|layer| Some((layer, layer.group?))) {
        let by_programs = |router: &Layer| {
            router.technique.maps_programs(group).map(|help| (router.name.clone(), help))
        };
        if let Some((router, help)) = layers.iter().find_map(by_programs) {
            return Err(infeasible(
                format!(
                    "{} programs a unit anew while others of its word line stay, but {router} maps the same flash by whole programs, which hold one range each",
                    layer.name
                ),
                format!("set {help}, or leave one of the two techniques out"),
            ));
        }
    }
    Ok(())
}

impl Hooks for Stack {
    type Layer = dyn Technique;

    #[inline]
    fn owner(&self, hook: Hook, group: usize) -> &Self::Layer {
        &*self.layers[self.owner_of(hook, group)].technique
    }

    #[inline]
    fn owner_mut(&mut self, hook: Hook, group: usize) -> &mut Self::Layer {
        let owner = self.owner_of(hook, group);
        &mut *self.layers[owner].technique
    }

    #[inline]
    fn claimant_mut(&mut self, hook: Hook, group: usize) -> Option<&mut Self::Layer> {
        let owner = self.owner_of(hook, group);
        let (_, techniques) = self.layers.split_last_mut()?;
        techniques.get_mut(owner).map(|layer| &mut *layer.technique)
    }

    #[inline]
    fn is_claimed(&self, hook: Hook, group: usize) -> bool {
        self.owner_of(hook, group) + 1 < self.layers.len()
    }

    #[inline]
    fn is_routed(&self) -> bool {
        self.is_routed
    }

    // The conventional drive, which is last, is told nothing.
    fn layers(&self) -> impl Iterator<Item = &Self::Layer> {
        let techniques = self.layers.split_last().map_or(&[][..], |(_, techniques)| techniques);
        techniques.iter().map(|layer| &*layer.technique)
    }

    #[inline]
    fn layers_mut(&mut self) -> impl Iterator<Item = &mut Self::Layer> {
        let techniques = self.layers.split_last_mut().map_or(&mut [][..], |(_, rest)| rest);
        techniques.iter_mut().map(|layer| &mut *layer.technique)
    }

    #[inline]
    fn layers_of_mut(&mut self, group: usize) -> impl Iterator<Item = &mut Self::Layer> {
        let techniques = self.layers.split_last_mut().map_or(&mut [][..], |(_, rest)| rest);
        let own = techniques.iter_mut().filter(move |layer| works_on(layer.group, group));
        own.map(|layer| &mut *layer.technique)
    }

    fn metrics(&self, state: &DriveState, counters: &Counters) -> Map<String, Value> {
        let own = |layer: &Layer| {
            let metrics = all_metrics(&*layer.technique, state, counters);
            (!metrics.is_empty()).then(|| (layer.name.clone(), Value::Object(metrics)))
        };
        self.layers.iter().filter_map(own).collect()
    }
}
