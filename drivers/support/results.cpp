#include "drivers/support/results.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/preview.hpp"
#include "core/io/sharded_io.hpp"
#include "core/model/model_plan.hpp"
#include "core/placement/collect.hpp"
#include "core/placement/per_device.hpp"
#include "drivers/support/memory_meter.hpp"

namespace strata {
namespace {

/// Picks the central slices out of a volume that passes by in file order.
class CentralSlices {
 public:
  explicit CentralSlices(ReconShape const& shape)
      : shape_(shape),
        axial_(std::size_t(shape.num_rows) * shape.num_cols),
        coronal_(std::size_t(shape.num_slices) * shape.num_cols),
        sagittal_(std::size_t(shape.num_slices) * shape.num_rows) {}

  void add(std::span<float const> rows) {
    Index const per_row = Index(shape_.num_cols) * shape_.num_slices;
    for (Index i = 0; i < static_cast<Index>(rows.size()) / per_row; ++i, ++row_)
      for (int j = 0; j < shape_.num_cols; ++j) {
        float const* const cylinder = rows.data() + i * per_row + Index(j) * shape_.num_slices;
        axial_[std::size_t(row_) * shape_.num_cols + j] = cylinder[shape_.num_slices / 2];
        for (int k = 0; k < shape_.num_slices; ++k) {
          if (row_ == shape_.num_rows / 2) coronal_[std::size_t(k) * shape_.num_cols + j] = cylinder[k];
          if (j == shape_.num_cols / 2) sagittal_[std::size_t(k) * shape_.num_rows + row_] = cylinder[k];
        }
      }
  }

  std::vector<std::string> write(std::string const& file) const {
    auto const stem = std::filesystem::path(file).replace_extension("").string();
    std::vector<std::string> const names{stem + "_axial.png", stem + "_coronal.png", stem + "_sagittal.png"};
    write_preview(names[0], axial_, shape_.num_rows, shape_.num_cols);
    write_preview(names[1], coronal_, shape_.num_slices, shape_.num_cols);
    write_preview(names[2], sagittal_, shape_.num_slices, shape_.num_rows);
    return names;
  }

 private:
  ReconShape shape_;
  int row_ = 0;
  std::vector<float> axial_, coronal_, sagittal_;
};

template <class Member>
std::vector<double> column(std::vector<IterationStats> const& history, Member member) {
  std::vector<double> values;
  for (auto const& stats : history) values.push_back(stats.*member);
  return values;
}

void write_column(AtomicHdf5Writer& writer, std::string const& name, std::vector<double> const& values) {
  writer.write<double>("/history/" + name, {static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace

std::vector<std::string> write_recon(AtomicHdf5Writer& writer, std::string const& dataset, ImageGrid const& grid,
                                     ShardedVolume const& volume, bool previews, std::string const& units) {
  CentralSlices slices(grid.shape);
  write_volume(writer, dataset, grid.shape.num_cols, volume, [&](std::span<float> part) {
    if (previews) slices.add(part);
  });
  writer.set_attribute(dataset, "axes", "row, col, slice");
  writer.set_attribute(dataset, "delta_voxel", std::vector<double>(grid.pitch.begin(), grid.pitch.end()));
  writer.set_attribute(dataset, "units", units);
  return previews ? slices.write(writer.path()) : std::vector<std::string>{};
}

void write_history(AtomicHdf5Writer& writer, std::vector<IterationStats> const& history, bool prior_loss) {
  write_column(writer, "fm_rmse", column(history, &IterationStats::fm_rmse));
  write_column(writer, "pct_change", column(history, &IterationStats::pct_change));
  write_column(writer, "alpha", column(history, &IterationStats::alpha));
  write_column(writer, "seconds", column(history, &IterationStats::seconds));
  // A run that was resumed with another deck may know it of its later passes alone.
  auto const known = [](IterationStats const& stats) { return std::isfinite(stats.objective); };
  if (std::any_of(history.begin(), history.end(), known)) {
    write_column(writer, "objective", column(history, &IterationStats::objective));
    write_column(writer, "excess_pct", column(history, &IterationStats::excess_pct));
  }
  if (prior_loss) write_column(writer, "prior_loss", column(history, &IterationStats::prior_loss));
  std::vector<double> norms;
  for (auto const& stats : history)
    norms.insert(norms.end(), stats.delta_norm_per_slice.begin(), stats.delta_norm_per_slice.end());
  auto const iterations = static_cast<std::int64_t>(history.size());
  if (iterations > 0)
    writer.write<double>("/history/delta_norm_per_slice",
                         {iterations, static_cast<std::int64_t>(norms.size()) / iterations}, norms);
}

std::vector<IterationStats> read_history(Hdf5File const& file) {
  auto const loss = file.read<double>("/history/fm_rmse");
  auto const change = file.read<double>("/history/pct_change");
  auto const alpha = file.read<double>("/history/alpha");
  auto const seconds = file.read<double>("/history/seconds");
  bool const has_prior = file.has("/history/prior_loss");
  bool const has_objective = file.has("/history/objective");
  std::vector<double> const unknown(loss.size(), std::numeric_limits<double>::quiet_NaN());
  auto const objective = has_objective ? file.read<double>("/history/objective") : unknown;
  auto const excess = has_objective ? file.read<double>("/history/excess_pct") : unknown;
  auto const prior = has_prior ? file.read<double>("/history/prior_loss") : std::vector<double>(loss.size());
  std::vector<double> norms;
  if (!loss.empty()) norms = file.read<double>("/history/delta_norm_per_slice");
  for (auto const* other : {&change, &alpha, &seconds, &prior, &objective, &excess})
    require(other->size() == loss.size(), file.path(), ": group /history: expected ", loss.size(),
            " iterations in each dataset, got ", other->size());
  std::vector<IterationStats> history(loss.size());
  std::size_t const slices = loss.empty() ? 0 : norms.size() / loss.size();
  for (std::size_t i = 0; i < loss.size(); ++i) {
    history[i].fm_rmse = loss[i];
    history[i].pct_change = change.at(i);
    history[i].alpha = alpha.at(i);
    history[i].seconds = seconds.at(i);
    history[i].prior_loss = prior.at(i);
    history[i].objective = objective.at(i);
    history[i].excess_pct = excess.at(i);
    history[i].delta_norm_per_slice.assign(norms.begin() + i * slices, norms.begin() + (i + 1) * slices);
  }
  return history;
}

namespace {

std::vector<Index> memory_limits(ProgramContext const& context, MemoryPlan const& plan) {
  auto const given = context.memory_limit_bytes();
  DeviceSet const& devices = *plan.slices().devices();
  return collect_values(devices,
                        per_local_device(devices, [&](int d) { return given ? *given : devices.free_bytes(d); }));
}

}  // namespace

std::vector<std::string> describe(Geometry const& geometry, Placement const& slices, Placement const& views,
                                  Index masked_pixels) {
  auto const& p = geometry.params();
  std::vector<std::string> lines{
      text("geometry: ", geometry.type(), ", detector pitch ", p.delta_det_channel, " x ", p.delta_det_row,
           " ALU (channel x row), offsets ", p.det_channel_offset, ", ", p.det_row_offset, " ALU"),
      text("sinogram: ", p.sinogram.num_views, " views x ", p.sinogram.num_det_rows, " det rows x ",
           p.sinogram.num_det_channels, " channels"),
      text("recon: ", p.recon.num_rows, " rows x ", p.recon.num_cols, " cols x ", p.recon.num_slices, " slices, voxel ",
           p.delta_voxel * p.voxel_row_aspect, " x ", p.delta_voxel, " x ", p.delta_voxel * p.voxel_slice_aspect,
           " ALU, ", masked_pixels, " of ", p.recon.num_pixels(), " pixels in the region of reconstruction"),
      text("devices: ", slices.devices()->summary())};
  for (int d = 0; d < slices.num_devices(); ++d) {
    Range const k = slices.owned(d);
    Range const v = views.owned(d);
    lines.push_back(text("  device ", d, ": slices [", k.begin, ", ", k.end, ") in ", slices.blocks().per_shard,
                         " blocks of ", slices.blocks().lanes, ", views [", v.begin, ", ", v.end, ")"));
  }
  return lines;
}

void plan_direct(MemoryPlan& plan, Geometry const& geometry, std::vector<bool> const& mask,
                 RedundancyOptions const& options, bool first) {
  RedundancyWeights const weights = redundancy_weights(geometry.ray_fan(), options);
  if (weights.channels_before + weights.channels_after == 0) return;
  auto const wide = geometry.widened(weights.channels_before, weights.channels_after);
  if (!wide) return;
  plan.add_sinogram("sinogram of a wider detector", 1, weights.channels_before + weights.channels_after);
  plan_another_model(plan, *wide, mask, " of a wider detector", first ? Projections::none : Projections::all);
}

void report(ProgramContext& context, Geometry const& geometry, std::vector<bool> const& mask, MemoryPlan& plan) {
  report(
      context,
      describe(geometry, plan.slices(), plan.views(), static_cast<Index>(std::count(mask.begin(), mask.end(), true))),
      plan);
}

void report(ProgramContext& context, std::vector<std::string> lines, MemoryPlan& plan) {
  auto const limits = memory_limits(context, plan);
  plan.fit(limits);
  if (auto const exchange = plan.exchange_line(); !exchange.empty()) lines.push_back(exchange);
  auto const memory = plan.lines();
  lines.insert(lines.end(), memory.begin(), memory.end());
  for (auto const& line : lines) {
    if (context.check_only())
      std::cout << line << '\n';
    else
      log::info(line);
  }
  plan.check(limits, context.memory_limit_bytes().has_value());
  plan.check_host(available_host_bytes());
  auto const device_bytes = plan.device_bytes();
  context.provenance().estimated_device_bytes = *std::max_element(device_bytes.begin(), device_bytes.end());
  context.provenance().estimated_host_bytes = current_host_bytes() + plan.host_bytes();
}

}  // namespace strata
