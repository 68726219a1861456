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

std::vector<Operator> prior_on(std::vector<int> const& devices) {
  return {
      {"gradient", run_prior, devices}, {"gradient_subset", run_prior_subset, {1}}, {"denoise", run_denoise, devices}};
}

std::vector<Operator> vcd_on(std::vector<int> const& devices) {
  return {{"vcd", run_vcd, devices, true}};
}

std::vector<Operator> projectors(std::vector<int> const& devices) {
  return {{"forward", run_forward, devices}, {"back", run_back, devices}};
}

/// `name`: fbp or fdk.
std::vector<Operator> direct(std::string const& name, std::vector<int> const& devices) {
  return {{"filter", run_filter, devices, true}, {name, run_direct, devices, true}};
}

/// The scans of a suite for hosts; they have the same rows.
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
  add(rows, "parallel", scans.big, direct("fbp", {1, 2}));
  add(rows, "qggmrf", scans.prior, prior_on({1, 2}));
  add(rows, "parallel", scans.masked, vcd_on({1, 2}));
  add(rows, "cone", scans.masked_cone, projectors({1, 2}));
  add(rows, "translation", scans.translation, projectors({1, 2}));
  add(rows, "multiaxis", scans.multiaxis, projectors({1, 2}));
  add(rows, "cone", scans.big_cone, projectors({1, 2}));
  add(rows, "cone", scans.big_cone, direct("fdk", {1, 2}));
  add(rows, "cone", scans.masked_cone, vcd_on({1, 2}));
  return rows;
}

std::vector<Row> cpu_rows() {
  return rows_for({.big = parallel_cube("256^3x256", 256, 256),
                   .flat = parallel_box("512x512x64x256", 512, 64, 256),
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
                   .flat = parallel_box("128x128x16x64", 128, 16, 64),
                   .masked = parallel_cube("48^3x60", 48, 60, Region::ellipse),
                   .prior = parallel_cube("64^3", 64, 1),
                   .big_cone = cone_cube("64^3x64", 64, 64),
                   .masked_cone = cone_cube("48^3x60", 48, 60, Region::ellipse),
                   .translation = translation_cube("48^3x49", 48, 7),
                   .multiaxis = multiaxis_cube("48^3x60", 48, 60)});
}

/// A size of the table for GPUs: all operators and geometries, one device.
struct SizeClass {
  std::string name;  ///< of the box
  int size, slices, views;
  int side;  ///< places of the translated object in each direction
};

void add_class(std::vector<Row>& rows, SizeClass const& c) {
  std::vector<int> const one{1};
  auto const cubic = [&](int views) { return text(c.size, "^3x", views); };
  Scan const parallel = parallel_box(c.name, c.size, c.slices, c.views);
  Scan const cone = cone_box(c.name, c.size, c.slices, c.views);
  add(rows, "parallel", parallel, projectors(one));
  add(rows, "parallel", parallel, subsets);
  add(rows, "parallel", parallel, direct("fbp", one));
  add(rows, "parallel", parallel_box(c.name, c.size, c.slices, c.views, Region::ellipse), vcd_on(one));
  add(rows, "cone", cone, projectors(one));
  add(rows, "cone", cone, subsets);
  add(rows, "cone", cone, direct("fdk", one));
  add(rows, "cone", cone_box(c.name, c.size, c.slices, c.views, Region::ellipse), vcd_on(one));
  add(rows, "translation", translation_cube(cubic(c.side * c.side), c.size, c.side), projectors(one));
  add(rows, "multiaxis", multiaxis_cube(cubic(c.views), c.size, c.views), projectors(one));
  add(rows, "qggmrf", parallel_box(c.name, c.size, c.slices, 1), prior_on(one));
}

/// The classes of the table for one GPU, the small ones first.
std::vector<Row> gpu_rows() {
  std::vector<Row> rows;
  add_class(rows, {"256^3x256", 256, 256, 256, 16});
  add_class(rows, {"512^3x512", 512, 512, 512, 22});
  add_class(rows, {"992x992x1008x1024", 992, 1008, 1024, 32});
  return rows;
}

/// The same operators in a few seconds, also on a host: does everything run, and are the answers those of another back
/// end?
std::vector<Row> gpu_small_rows() {
  std::vector<Row> rows;
  add_class(rows, {"40x40x72x48", 40, 72, 48, 6});
  return rows;
}

struct Suite {
  std::string name;
  std::vector<Row> (*rows)();
};

std::vector<Suite> const suites{
    {"cpu", cpu_rows}, {"quick", quick_rows}, {"gpu", gpu_rows}, {"gpu_small", gpu_small_rows}};

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
