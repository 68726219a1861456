#include "bench/suite/table.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <numbers>

#include "core/base/error.hpp"
#include "geometries/parallel_scan.hpp"

namespace strata::bench {
namespace {

/// An operator and the device counts that it is measured with.
struct Operator {
  std::string name;
  RowResult (*run)(Row const&, RunOptions const&);
  std::vector<int> devices;
};

/// A cube of voxels whose slices are as many as detector rows.
Scan cube(std::string name, int size, int views, Region region = Region::all) {
  return {std::move(name), {views, size, size}, {size, size, size}, region, make_parallel};
}

Scan flat(std::string name, int size, int slices, int views) {
  return {std::move(name), {views, slices, size}, {size, size, slices}, Region::all, make_parallel};
}

void add(std::vector<Row>& rows, std::string const& group, Scan const& scan, std::vector<Operator> const& operators) {
  for (auto const& op : operators)
    for (int const devices : op.devices)
      rows.push_back(
          {text(group, '/', op.name, '/', scan.name, devices > 1 ? text("/x", devices) : ""), scan, devices, op.run});
}

std::vector<Operator> const subsets{{"forward_subset", run_forward_subset, {1}}, {"back_subset", run_back_subset, {1}}};
std::vector<Operator> const direct{{"filter", run_filter, {1, 2}}, {"fbp", run_direct, {1, 2}}};
std::vector<Operator> const prior{{"gradient", run_prior, {1, 2}}, {"gradient_subset", run_prior_subset, {1}}};
std::vector<Operator> const vcd{{"vcd", run_vcd, {1, 2}}};

std::vector<Operator> projectors(std::vector<int> const& devices) {
  return {{"forward", run_forward, devices}, {"back", run_back, devices}};
}

std::vector<Row> cpu_rows() {
  std::vector<Row> rows;
  Scan const big = cube("256^3x256", 256, 256);
  Scan const masked = cube("128^3x180", 128, 180, Region::ellipse);
  add(rows, "parallel", big, projectors({1, 2}));
  add(rows, "parallel", big, subsets);
  add(rows, "parallel", flat("512x512x64x256", 512, 64, 256), projectors({1}));
  add(rows, "parallel", masked, projectors({1, 2}));
  add(rows, "parallel", big, direct);
  add(rows, "qggmrf", cube("256^3", 256, 1), prior);
  add(rows, "parallel", masked, vcd);
  return rows;
}

/// The same operators in a few seconds.
std::vector<Row> quick_rows() {
  std::vector<Row> rows;
  Scan const small = cube("64^3x64", 64, 64);
  Scan const masked = cube("48^3x60", 48, 60, Region::ellipse);
  add(rows, "parallel", small, projectors({1, 2}));
  add(rows, "parallel", small, subsets);
  add(rows, "parallel", flat("128x128x16x64", 128, 16, 64), projectors({1}));
  add(rows, "parallel", masked, projectors({1, 2}));
  add(rows, "parallel", small, direct);
  add(rows, "qggmrf", cube("64^3", 64, 1), prior);
  add(rows, "parallel", masked, vcd);
  return rows;
}

struct Suite {
  std::string name;
  std::vector<Row> (*rows)();
};

std::vector<Suite> const suites{{"cpu", cpu_rows}, {"quick", quick_rows}};

bool matches(std::string const& name, std::vector<std::string> const& patterns) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](std::string const& pattern) {
           return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
         });
}

}  // namespace

std::vector<double> half_turn(int views) {
  std::vector<double> angles(static_cast<std::size_t>(views));
  for (int v = 0; v < views; ++v) angles[static_cast<std::size_t>(v)] = std::numbers::pi * v / views;
  return angles;
}

std::shared_ptr<Geometry const> make_parallel(Scan const& scan) {
  GeometryParams params;
  params.sinogram = scan.sinogram;
  params.recon = scan.recon;
  return make_parallel_scan(params, half_turn(scan.sinogram.num_views));
}

std::vector<std::string> suite_names() {
  std::vector<std::string> names;
  for (auto const& suite : suites) names.push_back(suite.name);
  return names;
}

std::vector<Row> rows_of(std::string const& suite, std::vector<std::string> const& patterns,
                         std::optional<int> devices) {
  auto const found =
      std::find_if(suites.begin(), suites.end(), [&](Suite const& candidate) { return candidate.name == suite; });
  require(found != suites.end(), "--suite: expected ", joined(suite_names(), " or "), ", got '", suite, "'");
  std::vector<Row> rows = found->rows();
  std::vector<std::string> names;
  for (auto const& row : rows) names.push_back(row.name);
  std::erase_if(rows, [&](Row const& row) { return !matches(row.name, patterns); });
  require(!rows.empty(), "--rows: none of the rows matches '", joined(patterns, "', '"), "'; there are ",
          joined(names));
  if (devices) {
    // What has several device counts in the table is one row now.
    std::erase_if(rows, [&](Row const& row) {
      return row.devices != 1 && std::any_of(rows.begin(), rows.end(), [&](Row const& other) {
               return other.devices == 1 && row.name.starts_with(other.name + "/x");
             });
    });
    for (auto& row : rows) {
      if (auto const end = row.name.rfind("/x"); end != std::string::npos) row.name.resize(end);
      row.devices = *devices;
      if (*devices > 1) row.name += text("/x", *devices);
    }
  }
  return rows;
}

}  // namespace strata::bench
