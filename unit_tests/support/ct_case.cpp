#include "unit_tests/support/ct_case.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/io/sharded_io.hpp"
#include "geometries/cone_scan.hpp"
#include "geometries/multiaxis_scan.hpp"
#include "geometries/parallel_scan.hpp"
#include "geometries/translation_scan.hpp"

namespace strata::test {
namespace {

std::vector<std::array<double, 3>> read_vectors(Hdf5File const& file) {
  auto const values = file.read<double>("views/translation_vectors");
  std::vector<std::array<double, 3>> vectors;
  for (std::size_t i = 0; i < values.size(); i += 3) vectors.push_back({values[i], values[i + 1], values[i + 2]});
  return vectors;
}

std::shared_ptr<Geometry const> make_case_geometry(Hdf5File const& file) {
  auto const number = [&](char const* name) { return file.number_attribute("parameters", name); };
  auto const sinogram = file.numbers_attribute("parameters", "sinogram_shape");
  auto const recon = file.numbers_attribute("parameters", "recon_shape");
  GeometryParams params;
  params.sinogram = {int(sinogram[0]), int(sinogram[1]), int(sinogram[2])};
  params.recon = {int(recon[0]), int(recon[1]), int(recon[2])};
  params.delta_det_channel = number("delta_det_channel");
  params.delta_det_row = number("delta_det_row");
  params.det_channel_offset = number("det_channel_offset");
  params.det_row_offset = number("det_row_offset");
  params.delta_voxel = number("delta_voxel");
  params.voxel_row_aspect = number("voxel_row_aspect");
  params.voxel_slice_aspect = number("voxel_slice_aspect");
  if (file.has_attribute("parameters", "recon_slice_offset")) params.recon_slice_offset = number("recon_slice_offset");
  auto const type = file.string_attribute("parameters", "geometry");
  constexpr bool reference_mode = true;
  if (type == "parallel") return make_parallel_scan(params, file.read<double>("views/angles"), reference_mode);
  if (type == "cone")
    return make_cone_scan({params, file.read<double>("views/angles"), file.read<double>("views/helical_z_shifts"),
                           number("source_detector_dist"), number("source_iso_dist"),
                           number("use_curved_detector") != 0, reference_mode});
  if (type == "translation")
    return make_translation_scan(
        {params, read_vectors(file), number("source_detector_dist"), number("source_iso_dist"), reference_mode});
  ensure(type == "multiaxis", "CtCase: no geometry '", type, "'");
  return make_multiaxis_scan(
      {params, file.read<double>("views/azimuths"), file.read<double>("views/elevations"), reference_mode});
}

}  // namespace

CtCase::CtCase(std::string const& name)
    : file_(STRATA_TEST_DATA "/golden/" + name + ".h5"), geometry_(make_case_geometry(file_)) {
  for (int const inside : file_.read<int>("parameters/ror_mask")) mask_.push_back(inside != 0);
}

std::vector<int> CtCase::masked_indices() const {
  std::vector<int> indices;
  for (std::size_t p = 0; p < mask_.size(); ++p)
    if (mask_[p]) indices.push_back(static_cast<int>(p));
  return indices;
}

std::unique_ptr<TomographyModel> CtCase::model(int num_devices) const {
  return std::make_unique<TomographyModel>(DeviceSet::virtual_devices(num_devices), geometry_, mask_);
}

ShardedSinogram CtCase::sinogram(TomographyModel const& model, std::string const& dataset) const {
  auto const sinogram = model.make_sinogram("test::" + dataset);
  read_sinogram(file_, dataset, model.sinogram_layout(), sinogram);
  return sinogram;
}

ShardedVolume CtCase::volume(TomographyModel const& model, std::string const& dataset) const {
  auto const volume = model.make_volume("test::" + dataset);
  read_volume(file_, dataset, model.recon_shape().num_cols, volume);
  return volume;
}

std::vector<float> to_host(TomographyModel const& model, ShardedVolume const& volume) {
  std::vector<float> values(model.recon_shape().size());
  HostExchange(model.device_set(), model.recon_shape().size())
      .get_pixels(volume, {0, int(model.recon_shape().num_pixels())}, values);
  return values;
}

std::vector<float> to_host(TomographyModel const& model, ShardedSinogram const& sinogram) {
  std::vector<float> values(model.sinogram_shape().size());
  HostExchange(model.device_set(), model.sinogram_shape().size())
      .get_views(sinogram, model.sinogram_layout(), {0, model.sinogram_shape().num_views}, values);
  return values;
}

void from_host(TomographyModel const& model, std::vector<float> const& values, ShardedVolume const& volume) {
  HostExchange(model.device_set(), model.recon_shape().size())
      .put_pixels(volume, {0, int(model.recon_shape().num_pixels())}, values);
}

void from_host(TomographyModel const& model, std::vector<float> const& values, ShardedSinogram const& sinogram) {
  HostExchange(model.device_set(), model.sinogram_shape().size())
      .put_views(sinogram, model.sinogram_layout(), {0, model.sinogram_shape().num_views}, values);
}

void poison(TomographyModel const& model, ShardedVolume const& volume, float value) {
  auto const keep = to_host(model, volume);
  for (auto const& shard : volume.shards) Kokkos::deep_copy(ExecSpace(), shard, value);
  Kokkos::fence("test: poisoned");
  from_host(model, keep, volume);
}

void poison(TomographyModel const& model, ShardedSinogram const& sinogram, float value) {
  auto const keep = to_host(model, sinogram);
  for (auto const& shard : sinogram.shards) Kokkos::deep_copy(ExecSpace(), shard, value);
  Kokkos::fence("test: poisoned");
  from_host(model, keep, sinogram);
}

OperatorResults run_operators(TomographyModel const& model, ShardedVolume const& volume,
                              ShardedSinogram const& sinogram, float padding) {
  auto const recon = model.make_volume("test::recon");
  auto const out = model.make_sinogram("test::out");
  if (padding != 0) {
    for (auto const& array : {volume, recon}) poison(model, array, padding);
    for (auto const& array : {sinogram, out}) poison(model, array, padding);
  }
  OperatorResults results;
  model.forward_project(volume, out);
  results.forward = to_host(model, out);
  model.back_project(sinogram, recon);
  results.back = to_host(model, recon);
  model.hessian_diagonal(sinogram, recon);
  results.hessian = to_host(model, recon);
  return results;
}

double nrmse(std::vector<float> const& a, std::vector<float> const& b) {
  ensure(a.size() == b.size(), "nrmse: ", a.size(), " and ", b.size(), " values");
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
    norm += double(b[i]) * b[i];
  }
  return std::sqrt(difference / norm);
}

double max_relative(std::vector<float> const& a, std::vector<float> const& b) {
  ensure(a.size() == b.size(), "max_relative: ", a.size(), " and ", b.size(), " values");
  double difference = 0;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    // A NaN must not be lost in the maximum.
    if (!std::isfinite(a[i]) && std::isfinite(b[i])) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, std::abs(double(a[i]) - b[i]));
    largest = std::max(largest, std::abs(double(b[i])));
  }
  return difference / largest;
}

}  // namespace strata::test
