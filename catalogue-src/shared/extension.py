_built = False
_building = threading.Lock()


@assume_constant_result
def _extension() -> str:
    """The namespace of this program's operators; built by the first call, once a process."""
    global _built
    if not _built:
        with _building:
            if not _built:
                # PyTorch before 2.8 always includes torch/extension.h: the build then takes half a minute, not seconds.
                slim = "no_implicit_headers" in inspect.signature(load_inline).parameters
                load_inline(
                    name=_NAME,
                    cpp_sources=[TYPES, PROTOTYPES, HOST],
                    cuda_sources=[TYPES, KERNELS, PROTOTYPES, LAUNCHERS],
                    # In KiB: g++ then collects no garbage, which takes a tenth of its time.
                    extra_cflags=["-O1", "--param", "ggc-min-heapsize=2097152"],
                    is_python_module=False,
                    **({"no_implicit_headers": True} if slim else {}),
                )
                _built = True
    return _NAME
