/// The rows of each suite.
#pragma once

#include <optional>

#include "bench/suite/row.hpp"

namespace strata::bench {

std::vector<std::string> suite_names();

/// The rows of `suite` whose names match one of `patterns` (shell patterns such as '*forward*'; none: all rows), on
/// `devices` devices where given. \throws InputError when nothing matches, with the names.
std::vector<Row> rows_of(std::string const& suite, std::vector<std::string> const& patterns,
                         std::optional<int> devices);

}  // namespace strata::bench
