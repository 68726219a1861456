/// strata_bench: how fast every operator is on this machine.
#include <CLI/CLI.hpp>
#include <iostream>

#include "bench/suite/report.hpp"
#include "bench/suite/table.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "drivers/support/program.hpp"

namespace strata::bench {
namespace {

struct Options {
  std::string suite = "quick";
  std::vector<std::string> patterns;
  std::string json, answers;
  int repeat = 5;
  std::optional<int> devices;
  bool list = false;
};

Options& options() {
  static Options values;
  return values;
}

void add_options(CLI::App& app) {
  auto& values = options();
  app.add_option("--suite", values.suite, text("the table: ", joined(suite_names(), " or "), "; quick takes seconds"));
  app.add_option("--rows", values.patterns, "shell pattern for the names of rows, '*forward*'; may be repeated")
      ->allow_extra_args(false);
  app.add_flag("--list", values.list, "print the names of the rows, then stop");
  app.add_option("--json", values.json, "file for the results, for programs");
  app.add_option("--answers", values.answers,
                 "HDF5 file for what the operators got and gave, one group a row; direct and iterative "
                 "reconstructions are made in reference mode");
  app.add_option("--repeat", values.repeat, "timed calls of every row after one to warm up")
      ->check(CLI::PositiveNumber);
  app.add_option("--devices", values.devices, "device count of every row; by default as the table says")
      ->check(CLI::PositiveNumber);
}

void run(ProgramContext&) {
  auto const& values = options();
  auto rows = rows_of(values.suite, values.patterns, values.devices);
  if (values.list) {
    for (auto const& row : rows) std::cout << row.name << '\n';
    return;
  }
  std::optional<AtomicHdf5Writer> answers;
  if (!values.answers.empty()) answers.emplace(values.answers);
  std::vector<Finished> finished;
  std::vector<std::string> failed;
  for (auto& row : rows) {
    if (answers) row.scan.reference_mode = row.reference_answers;
    try {
      finished.push_back({row, row.run(row, {values.repeat, answers ? &*answers : nullptr})});
      log::debug(row.name, ": ", finished.back().result.time.best, " s");
    } catch (Interrupted const&) {
      throw;
    } catch (std::exception const& error) {  // one row less, for example for want of memory
      log::error(row.name, ": ", error.what());
      failed.push_back(row.name);
    }
  }
  require(!finished.empty(), "none of the rows could be measured");
  // Last, for its arrays would count in the memory of the rows.
  Machine const machine = measure_machine();
  print_table(std::cout, machine, finished);
  if (!values.json.empty()) write_json(values.json, machine, finished);
  if (answers) answers->commit();
  if (!failed.empty()) throw Error(text("not measured: ", joined(failed)));
}

}  // namespace
}  // namespace strata::bench

int main(int argc, char** argv) {
  strata::ProgramInfo info;
  info.name = "strata_bench";
  info.summary = "How fast every operator is on this machine, and how much memory it takes";
  info.takes_deck = false;
  info.add_options = strata::bench::add_options;
  return strata::run_program(argc, argv, info, strata::bench::run);
}
