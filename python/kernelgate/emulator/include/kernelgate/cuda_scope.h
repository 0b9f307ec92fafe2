// Whom a libcu++ object is shared with.
#pragma once

namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
}
