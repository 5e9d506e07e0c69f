// Beam search: the most probable tag sequences of a sentence prefix.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace casebase {

class Beam {
 public:
  // A tag sequence up to some word, as the last link of a list, and its probability.
  struct Path {
    std::size_t last;
    double probability;
  };

  explicit Beam(std::size_t width) : width_(width) {}

  std::size_t width() const { return width_; }
  const std::vector<Path>& paths() const { return paths_; }

  void start() {
    links_.clear();
    next_.clear();
    paths_.assign(1, {kNoLink, 1.0});
  }

  // Offers one extension of a path. It is kept if it is better than the worst one in a full beam; ties go to the
  // earlier.
  void offer(const Path& path, std::uint32_t tag, double share) {
    const double probability = path.probability * share;
    if (next_.size() == width_ && !(probability > next_.back().probability)) return;
    if (next_.size() == width_) next_.pop_back();
    const auto place = std::upper_bound(next_.begin(), next_.end(), probability,
                                        [](double p, const Path& other) { return p > other.probability; });
    next_.insert(place, {links_.size(), probability});
    links_.push_back({tag, path.last});
  }

  // Moves to the next word: the offered extensions become the paths.
  void advance() {
    std::swap(paths_, next_);
    next_.clear();
    // Only proportions matter, so probabilities are rescaled: long sentences would underflow.
    if (paths_[0].probability < kFaint)
      for (Path& path : paths_) path.probability /= kFaint;
  }

  // The tags of a path, from its last word, before `token`, back to the first.
  void write_tags(const Path& path, std::size_t token, std::size_t first, std::uint32_t* tags) const {
    for (std::size_t link = path.last; token > first; link = links_[link].before) tags[--token] = links_[link].tag;
  }

 private:
  // The tag of a word, and the link of the word before.
  struct Link {
    std::uint32_t tag;
    std::size_t before;
  };

  static constexpr std::size_t kNoLink = static_cast<std::size_t>(-1);
  static constexpr double kFaint = 0x1p-500;

  std::size_t width_;
  std::vector<Path> paths_, next_;
  std::vector<Link> links_;
};

}  // namespace casebase
