// check_memory FILE bytes: prints what the fullest device took.
// check_memory FILE [sum ONE FACTOR] [volumes DATASET VOLUMES SINOGRAM COUNT]: what FILE's /provenance says of memory.
//   Always: the fullest device took 1 to 1.15 of the estimate, the host at most 1.2 of it.
//   sum: all devices together took at most FACTOR times what the one device of file ONE took.
//   volumes: no device took more than VOLUMES volumes as large as FILE's DATASET and COUNT sinograms as large as
//   /sinogram of file SINOGRAM.
#include <hdf5.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

namespace {

[[noreturn]] void stop(std::string const& what) {
  std::fprintf(stderr, "check_memory: %s\n", what.c_str());
  std::exit(1);
}

std::vector<double> numbers(std::string const& path, char const* name) {
  hid_t const file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t const attribute = H5Aopen_by_name(file, "/provenance", name, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0) stop(path + " has no attribute " + name);
  hid_t const space = H5Aget_space(attribute);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data());
  H5Sclose(space);
  H5Aclose(attribute);
  H5Fclose(file);
  return values;
}

double dataset_bytes(std::string const& path, std::string const& name) {
  hid_t const file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t const dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  if (dataset < 0) stop(path + " has no dataset " + name);
  hid_t const space = H5Dget_space(dataset);
  double const values = static_cast<double>(H5Sget_simple_extent_npoints(space));
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return 4 * values;
}

void expect(std::string const& what, double ratio, double least, double most) {
  std::printf("  %s: %.4f, allowed %.3g to %.3g\n", what.c_str(), ratio, least, most);
  if (!(ratio >= least && ratio <= most)) stop(what + " is out of range");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> const words(argv + 1, argv + argc);
  if (words.empty()) stop("expected a file");
  auto const peaks = numbers(words[0], "peak_device_bytes");
  double const fullest = *std::max_element(peaks.begin(), peaks.end());
  if (words.size() == 2 && words[1] == "bytes") {
    std::printf("%.0f\n", fullest);
    return 0;
  }
  std::printf("%s, %zu devices, %.1f MB at most\n", words[0].c_str(), peaks.size(), fullest / 1e6);
  // Tables of a few kilobytes are estimated to a percent.
  expect("measured / estimated, fullest device", fullest / numbers(words[0], "estimated_device_bytes")[0], 0.998, 1.15);
  expect("measured / estimated, host",
         numbers(words[0], "peak_host_bytes")[0] / numbers(words[0], "estimated_host_bytes")[0], 0, 1.2);
  for (std::size_t i = 1; i < words.size();) {
    if (words[i] == "sum" && i + 2 < words.size()) {
      auto const one = numbers(words[i + 1], "peak_device_bytes");
      double const sum = std::accumulate(peaks.begin(), peaks.end(), 0.0);
      expect("all devices / one device", sum / one[0], 0, std::stod(words[i + 2]));
      i += 3;
    } else if (words[i] == "volumes" && i + 4 < words.size()) {
      double const allowed = std::stod(words[i + 2]) * dataset_bytes(words[0], words[i + 1]) +
                             std::stod(words[i + 4]) * dataset_bytes(words[i + 3], "/sinogram");
      expect("measured / " + words[i + 2] + " volumes and " + words[i + 4] + " sinograms", fullest / allowed, 0, 1);
      i += 5;
    } else {
      stop("unknown: " + words[i]);
    }
  }
}
