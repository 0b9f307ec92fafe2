"""CUDA C++ to C++: launches, shared memory, PTX and host code rewritten by position; what is refused is said."""
