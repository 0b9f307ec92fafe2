// Variables by address: see variables.h. The dynamic symbols of a library name no `static` variable, so that its file is
// read for all of them, once.
#include "variables.h"
#include <algorithm>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <list>
#include <string.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace kernelgate {

namespace {

struct Library {
  const char* base;
  const char *begin = nullptr, *end = nullptr;  // of all that is mapped
  std::vector<Variable> variables = {};         // by address
};

std::list<Library> libraries;  // their places stay

bool starts_with(const char* text, const char* first) { return strncmp(text, first, strlen(first)) == 0; }

bool is_of_program(const char* symbol) {
  // The shim's own, the guard of a static's first use, what the compiler makes of classes.
  return !strstr(symbol, "kernelgate") && !starts_with(symbol, "_ZGV") && !starts_with(symbol, "_ZT");
}

// The part of a file that a section names, if it lies in the file.
const char* part(const char* file, size_t file_bytes, const ElfW(Shdr) & section) {
  const bool inside = section.sh_offset <= file_bytes && section.sh_size <= file_bytes - section.sh_offset;
  return inside ? file + section.sh_offset : nullptr;
}

void add_variables(Library& library, const char* file, size_t bytes) {
  ElfW(Ehdr) head;
  if (bytes < sizeof head) return;
  memcpy(&head, file, sizeof head);
  if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_shentsize != sizeof(ElfW(Shdr))) return;
  if (head.e_shoff > bytes || head.e_shnum > (bytes - head.e_shoff) / sizeof(ElfW(Shdr))) return;
  std::vector<ElfW(Shdr)> sections(head.e_shnum);
  memcpy(sections.data(), file + head.e_shoff, sections.size() * sizeof(ElfW(Shdr)));
  if (head.e_shstrndx >= sections.size()) return;
  const ElfW(Shdr) & titles = sections[head.e_shstrndx];
  const char* title = part(file, bytes, titles);
  for (const ElfW(Shdr) & section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size() || !title) continue;
    const ElfW(Shdr) & texts = sections[section.sh_link];
    const char *symbols = part(file, bytes, section), *text = part(file, bytes, texts);
    if (!symbols || !text || !texts.sh_size || text[texts.sh_size - 1]) continue;
    for (size_t i = 0; i < section.sh_size / sizeof(ElfW(Sym)); i++) {
      ElfW(Sym) symbol;
      memcpy(&symbol, symbols + i * sizeof symbol, sizeof symbol);
      if ((symbol.st_info & 15) != STT_OBJECT || !symbol.st_size || symbol.st_name >= texts.sh_size) continue;
      if (symbol.st_shndx >= sections.size()) continue;
      const ElfW(Word) name = sections[symbol.st_shndx].sh_name;
      // What the loader has written once is no more writable than what the compiler has.
      const bool writable = name < titles.sh_size && (!strcmp(title + name, ".data") || !strcmp(title + name, ".bss"));
      const char* of = text + symbol.st_name;
      library.variables.push_back(
          {const_cast<char*>(library.base) + symbol.st_value, symbol.st_size, of, writable, is_of_program(of)});
    }
  }
  std::sort(library.variables.begin(), library.variables.end(),
            [](const Variable& a, const Variable& b) { return a.begin < b.begin; });
}

// The file stays mapped: names of variables are in it.
void read_file(Library& library, const char* path) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat about;
  if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
    const size_t bytes = static_cast<size_t>(about.st_size);
    const void* file = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (file != MAP_FAILED) add_variables(library, static_cast<const char*>(file), bytes);
  }
  close(descriptor);
}

int set_bounds(dl_phdr_info* info, size_t, void* library_pointer) {
  Library& library = *static_cast<Library*>(library_pointer);
  const char* base = reinterpret_cast<const char*>(info->dlpi_addr);
  if (base != library.base) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) & segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD) library.end = std::max(library.end, base + segment.p_vaddr + segment.p_memsz);
  }
  library.begin = base;
  return 1;
}

Library* library_of(const void* pointer) {
  static Library* latest = nullptr;
  const char* address = static_cast<const char*>(pointer);
  if (latest && address >= latest->begin && address < latest->end) return latest;
  for (Library& library : libraries)
    if (address >= library.begin && address < library.end) return latest = &library;
  Dl_info place;
  if (!dladdr(pointer, &place) || !place.dli_fbase) return nullptr;
  Library found{static_cast<const char*>(place.dli_fbase)};
  dl_iterate_phdr(set_bounds, &found);
  if (!found.begin || address >= found.end) return nullptr;
  // Libraries of the system have many, and none that a kernel may touch.
  const std::string path = place.dli_fname ? place.dli_fname : "";
  if (path.find("/extension-") != std::string::npos || path.find("/once-") != std::string::npos)
    read_file(found, path.c_str());
  libraries.push_back(std::move(found));
  return latest = &libraries.back();
}

const Variable* in(const Library& library, const char* address) {
  const auto after = std::upper_bound(library.variables.begin(), library.variables.end(), address,
                                      [](const char* at, const Variable& each) { return at < each.begin; });
  if (after == library.variables.begin()) return nullptr;
  const Variable& found = *std::prev(after);
  return address < found.begin + found.bytes ? &found : nullptr;
}

}  // namespace

const Variable* find_variable(const char* address, bool& in_library) {
  const Library* library = library_of(address);
  in_library = library != nullptr;
  return library ? in(*library, address) : nullptr;
}

const Variable* find_variable_before(const char* address) {
  constexpr size_t near_bytes = 64;  // by which compilers align what lies side by side
  const Library* library = library_of(address);
  if (!library) return nullptr;
  const auto after = std::upper_bound(library->variables.begin(), library->variables.end(), address,
                                      [](const char* at, const Variable& each) { return at < each.begin; });
  if (after == library->variables.begin()) return nullptr;
  const Variable& found = *std::prev(after);
  const bool is_near = address < found.begin + found.bytes + near_bytes;
  return is_near && found.writable && found.of_program ? &found : nullptr;
}

const Variable* find_own_variable(const char* address, const void* code) {
  const Library* library = library_of(code);
  if (!library || address < library->begin || address >= library->end) return nullptr;
  const Variable* found = in(*library, address);
  return found && found->writable && found->of_program ? found : nullptr;
}

}  // namespace kernelgate
