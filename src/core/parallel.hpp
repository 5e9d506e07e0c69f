// Independent pieces of work, shared out to threads in blocks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace casebase {

// Calls work(block, begin, end) for consecutive blocks of [0, n). Which thread takes a block is left to
// chance, so results must be stored by block number. The first exception is passed on to the caller.
template <class Work>
void for_blocks(std::size_t n, std::size_t block_size, unsigned n_threads, Work&& work) {
  const std::size_t n_blocks = (n + block_size - 1) / block_size;
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  auto take_blocks = [&] {
    try {
      for (std::size_t b; (b = next.fetch_add(1)) < n_blocks;)
        work(b, b * block_size, std::min(n, (b + 1) * block_size));
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
    for (std::size_t t = 1; t < wanted; ++t) helpers.emplace_back(take_blocks);
  } catch (const std::system_error&) {
    // The system has no more threads to give: those that run do all of the work.
  }
  take_blocks();
  for (auto& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace casebase
