#include "bench/suite/report.hpp"

#include <fftw3.h>

#include <fstream>
#include <iomanip>
#include <nlohmann/json.hpp>

#include "bench/machine_peaks.hpp"
#include "bench/suite/operands.hpp"
#include "core/base/error.hpp"
#include "core/base/version.hpp"
#include "drivers/support/provenance.hpp"

namespace strata::bench {
namespace {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string digits(double value, int count) {
  std::ostringstream stream;
  stream << std::setprecision(count) << value;
  return stream.str();
}

std::string milliseconds(double seconds) {
  std::ostringstream stream;
  double const value = 1e3 * seconds;
  stream << std::fixed << std::setprecision(value < 10 ? 3 : value < 1000 ? 1 : 0) << value;
  return stream.str();
}

std::string rate(RowResult const& result) {
  double const giga = 1e-9 * result.work / result.time.best;
  std::string const unit = result.unit == "updates" ? "GUPS" : "G" + result.unit + "/s";
  return digits(giga, 3) + " " + unit;
}

double fma_percent(Machine const& machine, RowResult const& result) {
  return 1e-7 * result.fma / result.time.best / machine.fma_peak;
}

double triad_percent(Machine const& machine, RowResult const& result) {
  return 1e-7 * result.bytes / result.time.best / machine.triad;
}

std::string of_peak(Machine const& machine, RowResult const& result) {
  if (result.fma > 0) return digits(fma_percent(machine, result), 2) + " % FMA";
  if (result.bytes > 0) return digits(triad_percent(machine, result), 2) + " % triad";
  return "";
}

void print_row(std::ostream& out, std::vector<std::string> const& cells) {
  constexpr int widths[] = {44, 10, 10, 10, 18, 12, 11, 11};
  out << std::left << std::setw(widths[0]) << cells[0] << std::right;
  for (std::size_t i = 1; i < cells.size(); ++i) out << std::setw(widths[i]) << cells[i];
  out << '\n';
}

nlohmann::ordered_json json_of(Machine const& machine, Finished const& finished) {
  auto const& [row, result] = finished;
  auto const& [views, det_rows, channels] = row.scan.sinogram;
  auto const& [rows, cols, slices] = row.scan.recon;
  nlohmann::ordered_json json = {{"name", row.name},
                                 {"geometry", row.scan.make(row.scan)->type()},
                                 {"sinogram_shape", {views, det_rows, channels}},
                                 {"recon_shape", {rows, cols, slices}},
                                 {"use_ror_mask", row.scan.region == Region::ellipse},
                                 {"num_devices", row.devices},
                                 {"devices", result.devices},
                                 {"repeats", result.time.repeats},
                                 {"seconds_best", result.time.best},
                                 {"seconds_median", result.time.median},
                                 {"seconds_cpu_per_thread", result.time.cpu},
                                 {"work", result.work},
                                 {"work_unit", result.unit},
                                 {"rate_per_second", result.work / result.time.best},
                                 {"peak_device_bytes", result.device_bytes},
                                 {"peak_host_bytes", result.host_bytes}};
  if (result.fma > 0) json["percent_of_fma_peak"] = fma_percent(machine, result);
  if (result.bytes > 0) json["percent_of_triad"] = triad_percent(machine, result);
  for (auto const& [name, value] : result.details) json[name] = value;
  return json;
}

}  // namespace

Machine measure_machine() {
  return {make_devices(1)->descriptions().front(), cpu_name(), ExecSpace().concurrency(), fma_peak(), triad()};
}

void print_table(std::ostream& out, Machine const& machine, std::vector<Finished> const& rows) {
  out << "Strata " << version() << " (" << git_hash() << "), " << backend_name() << ", Kokkos " << kokkos_version()
      << ", " << machine.threads << " threads, " << machine.cpu << '\n'
      << "device " << machine.device << '\n'
      << "peaks of this run: " << digits(machine.fma_peak, 4) << " G multiply-adds/s, triad "
      << digits(machine.triad, 3) << " GB/s\n";
  print_row(out, {"row", "best ms", "median ms", "cpu ms", "rate", "of peak", "devices", "host"});
  for (auto const& [row, result] : rows)
    print_row(out, {row.name, milliseconds(result.time.best), milliseconds(result.time.median),
                    milliseconds(result.time.cpu), rate(result), of_peak(machine, result),
                    bytes_text(double(result.device_bytes)), bytes_text(double(result.host_bytes))});
  for (auto const& [row, result] : rows) {
    if (result.details.empty()) continue;
    out << row.name << ':';
    for (auto const& [name, value] : result.details) out << ' ' << name << ' ' << digits(value, 4);
    out << '\n';
  }
}

void write_json(std::string const& path, Machine const& machine, std::vector<Finished> const& rows) {
  nlohmann::ordered_json json;
  json["strata"] = version();
  json["git_hash"] = git_hash();
  json["back_end"] = backend_name();
  json["kokkos"] = kokkos_version();
  json["fftw"] = std::string(fftwf_version);
  json["compiler"] = __VERSION__;
  json["device"] = machine.device;
  json["cpu"] = machine.cpu;
  json["threads"] = machine.threads;
  json["fma_peak_per_second"] = 1e9 * machine.fma_peak;
  json["triad_bytes_per_second"] = 1e9 * machine.triad;
  json["start_time"] = Provenance().start_time();
  json["rows"] = nlohmann::ordered_json::array();
  for (auto const& finished : rows) json["rows"].push_back(json_of(machine, finished));
  std::ofstream file(path);
  file << json.dump(2) << '\n';
  file.close();
  if (!file) throw WriteError(text("--json: cannot write ", path));
}

}  // namespace strata::bench
