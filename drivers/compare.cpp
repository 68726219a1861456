/// strata_compare: are two HDF5 files the same within a tolerance?
#include "drivers/support/compare.hpp"

#include <CLI/CLI.hpp>
#include <iomanip>
#include <iostream>

#include "drivers/support/program.hpp"

namespace strata {
namespace {

struct Arguments {
  std::string reference;
  std::string other;
  CompareOptions options;
  double max_relative = -1;
  std::vector<std::string> map;
  bool quiet = false;
};

Arguments& arguments() {
  static Arguments values;
  return values;
}

void add_options(CLI::App& app) {
  Arguments& values = arguments();
  app.add_option("REFERENCE", values.reference, "HDF5 file that holds the right values");
  app.add_option("FILE", values.other, "HDF5 file to compare");
  app.add_option("--nrmse", values.options.max_nrmse, "largest ||b - a|| / ||a|| of a dataset (default 1e-5)");
  app.add_option("--max-relative", values.max_relative, "largest max|b - a| / max|a| of a dataset (default: any)");
  app.add_option("--only", values.options.only, "compare datasets that match this pattern; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--skip", values.options.skip, "leave out datasets that match this pattern; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--map", values.map,
                 "A=B compares dataset A of REFERENCE with dataset B of FILE, and no others; may be repeated")
      ->allow_extra_args(false);
  app.add_flag("--require-all", values.options.require_all, "fail when a dataset is in one file only");
  app.add_flag("--quiet", values.quiet, "print failures only");
}

std::pair<std::string, std::string> parse_pair(std::string const& pair) {
  auto const middle = pair.find('=');
  require(middle != std::string::npos && middle > 0 && middle + 1 < pair.size(),
          "--map: expected two names of datasets, A=B, got '", pair, "'");
  return {pair.substr(0, middle), pair.substr(middle + 1)};
}

void print(DatasetComparison const& item) {
  std::cout << std::left << std::setw(28) << item.name << std::setw(18) << shape_text(item.shape) << std::right
            << std::scientific << std::setprecision(2) << "  nrmse " << item.nrmse << "  max relative "
            << item.max_relative << (item.passed ? "  ok" : "  DIFFERS") << (item.note.empty() ? "" : ": " + item.note)
            << '\n';
}

void compare(ProgramContext&) {
  Arguments& values = arguments();
  require(!values.other.empty(), "expected two files, strata_compare REFERENCE FILE, see --help");
  require(values.options.max_nrmse >= 0, "--nrmse: expected 0 or more, got ", values.options.max_nrmse);
  if (values.max_relative >= 0) values.options.max_relative = values.max_relative;
  for (auto const& pair : values.map) values.options.map.push_back(parse_pair(pair));
  Hdf5File const a(values.reference);
  Hdf5File const b(values.other);
  auto const items = compare_files(a, b, values.options);
  require(!items.empty(), "nothing to compare: ", values.reference, " has ", joined(a.datasets()), ", ", values.other,
          " has ", joined(b.datasets()), ", none of them in both and asked for");
  int failures = 0;
  for (auto const& item : items) {
    if (!item.passed || !values.quiet) print(item);
    failures += !item.passed;
  }
  if (failures > 0)
    throw Error(text(failures, " of ", items.size(), " datasets of ", values.other, " differ from ", values.reference,
                     " by more than the tolerance (nrmse ", values.options.max_nrmse, ")"));
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
  strata::ProgramInfo const info = {.name = "strata_compare",
                                    .summary = "Compares two HDF5 files, dataset by dataset; 1 when they differ.",
                                    .takes_deck = false,
                                    .uses_devices = false,
                                    .add_options = strata::add_options};
  return strata::run_program(argc, argv, info, strata::compare);
}
