// The k smallest distinct distances found so far, or fewer of them that hold enough rows, and the rows at each.
//
// In ascending order, a distance closer than kEpsilon to the first of its group belongs to the group. So the groups do
// not depend on the order in which rows are found. Joining is not associative: the groups of several parts of a memory
// are joined from the distances of all parts, each with those that belong to its own first k groups. More rows only
// move the first distance of each group down, so no other distance can belong to the first k groups of all parts.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace casebase {

struct Group {
  double distance;
  std::vector<Row> rows;
};

inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

class NearGroups {
 public:
  // Groups are kept until there are k of them, or until they hold `enough` rows.
  void clear(std::size_t k, std::size_t enough = kNoLimit) {
    k_ = k;
    enough_ = enough;
    near_.clear();
    waiting_.clear();
    groups_.clear();
  }

  // Adds a row at a distance. Returns the last distance of interest if it is known and may have changed, else a
  // negative number. Among few distances a row takes its place at once; among many it waits for others, and all take
  // theirs together, because each time costs as much as there are distances.
  double note(Row row, double d) {
    if (near_.size() >= kFew) {
      waiting_.push_back({d, row});
      return waiting_.size() < near_.size() / 4 ? -1.0 : settle();
    }
    const auto place = std::lower_bound(near_.begin(), near_.end(), d,
                                        [](const Group& group, double limit) { return group.distance < limit; });
    if (place != near_.end() && place->distance == d) {
      place->rows.push_back(row);
      return enough_ == kNoLimit ? -1.0 : drop_the_rest();
    }
    near_.insert(place, Group{d, {row}});
    return drop_the_rest();
  }

  // Puts the rows at each distance into ascending order, whatever the order in which they were found.
  void sort_rows() {
    settle();
    for (Group& found : near_)
      if (found.rows.size() > 1) std::sort(found.rows.begin(), found.rows.end());
  }

  // The groups by ascending distance. The reference is valid until the next `clear`.
  const std::vector<Group>& joined() {
    settle();
    for (Group& found : near_) {
      if (groups_.empty() || found.distance - groups_.back().distance >= kEpsilon)
        groups_.push_back(std::move(found));
      else
        groups_.back().rows.insert(groups_.back().rows.end(), found.rows.begin(), found.rows.end());
    }
    return groups_;
  }

  // The distances of these groups, each with its rows.
  const std::vector<Group>& raw() {
    settle();
    return near_;
  }

 private:
  static constexpr std::size_t kFew = 64;

  struct Waiting {
    double distance;
    Row row;
  };

  // Puts the rows that wait into their groups; rows at one distance stay in the order in which they were found.
  double settle() {
    if (waiting_.empty()) return -1.0;
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [](const Waiting& a, const Waiting& b) { return a.distance < b.distance; });
    std::vector<Group> all;
    all.reserve(near_.size() + waiting_.size());
    auto next = near_.begin();
    for (const Waiting& found : waiting_) {
      for (; next != near_.end() && next->distance <= found.distance; ++next) all.push_back(std::move(*next));
      if (!all.empty() && all.back().distance == found.distance)
        all.back().rows.push_back(found.row);
      else
        all.push_back({found.distance, {found.row}});
    }
    for (; next != near_.end(); ++next) all.push_back(std::move(*next));
    near_ = std::move(all);
    waiting_.clear();
    return drop_the_rest();
  }

  // A new distance can only move the first distance of each group down, so what is dropped here is never needed again.
  double drop_the_rest() {
    if (near_.size() < k_ && enough_ == kNoLimit) return -1.0;
    std::size_t n_groups = 0, n_rows = 0;
    double first = 0.0;
    for (std::size_t i = 0; i < near_.size(); ++i) {
      if (n_groups == 0 || near_[i].distance - first >= kEpsilon) {
        if (n_groups == k_ || n_rows >= enough_) {
          near_.resize(i);
          break;
        }
        ++n_groups;
        first = near_[i].distance;
      }
      n_rows += near_[i].rows.size();
    }
    return n_groups == k_ || n_rows >= enough_ ? first : -1.0;
  }

  std::size_t k_ = 1, enough_ = kNoLimit;
  std::vector<Group> near_;  // by ascending distance, not yet joined
  std::vector<Waiting> waiting_;
  std::vector<Group> groups_;
};

}  // namespace casebase
