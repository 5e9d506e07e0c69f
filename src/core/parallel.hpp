// Parallel loops: independent work, distributed over threads in blocks.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace casebase {

// Called between two blocks by the thread that began a loop, ten times a second, and within long work; an exception
// ends the loop. The Python module hears Ctrl-C here.
inline void (*between_blocks)() = nullptr;

// Calls between_blocks ten times a second within long work of one thread. The work says how many operations of some
// nanoseconds it has done, so that the clock is not asked often.
class Listener {
 public:
  void operator()(std::size_t n_operations) {
    n_done_ += n_operations;
    if (n_done_ < kBetweenLooks || between_blocks == nullptr) return;
    n_done_ = 0;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    between_blocks();
  }

 private:
  static constexpr std::size_t kBetweenLooks = std::size_t{1} << 20;
  std::size_t n_done_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Calls work(tool, block, begin, end) for consecutive blocks of [0, n); each thread has its own tool. Any thread may
// take any block, so results must be stored by block number. The first exception is rethrown to the caller.
template <class MakeTool, class Work>
void for_blocks(std::size_t n, std::size_t block_size, unsigned n_threads, MakeTool&& make_tool, Work&& work) {
  const std::size_t n_blocks = (n + block_size - 1) / block_size;
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  auto take_blocks = [&](bool is_caller) {
    try {
      auto tool = make_tool();
      auto last = std::chrono::steady_clock::now();
      for (std::size_t b; (b = next.fetch_add(1)) < n_blocks;) {
        work(tool, b, b * block_size, std::min(n, (b + 1) * block_size));
        if (!is_caller || between_blocks == nullptr) continue;
        const auto now = std::chrono::steady_clock::now();
        if (now - last < std::chrono::milliseconds(100)) continue;
        last = now;
        between_blocks();
      }
    } catch (...) {
      const std::lock_guard<std::mutex> guard(failure_lock);
      failure = std::current_exception();
      next = n_blocks;
    }
  };
  const std::size_t wanted = std::min<std::size_t>(n_threads, n_blocks);
  std::vector<std::thread> helpers;
  helpers.reserve(wanted);
  try {
    for (std::size_t t = 1; t < wanted; ++t) helpers.emplace_back(take_blocks, false);
  } catch (const std::system_error&) {
    // The system cannot start more threads: the running ones do all of the work.
  }
  take_blocks(true);
  for (auto& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

template <class Work>
void for_blocks(std::size_t n, std::size_t block_size, unsigned n_threads, Work&& work) {
  for_blocks(
      n, block_size, n_threads, [] { return 0; },
      [&](int, std::size_t block, std::size_t begin, std::size_t end) { work(block, begin, end); });
}

}  // namespace casebase
