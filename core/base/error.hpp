/// Exceptions. Each message says in one sentence where, what was expected and what was found.
#pragma once

#include <stdexcept>
#include <string>

#include "core/base/text.hpp"

namespace strata {

/// What a program returns for an error, see docs/interface.
enum class ExitCode : int {
  ok = 0,
  failed = 1,     ///< a comparison beyond tolerance, or an internal error
  bad_input = 2,  ///< deck, file, shapes or values of the user
  no_memory = 3,  ///< a device or the host has not enough
  cannot_write = 4,
  interrupted = 130
};

class Error : public std::runtime_error {
 public:
  explicit Error(std::string const& message, ExitCode code = ExitCode::failed)
      : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// The user's input is wrong: exit code 2.
class InputError : public Error {
 public:
  explicit InputError(std::string const& message) : Error(message, ExitCode::bad_input) {}
};

/// A problem does not fit a device or the host: exit code 3.
class MemoryError : public Error {
 public:
  explicit MemoryError(std::string const& message) : Error(message, ExitCode::no_memory) {}
};

/// An output could not be written: exit code 4.
class WriteError : public Error {
 public:
  explicit WriteError(std::string const& message) : Error(message, ExitCode::cannot_write) {}
};

/// Thrown at the next safe point after SIGINT or SIGTERM: exit code 130.
class Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted", ExitCode::interrupted) {}
};

/// Throws InputError when `condition` is false; the message is the parts joined.
template <class... Parts>
void require(bool condition, Parts const&... parts) {
  if (!condition) throw InputError(text(parts...));
}

/// Throws Error (a defect of ours, exit code 1) when `condition` is false.
template <class... Parts>
void ensure(bool condition, Parts const&... parts) {
  if (!condition) throw Error(text("internal error: ", parts...));
}

}  // namespace strata
