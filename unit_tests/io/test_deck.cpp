#include <cmath>

#include "core/base/error.hpp"
#include "core/io/deck.hpp"
#include "unit_tests/io/scratch.hpp"

namespace strata {
namespace {

using Kind = DeckSection::Kind;

TEST(Deck, ReadsEveryTypeOfValue) {
  Deck const deck = Deck::parse(R"(
reconstruction:
  max_iterations: 15
  big: 5000000000
  snr_db: 3e1
  sharpness: -.5
  positivity_flag: yes
  algorithm: vcd
  granularity: [1, 2, -3]
  weights: [0.5, 1]
  vectors: [[1, 2, 3], [4.5, 5, 6]]
  names: [a, b]
)");
  DeckSection const section = deck.section("reconstruction");

  EXPECT_EQ(section.get("max_iterations", 1), 15);
  EXPECT_EQ(section.get("big", std::int64_t(1)), 5000000000);
  EXPECT_EQ(section.get("snr_db", 1.0), 30.0);
  EXPECT_EQ(section.require<double>("sharpness"), -0.5);
  EXPECT_TRUE(section.get("positivity_flag", false));
  EXPECT_EQ(section.get("algorithm", "fbp"), "vcd");
  EXPECT_EQ(section.require<std::vector<int>>("granularity"), (std::vector<int>{1, 2, -3}));
  EXPECT_EQ(section.require<std::vector<double>>("weights"), (std::vector<double>{0.5, 1}));
  EXPECT_EQ(section.require<std::vector<std::vector<double>>>("vectors"),
            (std::vector<std::vector<double>>{{1, 2, 3}, {4.5, 5, 6}}));
  EXPECT_EQ(section.require<std::vector<std::string>>("names"), (std::vector<std::string>{"a", "b"}));
  EXPECT_NO_THROW(deck.reject_unread());
}

TEST(Deck, AbsentKeysGiveTheDefault) {
  Deck const deck = Deck::parse("");
  DeckSection const section = deck.section("geometry").section("angles");

  EXPECT_FALSE(deck.section("geometry").exists());
  EXPECT_FALSE(section.has("start"));
  EXPECT_EQ(section.get("start", 2.5), 2.5);
  EXPECT_EQ(section.find<int>("count"), std::nullopt);
  EXPECT_NO_THROW(deck.reject_unread());
}

TEST(Deck, AnEmptySectionIsAllowed) {
  Deck const deck = Deck::parse("geometry:\nreconstruction: {}\n");

  EXPECT_TRUE(deck.section("geometry").exists());
  EXPECT_EQ(deck.section("geometry").get("p", 2.0), 2.0);
  EXPECT_EQ(deck.section("reconstruction").get("p", 2.0), 2.0);
  EXPECT_NO_THROW(deck.reject_unread());
}

TEST(Deck, TellsWhatStandsAtAKey) {
  Deck const deck = Deck::parse("s: {a: 1.5, b: yes, c: auto, d: [0, 2], e: {f: 1}, g: , h: \"3\", i: .inf}");
  DeckSection const s = deck.section("s");

  EXPECT_EQ(s.kind("a"), Kind::number);
  EXPECT_EQ(s.kind("b"), Kind::boolean);
  EXPECT_EQ(s.kind("c"), Kind::text);
  EXPECT_EQ(s.kind("d"), Kind::list);
  EXPECT_EQ(s.kind("e"), Kind::section);
  EXPECT_EQ(s.kind("g"), Kind::empty);
  EXPECT_EQ(s.kind("h"), Kind::text);
  EXPECT_EQ(s.kind("i"), Kind::number);
  EXPECT_EQ(s.kind("z"), Kind::absent);
}

TEST(Deck, InfinityIsANumberWhereItIsAllowed) {
  Deck const deck = Deck::parse("geometry: {source_detector_dist: .inf}");
  DeckSection const geometry = deck.section("geometry");

  EXPECT_TRUE(std::isinf(geometry.require_unbounded("source_detector_dist")));
  EXPECT_EQ(geometry.get_unbounded("source_iso_dist", 3.0), 3.0);
  EXPECT_EQ(message_of<InputError>([&] { geometry.require<double>("source_detector_dist"); }),
            "deck.yaml:1:34: geometry.source_detector_dist: expected a finite number, got '.inf'");
}

TEST(Deck, OptionsOverrideTheFile) {
  std::vector<std::string> const options = {"geometry.type=cone", "reconstruction.granularity=[1, 8]",
                                            "geometry.angles.count=7", "input.sinogram={file: a.h5}",
                                            "reconstruction.name=a=b"};
  Deck const deck = Deck::parse("geometry: {type: parallel, angles: 3}\ninput: {sinogram: {file: b.h5, dataset: /s}}",
                                "deck.yaml", options);

  EXPECT_EQ(deck.section("geometry").require<std::string>("type"), "cone");
  EXPECT_EQ(deck.section("reconstruction").require<std::vector<int>>("granularity"), (std::vector<int>{1, 8}));
  EXPECT_EQ(deck.section("geometry").section("angles").require<int>("count"), 7);
  EXPECT_FALSE(deck.section("input").section("sinogram").has("dataset"));
  EXPECT_EQ(deck.section("reconstruction").require<std::string>("name"), "a=b");
}

TEST(Deck, AliasesAndMergeKeysAreExpanded) {
  Deck const deck = Deck::parse(R"(
input:
  sinogram: &scan {file: a.h5, dataset: /sinogram}
  weights: {<<: *scan, dataset: /weights}
  prox_input: *scan
)");
  DeckSection const input = deck.section("input");

  EXPECT_EQ(input.section("weights").require<std::string>("file"), "a.h5");
  EXPECT_EQ(input.section("weights").require<std::string>("dataset"), "/weights");
  EXPECT_EQ(input.section("prox_input").require<std::string>("dataset"), "/sinogram");
}

TEST(Deck, ResolvedDeckHoldsWhatWasUsedAndReadsBackTheSame) {
  Deck const deck = Deck::parse("reconstruction: {snr_db: 30, granularity: [1, 2], run: \"07\", tag: \"yes\"}");
  DeckSection const section = deck.section("reconstruction");
  section.get("snr_db", 40.0);
  section.get("p", 1.1);
  section.require<std::vector<int>>("granularity");
  section.get("run", "");
  section.get("tag", "");
  section.get("max_alpha", std::string(""));
  section.record("sigma_x", 0.1 + 0.2);
  section.record("vectors", std::vector<std::vector<double>>{{1, 2.5}});
  deck.section("unused").has("key");

  std::string const resolved = deck.resolved();
  EXPECT_EQ(resolved, R"(reconstruction:
  snr_db: 30
  p: 1.1
  granularity: [1, 2]
  run: "07"
  tag: "yes"
  max_alpha: ""
  sigma_x: 0.30000000000000004
  vectors: [[1, 2.5]]
)");

  Deck const again = Deck::parse(resolved);
  EXPECT_EQ(again.section("reconstruction").require<double>("sigma_x"), 0.1 + 0.2);
  EXPECT_EQ(again.section("reconstruction").kind("run"), Kind::text);
  EXPECT_EQ(again.section("reconstruction").kind("tag"), Kind::text);
}

struct DeckFile : Scratch {};

TEST_F(DeckFile, RelativePathsAreRelativeToTheDeck) {
  write("decks/a.yaml", "input: {sinogram: ../scan.h5, weights: /data/w.h5}");
  Deck const deck = Deck::load(file("decks/a.yaml"));
  DeckSection const input = deck.section("input");

  EXPECT_EQ(input.require_path("sinogram"), file("scan.h5"));
  EXPECT_EQ(input.require_path("weights"), "/data/w.h5");
  EXPECT_EQ(deck.section("output").get_path("file", "recon.h5"), file("decks/recon.h5"));
  EXPECT_EQ(input.find_path("image"), std::nullopt);
  EXPECT_EQ(deck.folder(), file("decks"));
  EXPECT_EQ(deck.resolved(), "input:\n  sinogram: " + file("scan.h5") +
                                 "\n  weights: /data/w.h5\noutput:\n  file: " + file("decks/recon.h5") + "\n");
}

TEST_F(DeckFile, AFileThatCannotBeReadIsAnError) {
  EXPECT_EQ(message_of<InputError>([&] { Deck::load("/no/deck.yaml"); }),
            "/no/deck.yaml: cannot open the deck: No such file or directory");
  EXPECT_EQ(message_of<InputError>([&] { Deck::load(folder); }), folder.string() + ": expected a deck, got a folder");
}

}  // namespace
}  // namespace strata
