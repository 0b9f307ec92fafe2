"""CUDA C++ to C++: rewrites launches, shared memory, PTX and host code by position, and names what it refuses."""
