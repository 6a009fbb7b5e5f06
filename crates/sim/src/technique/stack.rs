//! Several techniques in one drive, each with the hooks that it claims.

use super::{Conventional, Hook, Hooks, Technique};
use crate::drive::DriveState;
use crate::error::Error;
use crate::nand::infeasible;
use serde_json::{Map, Value};

const HOOKS: usize = Hook::Idle as usize + 1;

/// Techniques chosen at run time.
pub struct Stack {
    layers: Vec<(String, Box<dyn Technique>)>,
    /// The layer that claims each hook; the last one is the conventional drive.
    owner: [usize; HOOKS],
}

impl Stack {
    /// Joins techniques.
    ///
    /// # Errors
    /// Two of them claim the same hook.
    pub fn new(techniques: Vec<(String, Box<dyn Technique>)>) -> Result<Self, Error> {
        let mut layers = techniques;
        let conventional = layers.len();
        let mut owner = [conventional; HOOKS];
        for (index, (name, technique)) in layers.iter().enumerate() {
            for &hook in technique.claims() {
                let claimed = owner[hook as usize];
                if claimed != conventional {
                    return Err(infeasible(
                        format!("{} and {name} both claim the hook {hook:?}", layers[claimed].0),
                        "leave one of the two techniques out",
                    ));
                }
                owner[hook as usize] = index;
            }
        }
        layers.push(("conventional".into(), Box::new(Conventional)));
        Ok(Self { layers, owner })
    }
}

impl Hooks for Stack {
    type Layer = dyn Technique;

    #[inline]
    fn owner(&self, hook: Hook) -> &Self::Layer {
        &*self.layers[self.owner[hook as usize]].1
    }

    #[inline]
    fn owner_mut(&mut self, hook: Hook) -> &mut Self::Layer {
        &mut *self.layers[self.owner[hook as usize]].1
    }

    fn is_claimed(&self, hook: Hook) -> bool {
        self.owner[hook as usize] + 1 < self.layers.len()
    }

    // The conventional drive, which is last, is told nothing.
    fn layers(&self) -> impl Iterator<Item = &Self::Layer> {
        let techniques = self.layers.split_last().map_or(&[][..], |(_, techniques)| techniques);
        techniques.iter().map(|(_, technique)| &**technique)
    }

    #[inline]
    fn layers_mut(&mut self) -> impl Iterator<Item = &mut Self::Layer> {
        let techniques = self.layers.split_last_mut().map_or(&mut [][..], |(_, rest)| rest);
        techniques.iter_mut().map(|(_, technique)| &mut **technique)
    }

    fn metrics(&self, state: &DriveState) -> Map<String, Value> {
        let own = |(name, technique): &(String, Box<dyn Technique>)| {
            let metrics = technique.metrics(state);
            (!metrics.is_empty()).then(|| (name.clone(), Value::Object(metrics)))
        };
        self.layers.iter().filter_map(own).collect()
    }
}
