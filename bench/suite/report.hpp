/// The table of speeds as text and as JSON.
#pragma once

#include <iosfwd>
#include <string>

#include "bench/suite/row.hpp"

namespace strata::bench {

struct Finished {
  Row row;
  RowResult result;
};

/// What the machine and the build are, measured in this run.
struct Machine {
  std::string device;  ///< the first one
  std::string cpu;
  int threads = 1;
  double fma_peak = 0;  ///< 1e9 multiply-adds a second
  double triad = 0;     ///< 1e9 bytes a second
};

Machine measure_machine();

/// The heading, then each row when it is finished, then what the peaks make of it.
void print_table(std::ostream& out, Machine const& machine, std::vector<Finished> const& rows);
/// Everything, for programs. \throws WriteError
void write_json(std::string const& path, Machine const& machine, std::vector<Finished> const& rows);

}  // namespace strata::bench
