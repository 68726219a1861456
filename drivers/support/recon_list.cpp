#include "drivers/support/recon_list.hpp"

#include <algorithm>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "drivers/support/checkpoint.hpp"

namespace strata {
namespace {

constexpr char const* list_key = "reconstructions";

/// Each item has an output file of its own.
void check_files(Deck const& deck, std::vector<Deck> const& decks) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i < decks.size(); ++i) {
    std::string const path = text(list_key, "[", i, "].output.file");
    auto const file = decks[i].section("output").find_path("file");
    if (!file) deck.fail(path, "missing, expected a file name of its own for each reconstruction");
    auto const same = std::find(files.begin(), files.end(), std::filesystem::absolute(*file).lexically_normal());
    if (same != files.end())
      deck.fail(path, text("expected a file name of its own, got that of ", list_key, "[", same - files.begin(), "]"));
    files.push_back(std::filesystem::absolute(*file).lexically_normal());
    DeckSection const output = decks[i].section("output");
    if (output.has("log") && output.at("log") != deck.section("output").at("log"))
      output.fail("log", text("has no effect in ", list_key, ": a run has one log, output.log"));
  }
}

std::string checkpoint_of(ReconItem const& item) {
  return Checkpoint(item.context.checkpoint(), item.context.output().file).file();
}

}  // namespace

std::vector<ReconItem> read_recon_items(ProgramContext const& context) {
  std::vector<ReconItem> items;
  Deck const& deck = context.deck();
  auto const decks = deck.variants(list_key, "reconstruction", {"output"});
  if (decks.empty()) {
    items.push_back({"", context, read_recon_job(deck)});
    return items;
  }
  if (deck.section("output").has("file"))
    deck.fail("output.file", text("has no effect beside ", list_key, ", give each of them its own output: {file: ..}"));
  check_files(deck, decks);
  for (std::size_t i = 0; i < decks.size(); ++i)
    items.push_back({text(list_key, "[", i, "]"), context.with_deck(decks[i]), read_recon_job(decks[i])});
  return items;
}

void plan_resume(std::vector<ReconItem>& items) {
  for (auto const& item : items)
    require(item.job.settings.iterative() || items.size() > 1, "--resume: expected algorithm vcd or prox, got ",
            item.job.settings.algorithm, ", which has no iterations to go on from");
  auto const halted = std::find_if(items.begin(), items.end(), [](ReconItem const& item) {
    return item.job.settings.iterative() && std::filesystem::exists(checkpoint_of(item));
  });
  if (halted == items.end()) {
    std::vector<std::string> expected;
    for (auto const& item : items)
      if (item.job.settings.iterative()) expected.push_back(checkpoint_of(item));
    require(!expected.empty(), "--resume: none of the reconstructions has iterations to go on from");
    require(false, "--resume: expected a checkpoint ", joined(expected, " or "), ", there is none");
  }
  for (auto item = items.begin(); item != items.end(); ++item) {
    item->done = item < halted && std::filesystem::exists(item->context.output().file);
    item->context.set_resume(item == halted);
  }
}

std::string describe(ReconItem const& item) {
  auto const& settings = item.job.settings;
  std::string what = settings.algorithm;
  if (settings.iterative()) {
    auto const given = [](char const* name, std::optional<double> value) {
      return value ? text(", ", name, " ", *value) : std::string();
    };
    what += text(
        ", at most ", settings.schedule.max_iterations - settings.schedule.first_iteration, " iterations",
        given("sigma_y", settings.sigma_y),
        settings.algorithm == "prox" ? given("sigma_prox", settings.sigma_prox) : given("sigma_x", settings.sigma_x),
        ", sharpness ", settings.sharpness, ", snr_db ", settings.snr_db,
        settings.vcd.positivity_flag ? ", positivity" : "");
  }
  return text(item.name, ": ", what, " -> ", item.context.output().file);
}

}  // namespace strata
