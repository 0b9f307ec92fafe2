/** The panel: kernel, device and catalogue. */
import { act } from 'react';

import { Catalogue } from '../../catalogue/catalogue';
import { EMULATED, H200 } from '../../kernel/__tests__/fakeSession';
import { KernelState } from '../../tokens';
import { actions, draw, isDisabled, ready, setUp } from './draw';

setUp();

describe('Panel: the kernel', () => {
  it.each<[KernelState, string]>([
    [{ kind: 'no-kernel' }, 'This notebook has no kernel'],
    [{ kind: 'starting' }, 'The kernel is starting'],
    [{ kind: 'unreachable' }, 'server does not answer'],
    [{ kind: 'other-language', language: 'R' }, 'This kernel runs R'],
    [{ kind: 'dead' }, 'The kernel died'],
    [{ kind: 'unasked' }, 'Reading the device'],
    [{ kind: 'asking' }, 'Reading the device'],
    [{ kind: 'waiting' }, 'Waiting for the running cell'],
    [{ kind: 'missing' }, 'package is missing in this kernel'],
    [
      { kind: 'mismatch', version: '0.0.1', outdated: 'package' },
      'The package is version 0.0.1.'
    ],
    [
      { kind: 'mismatch', version: null, outdated: 'extension' },
      'This extension is too old'
    ],
    [{ kind: 'failed', message: 'OSError: no libcuda' }, 'no libcuda'],
    [{ kind: 'answered-elsewhere' }, 'Verify works all the same'],
    [ready(H200, true), 'The kernel restarted']
  ])('says %j', (kernel, words) => {
    const { text, button } = draw({ kernel });
    expect(text).toContain(words);
    expect(isDisabled(button('Insert optimized LeakyReLU'))).toBe(false);
  });

  it('starts with a notebook', () => {
    const { text, button } = draw({
      notebookName: null,
      kernel: { kind: 'no-notebook' }
    });
    expect(text).toContain('Open a notebook to start');
    expect(text).not.toContain('Catalogue');
    expect(button('Refresh device').disabled).toBe(true);
    button('New notebook with a CUDA kernel').click();
    expect(actions.newNotebook).toHaveBeenCalled();
  });

  it('offers the one next step', () => {
    draw({ kernel: { kind: 'missing' } })
      .button('Insert install cell')
      .click();
    draw({ kernel: { kind: 'no-kernel' } })
      .button('Choose kernel')
      .click();
    draw({ kernel: { kind: 'dead' } })
      .button('Restart kernel')
      .click();
    expect(actions.insertInstallCell).toHaveBeenCalled();
    expect(actions.chooseKernel).toHaveBeenCalled();
    expect(actions.restartKernel).toHaveBeenCalled();
  });

  it('draws words of a kernel as words', () => {
    const { node } = draw({
      kernel: { kind: 'failed', message: '<img src=x onerror=boom()>' }
    });
    expect(node.querySelector('img')).toBeNull();
  });
});

describe('Panel: the device', () => {
  it('shows a GPU with its memory', () => {
    const { node, text } = draw({});
    expect(text).toContain('NVIDIA H200');
    expect(text).toContain('19.4 of 141 GB in use');
    expect(node.querySelector('meter')?.value).toBe(19.4e9);
  });

  it('says that a gateway has started the kernel, and nothing where none has', () => {
    const chip = 'remote: gateway';
    expect(draw({ kernel: ready({ ...H200, gateway: true }) }).text).toContain(
      chip
    );
    expect(draw({}).text).not.toContain(chip);
  });

  it('says what emulation does not do', () => {
    const { text, button } = draw({ kernel: ready(EMULATED) });
    expect(text).toContain('correctness only, timing is not measured');
    expect(button('Check LeakyReLU on CPU').textContent).toBe('Check on CPU');
  });

  it('offers no check in a kernel without torch, and says what to do', () => {
    for (const data of [EMULATED, H200]) {
      const { text, button } = draw({
        kernel: ready({ ...data, torch: null })
      });
      expect(text).toContain('PyTorch is not installed in it');
      expect(text).not.toContain('checked in emulation');
      expect(button('Choose another kernel')).toBeDefined();
    }
  });

  it('says why there is no device', () => {
    const device = { ...EMULATED.device, kind: 'none', why: 'no compiler' };
    const { text } = draw({ kernel: ready({ ...EMULATED, device }) });
    expect(text).toContain('Nothing can be checked in this kernel');
    expect(text).toContain('no compiler');
  });
});

describe('Panel: the catalogue', () => {
  it('inserts and verifies by id', () => {
    const { button } = draw({});
    button('Insert optimized LeakyReLU').click();
    button('Verify LeakyReLU').click();
    button('Benchmark LeakyReLU').click();
    expect(actions.insert).toHaveBeenCalledWith('leakyrelu', {});
    expect(actions.verify).toHaveBeenCalledWith('leakyrelu');
    expect(actions.benchmark).toHaveBeenCalledWith('leakyrelu');
  });

  it('says why nothing can be inserted', () => {
    const why = 'This kernel runs R';
    const insert = draw({ insertDisabledReason: why }).button(
      'Insert optimized LeakyReLU'
    );
    expect(isDisabled(insert)).toBe(true);
    expect(insert.title).toBe(why);
    insert.click();
    expect(actions.insert).not.toHaveBeenCalled();
  });

  it('says why Verify is disabled; Insert stays enabled', () => {
    const why = 'Waits for the running cell';
    const { node, button } = draw({ verifyDisabledReason: why });
    const verify = button('Verify LeakyReLU');
    expect(isDisabled(verify)).toBe(true);
    verify.click();
    expect(actions.verify).not.toHaveBeenCalled();
    expect(verify.tabIndex).toBe(0);
    expect(verify.title).toBe(why);
    const described = verify.getAttribute('aria-describedby');
    expect(node.querySelector(`[id="${described}"]`)?.textContent).toBe(why);
    expect(isDisabled(button('Insert optimized LeakyReLU'))).toBe(false);
  });
});

describe('Panel: the catalogue without a GPU', () => {
  it('says why Benchmark is disabled; Check on CPU stays enabled', () => {
    const { node, button } = draw({
      kernel: ready(EMULATED),
      timeDisabledReason: 'Needs a GPU'
    });
    const benchmark = button('Benchmark LeakyReLU');
    expect(isDisabled(benchmark)).toBe(true);
    expect(benchmark.title).toBe('Needs a GPU');
    const described = benchmark.getAttribute('aria-describedby')!;
    expect(node.querySelector(`[id="${described}"]`)?.textContent).toBe(
      'Needs a GPU'
    );
    expect(isDisabled(button('Check LeakyReLU on CPU'))).toBe(false);
  });
});

describe('Panel: a program before it is inserted', () => {
  it('is loaded when it is opened, and shown as a text', async () => {
    const { node } = draw({});
    const details = node.querySelector<HTMLDetailsElement>(
      '.jp-KernelPanel-preview'
    )!;
    const shown = () => details.querySelector('pre')?.textContent ?? '';
    expect(shown()).not.toContain('class ModelNew');
    await act(async () => {
      details.open = true;
      details.dispatchEvent(new Event('toggle'));
      await new Promise(resolve => setTimeout(resolve));
    });
    expect(shown()).toContain('class ModelNew');
  });

  it('is named by the button that inserts it, so that it is loaded before a press', () => {
    const { node, button } = draw({});
    const insert = button('Insert optimized LeakyReLU');
    expect(insert.dataset).toMatchObject({
      command: 'kernelgate:insert',
      operator: 'leakyrelu'
    });
    expect(insert.dataset).not.toHaveProperty('form');
    const form = node.querySelector<HTMLSelectElement>(
      'select[aria-label="Form of LeakyReLU"]'
    )!;
    act(() => {
      form.value = 'short';
      form.dispatchEvent(new Event('change', { bubbles: true }));
    });
    expect(insert.dataset.form).toBe('short');
  });
});

/** Types into a field as a person does. */
function type(input: HTMLInputElement, text: string): void {
  const set = Object.getOwnPropertyDescriptor(
    HTMLInputElement.prototype,
    'value'
  )!.set!;
  act(() => {
    set.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

describe('Panel: the filter of the catalogue', () => {
  const cards = (node: HTMLElement) =>
    [...node.querySelectorAll('.jp-KernelPanel-cards h3')].map(
      title => title.textContent
    );

  it('leaves the operators that have all its words', () => {
    const { node } = draw({});
    const field = node.querySelector<HTMLInputElement>('[type=search]')!;
    expect(cards(node)).toHaveLength(3);
    type(field, 'multiply LINEAR');
    expect(cards(node)).toEqual(['Gemm, multiply, LeakyReLU']);
    type(field, '');
    expect(cards(node)).toHaveLength(3);
  });

  it('says so where none has them', () => {
    const { node } = draw({});
    type(node.querySelector<HTMLInputElement>('[type=search]')!, 'softmax');
    expect(cards(node)).toEqual([]);
    expect(node.querySelector('[role=status]')?.textContent).toBe(
      'No kernel has these words.'
    );
  });
});

describe('Panel: many operators', () => {
  const [first] = new Catalogue().operators;
  const some = (count: number, group: string | undefined) =>
    Array.from({ length: count }, (_, n) => {
      const { group: _group, ...operator } = first!;
      const id = `${group ?? 'none'}${n}`;
      return { ...operator, id, name: id, ...(group && { group }) };
    });
  const headings = (node: HTMLElement) =>
    [...node.querySelectorAll('.jp-KernelPanel-group')].map(
      heading => heading.textContent
    );

  it('stand by group, those without one last', () => {
    const operators = [...some(4, 'Sums'), ...some(2, ''), ...some(2, 'Norms')];
    const { node } = draw({ operators });
    expect(headings(node)).toEqual(['Sums', 'Norms', 'Others']);
    const lists = [...node.querySelectorAll('.jp-KernelPanel-cards')];
    expect(
      lists.map(list => [
        list.getAttribute('aria-label'),
        list.querySelectorAll('li').length
      ])
    ).toEqual([
      ['Sums', 4],
      ['Norms', 2],
      ['Others', 2]
    ]);
  });

  it('are filtered by their group, and few of them have no headings', () => {
    const { node } = draw({
      operators: [...some(5, 'Sums'), ...some(3, 'Norms')]
    });
    type(node.querySelector<HTMLInputElement>('[type=search]')!, 'norms');
    expect(headings(node)).toEqual(['Norms']);
    expect(headings(draw({ operators: some(7, 'Sums') }).node)).toEqual([]);
  });
});

describe('Panel: the parameters of an operator', () => {
  const fields = (node: HTMLElement, name: string) =>
    [
      ...node
        .querySelector(`[aria-label="Parameters of ${name}"]`)!
        .querySelectorAll('input')
    ] as [HTMLInputElement, ...HTMLInputElement[]];

  it('are inserted as numbers', () => {
    const { node, button } = draw({});
    const [slope] = fields(node, 'LeakyReLU');
    expect(slope.placeholder).toBe('0.01');
    type(slope, '0.2');
    button('Insert optimized LeakyReLU').click();
    expect(actions.insert).toHaveBeenCalledWith('leakyrelu', {
      parameters: { negative_slope: 0.2 }
    });
  });

  it('are given all or none where they have no default', () => {
    const { node, button } = draw({});
    const name = 'Gemm, multiply, LeakyReLU';
    const insert = button(`Insert optimized ${name}`);
    expect(isDisabled(insert)).toBe(false);
    const [first, ...others] = fields(node, name);
    type(first, '64');
    expect(isDisabled(insert)).toBe(true);
    expect(insert.title).toBe('Needs a value of out_features');
    others.forEach(field => type(field, '1'));
    expect(isDisabled(insert)).toBe(false);
    type(first, '6.5');
    expect(insert.title).toBe('Needs a value of in_features');
  });
});
