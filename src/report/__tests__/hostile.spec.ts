/** Reports that cannot be drawn, and texts of strangers. */
import { reportBus } from '../../model/reportBus';
import { fixture, type Json } from '../../model/__tests__/recorded';
import { clearPage, know, PLACED, render, textOf } from './page';

afterEach(clearPage);

describe('a report that cannot be drawn', () => {
  it('shows the text of a report of another version', async () => {
    const { node } = await render(fixture('unknown-version'), 'CORRECT  all');
    expect(textOf(node, 'header p')).toBe(
      'report version 99; this extension reads version 1'
    );
    expect(textOf(node, 'pre')).toBe('CORRECT  all');
  });

  it('shows the text of data of wrong types, and nothing of the data', async () => {
    const wrong = { ...fixture('pass'), cases: 'many', seed: 'secret' };
    const { node } = await render(wrong, 'a text');
    expect(textOf(node, 'pre')).toBe('a text');
    expect(node.textContent).not.toContain('secret');
  });

  it('says so where there is no text either', async () => {
    const { node } = await render({}, '');
    expect(textOf(node, '[role="status"]')).toBe(
      'This report cannot be drawn here'
    );
  });

  it('cuts an endless text', async () => {
    const { node } = await render(null, 'x'.repeat(1e5));
    expect(textOf(node, 'pre')).toHaveLength(20_000);
  });
});

describe('hostile text', () => {
  const HOSTILE = '<img src=x onerror="alert(1)"><b>bold</b>';

  /** Every text of a report replaced, as far as the schema lets it through. */
  function poisoned(value: unknown, key = ''): unknown {
    const ids = ['run', 'source_sha256', 'cell_id', 'bins'];
    if (Array.isArray(value)) {
      return value.map(one => poisoned(one, key));
    }
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, poisoned(one, name)])
      );
    }
    const free = typeof value === 'string' && !ids.includes(key);
    return free && !ENUMS.has(value) ? HOSTILE : value;
  }

  const ENUMS = new Set<string>(
    (
      'finished running verify problem drop-in pass fail unclear wrong build ' +
      'check emulation emulated python passed failed stopped read weak unsupported clean own ' +
      'text number result code kernel chart candidate limit'
    )
      .split(' ')
      .concat(
        'not run',
        'Correct?',
        'Faster?',
        'Limit?',
        'error map',
        'errors',
        'values'
      )
  );

  it.each(['pass', 'weak', 'wrong-result', 'build-failure', 'running'])(
    'of %s stays text',
    async name => {
      const { node } = await render(poisoned(fixture(name)), HOSTILE);
      expect(node.textContent).toContain(HOSTILE);
      expect(textOf(node, 'header h3')).toContain(HOSTILE);
      expect(node.querySelector('img, header b, h4 b, script, a')).toBeNull();
    }
  );

  it('of an undrawn report stays text', async () => {
    const { node } = await render(null, HOSTILE);
    expect(textOf(node, 'pre')).toBe(HOSTILE);
    expect(node.querySelector('img')).toBeNull();
  });

  it('never becomes the argument of an action', async () => {
    const offer = reportBus.offer({
      revealCell: jest.fn(),
      insertFix: jest.fn()
    });
    know({
      isLost: false,
      isUnheard: false,
      isStale: false,
      heardAt: 0,
      fix: PLACED
    });
    const report = fixture('build-failure');
    const candidate = { ...(report.candidate as Json), cell_id: HOSTILE };
    const { node } = await render({ ...report, candidate }, '');
    expect(node.querySelectorAll('button')).toHaveLength(0);
    offer.dispose();
  });
});
