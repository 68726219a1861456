/// What programs write: volumes with previews, histories, and what --check prints.
#pragma once

#include <string>
#include <vector>

#include "core/io/hdf5_writer.hpp"
#include "core/model/memory_plan.hpp"
#include "core/model/tomography_model.hpp"
#include "core/solver/redundancy_weights.hpp"
#include "core/solver/vcd_types.hpp"
#include "drivers/support/image_grid.hpp"
#include "drivers/support/program.hpp"

namespace strata {

/// Dataset [row, col, slice] with attributes axes, delta_voxel and units. `previews`: PNGs of the three central slices
/// beside `writer`'s file; their names are returned.
std::vector<std::string> write_recon(AtomicHdf5Writer& writer, std::string const& dataset, ImageGrid const& grid,
                                     ShardedVolume const& volume, bool previews, std::string const& units = "1/ALU");

/// /history/fm_rmse, pct_change, alpha, seconds, delta_norm_per_slice, and prior_loss, objective
/// and excess_pct (NaN while it is unknown) where they were computed.
void write_history(AtomicHdf5Writer& writer, std::vector<IterationStats> const& history, bool prior_loss);
/// The inverse, for resuming.
std::vector<IterationStats> read_history(Hdf5File const& file);

/// Geometry, shapes and shards, line by line.
std::vector<std::string> describe(Geometry const& geometry, Placement const& slices, Placement const& views,
                                  Index masked_pixels);

/// What direct reconstruction takes besides the sinogram, the filtered sinogram and the volume. `first`: the model has
/// projected nothing before, so its buffers, which come with the first projection, are those of the wider detector.
void plan_direct(MemoryPlan& plan, Geometry const& geometry, std::vector<bool> const& mask,
                 RedundancyOptions const& options, bool first);

/// Fits the plan to the memory that there is, prints (with --check) or logs description and plan, and enters the
/// estimates into the provenance. To be called before anything is allocated. \throws MemoryError when the plan does not
/// fit.
void report(ProgramContext& context, Geometry const& geometry, std::vector<bool> const& mask, MemoryPlan& plan);
/// As above with another description.
void report(ProgramContext& context, std::vector<std::string> lines, MemoryPlan& plan);

}  // namespace strata
