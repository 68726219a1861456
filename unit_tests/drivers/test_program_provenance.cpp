#include <gtest/gtest.h>

#include <regex>
#include <thread>

#include "core/base/error.hpp"
#include "core/io/hdf5_file.hpp"
#include "core/placement/memory.hpp"
#include "drivers/support/memory_meter.hpp"
#include "drivers/support/provenance.hpp"

namespace strata {
namespace {

void wait() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

TEST(Provenance, PhasesExcludeEachOtherAndAddUpToTheTotal) {
  Provenance provenance;
  {
    PhaseTimer const outer(provenance, Phase::compute);
    wait();
    {
      PhaseTimer const inner(provenance, Phase::write);
      wait();
    }
    wait();
  }
  double const compute = provenance.seconds(Phase::compute);
  double const write = provenance.seconds(Phase::write);

  EXPECT_GE(compute, 0.04);
  EXPECT_GE(write, 0.02);
  EXPECT_EQ(provenance.seconds(Phase::read), 0);
  EXPECT_NEAR(provenance.seconds_total(), compute + write + provenance.seconds(Phase::setup), 0.005);
}

TEST(Provenance, EveryAttributeOfTheInterfaceIsWritten) {
  std::string const path = testing::TempDir() + "strata_provenance.h5";
  AtomicHdf5Writer writer(path);
  Provenance provenance;
  provenance.num_devices = 3;
  write_provenance(writer, provenance);
  writer.commit();

  Hdf5File const file(path);
  for (char const* name : {"version", "git_hash", "backend", "kokkos_version", "device_summary", "start_time",
                           "seconds_total", "seconds_read", "seconds_setup", "seconds_compute", "seconds_write",
                           "peak_host_bytes", "peak_device_bytes", "estimated_device_bytes"})
    EXPECT_TRUE(file.has_attribute("/provenance", name)) << name;
  EXPECT_EQ(file.numbers_attribute("/provenance", "peak_device_bytes").size(), 3u);
  EXPECT_GT(file.number_attribute("/provenance", "peak_host_bytes"), 1e6);
  std::regex const iso(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)");
  EXPECT_TRUE(std::regex_match(file.string_attribute("/provenance", "start_time"), iso));
}

TEST(Provenance, ParametersAreWhatTheRunUsedWithTheirTypes) {
  std::string const path = testing::TempDir() + "strata_parameters.h5";
  Deck const deck = Deck::parse("a: {list: [1.5, 2], flag: true}\n");
  auto const section = deck.section("a");
  section.get<std::vector<double>>("list", {});
  section.get("flag", false);
  section.get("missing", 7);
  section.record("many", std::vector<double>(20000, 0.1));
  AtomicHdf5Writer writer(path);
  write_parameters(writer, deck);
  writer.commit();

  Hdf5File const file(path);
  EXPECT_EQ(file.numbers_attribute("/parameters", "a.list"), (std::vector<double>{1.5, 2}));
  EXPECT_EQ(file.string_attribute("/parameters", "a.flag"), "true");
  EXPECT_EQ(file.number_attribute("/parameters", "a.missing"), 7);
  EXPECT_FALSE(file.has_attribute("/parameters", "a.many"));
  EXPECT_EQ(file.string_attribute("/parameters", "deck"), deck.resolved());
}

TEST(MemoryMeter, CountsArraysOfOursAndRemembersThePeak) {
  start_memory_meter();
  start_memory_meter();  // a second call counts nothing twice
  Index const before = current_device_bytes();
  {
    ExecSpace const exec;
    auto const array = make_view<Array1<float>>(exec, "strata::test::array", 1 << 20);
    EXPECT_GE(current_device_bytes(), before + (1 << 22));
    EXPECT_LE(current_device_bytes(), before + (1 << 22) + 4096);
  }

  EXPECT_EQ(current_device_bytes(), before);
  EXPECT_GE(peak_device_bytes(), before + (1 << 22));
}

TEST(Provenance, BytesAreReadable) {
  EXPECT_EQ(bytes_text(512), "512 bytes");
  EXPECT_EQ(bytes_text(1.5e9), "1.50 GB");
  EXPECT_EQ(bytes_text(23.44e6), "23.4 MB");
}

}  // namespace
}  // namespace strata
