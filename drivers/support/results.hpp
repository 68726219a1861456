/// What programs write: volumes with previews, histories, and what --check prints.
#pragma once

#include <string>
#include <vector>

#include "core/io/hdf5_writer.hpp"
#include "core/model/memory_plan.hpp"
#include "core/model/tomography_model.hpp"
#include "core/solver/vcd_types.hpp"
#include "drivers/support/program.hpp"

namespace strata {

/// Dataset [row, col, slice] with attributes axes, delta_voxel and units. `previews`: PNGs of the three central slices
/// beside `writer`'s file; their names are returned.
std::vector<std::string> write_recon(AtomicHdf5Writer& writer, std::string const& dataset, TomographyModel const& model,
                                     ShardedVolume const& volume, bool previews, std::string const& units = "1/ALU");

/// /history/fm_rmse, pct_change, alpha, seconds, delta_norm_per_slice, and prior_loss where it was computed.
void write_history(AtomicHdf5Writer& writer, std::vector<IterationStats> const& history, bool prior_loss);
/// The inverse, for resuming.
std::vector<IterationStats> read_history(Hdf5File const& file);

/// Geometry, shapes and shards, line by line.
std::vector<std::string> describe(Geometry const& geometry, Placement const& slices, Placement const& views,
                                  Index masked_pixels);

/// What a TomographyModel of `geometry` and reading its files take: pixel lists and staging. Callers add their arrays.
MemoryPlan plan_model(Geometry const& geometry, Devices const& devices);

/// Prints (with --check) or logs description and memory plan, and enters the estimate into the provenance.
/// \throws MemoryError when the plan does not fit.
void report(ProgramContext& context, Geometry const& geometry, std::vector<bool> const& mask, MemoryPlan const& plan);

}  // namespace strata
