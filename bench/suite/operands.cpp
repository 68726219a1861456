#include "bench/suite/operands.hpp"

#include <random>

#include "core/placement/exchange_host.hpp"
#include "core/placement/instances.hpp"
#include "core/solver/region_mask.hpp"
#include "drivers/support/memory_meter.hpp"

namespace strata::bench {
namespace {

std::vector<bool> region_of(Scan const& scan) {
  RegionMask const mask = scan.region == Region::all ? full_mask(scan.recon.num_rows, scan.recon.num_cols)
                                                     : ellipse_mask(scan.recon.num_rows, scan.recon.num_cols);
  return {mask.inside.begin(), mask.inside.end()};
}

}  // namespace

Devices make_devices(int count) {
  if (!is_host_back_end() && count > num_physical_devices()) return DeviceSet::virtual_devices(count);
  return DeviceSet::create({DeviceRequest::Kind::count, count, {}});
}

Bench::Bench(Row const& row)
    : devices(make_devices(row.devices)), model(devices, row.scan.make(row.scan), region_of(row.scan)) {}

std::vector<float> random_values(Index count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  // 24 bits, as many as a float has: never 1.
  for (auto& value : values) value = static_cast<float>(random() >> 8) * 0x1p-24F;
  return values;
}

void put(TomographyModel const& model, std::vector<float> const& values, ShardedVolume const& volume) {
  HostExchange const exchange(model.device_set(), static_cast<Index>(values.size()));
  exchange.put_pixels(volume, {0, static_cast<int>(values.size() / model.recon_shape().num_slices)}, values);
}

void put(TomographyModel const& model, std::vector<float> const& values, ShardedSinogram const& sinogram) {
  HostExchange const exchange(model.device_set(), static_cast<Index>(values.size()));
  exchange.put_views(sinogram, model.sinogram_layout(), {0, model.sinogram_shape().num_views}, values);
}

std::vector<float> values_of(TomographyModel const& model, ShardedVolume const& volume, int pixels) {
  std::vector<float> values(std::size_t(pixels) * model.recon_shape().num_slices);
  HostExchange const exchange(model.device_set(), static_cast<Index>(values.size()));
  exchange.get_pixels(volume, {0, pixels}, values);
  return values;
}

std::vector<float> values_of(TomographyModel const& model, ShardedSinogram const& sinogram) {
  std::vector<float> values(static_cast<std::size_t>(model.sinogram_shape().size()));
  HostExchange const exchange(model.device_set(), static_cast<Index>(values.size()));
  exchange.get_views(sinogram, model.sinogram_layout(), {0, model.sinogram_shape().num_views}, values);
  return values;
}

ShardedVolume random_volume(TomographyModel const& model) {
  auto const volume = model.make_volume("volume");
  put(model, random_values(model.recon_shape().size(), 1), volume);
  return volume;
}

ShardedSinogram random_sinogram(TomographyModel const& model) {
  auto const sinogram = model.make_sinogram("sinogram");
  put(model, random_values(model.sinogram_shape().size(), 2), sinogram);
  return sinogram;
}

std::vector<int> random_pixels(ReconShape const& shape, int parts) {
  std::mt19937 random(3);
  std::vector<int> pixels;
  for (int p = 0; p < shape.num_pixels(); ++p)
    if (random() % static_cast<unsigned>(parts) == 0) pixels.push_back(p);
  return pixels;
}

Answers::Answers(Row const& row, RunOptions const& options) : writer_(options.answers), group_("/" + row.name) {
  if (writer_ == nullptr) return;
  auto const& [views, det_rows, channels] = row.scan.sinogram;
  auto const& [rows, cols, slices] = row.scan.recon;
  writer_->set_attribute(group_, "sinogram_shape", std::vector<std::int64_t>{views, det_rows, channels});
  writer_->set_attribute(group_, "recon_shape", std::vector<std::int64_t>{rows, cols, slices});
  writer_->set_attribute(group_, "use_ror_mask", row.scan.region == Region::ellipse ? 1 : 0);
  writer_->set_attribute(group_, "delta_voxel", row.scan.delta_voxel);
  writer_->set_attribute(group_, "source_detector_dist", row.scan.source_detector_dist);
  writer_->set_attribute(group_, "source_iso_dist", row.scan.source_iso_dist);
  writer_->set_attribute(group_, "reference_mode", row.scan.reference_mode ? 1 : 0);
  auto const geometry = row.scan.make(row.scan);
  writer_->set_attribute(group_, "geometry", geometry->type());
  for (auto const& parameter : geometry->extra_parameters()) write_views(parameter);
}

void Answers::write(TomographyModel const& model, std::string const& name, ShardedVolume const& volume) const {
  if (writer_ == nullptr) return;
  auto const& shape = model.recon_shape();
  writer_->write<float>(group_ + "/" + name, {shape.num_rows, shape.num_cols, shape.num_slices},
                        values_of(model, volume, static_cast<int>(shape.num_pixels())));
}

void Answers::write(TomographyModel const& model, std::string const& name, ShardedVolume const& cylinders,
                    int entries) const {
  if (writer_ == nullptr) return;
  writer_->write<float>(group_ + "/" + name, {entries, model.recon_shape().num_slices},
                        values_of(model, cylinders, entries));
}

void Answers::write(TomographyModel const& model, std::string const& name, ShardedSinogram const& sinogram) const {
  if (writer_ == nullptr) return;
  auto const& shape = model.sinogram_shape();
  writer_->write<float>(group_ + "/" + name, {shape.num_views, shape.num_det_rows, shape.num_det_channels},
                        values_of(model, sinogram));
}

void Answers::write(std::string const& name, std::vector<int> const& values) const {
  if (writer_ != nullptr) writer_->write<int>(group_ + "/" + name, {static_cast<std::int64_t>(values.size())}, values);
}

void Answers::write_views(NamedParameter const& parameter) const {
  Hdf5Shape shape{static_cast<std::int64_t>(parameter.numbers.size()) / parameter.columns};
  if (parameter.columns > 1) shape.push_back(parameter.columns);
  writer_->write<double>(group_ + "/" + parameter.name, shape, parameter.numbers);
}

void Answers::attribute(std::string const& name, double value) const {
  if (writer_ != nullptr) writer_->set_attribute(group_, name, value);
}

RowResult projector_result(Row const& row, TomographyModel const& model, Index pixels) {
  RowResult result;
  result.devices = model.devices().summary();
  result.work = double(pixels) * model.recon_shape().num_slices * model.sinogram_shape().num_views;
  result.unit = "updates";
  result.fma = row.scan.fma_per_update * result.work;
  return result;
}

void measure_row(Bench const& bench, RunOptions const& options, Measured const& measured, RowResult& result) {
  restart_memory_peaks();
  result.time = measure(*bench.devices, options.repeat, measured);
  result.device_bytes = peak_device_bytes();
  result.host_bytes = peak_host_bytes();
}

}  // namespace strata::bench
