// What was found wrong while the process lives on, kept until it is asked for; and the parts that every line has.
#pragma once
#include "line.h"
#include "memory.h"
#include "scheduler.h"

namespace kernelgate {

void add_finding(Line& line);  // ends the line
// What was kept, one line after the other. Allocates nothing, so that a signal handler may ask.
size_t copy_findings(char* out, size_t capacity);

void describe_thread(Line& line, const Thread& thread);
// Where a thread's memory is: a tensor, by the name of the parameter that points into it, or a shared object.
void describe_tensor(Line& line, const Worker* worker, const Region& tensor);
void describe_shared(Line& line, const SharedObject& object);
// Library and offset of an instruction, under names that begin with `prefix`: "" or "other_".
void describe_code(Line& line, const char* prefix, const void* instruction);

}  // namespace kernelgate
