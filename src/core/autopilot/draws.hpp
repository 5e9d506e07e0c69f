// Random numbers that are the same on every machine and for any number of threads: each stream has its own seed.
#pragma once

#include <cstdint>

namespace casebase {

// SplitMix64 (Steele, Lea and Flood, 2014): one addition and three mixing steps per number.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t stream) : state_(seed) {
    state_ = next() ^ (0x9E3779B97F4A7C15u * (stream + 1));
  }

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  // A whole number below n; n is below 2^32, so the bias of the multiplication is negligible.
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32); }

  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace casebase
