#include "bench/suite/table.hpp"

#include <fnmatch.h>

#include <algorithm>

#include "bench/suite/scans.hpp"
#include "core/base/error.hpp"

namespace strata::bench {
namespace {

/// An operator and the device counts that it is measured with.
struct Operator {
  std::string name;
  RowResult (*run)(Row const&, RunOptions const&);
  std::vector<int> devices;
  bool reference_answers = false;
};

void add(std::vector<Row>& rows, std::string const& group, Scan const& scan, std::vector<Operator> const& operators) {
  for (auto const& op : operators)
    for (int const devices : op.devices)
      rows.push_back({text(group, '/', op.name, '/', scan.name, devices > 1 ? text("/x", devices) : ""), scan, devices,
                      op.run, op.reference_answers});
}

std::vector<Operator> const subsets{{"forward_subset", run_forward_subset, {1}}, {"back_subset", run_back_subset, {1}}};
std::vector<Operator> const prior{
    {"gradient", run_prior, {1, 2}}, {"gradient_subset", run_prior_subset, {1}}, {"denoise", run_denoise, {1, 2}}};
std::vector<Operator> const vcd{{"vcd", run_vcd, {1, 2}, true}};

std::vector<Operator> projectors(std::vector<int> const& devices) {
  return {{"forward", run_forward, devices}, {"back", run_back, devices}};
}

/// `name`: fbp or fdk.
std::vector<Operator> direct(std::string const& name) {
  return {{"filter", run_filter, {1, 2}, true}, {name, run_direct, {1, 2}, true}};
}

/// The scans of a suite; all suites have the same rows.
struct Sizes {
  Scan big, flat, masked, prior;  ///< parallel beams
  Scan big_cone, masked_cone, translation, multiaxis;
};

std::vector<Row> rows_for(Sizes const& scans) {
  std::vector<Row> rows;
  add(rows, "parallel", scans.big, projectors({1, 2}));
  add(rows, "parallel", scans.big, subsets);
  add(rows, "parallel", scans.flat, projectors({1}));
  add(rows, "parallel", scans.masked, projectors({1, 2}));
  add(rows, "parallel", scans.big, direct("fbp"));
  add(rows, "qggmrf", scans.prior, prior);
  add(rows, "parallel", scans.masked, vcd);
  add(rows, "cone", scans.masked_cone, projectors({1, 2}));
  add(rows, "translation", scans.translation, projectors({1, 2}));
  add(rows, "multiaxis", scans.multiaxis, projectors({1, 2}));
  add(rows, "cone", scans.big_cone, projectors({1, 2}));
  add(rows, "cone", scans.big_cone, direct("fdk"));
  add(rows, "cone", scans.masked_cone, vcd);
  return rows;
}

std::vector<Row> cpu_rows() {
  return rows_for({.big = parallel_cube("256^3x256", 256, 256),
                   .flat = parallel_flat("512x512x64x256", 512, 64, 256),
                   .masked = parallel_cube("128^3x180", 128, 180, Region::ellipse),
                   .prior = parallel_cube("256^3", 256, 1),
                   .big_cone = cone_cube("256^3x256", 256, 256),
                   .masked_cone = cone_cube("128^3x180", 128, 180, Region::ellipse),
                   .translation = translation_cube("128^3x169", 128, 13),
                   .multiaxis = multiaxis_cube("128^3x180", 128, 180)});
}

/// The same operators in a few seconds.
std::vector<Row> quick_rows() {
  return rows_for({.big = parallel_cube("64^3x64", 64, 64),
                   .flat = parallel_flat("128x128x16x64", 128, 16, 64),
                   .masked = parallel_cube("48^3x60", 48, 60, Region::ellipse),
                   .prior = parallel_cube("64^3", 64, 1),
                   .big_cone = cone_cube("64^3x64", 64, 64),
                   .masked_cone = cone_cube("48^3x60", 48, 60, Region::ellipse),
                   .translation = translation_cube("48^3x49", 48, 7),
                   .multiaxis = multiaxis_cube("48^3x60", 48, 60)});
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
