// make_inputs FOLDER: small HDF5 files, good ones and such as users bring.
#include <hdf5.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace {

using Shape = std::vector<hsize_t>;

struct File {
  explicit File(std::string const& path) : id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~File() { H5Fclose(id); }
  File(File const&) = delete;
  File& operator=(File const&) = delete;
  hid_t id;
};

/// Groups are made; `values` empty: nothing is stored, every entry reads `fill`.
void dataset(File const& file, std::string const& name, Shape const& shape, std::vector<float> const& values,
             float fill = 0) {
  hid_t const links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  hid_t const creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_fill_value(creation, H5T_NATIVE_FLOAT, &fill);
  hid_t const space = H5Screate_simple(int(shape.size()), shape.data(), nullptr);
  hid_t const data = H5Dcreate2(file.id, name.c_str(), H5T_IEEE_F32LE, space, links, creation, H5P_DEFAULT);
  if (!values.empty()) H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(data);
  H5Sclose(space);
  H5Pclose(creation);
  H5Pclose(links);
}

void text_attribute(File const& file, std::string const& object, std::string const& name, std::string const& value) {
  hid_t const type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, value.size() + 1);
  hid_t const space = H5Screate(H5S_SCALAR);
  hid_t const owner = H5Oopen(file.id, object.c_str(), H5P_DEFAULT);
  hid_t const attribute = H5Acreate2(owner, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, value.c_str());
  H5Aclose(attribute);
  H5Oclose(owner);
  H5Sclose(space);
  H5Tclose(type);
}

std::size_t volume(Shape const& shape) {
  std::size_t size = 1;
  for (hsize_t const extent : shape) size *= extent;
  return size;
}

std::vector<float> constant(Shape const& shape, float value) {
  return std::vector<float>(volume(shape), value);
}

std::vector<float> steps(hsize_t count, float step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = step * float(i);
  return values;
}

/// A disc of line integrals [view][row][channel], off the middle by one channel.
std::vector<float> disc(Shape const& shape, bool as_counts) {
  std::vector<float> values;
  for (hsize_t v = 0; v < shape[0]; ++v)
    for (hsize_t r = 0; r < shape[1]; ++r)
      for (hsize_t c = 0; c < shape[2]; ++c) {
        double const x = (double(c) - double(shape[2] - 1) / 2 - 1) / (0.3 * double(shape[2]));
        double const integral = x * x < 1 ? std::sqrt(1 - x * x) : 0;
        values.push_back(float(as_counts ? 100 + 900 * std::exp(-integral) : integral));
      }
  return values;
}

Shape const projections = {24, 4, 32};
Shape const frames = {2, 4, 32};
float const nan = std::numeric_limits<float>::quiet_NaN();

/// What differs from a good scan.
struct ScanChoice {
  Shape data = projections;
  Shape flats = frames;
  float flat = 1000;
  hsize_t num_angles = 24;
  float angle_step = 7.5;
  std::string unit = "degrees";
  bool nan_view = false;
  bool nan_angle = false;
  bool has_flats = true;
};

void write_scan(std::string const& path, ScanChoice const& choice) {
  File const file(path);
  auto counts = choice.data.size() == 3 ? disc(choice.data, true) : constant(choice.data, 500);
  if (choice.nan_view) std::fill_n(counts.begin() + 128, 128, nan);
  dataset(file, "/exchange/data", choice.data, counts);
  if (choice.has_flats) dataset(file, "/exchange/data_white", choice.flats, constant(choice.flats, choice.flat));
  dataset(file, "/exchange/data_dark", frames, constant(frames, 100));
  auto angles = steps(choice.num_angles, choice.angle_step);
  if (choice.nan_angle) angles[3] = nan;
  dataset(file, "/exchange/theta", {choice.num_angles}, angles);
  if (!choice.unit.empty()) text_attribute(file, "/exchange/theta", "units", choice.unit);
}

void write_scans(std::string const& folder) {
  write_scan(folder + "/scan.h5", {});
  write_scan(folder + "/scan_rank2.h5", {.data = {24, 128}});
  write_scan(folder + "/scan_flats_differ.h5", {.flats = {2, 4, 31}});
  write_scan(folder + "/scan_no_flats.h5", {.has_flats = false});
  write_scan(folder + "/scan_no_light.h5", {.flat = 100});
  write_scan(folder + "/scan_nan_view.h5", {.nan_view = true});
  write_scan(folder + "/scan_nan_angle.h5", {.nan_angle = true});
  write_scan(folder + "/scan_no_unit.h5", {.unit = ""});
  write_scan(folder + "/scan_odd_unit.h5", {.unit = "gon"});
  write_scan(folder + "/scan_zero_angles.h5", {.angle_step = 0});
  write_scan(folder + "/scan_few_angles.h5", {.num_angles = 23});
  File const big(folder + "/scan_big.h5");  // takes no space: nothing is stored
  dataset(big, "/exchange/data", {20000, 256, 512}, {}, 500);
  dataset(big, "/exchange/data_white", {1, 256, 512}, {}, 1000);
  dataset(big, "/exchange/theta", {20000}, steps(20000, 0.009f));
  text_attribute(big, "/exchange/theta", "units", "deg");
}

/// Line integrals with angles and weights, for programs that read sinograms.
void write_sinogram(std::string const& path, Shape const& shape, std::vector<float> const& values,
                    std::string const& unit, float weight) {
  File const file(path);
  dataset(file, "/sinogram", shape, values);
  dataset(file, "/weights", projections, constant(projections, weight));
  dataset(file, "/weights_differ", frames, constant(frames, 1));
  dataset(file, "/angles", {24}, steps(24, float(M_PI) / 24));
  if (!unit.empty()) text_attribute(file, "/angles", "units", unit);
}

void write_sinograms(std::string const& folder) {
  auto const good = disc(projections, false);
  write_sinogram(folder + "/sinogram.h5", projections, good, "rad", 1);
  write_sinogram(folder + "/sinogram_rank2.h5", {24, 128}, good, "rad", 1);
  write_sinogram(folder + "/sinogram_no_unit.h5", projections, good, "", 1);
  write_sinogram(folder + "/sinogram_negative_weights.h5", projections, good, "rad", -1);
  write_sinogram(folder + "/sinogram_zero_weights.h5", projections, good, "rad", 0);
  write_sinogram(folder + "/sinogram_huge_weights.h5", projections, good, "rad", 3e38f);
  auto bad = good;
  bad[500] = nan;
  write_sinogram(folder + "/sinogram_nan.h5", projections, bad, "rad", 1);
}

/// Images for what takes volumes: /recon fits sinogram.h5.
void write_volumes(std::string const& folder) {
  Shape const shape = {32, 32, 4};
  File const file(folder + "/volume.h5");
  dataset(file, "/recon", shape, constant(shape, 0.1f));
  dataset(file, "/recon_differ", {32, 31, 4}, constant({32, 31, 4}, 0.1f));
  dataset(file, "/recon_rank2", {32, 128}, constant(shape, 0.1f));
  dataset(file, "/recon_huge", shape, constant(shape, 1e38f));
  auto bad = constant(shape, 0.1f);
  bad[77] = nan;
  dataset(file, "/recon_nan", shape, bad);
  dataset(file, "/mask_empty", {32, 32}, constant({32, 32}, 0));
  dataset(file, "/mask_other", {32, 32}, constant({32, 32}, 0.5f));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::string const folder = argv[1];
  write_scans(folder);
  write_sinograms(folder);
  write_volumes(folder);
  std::ofstream(folder + "/text.h5") << "not HDF5\n";
  return 0;
}
