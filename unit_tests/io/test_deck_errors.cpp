#include "core/base/error.hpp"
#include "core/io/deck.hpp"
#include "unit_tests/io/scratch.hpp"

namespace strata {
namespace {

std::string parse_error(std::string const& content, std::vector<std::string> const& options = {}) {
  return message_of<InputError>([&] { Deck::parse(content, "deck.yaml", options); });
}

template <class T>
std::string read_error(std::string const& value) {
  Deck const deck = Deck::parse("s:\n  key: " + value + "\n");
  return message_of<InputError>([&] { deck.section("s").require<T>("key"); });
}

TEST(DeckErrors, WholeNumbersAreStrict) {
  for (std::string const value : {"3.5", "1e3", "3.0", "abc", "0x10", "1_000", "yes"}) {
    EXPECT_EQ(read_error<int>(value), "deck.yaml:2:8: s.key: expected a whole number, got '" + value + "'");
  }
  EXPECT_EQ(read_error<int>("\"3\""), "deck.yaml:2:8: s.key: expected a whole number, got the text '3'");
  EXPECT_EQ(read_error<int>(""), "deck.yaml:2:3: s.key: expected a whole number, got nothing");
  EXPECT_EQ(read_error<int>("[1]"), "deck.yaml:2:8: s.key: expected a whole number, got a list");
  EXPECT_EQ(read_error<int>("{a: 1}"), "deck.yaml:2:8: s.key: expected a whole number, got a section");
  EXPECT_EQ(read_error<int>("3000000000"),
            "deck.yaml:2:8: s.key: expected a whole number from -2147483648 to 2147483647, got '3000000000'");
  EXPECT_EQ(read_error<int>("+3"), "");
}

TEST(DeckErrors, NumbersAreFinite) {
  for (std::string const value : {"abc", "nan", "inf", "1,5", "1.5mm", "0x1p3", "true", "+-3"}) {
    EXPECT_EQ(read_error<double>(value), "deck.yaml:2:8: s.key: expected a number, got '" + value + "'");
  }
  for (std::string const value : {".nan", ".inf", "-.INF"}) {
    EXPECT_EQ(read_error<double>(value), "deck.yaml:2:8: s.key: expected a finite number, got '" + value + "'");
  }
  EXPECT_EQ(read_error<double>("1e999"),
            "deck.yaml:2:8: s.key: expected a number of size 1e-307 to 1e308, got '1e999'");
  EXPECT_EQ(read_error<double>("5."), "");
}

TEST(DeckErrors, BooleansAreWords) {
  EXPECT_EQ(read_error<bool>("1"), "deck.yaml:2:8: s.key: expected true or false, got '1'");
  EXPECT_EQ(read_error<bool>("\"true\""), "deck.yaml:2:8: s.key: expected true or false, got the text 'true'");
  EXPECT_EQ(read_error<bool>("Off"), "");
}

TEST(DeckErrors, ListsNameTheWrongItem) {
  EXPECT_EQ(read_error<std::vector<int>>("[1, 2.5]"), "deck.yaml:2:12: s.key[1]: expected a whole number, got '2.5'");
  EXPECT_EQ(read_error<std::vector<int>>("3"), "deck.yaml:2:8: s.key: expected a list of whole numbers, got '3'");
  EXPECT_EQ(read_error<std::vector<std::vector<double>>>("3"),
            "deck.yaml:2:8: s.key: expected a list of lists of numbers, got '3'");
  EXPECT_EQ(read_error<std::vector<std::vector<double>>>("[[1, x]]"),
            "deck.yaml:2:13: s.key[0][1]: expected a number, got 'x'");
}

TEST(DeckErrors, ChoicesListWhatIsPossible) {
  Deck const deck = Deck::parse("geometry:\n  type: parralel\n  unit: mm\n");
  DeckSection const geometry = deck.section("geometry");

  EXPECT_EQ(message_of<InputError>([&] {
              geometry.require_choice("type", {"parallel", "cone"});
            }),
            "deck.yaml:2:9: geometry.type: expected one of parallel, cone, got 'parralel', did you mean 'parallel'?");
  EXPECT_EQ(message_of<InputError>([&] {
              geometry.choice("unit", {"rad", "deg"}, "rad");
            }),
            "deck.yaml:3:9: geometry.unit: expected one of rad, deg, got 'mm'");
  EXPECT_EQ(geometry.choice("other", {"a"}, "a"), "a");
}

TEST(DeckErrors, AMissingKeyIsReportedAtItsSection) {
  Deck const deck = Deck::parse("input:\n  sinogram:\n    dataset: /s\n");

  EXPECT_EQ(message_of<InputError>([&] { deck.section("input").section("sinogram").require_path("file"); }),
            "deck.yaml:2:3: input.sinogram.file: missing, expected a file name");
  EXPECT_EQ(message_of<InputError>([&] { deck.section("geometry").require<std::string>("type"); }),
            "deck.yaml: geometry.type: missing, expected text");
}

TEST(DeckErrors, AMissingKeyThatIsOnlyMisspeltIsReportedAsThat) {
  Deck const deck = Deck::parse("geometry:\n  typ: cone\n");

  EXPECT_EQ(message_of<InputError>([&] { deck.section("geometry").require_choice("type", {"cone"}); }),
            "deck.yaml:2:3: geometry.typ: unknown key, did you mean 'type'?");
}

/// What reject_unread() says about a deck of which some keys are known.
std::string unread_error(std::string const& content) {
  Deck const deck = Deck::parse(content);
  DeckSection const geometry = deck.section("geometry");
  geometry.get("type", "");
  geometry.section("angles").get("start", 0.0);
  geometry.section("angles").get("unit", "rad");
  deck.section("reconstruction").get("sharpness", 0.0);
  deck.section("reconstruction").declare({"p"});
  deck.section("output").get("file", "");
  return message_of<InputError>([&] { deck.reject_unread(); });
}

TEST(DeckErrors, UnreadKeysAreRejectedWithASuggestion) {
  EXPECT_EQ(unread_error("geometry:\n  type: cone\n  angles: {strat: 0}\n"),
            "deck.yaml:3:12: geometry.angles.strat: unknown key, did you mean 'start'?");
  EXPECT_EQ(unread_error("reconstruction:\n  p: 1\n"),
            "deck.yaml:2:3: reconstruction.p: has no effect here, remove it");
  EXPECT_EQ(unread_error("reconstruction:\n  sharpnes: 1\n"),
            "deck.yaml:2:3: reconstruction.sharpnes: unknown key, did you mean 'sharpness'?");
  EXPECT_EQ(unread_error("reconstruction:\n  volume: 3\n"),
            "deck.yaml:2:3: reconstruction.volume: unknown key, known are sharpness, p");
  EXPECT_EQ(unread_error("reconstruction:\n  unit: 1\n"),
            "deck.yaml:2:3: reconstruction.unit: unknown key, it belongs to geometry.angles");
  EXPECT_EQ(unread_error("ouput: {file: a}\n"), "deck.yaml:1:1: ouput: unknown section, did you mean 'output'?");
}

TEST(DeckErrors, OfSeveralUnreadKeysTheFirstIsExplainedAndTheOthersAreCounted) {
  EXPECT_EQ(unread_error("reconstruction: {sharpnes: 1, volume: 3}\n"),
            "deck.yaml:1:18: reconstruction.sharpnes: unknown key, did you mean 'sharpness'? (and 1 more key that "
            "nothing reads)");
  EXPECT_EQ(unread_error("reconstruction: {sharpnes: 1, volume: 3}\nouput: 1\nx: 2\n"),
            "deck.yaml:1:18: reconstruction.sharpnes: unknown key, did you mean 'sharpness'? (and 3 more keys that "
            "nothing reads)");
}

TEST(DeckErrors, SectionsOfOtherProgramsCanBeAllowed) {
  Deck const deck = Deck::parse("denoise: {anything: [1]}\n");
  deck.root().allow("denoise");

  EXPECT_NO_THROW(deck.reject_unread());
}

TEST(DeckErrors, DuplicateKeysAreRejectedAtAnyDepth) {
  EXPECT_EQ(parse_error("a: 1\nb: 2\na: 3\n"), "deck.yaml:3:1: a: duplicate key, first given at line 1");
  EXPECT_EQ(parse_error("g:\n  x: {u: 1,\n      u: 2}\n"),
            "deck.yaml:3:7: g.x.u: duplicate key, first given at line 2");
  EXPECT_EQ(parse_error("g: [{u: 1, u: 1}]"), "deck.yaml:1:12: g[0].u: duplicate key, first given at line 1");
}

TEST(DeckErrors, BadSyntaxIsReportedWithItsPosition) {
  EXPECT_EQ(parse_error("geometry:\n  type: [1, 2\nb: 3\n"),
            "deck.yaml:3:2: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(parse_error("a: 1\n\tb: 2\n").substr(0, 30), "deck.yaml:2:1: not valid YAML:");
  EXPECT_EQ(parse_error("a: *b\n").substr(0, 10), "deck.yaml:");
  EXPECT_EQ(parse_error(std::string(5000, '[')).substr(0, 10), "deck.yaml:");
  EXPECT_EQ(parse_error("a: 1\n---\nb: 1\n"), "deck.yaml:3:1: expected one YAML document, got 2");
}

TEST(DeckErrors, TheTopLevelHoldsSections) {
  EXPECT_EQ(parse_error("- 1\n- 2\n"), "deck.yaml:1:1: expected sections such as 'geometry:', got a list");
  EXPECT_EQ(parse_error("hello"), "deck.yaml:1:1: expected sections such as 'geometry:', got 'hello'");
  EXPECT_EQ(parse_error("? [a]\n: 1\n"),
            "deck.yaml:1:3: top level: expected a key that is plain text, got a list or a section");
  EXPECT_EQ(parse_error("# nothing\n"), "");

  Deck const deck = Deck::parse("geometry: cone\n");
  EXPECT_EQ(message_of<InputError>([&] { deck.section("geometry"); }),
            "deck.yaml:1:11: geometry: expected a section, got 'cone'");
}

TEST(DeckErrors, ADeckThatExpandsWithoutEndIsRejected) {
  std::string deck = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    std::string const alias = "*a" + std::to_string(i - 1);
    deck += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) deck += (j > 0 ? ", " : "") + alias;
    deck += "]\n";
  }
  EXPECT_NE(parse_error(deck).find("nested too deeply or too many values"), std::string::npos);
}

TEST(DeckErrors, OptionsAreChecked) {
  EXPECT_EQ(parse_error("", {"abc"}), "--set: expected section.key=value, got 'abc'");
  EXPECT_EQ(parse_error("", {"=3"}), "--set: expected section.key=value, got '=3'");
  EXPECT_EQ(parse_error("", {"a..b=3"}), "--set: expected section.key=value, got 'a..b=3'");
  EXPECT_EQ(parse_error("", {"a.b="}), "--set: a.b: expected a value after '=', got ''");
  EXPECT_EQ(parse_error("", {"a.b=[1, 2"}), "--set: a.b: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(parse_error("", {"a={b: 1, b: 2}"}).substr(0, 26), "--set: a.b: duplicate key,");

  Deck const deck = Deck::parse("s: {key: 1}", "deck.yaml", {"s.key=abc", "s.other=3"});
  EXPECT_EQ(message_of<InputError>([&] { deck.section("s").get("key", 1.0); }),
            "--set: s.key: expected a number, got 'abc'");
  EXPECT_EQ(message_of<InputError>([&] { deck.reject_unread(); }), "--set: s.other: unknown key, known are key");
}

TEST(DeckErrors, LaterChecksCanPointIntoTheDeck) {
  Deck const deck = Deck::parse("geometry:\n  delta_det_channel: -1\n  recon_shape: [4, 0, 5]\n");

  EXPECT_EQ(message_of<InputError>([&] { deck.fail("geometry.delta_det_channel", "must be > 0, got -1"); }),
            "deck.yaml:2:22: geometry.delta_det_channel: must be > 0, got -1");
  EXPECT_EQ(deck.at("geometry.recon_shape[1]"), "deck.yaml:3:20");
  EXPECT_EQ(deck.at("geometry.delta_voxel"), "deck.yaml:1:1");
  EXPECT_EQ(deck.at("output.file"), "deck.yaml");
  EXPECT_EQ(deck.section("geometry").at("recon_shape"), "deck.yaml:3:16");
}

}  // namespace
}  // namespace strata
