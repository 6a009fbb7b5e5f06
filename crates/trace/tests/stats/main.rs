//! Statistics of workloads: against a naive reference and closed forms.

mod closed_forms;
mod given;
mod limits;
mod reference;
