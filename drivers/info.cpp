/// strata_info: what this build is, or what is in an output file.
#include <fftw3.h>

#include <CLI/CLI.hpp>
#include <iomanip>
#include <iostream>

#include "core/base/progress.hpp"
#include "core/base/version.hpp"
#include "core/io/hdf5_file.hpp"
#include "drivers/support/program.hpp"

namespace strata {
namespace {

std::string& file_name() {
  static std::string name;
  return name;
}

void line(std::string const& name, std::string const& value) {
  std::cout << std::left << std::setw(16) << name << value << '\n';
}

std::string with_digits(double value, int digits) {
  std::ostringstream stream;
  stream << std::setprecision(digits) << value;
  return stream.str();
}

void print_build(ProgramContext& context) {
  line("Strata", text(version(), " (", git_hash(), ")"));
  line("back end", backend_name());
  auto const devices = context.make_devices();
  for (int const d : devices->local())
    line(d == 0 ? "devices" : "", text(devices->descriptions()[static_cast<std::size_t>(d)], ", ",
                                       bytes_text(double(devices->free_bytes(d))), " free"));
  line("Kokkos", kokkos_version());
  line("Kokkos Kernels", STRATA_KOKKOS_KERNELS_VERSION);
  line("HDF5", STRATA_HDF5_VERSION);
  line("yaml-cpp", STRATA_YAML_CPP_VERSION);
  line("FFTW", fftwf_version);
  line("CLI11", CLI11_VERSION);
}

void print_last(Hdf5File const& file, std::string const& dataset, std::string const& name, std::string const& unit) {
  if (!file.is_dataset(dataset)) return;
  auto const values = file.read<double>(dataset);
  if (values.empty()) return;
  std::string const before = values.size() > 1 ? text(" (first iteration ", with_digits(values.front(), 4), ")") : "";
  line(name, text(with_digits(values.back(), 4), unit, before));
}

/// One number or several, one after the other.
std::string numbers_text(Hdf5File const& file, std::string const& object, char const* attribute) {
  std::string all;
  for (double const value : file.numbers_attribute(object, attribute))
    all += text(all.empty() ? "" : " x ", with_digits(value, 8));
  return all;
}

void print_history(Hdf5File const& file) {
  for (char const* dataset : {"/history/fm_rmse", "/history/pct_change"}) {
    if (!file.is_dataset(dataset)) continue;
    line("iterations", text(file.shape(dataset).empty() ? 1 : file.shape(dataset)[0]));
    break;
  }
  print_last(file, "/history/fm_rmse", "forward loss", "");
  print_last(file, "/history/pct_change", "change", " %");
}

std::string byte_list(std::vector<double> const& values) {
  std::vector<std::string> texts;
  for (double const value : values) texts.push_back(bytes_text(value));
  return joined(texts);
}

void print_provenance(Hdf5File const& file) {
  std::string const group = "/provenance";
  if (!file.has(group)) return;
  auto const has = [&](char const* name) { return file.has_attribute(group, name); };
  if (has("version"))
    line("written by", text("Strata ", file.string_attribute(group, "version"), " (",
                            has("git_hash") ? file.string_attribute(group, "git_hash") : "unknown", ")"));
  if (has("start_time")) line("started", file.string_attribute(group, "start_time"));
  if (has("device_summary")) line("devices", file.string_attribute(group, "device_summary"));
  if (has("seconds_total")) {
    std::string phases;
    for (char const* phase : {"setup", "read", "compute", "write"}) {
      std::string const name = text("seconds_", phase);
      if (file.has_attribute(group, name))
        phases += text(phases.empty() ? "" : ", ", phase, " ", with_digits(file.number_attribute(group, name), 3));
    }
    line("seconds", text(with_digits(file.number_attribute(group, "seconds_total"), 3), " (", phases, ")"));
  }
  if (has("peak_host_bytes"))
    line("peak memory",
         text(bytes_text(file.number_attribute(group, "peak_host_bytes")), " host, ",
              has("peak_device_bytes") ? byte_list(file.numbers_attribute(group, "peak_device_bytes")) : "unknown",
              " devices"));
}

void print_file(std::string const& path) {
  Hdf5File const file(path);
  line("file", path);
  for (auto const& name : file.datasets()) {
    if (name.starts_with("/history/")) continue;
    std::string axes;
    if (file.has_attribute(name, "axes")) axes = " " + file.string_attribute(name, "axes");
    line("dataset", text(name, " ", shape_text(file.shape(name)), axes));
    for (char const* attribute : {"det_channel_offset", "delta_voxel"})
      if (file.has_attribute(name, attribute)) line("", text(attribute, " ", numbers_text(file, name, attribute)));
  }
  print_history(file);
  print_provenance(file);
}

void info(ProgramContext& context) {
  if (file_name().empty())
    print_build(context);
  else
    print_file(file_name());
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
  strata::ProgramInfo const program = {
      .name = "strata_info",
      .summary = "What this build is, or what is in an output file.",
      .takes_deck = false,
      .add_options = [](CLI::App& app) { app.add_option("FILE", strata::file_name(), "an output of Strata (HDF5)"); }};
  return strata::run_program(argc, argv, program, strata::info);
}
