// SMILE's scan of the memory, for Python.
#include "core/smile/smile.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/parallel.hpp"

using namespace casebase;

namespace {

constexpr std::size_t kQuestionsAtOnce = 16;
constexpr Label kNoLabel = 0xFFFFFFFFu;  // no case is left without the held-out one

// The state of a thread: its scan, its votes, and class frequencies from which a held-out case can be subtracted.
struct Answering {
  LatticeScan scan;
  Ballot ballot;
  std::vector<double> frequency;
  std::vector<std::uint32_t> asked;

  Answering(const MergedCases& cases, const double* class_frequency, std::size_t n_classes)
      : scan(cases),
        ballot(n_classes),
        frequency(class_frequency, class_frequency + n_classes),
        asked(cases.columns.size()) {}

  // The answer after `choose`: from the chosen sets, or from all cases if there are none.
  Choice decide(const std::uint32_t* rank) {
    ballot.clear();
    scan.vote(ballot);
    if (ballot.labels().empty())
      for (Label label = 0; label < frequency.size(); ++label)
        if (frequency[label] > 0.0) ballot.add(label, frequency[label]);
    if (ballot.labels().empty()) return {kNoLabel, false};
    return ballot.choose({frequency.data(), rank});
  }
};

struct BlockOfAnswers {
  std::vector<Label> label;
  std::vector<std::uint8_t> is_tied;
  std::vector<std::uint32_t> n_joints, n_votes;
  std::vector<Label> vote_label;
  std::vector<double> votes;

  void add(Answering& tool, const Choice& choice) {
    label.push_back(choice.label);
    is_tied.push_back(choice.is_tied);
    n_joints.push_back(static_cast<std::uint32_t>(tool.scan.chosen().size()));
    std::vector<Label> voted = tool.ballot.labels();
    std::sort(voted.begin(), voted.end());
    n_votes.push_back(static_cast<std::uint32_t>(voted.size()));
    for (const Label l : voted) {
      vote_label.push_back(l);
      votes.push_back(tool.ballot.votes(l));
    }
  }
};

template <class T>
void append(std::vector<T>& all, const std::vector<T>& part) {
  all.insert(all.end(), part.begin(), part.end());
}

// Merged cases, ready for questions. It keeps the arrays that it was built from.
class MemoryImages {
 public:
  MemoryImages(std::vector<AnyVector> columns, std::size_t n_rows, Vector<std::uint32_t> first_entry,
               Vector<Label> label, Vector<double> count, std::size_t n_classes)
      : columns_(std::move(columns)),
        first_entry_(std::move(first_entry)),
        label_(std::move(label)),
        count_(std::move(count)),
        n_classes_(n_classes) {
    cases_ = {as_columns(columns_, n_rows), n_rows, first_entry_.data(), label_.data(), count_.data(), {}};
    require(!cases_.columns.empty() && count_symbolic(cases_.columns) == cases_.columns.size(),
            "at least one column of codes, and none of numbers");
    require(n_rows > 0 && first_entry_.shape(0) == n_rows + 1 && first_entry_.data()[0] == 0 &&
                first_entry_.data()[n_rows] == label_.shape(0) && count_.shape(0) == label_.shape(0),
            "rows, classes and counts do not fit");
    for (std::size_t row = 0; row < n_rows; ++row) {
      require(
          first_entry_.data()[row] < first_entry_.data()[row + 1] && first_entry_.data()[row + 1] <= label_.shape(0),
          "every row has a class, and none has more than there are");
      double total = 0.0;
      for (auto e = first_entry_.data()[row]; e < first_entry_.data()[row + 1]; ++e) {
        require(label_.data()[e] < n_classes, "a label is out of range");
        require(std::isfinite(count_.data()[e]) && count_.data()[e] > 0.0, "counts must be finite and positive");
        total += count_.data()[e];
      }
      cases_.total.push_back(total);
    }
  }

  nb::dict answer(const std::vector<AnyVector>& arrays, std::size_t n_questions, double alpha, bool by_size,
                  const Vector<double>& frequency, const Vector<std::uint32_t>& rank, unsigned n_threads) const {
    const auto questions = checked(arrays, n_questions);
    check_classes(frequency, rank);
    std::vector<BlockOfAnswers> blocks((n_questions + kQuestionsAtOnce - 1) / kQuestionsAtOnce);
    const auto work = [&](Answering& tool, std::size_t block, std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q) {
        ask(tool, questions, q);
        tool.scan.choose(alpha, by_size);
        blocks[block].add(tool, tool.decide(rank.data()));
      }
    };
    {
      nb::gil_scoped_release unlocked;
      const auto make = [&] { return Answering(cases_, frequency.data(), n_classes_); };
      // A tool has arrays as long as the memory: a few questions at a time share one, if no other thread has it.
      const std::unique_lock<std::mutex> guard(spare_lock_, std::try_to_lock);
      if (n_questions <= kQuestionsAtOnce && guard.owns_lock()) {
        if (!spare_) spare_ = std::make_unique<Answering>(make());
        spare_->frequency.assign(frequency.data(), frequency.data() + n_classes_);
        if (n_questions > 0) work(*spare_, 0, 0, n_questions);
      } else {
        for_blocks(n_questions, kQuestionsAtOnce, n_threads, make, work);
      }
    }
    BlockOfAnswers all;
    for (const auto& block : blocks) {
      append(all.label, block.label);
      append(all.is_tied, block.is_tied);
      append(all.n_joints, block.n_joints);
      append(all.n_votes, block.n_votes);
      append(all.vote_label, block.vote_label);
      append(all.votes, block.votes);
    }
    nb::dict out;
    out["label"] = to_numpy(std::move(all.label));
    out["is_tied"] = to_numpy(std::move(all.is_tied));
    out["n_joints"] = to_numpy(std::move(all.n_joints));
    out["n_votes"] = to_numpy(std::move(all.n_votes));
    out["vote_label"] = to_numpy(std::move(all.vote_label));
    out["votes"] = to_numpy(std::move(all.votes));
    return out;
  }

  // The chosen sets of one question, the largest first: 64 features per word, and as many words per set as needed.
  auto joints(const std::vector<AnyVector>& arrays, std::size_t n_questions, std::size_t question, double alpha) const {
    const auto questions = checked(arrays, n_questions);
    require(question < n_questions, "there is no such question");
    std::vector<std::uint64_t> words;
    {
      nb::gil_scoped_release unlocked;
      const std::vector<double> no_frequency(n_classes_);
      Answering tool(cases_, no_frequency.data(), n_classes_);
      ask(tool, questions, question);
      tool.scan.choose(alpha, false);
      for (const auto number : tool.scan.chosen())
        words.insert(words.end(), tool.scan.mask(number), tool.scan.mask(number) + tool.scan.n_words());
    }
    return to_numpy(std::move(words));
  }

  // The leave-one-out class of each entry for every alpha; an entry that stands for several cases loses one of them.
  auto leave_one_out(const Vector<std::uint32_t>& entries, const Vector<std::uint32_t>& missing,
                     const Vector<double>& alphas, bool by_size, const Vector<double>& frequency,
                     const Vector<std::uint32_t>& rank, unsigned n_threads) const {
    check_classes(frequency, rank);
    require(missing.shape(0) == cases_.columns.size(), "one code per column says which value is missing");
    const std::size_t n = entries.shape(0), n_alphas = alphas.shape(0);
    for (std::size_t i = 0; i < n; ++i) require(entries.data()[i] < label_.shape(0), "there is no such entry");
    std::vector<Label> labels(n * n_alphas);
    {
      nb::gil_scoped_release unlocked;
      for_blocks(
          n, kQuestionsAtOnce, n_threads, [&] { return Answering(cases_, frequency.data(), n_classes_); },
          [&](Answering& tool, std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
              const HeldOutEntry out = held_out(entries.data()[i]);
              for (std::size_t f = 0; f < cases_.columns.size(); ++f) {
                const auto code = cases_.columns[f].code(out.row);
                tool.asked[f] = code == missing.data()[f] ? 0xFFFFFFFFu : code;
              }
              tool.frequency[out.label] -= out.count;
              tool.scan.look_at(tool.asked.data(), &out);
              if (n_alphas > 1) tool.scan.sum_pools();
              for (std::size_t a = 0; a < n_alphas; ++a) {
                tool.scan.choose(alphas.data()[a], by_size);
                labels[i * n_alphas + a] = tool.decide(rank.data()).label;
              }
              tool.frequency[out.label] = frequency.data()[out.label];
            }
          });
    }
    return to_numpy(std::move(labels));
  }

 private:
  std::vector<Column> checked(const std::vector<AnyVector>& arrays, std::size_t n_questions) const {
    auto questions = as_columns(arrays, n_questions);
    require(questions.size() == cases_.columns.size(), "questions must have one column per column of the memory");
    for (std::size_t f = 0; f < questions.size(); ++f)
      require(questions[f].width == cases_.columns[f].width, "question columns must have the memory's types");
    return questions;
  }

  void check_classes(const Vector<double>& frequency, const Vector<std::uint32_t>& rank) const {
    require(frequency.shape(0) == n_classes_ && rank.shape(0) == n_classes_,
            "class frequencies and ranks must have one number per class");
  }

  static void ask(Answering& tool, const std::vector<Column>& questions, std::size_t q) {
    for (std::size_t f = 0; f < questions.size(); ++f) tool.asked[f] = questions[f].code(q);
    tool.scan.look_at(tool.asked.data());
  }

  HeldOutEntry held_out(std::uint32_t entry) const {
    const auto* first = first_entry_.data();
    const auto row = std::upper_bound(first, first + first_entry_.shape(0), entry) - first - 1;
    return {static_cast<std::size_t>(row), label_.data()[entry], std::min(1.0, count_.data()[entry])};
  }

  std::vector<AnyVector> columns_;
  Vector<std::uint32_t> first_entry_;
  Vector<Label> label_;
  Vector<double> count_;
  std::size_t n_classes_;
  MergedCases cases_;
  mutable std::mutex spare_lock_;
  mutable std::unique_ptr<Answering> spare_;
};

}  // namespace

void bind_smile(nb::module_& m) {
  nb::class_<MemoryImages>(m, "MemoryImages")
      .def(nb::init<std::vector<AnyVector>, std::size_t, Vector<std::uint32_t>, Vector<Label>, Vector<double>,
                    std::size_t>(),
           nb::arg("columns"), nb::arg("n_rows"), nb::arg("first_entry"), nb::arg("label"), nb::arg("count"),
           nb::arg("n_classes"))
      .def("answer", &MemoryImages::answer, nb::arg("columns"), nb::arg("n_questions"), nb::arg("alpha"),
           nb::arg("by_size"), nb::arg("frequency"), nb::arg("rank"), nb::arg("n_threads"))
      .def("joints", &MemoryImages::joints, nb::arg("columns"), nb::arg("n_questions"), nb::arg("question"),
           nb::arg("alpha"))
      .def("leave_one_out", &MemoryImages::leave_one_out, nb::arg("entries"), nb::arg("missing"), nb::arg("alphas"),
           nb::arg("by_size"), nb::arg("frequency"), nb::arg("rank"), nb::arg("n_threads"));
}
