/// What has changed between two resolved decks.
#pragma once

#include <string>
#include <vector>

namespace strata {

struct DeckChange {
  std::string path;  ///< for example reconstruction.sharpness
  std::string before, now;
};

/// Values at paths that both texts hold, where they differ, in the order of `now`. The texts are those of
/// Deck::resolved().
std::vector<DeckChange> deck_changes(std::string const& before, std::string const& now);

/// True for values that decide what an iterative run converges to: not where it stops, on what it runs, what it writes.
bool decides_result(std::string const& path);

}  // namespace strata
