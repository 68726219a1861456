// Decks with a list of maps whose keys take the place of those of a section.
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/io/deck.hpp"
#include "unit_tests/io/scratch.hpp"

namespace strata {
namespace {

std::vector<Deck> variants(std::string const& content) {
  return Deck::parse(content).variants("runs", "solver", {"output"});
}

std::string refusal(std::string const& content) {
  return message_of<InputError>([&] { variants(content); });
}

constexpr char const* two_runs =
    "solver: {sharpness: 1, p: 2}\n"
    "output: {previews: true}\n"
    "runs:\n"
    "  - {sharpness: 0.5, output: {file: a.h5}}\n"
    "  - {q: 1.1, output: {file: b.h5, previews: false}}\n";

TEST(DeckVariants, KeysOfAnItemTakeThePlaceOfThoseOfTheSections) {
  auto const decks = variants(two_runs);

  ASSERT_EQ(decks.size(), 2u);
  EXPECT_EQ(decks[0].section("solver").get("sharpness", 0.0), 0.5);
  EXPECT_EQ(decks[0].section("solver").get("p", 0.0), 2);
  EXPECT_EQ(decks[0].section("output").get("file", ""), "a.h5");
  EXPECT_TRUE(decks[0].section("output").get("previews", false));
  EXPECT_EQ(decks[1].section("solver").get("sharpness", 0.0), 1);
  EXPECT_EQ(decks[1].section("solver").get("q", 0.0), 1.1);
  EXPECT_FALSE(decks[1].section("output").get("previews", true));
}

TEST(DeckVariants, TheResolvedDeckIsThatOfASeparateRun) {
  auto const decks = variants(two_runs);
  Deck const separate = Deck::parse("solver: {sharpness: 0.5, p: 2}\noutput: {previews: true, file: a.h5}\n");
  for (Deck const& deck : {decks[0], separate}) {
    deck.section("solver").get("sharpness", 0.0);
    deck.section("solver").get("p", 0.0);
    deck.section("output").get("file", "");
    deck.section("output").get("previews", false);
    EXPECT_NO_THROW(deck.reject_unread());
  }

  EXPECT_EQ(decks[0].resolved(), separate.resolved());
}

TEST(DeckVariants, MessagesNameTheItemOrTheSectionWhereTheKeyStands) {
  auto const decks = variants("solver: {sharpness: x}\nruns:\n  - {sharpness: y}\n  - {p: 1, qq: 3}\n");

  EXPECT_EQ(message_of<InputError>([&] { decks[0].section("solver").get("sharpness", 0.0); }),
            "deck.yaml:3:17: runs[0].sharpness: expected a number, got 'y'");
  EXPECT_EQ(message_of<InputError>([&] { decks[1].section("solver").get("sharpness", 0.0); }),
            "deck.yaml:1:21: solver.sharpness: expected a number, got 'x'");
  EXPECT_EQ(message_of<InputError>([&] { decks[1].section("solver").fail("p", "expected 2"); }),
            "deck.yaml:4:9: runs[1].p: expected 2");
  auto const unread = variants("runs: [{p: 1, qq: 3, output: {fil: a}}]\n")[0];
  unread.section("solver").get("p", 0.0);
  unread.section("output").get("file", "");
  EXPECT_EQ(message_of<InputError>([&] { unread.reject_unread(); }),
            "deck.yaml:1:15: runs[0].qq: unknown key, known are p (and 1 more key that nothing reads)");
}

TEST(DeckVariants, AKeyOfTheSectionThatNobodyReadsIsRefusedUnlessAnItemReplacesIt) {
  auto const decks = variants("solver: {typo: 1}\nruns: [{p: 1}, {typo: 2}]\n");
  for (auto const& deck : decks) deck.section("solver").get("p", 0.0);

  EXPECT_NE(message_of<InputError>([&] { decks[0].reject_unread(); }).find("solver.typo: unknown key"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([&] { decks[1].reject_unread(); }).find("runs[1].typo: unknown key"),
            std::string::npos);
}

TEST(DeckVariants, AreNoneWithoutTheListAndRefuseWhatIsNoListOfMaps) {
  EXPECT_TRUE(variants("solver: {p: 1}\n").empty());
  EXPECT_NE(refusal("runs: []\n").find("runs: expected a list of maps"), std::string::npos);
  EXPECT_NE(refusal("runs: {p: 1}\n").find("runs: expected a list of maps"), std::string::npos);
  EXPECT_NE(refusal("runs: [{p: 1}, 3]\n").find("runs[1]: expected a map"), std::string::npos);
  EXPECT_NE(refusal("runs: [{output: 3}]\n").find("runs[0].output: expected a section"), std::string::npos);
}

}  // namespace
}  // namespace strata
