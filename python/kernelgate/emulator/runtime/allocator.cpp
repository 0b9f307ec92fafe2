// Makes torch's CPU tensors guarded ones, while switched on. The only file that is compiled against torch.
// What was allocated under either allocator is released by its own, whenever that happens.
#include <sstream>  // c10/core/Allocator.h of torch 2.13 uses it unannounced
#include <c10/core/CPUAllocator.h>

extern "C" void* kernelgate_allocate(size_t bytes);
extern "C" void kernelgate_release(void* pointer);

namespace {

class GuardedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* memory = bytes ? kernelgate_allocate(bytes) : nullptr;
    TORCH_CHECK(memory || !bytes, "emulation: no memory for a guarded tensor of ", bytes, " bytes");
    return {memory, memory, &kernelgate_release, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &kernelgate_release; }
  void copy_data(void* target, const void* source, size_t bytes) const override {
    default_copy_data(target, source, bytes);
  }
};

GuardedAllocator guarded;
c10::Allocator* usual = nullptr;

}  // namespace

extern "C" void kernelgate_guard_tensors(int on) {
  constexpr uint8_t highest_priority = 255;
  if (!usual) usual = c10::GetCPUAllocator();
  c10::SetCPUAllocator(on ? &guarded : usual, highest_priority);
}
