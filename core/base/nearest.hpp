/// Suggestions for misspelt names.
#pragma once

#include <string>
#include <vector>

namespace strata {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
int edit_distance(std::string const& a, std::string const& b);

/// The candidate nearest to `name` if it is likely a misspelling of it (distance at most a third of its length, at
/// least 1, 0 for one letter), else empty.
std::string likely_meant(std::string const& name, std::vector<std::string> const& candidates);

/// `did you mean 'x'?`, or `known are a, b, c`, or empty when there are no candidates.
std::string suggestion(std::string const& name, std::vector<std::string> const& candidates);

}  // namespace strata
