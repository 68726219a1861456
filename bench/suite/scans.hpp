/// The scans of the table. Detector pitch 1 everywhere; divergent beams come from twice the width of the detector
/// before the axis and magnify twice, so that a voxel of 0.5 is seen as large as a pixel.
#pragma once

#include <string>

#include "bench/suite/row.hpp"

namespace strata::bench {

/// A cube of voxels whose slices are as many as detector rows; parallel beams over half a turn.
Scan parallel_cube(std::string name, int size, int views, Region region = Region::all);
/// The same, with as many slices and rows as given.
Scan parallel_box(std::string name, int size, int slices, int views, Region region = Region::all);
/// A cube of voxels before a flat detector, circular, over a full turn.
Scan cone_cube(std::string name, int size, int views, Region region = Region::all);
Scan cone_box(std::string name, int size, int slices, int views, Region region = Region::all);
/// A cube that is shifted to side x side places in a plane along the detector, a quarter of its width apart in all.
Scan translation_cube(std::string name, int size, int side);
/// A full turn of parallel beams, 30 degrees out of the plane of rotation.
Scan multiaxis_cube(std::string name, int size, int views);

}  // namespace strata::bench
