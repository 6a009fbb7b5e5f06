//! Reads of pages with errors: how many, what retries take, and how often there are any, held to closed forms.

#[allow(dead_code)]
#[path = "../engine/common.rs"]
mod common;
mod duties;
mod models;
mod retries;
mod rig;
mod times;
