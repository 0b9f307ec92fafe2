"""What to do about a fault of the device: one next step by its kind.

In: a fault in the device's own words. Out: the step. Not here: the change that ends it for certain
(`repair.kernel_fixes`), its title and sentence (`judge.endings.findings`).
"""

from __future__ import annotations

from kernelgate.emulator import Fault
from kernelgate.program.candidate import CANDIDATE_FILE

_NEXT_STEPS = {
    "host_memory": "Pass memory of the device: x.cuda(), or make it with device=input.device, or register it as a "
    "buffer; what is no tensor, copy with cudaMemcpy",
    "host_access": "Copy it to the CPU first, with .cpu() or .item()",
    "freed": "Use memory before it is given back: keep a tensor whose pointer a kernel takes, free after the last use",
    "bad_free": "Free each pointer once, and only what malloc or new gave in a kernel",
    "misaligned": "Use a vector type only if the address is a multiple of its size, and a scalar loop elsewhere",
    "stack_overflow": "End the recursion earlier, or make the local array smaller",
    "division_by_zero": "Check the divisor first",
    "assertion": "Look at what makes it false for this thread, or correct the assertion",
    "trap": "Look at the condition under which this thread calls it",
    "unordered": "Let the second stream wait for the first: wait_stream() in Python, cudaEventRecord and "
    "cudaStreamWaitEvent in C++; or launch both on at::cuda::getCurrentCUDAStream()",
    "guard": "Do the atomic operation without asking first, or read with an atomic load or through a volatile pointer",
    "barrier": "Let every thread of the block reach the same __syncthreads(): take it out of the branch",
    "left_barrier": "Let every thread go round the loop equally often: put the condition around the work",
    "deadlock": "Call it with every lane of its mask, or name in the mask only the lanes that call it",
    "mask": "Name in the mask the lanes that call it",
    "absent_lane": "Let every lane take part, or read only from lanes of the mask",
    "call": "Check its arguments against what the device has, and against the size of what it copies",
    "input_written": "Write the result to a tensor of its own, not into the input",
    "launch": "Keep to the limits of a launch, and check its error with C10_CUDA_KERNEL_LAUNCH_CHECK",
    "index": "Check the index against the size of the array",
    "early_access": "Wait for the phase of the mbarrier that the copy completes, with the parity of that phase",
    "overwritten": "Wait for what reads it first: cp.async.bulk.wait_group.read, or wgmma.wait_group",
    "proxy_fence": "Call fence.proxy.async after the writes, before the barrier that precedes the instruction",
    "mbarrier_stuck": "Compare the arrivals and bytes with the numbers in its init and expect calls",
    "mbarrier_overrun": "Initialise it for as many arrivals as come in one phase, or let fewer threads arrive",
    "mbarrier_unknown": "Initialise it with mbarrier.init, and let all threads wait for that",
    "mbarrier_in_use": "Initialise it once, before anything uses it",
    "mbarrier_count": "Initialise it for the number of arrivals of one phase",
    "mbarrier_address": "Align it to 8 bytes",
    "named_barrier": "Give the same number of threads, a multiple of 32, wherever the barrier is used",
    "cluster_barrier": "Let every thread of every block of the cluster arrive once and then wait",
    "grid_barrier": "Launch it with cudaLaunchCooperativeKernel, and let every block come to grid.sync()",
    "cluster_rank": "Ask for a rank below %cluster_nctarank",
    "cluster_exit": "Put a barrier of the cluster before the end of the kernel",
    "shared_address": "Check the address, and that the array is as large as the tile",
    "store_unfinished": "Commit the copy and call cp.async.bulk.wait_group before the block ends",
    "wgmma_fence": "Call wgmma.fence before the first wgmma, and after the registers have been written",
    "wgmma_warps": "Let all four warps of a warpgroup execute the same wgmma, commit_group and wait_group",
    "wgmma_in_flight": "Commit the group and call wgmma.wait_group first",
    "texture": "Make the object before the launch, destroy it after, and read the type that it gives",
    "surface": "Check the place against the surface, with x times the size of an element; or name a boundary mode",
    "endless": "Look for a loop whose condition never becomes false",
}
# Of a launch that the device refuses, by its limit.
_LAUNCH_STEPS: dict[str | None, str] = {
    "threads": "Launch 1024 threads a block at most",
    "blocks": "Return before the launch if there is nothing to do",
    "static shared memory": (
        "Make it extern __shared__, pass its size at launch, and allow it with cudaFuncSetAttribute"
    ),
    "dynamic shared memory": (
        "Allow it before the launch: cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)"
    ),
}
# Of kernels in Triton.
_IN_TRITON = {
    "out_of_bounds": "Mask what lies beyond the tensor's end, and check each stride that the launch passes",
    "null": "Pass a tensor, and let the kernel ask at compile time whether there is one",
    "race": "Give each program of the grid its own part of the memory, or use an atomic such as tl.atomic_add",
    "uninitialised": "Write it first, or allocate it with torch.zeros",
}
_INDEX = "Check the index against the size of what it reads or writes"
# Of blocks one of which writes and one reads, in different lines.
_BEHIND_A_COUNTER = "; if a counter or flag says that it is written, call __threadfence() before that is set"


def next_step(fault: Fault, other: int | None) -> str:
    """`other`: the line of its second place, in the person's text."""
    if fault.unit == CANDIDATE_FILE and fault.kind in _IN_TRITON:
        return _IN_TRITON[fault.kind]
    if fault.kind == "race":
        if fault.block != fault.other_block:
            step = "Give each block its own part of the memory, or use an atomic operation"
            counted = fault.access != fault.other_access and fault.line != fault.other_line
            return step + _BEHIND_A_COUNTER if counted else step
        if fault.line == fault.other_line:
            return "Use an atomic operation, or let one thread do it, between two __syncthreads()"
        return "Put __syncthreads() between the two, where every thread of the block reaches it"
    if fault.kind == "host_access" and fault.region == "variable":
        return "Copy it with cudaMemcpyToSymbol or cudaMemcpyFromSymbol"
    if fault.kind == "uninitialised":
        if fault.region == "tensor":
            return "Write it first, or allocate it with torch::zeros"
        return "Write every element before it is read, also those beyond the end of the input"
    if fault.kind == "out_of_bounds" and other is not None:
        return f"The computation in line {other} overflows 32 bits: make the index an int64_t"
    if fault.kind == "out_of_bounds" and fault.region == "dynamic __shared__ array":
        return "Compare the index with the bytes that the launch passes as its third argument"
    return _LAUNCH_STEPS.get(fault.limit) or _NEXT_STEPS.get(fault.kind, _INDEX)
