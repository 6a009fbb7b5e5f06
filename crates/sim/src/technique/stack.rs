//! Several techniques in one drive, each with the hooks that it claims.

use super::{
    Codec, Ends, ErasePlan, Hook, Idle, Joined, Moment, Open, Place, ReadPlan, Technique, Write,
    conventional::Conventional,
};
use crate::drive::DriveState;
use crate::engine::Cause;
use crate::error::Error;
use crate::nand::{Flash, OpTable, infeasible};
use serde_json::{Map, Value};

const HOOKS: usize = Hook::Idle as usize + 1;

/// Techniques chosen at run time.
pub struct Stack {
    layers: Vec<(String, Box<dyn Technique>)>,
    /// The hooks that any of them claims.
    claims: Vec<Hook>,
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
        let claims = layers.iter().flat_map(|(_, technique)| technique.claims()).copied().collect();
        layers.push(("conventional".into(), Box::new(Conventional)));
        Ok(Self { layers, claims, owner })
    }

    #[inline]
    fn of(&self, hook: Hook) -> &dyn Technique {
        &*self.layers[self.owner[hook as usize]].1
    }

    #[inline]
    fn of_mut(&mut self, hook: Hook) -> &mut dyn Technique {
        &mut *self.layers[self.owner[hook as usize]].1
    }
}

// A hook that is added to the trait must not end in its default here.
#[deny(clippy::missing_trait_methods)]
impl Technique for Stack {
    fn claims(&self) -> &[Hook] {
        &self.claims
    }

    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        for (_, technique) in &mut self.layers {
            technique.operations(table, flash);
        }
    }

    fn capacity_share(&self, group: usize) -> f64 {
        self.layers.iter().map(|(_, technique)| technique.capacity_share(group)).product()
    }

    fn streams(&self) -> u32 {
        self.layers.iter().map(|(_, technique)| technique.streams()).sum()
    }

    fn streams_of_gc(&self) -> u32 {
        self.layers.iter().map(|(_, technique)| technique.streams_of_gc()).sum()
    }

    fn streams_from(&mut self, first: u32) {
        let mut next = first;
        for (_, technique) in &mut self.layers {
            technique.streams_from(next);
            next += technique.streams();
        }
    }

    #[inline]
    fn place(&mut self, state: &DriveState, write: &Write<'_>) -> Place {
        self.of_mut(Hook::Placement).place(state, write)
    }

    #[inline]
    fn ends(&mut self, state: &DriveState, write: &Write<'_>, point: u32) -> Ends {
        self.of_mut(Hook::Placement).ends(state, write, point)
    }

    fn open(&mut self, state: &DriveState, stream: u32, plane: u32) -> Open {
        self.of_mut(Hook::Placement).open(state, stream, plane)
    }

    fn keeps(&mut self, state: &DriveState, block: u32) -> bool {
        self.of_mut(Hook::Placement).keeps(state, block)
    }

    fn surrender(&mut self, state: &DriveState, domain: u32) -> Option<u32> {
        self.of_mut(Hook::Placement).surrender(state, domain)
    }

    fn unwritten(&self, state: &DriveState, domain: u32) -> u64 {
        self.of(Hook::Placement).unwritten(state, domain)
    }

    fn preset(&mut self, state: &DriveState, block: u32) {
        for (_, technique) in &mut self.layers {
            technique.preset(state, block);
        }
    }

    fn begin(&mut self, state: &DriveState) {
        for (_, technique) in &mut self.layers {
            technique.begin(state);
        }
    }

    fn places_fill(&self) -> bool {
        self.of(Hook::Placement).places_fill()
    }

    #[inline]
    fn companion(&mut self, state: &DriveState, joined: &Joined) -> Option<u32> {
        self.of_mut(Hook::Placement).companion(state, joined)
    }

    fn is_legal(&self, state: &DriveState, unit: u32, row: u8) -> bool {
        self.layers.iter().any(|(_, technique)| technique.is_legal(state, unit, row))
    }

    #[inline]
    fn victim_cost(&self, state: &DriveState, block: u32) -> u32 {
        self.of(Hook::VictimCost).victim_cost(state, block)
    }

    #[inline]
    fn read_plan(&self, state: &DriveState, unit: u32) -> ReadPlan {
        self.of(Hook::ReadPlan).read_plan(state, unit)
    }

    fn erase_plan(&mut self, state: &DriveState, block: u32, plan: ErasePlan) -> ErasePlan {
        self.of_mut(Hook::ErasePlan).erase_plan(state, block, plan)
    }

    #[inline]
    fn codec(&self, state: &DriveState, unit: u32, row: u8) -> Codec {
        self.of(Hook::Codec).codec(state, unit, row)
    }

    #[inline]
    fn written(&mut self, state: &DriveState, unit: u32, cause: Cause, now_ns: u64) {
        for (_, technique) in &mut self.layers {
            technique.written(state, unit, cause, now_ns);
        }
    }

    #[inline]
    fn invalidated(&mut self, state: &DriveState, unit: u32) {
        for (_, technique) in &mut self.layers {
            technique.invalidated(state, unit);
        }
    }

    fn erased(&mut self, state: &DriveState, block: u32) {
        for (_, technique) in &mut self.layers {
            technique.erased(state, block);
        }
    }

    fn idle(&mut self, state: &DriveState, moment: Moment, now_ns: u64) -> Idle {
        self.of_mut(Hook::Idle).idle(state, moment, now_ns)
    }

    fn due_ns(&self) -> u64 {
        self.of(Hook::Idle).due_ns()
    }

    fn warnings(&self) -> Vec<String> {
        self.layers.iter().flat_map(|(_, technique)| technique.warnings()).collect()
    }

    fn metrics(&self, state: &DriveState) -> Map<String, Value> {
        let own = |(name, technique): &(String, Box<dyn Technique>)| {
            let metrics = technique.metrics(state);
            (!metrics.is_empty()).then(|| (name.clone(), Value::Object(metrics)))
        };
        self.layers.iter().filter_map(own).collect()
    }
}
