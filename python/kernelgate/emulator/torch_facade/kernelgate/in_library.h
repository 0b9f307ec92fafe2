// Marks what is compiled once, in the facade's own library (runtime/facade.cpp), and not in each of a program's units.
// Only names of namespace kernelgate may be: those of at:: and c10:: are torch's own in the same process.
#pragma once
#define KERNELGATE_IN_LIBRARY __attribute__((visibility("default")))
