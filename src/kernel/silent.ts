/**
 * What the front end asks a kernel without a person's act: as one Python
 * expression that imports nothing from the notebook's folder.
 *
 * A folder is a stranger's as soon as it was downloaded, and a file in it that is
 * named as a module (`kernelgate.py`, `json.py`) would run when the notebook is
 * opened. So while it imports, the kernel looks in no folder that a relative
 * entry of `sys.path` names, nor in the working directory, nor in the one that
 * the kernel or the notebook started in, whoever put it there: also not where
 * that is a checkout of ours that PYTHONPATH names. Open the notebook in another
 * folder then, or install the package. What is loaded already is used only where
 * it is what would be found now. An `import` that a person writes and runs is
 * Python's own.
 *
 * In: a function of the package, and its arguments. Out: an expression. Not
 * here: how it is sent (`kernel/request`).
 */

import { pythonString } from './python';

/**
 * Python of every version that a kernel may have. What it imports itself is
 * loaded long before: `sys` and `os` are in every process. An error of `ask` is
 * one of the package, as the front end expects them: ModuleNotFoundError where
 * it is missing, AttributeError where it is too old.
 */
const ASK = `
import os, sys

def resolved(path):
    try:
        return os.path.normcase(os.path.realpath(path))
    except (OSError, ValueError):
        return None

def ask(name, *arguments):
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    notebook = os.path.dirname(os.environ.get("JPY_SESSION_NAME", ""))
    folders = [os.curdir, getattr(shell, "starting_dir", None) or os.curdir, notebook or os.curdir]
    strange = {resolved(folder) for folder in folders}
    def trusted(entry):
        return isinstance(entry, str) and os.path.isabs(entry) and resolved(entry) not in strange
    kept = sys.path
    sys.path = [entry for entry in kept if trusted(entry)]
    try:
        found = None
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            found = find("kernelgate", None) if find is not None else None
            if found is not None:
                break
        package = found is not None and found.has_location and found.submodule_search_locations
        file = os.path.abspath(found.origin) if package else None
        if file is not None and not trusted(os.path.dirname(os.path.dirname(file))):
            file = None
        loaded = sys.modules.get("kernelgate")
        if loaded is not None and (file is None or resolved(getattr(loaded, "__file__", None) or "") != resolved(file)):
            raise ImportError(
                "another module named kernelgate is loaded, which is not the installed package: "
                "restart the kernel, and keep no kernelgate beside the notebook"
            )
        if file is None:
            raise ModuleNotFoundError("No module named 'kernelgate'", name="kernelgate")
        return getattr(__import__("kernelgate"), name)(*arguments)
    finally:
        sys.path = kept
`;

/** The expression that calls a function of the package with texts. */
export function silentCall(name: string, ...texts: string[]): string {
  const given = [name, ...texts].map(pythonString).join(', ');
  return `(lambda space: (exec(${pythonString(ASK)}, space), space["ask"](${given}))[1])({"__name__": "kernelgate front end"})`;
}
