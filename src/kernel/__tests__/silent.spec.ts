import { execFileSync } from 'child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { dirname, join } from 'path';

import { rememberCell } from '../request';
import { silentCall } from '../silent';

/** Stands in for the package; what it imports could lie beside the notebook, too. */
const PACKAGE = `
import json
def remember_cell(cell_id, text):
    import fractions, wave
    import kernelgate.inner
    return json.dumps([cell_id, text, kernelgate.inner.HELPER])
`;

/** A file that says that it was imported. */
const TRAP = 'print("TRAP", __name__)\nHELPER = "trap"\n';

const ASKED = { cellId: 'ab-1', text: 'x = 1\n' };
const ANSWER = '["ab-1", "x = 1\\n", "helper"]';

describe('silentCall', () => {
  let folder: string;
  let notebook: string;
  let site: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'silent-'));
    notebook = join(folder, 'notebook');
    site = join(folder, 'site');
    mkdirSync(notebook);
    mkdirSync(site);
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  function install(where: string): void {
    write(join(where, 'kernelgate/__init__.py'), PACKAGE);
    write(
      join(where, 'kernelgate/inner.py'),
      'from kernelgate_helper import HELPER'
    );
    write(join(where, 'kernelgate_helper.py'), 'HELPER = "helper"');
  }

  /**
   * What Python prints that has the notebook's folder for its working directory
   * and evaluates the expression, after other lines: its value, or the error.
   */
  function ask(path: string[], before = ''): string {
    const program = [
      'import sys',
      `sys.path[:0] = ${JSON.stringify(path)}`,
      before,
      'kept = list(sys.path)',
      'try:',
      `    print(eval(${JSON.stringify(rememberCell(ASKED.cellId, ASKED.text))}))`,
      'except Exception as error:',
      '    print(type(error).__name__)',
      'assert sys.path == kept'
    ].join('\n');
    // A file elsewhere, so that Python itself adds nothing of the notebook's folder; and -S, as the package itself may be
    // installed in this Python.
    write(join(folder, 'run/program.py'), program);
    return execFileSync('python3', ['-S', join(folder, 'run/program.py')], {
      cwd: notebook,
      env: { ...process.env, PYTHONPATH: '', PYTHONDONTWRITEBYTECODE: '1' }
    })
      .toString()
      .trim();
  }

  const TRAPS: [string, string[]][] = [
    ['a file of its name', ['kernelgate.py']],
    ['a package of its name', ['kernelgate/__init__.py']],
    ['a folder of its name', ['kernelgate/notes.txt', 'kernelgate/inner.py']],
    [
      'files with the names of what it imports',
      [
        'json.py',
        'fractions.py',
        'wave.py',
        'kernelgate_helper.py',
        'importlib.py',
        'os.py',
        'sys.py'
      ]
    ]
  ];

  describe.each([
    ['an empty entry', () => ['']],
    ['its absolute path', () => [notebook]],
    ['a dot', () => ['.']],
    [
      'a path to it that is no normal one',
      () => [`${folder}/site/../notebook/`]
    ],
    ['a link to it', () => [join(folder, 'link')]]
  ])('where the path leads to the notebook by %s', (_, entries) => {
    beforeEach(() => symlinkSync(notebook, join(folder, 'link')));

    it.each(TRAPS)('passes over %s', (_, files) => {
      install(site);
      for (const file of files) {
        write(join(notebook, file), TRAP);
      }
      expect(ask([...entries(), site])).toBe(ANSWER);
      expect(ask([site, ...entries()])).toBe(ANSWER);
    });

    it.each(TRAPS)('finds no package in %s', (_, files) => {
      for (const file of files) {
        write(join(notebook, file), TRAP);
      }
      expect(ask(entries())).toBe('ModuleNotFoundError');
    });
  });

  it('passes over the package itself where it lies in the notebook’s folder', () => {
    install(notebook);
    expect(ask(['', notebook])).toBe('ModuleNotFoundError');
  });

  it('passes over a folder below the notebook by a relative path', () => {
    install(join(notebook, 'below'));
    expect(ask(['below'])).toBe('ModuleNotFoundError');
  });

  it('finds a package that is installed below the notebook’s folder', () => {
    install(join(notebook, '.venv/site-packages'));
    write(join(notebook, 'kernelgate.py'), TRAP);
    expect(ask(['', join(notebook, '.venv/site-packages')])).toBe(ANSWER);
  });

  it('passes over the folder that the kernel started in, also from elsewhere', () => {
    write(join(notebook, 'kernelgate.py'), TRAP);
    const moved = [
      'import os, types',
      'IPython = sys.modules["IPython"] = types.ModuleType("IPython")',
      'shell = types.SimpleNamespace(starting_dir=os.getcwd())',
      'IPython.get_ipython = lambda: shell',
      'os.chdir("/")'
    ].join('\n');
    expect(ask([notebook], moved)).toBe('ModuleNotFoundError');
    install(site);
    expect(ask([notebook, site], moved)).toBe(ANSWER);
  });

  it('passes over a finder that looks in the notebook’s folder', () => {
    install(notebook);
    const finder = [
      'import importlib.machinery, types, os',
      'find = lambda name, path=None, target=None: importlib.machinery.PathFinder.find_spec(name, [os.getcwd()])',
      'sys.meta_path.insert(0, types.SimpleNamespace(find_spec=find))'
    ].join('\n');
    expect(ask([], finder)).toBe('ModuleNotFoundError');
  });

  it('uses what is loaded already where it is the installed package', () => {
    install(site);
    write(join(notebook, 'kernelgate.py'), TRAP);
    expect(ask([site, ''], 'import kernelgate')).toBe(ANSWER);
  });

  it.each([
    ['kernelgate.py', 'TRAP kernelgate\nImportError'],
    ['kernelgate/notes.txt', 'ImportError']
  ])(
    'does not call what a person imported from the folder, %s',
    (file, printed) => {
      install(site);
      write(join(notebook, file), TRAP);
      const imported = [
        'sys.path.insert(0, "")',
        `sys.path.remove(${JSON.stringify(site)})`,
        'import kernelgate',
        `sys.path.append(${JSON.stringify(site)})`
      ].join('\n');
      expect(ask([site], imported)).toBe(printed);
    }
  );

  it('works without a working directory', () => {
    install(site);
    const gone =
      'import os; os.mkdir("gone"); os.chdir("gone"); os.rmdir("../gone")';
    expect(ask([site], gone)).toBe(ANSWER);
  });

  it('is one line of printable ASCII, whatever it is given', () => {
    expect(silentCall('remember_cell', 'é\u2028\n"', '\0')).toMatch(/^[ -~]*$/);
  });

  it('says that a package is too old by an AttributeError', () => {
    write(join(site, 'kernelgate/__init__.py'), '');
    expect(ask([site])).toBe('AttributeError');
  });
});
