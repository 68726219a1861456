#include "drivers/support/program.hpp"

#include <new>
#include <optional>

#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"
#include "core/placement/instances.hpp"
#include "drivers/support/memory_meter.hpp"
#include "drivers/support/runtime.hpp"

namespace strata {
namespace {

/// The error line is shown whatever the log level.
int report(std::string const& message, ExitCode code) {
  if (log::level() > log::Level::error) log::set_level(log::Level::error);
  log::error(message);
  return static_cast<int>(code);
}

/// Kokkos tells a failed allocation by its words only.
bool is_failed_allocation(std::exception const& error) {
  return std::string(error.what()).find("memory space failed to allocate") != std::string::npos;
}

std::string memory_sentence(std::string const& what) {
  return text("not enough memory: ", what, "; so far the run has used up to ", bytes_text(double(peak_host_bytes())),
              " on the host and ", bytes_text(double(peak_device_bytes())), " on the devices");
}

void run(char** argv, ProgramInfo const& info, ProgramOptions const& options, ProgramBody const& body) {
  std::optional<KokkosRuntime> kokkos;
  if (info.uses_devices) {
    auto const missing = missing_device();
    require(missing.empty(), missing, "; use a build of preset openmp");
    unbind_threads(argv);
    kokkos.emplace();
  }
  InterruptGuard const interrupt;
  ProgramContext context(info, options);
  body(context);
}

}  // namespace

int run_program(int argc, char** argv, ProgramInfo const& info, ProgramBody const& body) {
  try {
    auto const options = parse_options(argc, argv, info);
    if (options) run(argv, info, *options, body);
    return static_cast<int>(ExitCode::ok);
  } catch (Error const& error) {
    return report(error.what(), error.code());
  } catch (std::bad_alloc const&) {
    return report(memory_sentence("an allocation on the host failed"), ExitCode::no_memory);
  } catch (std::exception const& error) {
    if (is_failed_allocation(error)) return report(memory_sentence(error.what()), ExitCode::no_memory);
    return report(text("internal error: ", error.what()), ExitCode::failed);
  }
}

}  // namespace strata
