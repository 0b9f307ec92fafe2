// torch::autograd::Node and what it keeps. Behind a node stands Python's own function, which `set_history` makes.
#pragma once
#include <c10/core/GradMode.h>
#include <c10/core/SymInt.h>
#include <c10/util/intrusive_ptr.h>
#include <kernelgate/operators.h>
#include <torch/types.h>

namespace torch::autograd {

using Variable = at::Tensor;
using variable_list = std::vector<at::Tensor>;

// The context of Python's function behind a node, while Python calls.
class Context {
 public:
  class During {
   public:
    During(Context& context, PyObject* python) : context_(context) { context_.python_ = python; }
    During(const During&) = delete;
    ~During() { context_.python_ = nullptr; }

   private:
    Context& context_;
  };
  // An item of one of its tuples.
  kernelgate::Object item(const char* name, size_t index) const {
    TORCH_CHECK(python_ != nullptr, "what a node keeps, and which gradients are wanted, is known in its apply() alone");
    const kernelgate::Object all = kernelgate::Object::borrowed(python_).attribute(name);
    return kernelgate::Object::taken(PySequence_GetItem(all.get(), static_cast<Py_ssize_t>(index)));
  }

 private:
  PyObject* python_ = nullptr;
};

// Kept by Python's context from `set_history` on, with its hooks and its look at versions. One that is made after that, as
// those for results are, keeps the tensor itself.
class SavedVariable {
 public:
  struct Slot {
    at::Tensor tensor;
    std::shared_ptr<Context> keeper;
    size_t index = 0;
  };

  SavedVariable() = default;
  SavedVariable(const at::Tensor& tensor, bool is_output)
      : slot_(std::make_shared<Slot>(Slot{is_output ? tensor.detach() : tensor})) {
    if (!is_output) waiting().push_back(slot_);
  }
  SavedVariable(const std::optional<at::Tensor>& tensor, bool is_output)
      : SavedVariable(tensor.value_or(at::Tensor()), is_output) {}
  at::Tensor unpack(const std::shared_ptr<struct Node>& = nullptr) const {
    if (!slot_) return {};
    return slot_->keeper ? kernelgate::tensor_or_none(slot_->keeper->item("saved_tensors", slot_->index).get())
                         : slot_->tensor;
  }
  void reset_data() { slot_.reset(); }

  // Those that no context has yet, in this thread.
  static std::vector<std::weak_ptr<Slot>>& waiting() {
    static thread_local std::vector<std::weak_ptr<Slot>> all;
    return all;
  }

 private:
  std::shared_ptr<Slot> slot_;
};

struct Edge {
  std::shared_ptr<struct Node> function;  // unknown here: the tensor knows it
  at::Tensor tensor;
};
using edge_list = std::vector<Edge>;

struct Node : std::enable_shared_from_this<Node> {
  Node() : first_saved_(SavedVariable::waiting().size()) {}
  virtual ~Node() = default;
  virtual std::string name() const { return "Node"; }
  virtual void release_variables() {}
  void set_next_edges(edge_list&& edges) { next_edges_ = std::move(edges); }
  bool task_should_compute_output(size_t input) const {
    return context_->item("needs_input_grad", input + kOwnArguments).get() == Py_True;
  }
  std::shared_ptr<Node> getptr() { return shared_from_this(); }

 protected:
  // Python's lock is held already, and one more could only wait for it.
  struct NoMutex {
    void lock() {}
    void unlock() {}
  };
  virtual variable_list apply(variable_list&& gradients) = 0;
  NoMutex mutex_;

 private:
  friend void set_history(const at::Tensor& made, const std::shared_ptr<Node>& node);
  static constexpr size_t kOwnArguments = 2;  // operators.py's forward and backward come before the program's
  size_t first_saved_;                        // what waits from here on was made for this node
  edge_list next_edges_;
  std::shared_ptr<Context> context_ = std::make_shared<Context>();
};

inline void deleteNode(Node* node) { delete node; }

template <typename... Tensors>
edge_list collect_next_edges(const Tensors&... tensors) {
  return {Edge{nullptr, std::optional<at::Tensor>(tensors).value_or(at::Tensor())}...};
}

}  // namespace torch::autograd
