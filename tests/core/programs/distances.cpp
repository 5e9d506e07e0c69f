// Prints the cosine distance of stored rows from one question, each as its bits, for a test of how they round.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/neighbours/similarity.hpp"

using namespace casebase;

namespace {

std::vector<double> numbers_from(const char* text) {
  std::vector<double> numbers;
  for (char* end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end)
    numbers.push_back(std::strtod(text, &end));
  return numbers;
}

}  // namespace

// The arguments are lists of numbers: the weights, the question, then the values of each feature.
int main(int n_arguments, char** arguments) {
  const std::vector<double> weights = numbers_from(arguments[1]), asked = numbers_from(arguments[2]);
  std::vector<std::vector<double>> stored;
  for (int i = 3; i < n_arguments; ++i) stored.push_back(numbers_from(arguments[i]));
  std::vector<Column> columns;
  std::vector<std::uint32_t> order;
  for (const std::vector<double>& column : stored) {
    order.push_back(static_cast<std::uint32_t>(columns.size()));
    columns.push_back({column.data(), Column::Width::f64});
  }
  std::vector<double> distances(stored[0].size());
  similarity_distances(Similarity::cosine, columns.data(), asked.data(), weights.data(), order.data(), columns.size(),
                       0, distances.size(), distances.data());
  for (const double distance : distances) {
    std::uint64_t bits;
    std::memcpy(&bits, &distance, sizeof bits);
    std::printf("%016llx\n", static_cast<unsigned long long>(bits));
  }
  return 0;
}
