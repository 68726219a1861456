/// The results that a deck of strata_recon asks for: one, or those of the list `reconstructions`.
#pragma once

#include <string>
#include <vector>

#include "drivers/support/program.hpp"
#include "drivers/support/recon_job.hpp"

namespace strata {

struct ReconItem {
  std::string name;        ///< `reconstructions[1]`; empty without a list
  ProgramContext context;  ///< with the item's own deck and output
  ReconJob job;
  bool done = false;  ///< a run that is resumed has written it already
};

/// Each item of `reconstructions` replaces keys of sections `reconstruction` and, in its map `output`, `output`; it
/// needs an output.file of its own. \throws InputError for anything that is wrong with an item.
std::vector<ReconItem> read_recon_items(ProgramContext const& context);

/// Decides which items of a run that is resumed are done and which one goes on from its checkpoint; the others begin
/// anew. \throws InputError when there is no checkpoint.
void plan_resume(std::vector<ReconItem>& items);

/// One line: algorithm, what is special about it, and where the result goes.
std::string describe(ReconItem const& item);

}  // namespace strata
