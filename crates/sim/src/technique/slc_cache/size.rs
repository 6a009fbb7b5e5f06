//! How many blocks the cache may take.

use crate::declare::choice;

choice! {
    /// Which blocks the cache may take.
    pub enum Size {
        Static = "static",
        Dynamic = "dynamic",
        Hybrid = "hybrid",
    }
}

/// How many blocks of each plane the cache may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// What the other fields are to one another.
    pub size: Size,
    /// Blocks that are its own: the static part, or the floor of the dynamic one.
    pub set_aside: u32,
    /// Share of the unoccupied space that the dynamic part takes.
    pub share: f64,
    /// Blocks that the dynamic part takes at most.
    pub most: u32,
    /// Units of the logical space, with those of the map.
    pub units: u64,
    /// Units of all planes that a block of each holds outside of the cache.
    pub units_per_superblock: u64,
}

impl Bounds {
    /// Whether the cache never has a block.
    pub fn is_none(&self) -> bool {
        let is_static = self.size == Size::Static || self.share == 0.0 || self.most == 0;
        self.set_aside == 0 && is_static
    }

    /// Blocks of a plane that it may take while `normal` units of data stand outside of it.
    pub fn of_plane(&self, normal: u64) -> u32 {
        self.with(self.unoccupied(normal, self.share).min(self.most))
    }

    /// Blocks of a plane beyond which data outside of the cache would lack room.
    pub fn most_of_plane(&self, normal: u64) -> u32 {
        self.with(self.unoccupied(normal, 1.0))
    }

    fn with(&self, dynamic: u32) -> u32 {
        match self.size {
            Size::Static => self.set_aside,
            Size::Dynamic => self.set_aside.max(dynamic),
            Size::Hybrid => self.set_aside + dynamic,
        }
    }

    /// Blocks that a share of the space comes to in which no data stands outside of the cache.
    fn unoccupied(&self, normal: u64, share: f64) -> u32 {
        let units = self.units.saturating_sub(normal) as f64 * share;
        (units / self.units_per_superblock as f64).floor() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, Size};

    /// Ten blocks of a plane hold the logical space, three more are set aside.
    fn bounds(size: Size) -> Bounds {
        Bounds {
            size,
            set_aside: 3,
            share: 1.0,
            most: u32::MAX,
            units: 1000,
            units_per_superblock: 100,
        }
    }

    fn at(bounds: Bounds, normal: [u64; 5]) -> [u32; 5] {
        normal.map(|units| bounds.of_plane(units))
    }

    const NORMAL: [u64; 5] = [0, 1, 100, 101, 1000];

    #[test]
    fn a_static_part_stays_as_it_is() {
        assert_eq!(at(bounds(Size::Static), NORMAL), [3; 5]);
    }

    #[test]
    fn a_dynamic_part_shrinks_with_each_block_of_data_down_to_its_floor() {
        assert_eq!(at(bounds(Size::Dynamic), NORMAL), [10, 9, 9, 8, 3]);
        assert_eq!(at(bounds(Size::Dynamic), [600, 601, 699, 700, 701]), [4, 3, 3, 3, 3]);
        assert_eq!(at(bounds(Size::Hybrid), NORMAL), [13, 12, 12, 11, 3]);
    }

    #[test]
    fn it_takes_a_share_and_no_more_than_its_most_but_gives_way_to_data_only() {
        let part = Bounds { share: 0.5, most: 4, ..bounds(Size::Hybrid) };
        assert_eq!(at(part, [0, 200, 201, 400, 1000]), [7, 7, 6, 6, 3]);
        assert_eq!([0, 400, 401].map(|units| part.most_of_plane(units)), [13, 9, 8]);
        assert_eq!(bounds(Size::Static).most_of_plane(0), 3);
    }

    #[test]
    fn a_cache_without_blocks_is_none() {
        let empty = |size| Bounds { set_aside: 0, ..bounds(size) };
        assert!(empty(Size::Static).is_none() && !bounds(Size::Static).is_none());
        assert!(!empty(Size::Dynamic).is_none() && !empty(Size::Hybrid).is_none());
        assert!(Bounds { share: 0.0, ..empty(Size::Hybrid) }.is_none());
        assert!(Bounds { most: 0, ..empty(Size::Dynamic) }.is_none());
    }
}
