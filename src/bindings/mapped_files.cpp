// Files that are mapped into memory, and that other programs truncate: the system then sends SIGBUS to whoever reads
// what is not there any more. For a watched file, the handler puts zeros there and marks the file; whoever asked for an
// answer looks at the mark before he gives it. Signals of other addresses go to the handler that was there before.
#include <nanobind/nanobind.h>

#if !defined(_WIN32) && !defined(__EMSCRIPTEN__)
#define CASEBASE_HAS_BUS_ERRORS
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>

namespace nb = nanobind;

namespace {

// Regions are never freed, so the handler may walk along them at any time; one that is not in use has no bytes.
struct Region {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> is_damaged{false};
  Region* next = nullptr;
};

std::atomic<Region*> regions{nullptr};
std::mutex changing;
bool is_used(const Region& region) { return region.end.load() != 0; }

Region* watch(std::uintptr_t address, std::size_t n_bytes) {
  const std::lock_guard<std::mutex> guard(changing);
  Region* region = regions.load();
  while (region != nullptr && is_used(*region)) region = region->next;
  const bool is_new = region == nullptr;
  if (is_new) region = new Region;
  region->is_damaged = false;
  region->begin = address;
  region->end = address + n_bytes;
  if (is_new) {
    region->next = regions.load();
    regions = region;
  }
  return region;
}

void unwatch(Region* region) {
  const std::lock_guard<std::mutex> guard(changing);
  region->end = 0;
}

#if defined(CASEBASE_HAS_BUS_ERRORS)

constexpr char kTruncated[] =
    "Error: a file in use was truncated or cannot be read any more, and its content in memory is gone. Nothing was "
    "changed. Write model files under another name and rename them, as casebase does.\n";

std::atomic<bool> ends_process{false};
struct sigaction earlier;  // what was there before our handler
std::uintptr_t page_size = 0;
thread_local bool is_passing_on = false;

bool put_zeros(std::uintptr_t address) {
  for (Region* region = regions.load(); region != nullptr; region = region->next) {
    const std::uintptr_t begin = region->begin.load(), end = region->end.load();
    if (address < begin || address >= end) continue;
    region->is_damaged = true;
    // All that follows is gone too, or is not worth reading any more.
    const std::uintptr_t page = address & ~(page_size - 1);
    return mmap(reinterpret_cast<void*>(page), end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
           MAP_FAILED;
  }
  return false;
}

void end_as_without_us(int number) {
  signal(number, SIG_DFL);
  raise(number);  // comes when the handler returns; a bad access is also repeated
}

void pass_on(int number, siginfo_t* info, void* context) {
  if (is_passing_on) return end_as_without_us(number);  // the earlier one has passed it on to us
  is_passing_on = true;
  if (earlier.sa_flags & SA_SIGINFO) {
    earlier.sa_sigaction(number, info, context);
  } else if (earlier.sa_handler == SIG_DFL || (earlier.sa_handler == SIG_IGN && info->si_code > 0)) {
    end_as_without_us(number);
  } else if (earlier.sa_handler != SIG_IGN) {
    earlier.sa_handler(number);
  }
  is_passing_on = false;
}

void on_bus_error(int number, siginfo_t* info, void* context) {
  if (info->si_code > 0) {  // of an access, not sent by a program
    if (ends_process) {
      const auto written = write(2, kTruncated, sizeof kTruncated - 1);
      _exit(written > 0 ? 1 : 2);
    }
    if (put_zeros(reinterpret_cast<std::uintptr_t>(info->si_addr))) return;
  }
  pass_on(number, info, context);
}

// Takes SIGBUS, unless it has it: another library may have taken it in between.
void hear_bus_errors() {
  struct sigaction now;
  if (sigaction(SIGBUS, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_bus_error) return;
  const std::lock_guard<std::mutex> guard(changing);
  page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  earlier = now;
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGBUS, &action, nullptr);
}

// While it is on, an access to what is gone ends the process with a message, whatever was mapped.
void explain_bus_errors(bool is_on) {
  ends_process = is_on;
  if (is_on) hear_bus_errors();
}

#else

void hear_bus_errors() {}
void explain_bus_errors(bool) {}

#endif

// The memory of a mapped file, from its beginning; it is watched as long as the object lives.
class WatchedMemory {
 public:
  WatchedMemory(std::uintptr_t address, std::size_t n_bytes) : region_(watch(address, n_bytes)) { hear_bus_errors(); }
  ~WatchedMemory() { unwatch(region_); }
  WatchedMemory(const WatchedMemory&) = delete;
  WatchedMemory& operator=(const WatchedMemory&) = delete;
  bool is_damaged() const { return region_->is_damaged.load(); }

 private:
  Region* region_;
};

}  // namespace

void bind_mapped_files(nb::module_& m) {
  m.def("explain_bus_errors", explain_bus_errors, nb::arg("is_on"));
  m.def("hear_bus_errors", hear_bus_errors);
  nb::class_<WatchedMemory>(m, "WatchedMemory")
      .def(nb::init<std::uintptr_t, std::size_t>(), nb::arg("address"), nb::arg("n_bytes"))
      .def_prop_ro("is_damaged", &WatchedMemory::is_damaged);
}
