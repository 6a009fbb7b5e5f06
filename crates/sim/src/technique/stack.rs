//! Several techniques in one drive, each with the hooks that it answers on the dies on which it works.

use super::hooks::works_on;
use super::{Apply, Conventional, Hook, Hooks, Idle, Profile, Technique};
use crate::drive::DriveState;
use crate::error::Error;
use crate::metrics::Counters;
use crate::nand::{Load, infeasible};
use serde_json::{Map, Value};

/// A technique of the stack.
struct Layer {
    /// Its name; empty for one that stands alone.
    name: String,
    profile: Profile,
    technique: Box<dyn Technique>,
    /// When it is asked what it does though the drive may not be idle.
    due_ns: u64,
}

/// Techniques chosen at run time.
pub struct Stack {
    layers: Vec<Layer>,
    /// The layer that answers each hook on the first group, at hand: most drives have no other. The last layer
    /// is the conventional drive.
    first: [usize; Hook::COUNT],
    /// The layers by hook and group. Groups that no technique is given have the last row in common.
    owner: Vec<[usize; Hook::COUNT]>,
    /// Whether one of them lists [`Hook::Route`], at hand for every unit that is written.
    is_routed: bool,
}

impl Stack {
    /// Joins techniques.
    ///
    /// # Errors
    /// Two of them list the same hook of the same group.
    pub fn new(techniques: Vec<(String, Box<dyn Technique>)>) -> Result<Self, Error> {
        let mut layers: Vec<Layer> = techniques.into_iter().map(Layer::of).collect();
        let conventional = layers.len();
        let given = layers.iter().filter_map(|layer| layer.profile.group).map(|group| group + 1);
        let mut owner = vec![[conventional; Hook::COUNT]; given.max().unwrap_or(0) + 1];
        for (index, layer) in layers.iter().enumerate() {
            for &hook in layer.profile.hooks {
                for (group, owner) in owner.iter_mut().enumerate() {
                    if !layer.claims_on(hook, group) {
                        continue;
                    }
                    let claimed = owner[hook as usize];
                    if claimed != conventional && !hook.is_shared() {
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

    /// One technique, whose figures stand under no name.
    pub fn alone(technique: impl Technique + 'static) -> Self {
        let one = vec![(String::new(), Box::new(technique) as Box<dyn Technique>)];
        Self::new(one).expect("one technique shares its hooks with nobody")
    }

    #[inline]
    fn owner_of(&self, hook: Hook, group: usize) -> usize {
        let row = match group {
            0 => &self.first,
            _ => &self.owner[group.min(self.owner.len() - 1)],
        };
        row[hook as usize]
    }

    /// What the first of some layers does that has something to do. Those that answer by their time say when they are
    /// asked again.
    fn first_work(
        &mut self,
        is_asked: impl Fn(&Layer) -> bool,
        state: &DriveState,
        load: &dyn Load,
        now_ns: u64,
    ) -> Idle {
        for layer in self.techniques_mut().iter_mut().filter(|layer| is_asked(layer)) {
            let work = layer.technique.idle(state, load, now_ns);
            let due_ns = match work {
                Idle::Nothing => u64::MAX,
                Idle::Until(due_ns) => due_ns,
                _ => {
                    layer.assert_may_ask(&work);
                    return work;
                }
            };
            debug_assert!(due_ns > now_ns, "{} is due at once, and does nothing", layer.name);
            if layer.profile.hooks.contains(&Hook::Due) {
                layer.due_ns = due_ns;
            }
        }
        Idle::Nothing
    }

    // The conventional drive, which is last, is told nothing.
    fn techniques(&self) -> &[Layer] {
        &self.layers[..self.layers.len() - 1]
    }

    #[inline]
    fn techniques_mut(&mut self) -> &mut [Layer] {
        self.layers.split_last_mut().map_or(&mut [], |(_, techniques)| techniques)
    }
}

impl Layer {
    fn of((name, technique): (String, Box<dyn Technique>)) -> Self {
        let profile = technique.profile();
        let due_ns = if profile.hooks.contains(&Hook::Due) { 0 } else { u64::MAX };
        Self { name, profile, technique, due_ns }
    }

    /// Panics where it asks when its work is over, and another technique would be told.
    fn assert_may_ask(&self, work: &Idle) {
        let asks = matches!(work, Idle::Apply(Apply { ticket: Some(_), .. }));
        let is_told = self.profile.hooks.contains(&Hook::Promises);
        assert!(!asks || is_told, "{}: a ticket needs Hook::Promises", self.name);
    }

    /// Whether a hook that it lists is its own in a group.
    fn claims_on(&self, hook: Hook, group: usize) -> bool {
        hook.is_of_drive() || works_on(self.profile.group, group)
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
    for apart in layers.iter().filter(|layer| layer.profile.programs_apart) {
        let by_programs = |router: &Layer| {
            let (group, help) = router.profile.maps_programs?;
            (apart.profile.group == Some(group)).then(|| (router.name.clone(), help))
        };
        if let Some((router, help)) = layers.iter().find_map(by_programs) {
            return Err(infeasible(
                format!(
                    "{} programs a unit anew while others of its word line stay, but {router} maps the same flash by whole programs, which hold one range each",
                    apart.name
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
        self.techniques_mut().get_mut(owner).map(|layer| &mut *layer.technique)
    }

    #[inline]
    fn is_claimed(&self, hook: Hook, group: usize) -> bool {
        self.owner_of(hook, group) + 1 < self.layers.len()
    }

    fn lists(&self, hook: Hook) -> bool {
        self.techniques().iter().any(|layer| layer.profile.hooks.contains(&hook))
    }

    #[inline]
    fn is_routed(&self) -> bool {
        self.is_routed
    }

    fn layers(&self) -> impl Iterator<Item = &Self::Layer> {
        self.techniques().iter().map(|layer| &*layer.technique)
    }

    #[inline]
    fn layers_mut(&mut self) -> impl Iterator<Item = &mut Self::Layer> {
        self.techniques_mut().iter_mut().map(|layer| &mut *layer.technique)
    }

    #[inline]
    fn layers_of_mut(&mut self, group: usize) -> impl Iterator<Item = &mut Self::Layer> {
        let all = self.techniques_mut().iter_mut();
        let own = all.filter(move |layer| works_on(layer.profile.group, group));
        own.map(|layer| &mut *layer.technique)
    }

    fn idle(&mut self, state: &DriveState, load: &dyn Load, now_ns: u64) -> Idle {
        self.first_work(|layer| layer.profile.hooks.contains(&Hook::Idle), state, load, now_ns)
    }

    fn due_ns(&self) -> u64 {
        self.techniques().iter().map(|layer| layer.due_ns).min().unwrap_or(u64::MAX)
    }

    fn due(&mut self, state: &DriveState, load: &dyn Load, now_ns: u64) -> Idle {
        self.first_work(|layer| layer.due_ns <= now_ns, state, load, now_ns)
    }

    fn metrics(&self, state: &DriveState, counters: &Counters) -> Map<String, Value> {
        let mut all = Map::new();
        for Layer { name, technique, .. } in self.techniques() {
            let own = technique.metrics(state, counters);
            if name.is_empty() {
                all.extend(own);
            } else if !own.is_empty() {
                all.insert(name.clone(), Value::Object(own));
            }
        }
        all
    }
}
