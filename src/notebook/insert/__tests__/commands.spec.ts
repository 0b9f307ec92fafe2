import { Notification } from '@jupyterlab/apputils';

import { Catalogue } from '../../../catalogue/catalogue';
import { loadForm } from '../../../tokens';
import { CommandIDs } from '../../../tokens/commandIds';
import { lab } from '../../__tests__/lab';
import { sources } from '../../__tests__/notebook';

describe('kernelgate:insert', () => {
  it('inserts the program of an operator', async () => {
    const { commands, content } = lab([{ source: 'a' }]);
    await commands.execute(CommandIDs.insert, { operator: 'leakyrelu' });
    const program = await new Catalogue().get('leakyrelu')!.loadProgram!();
    expect(sources(content)[1]).toBe(program);
  });

  it.each(['short', 'benchmark'] as const)(
    'inserts the %s form where that is given or set, short ones open',
    async form => {
      const program = await loadForm(
        new Catalogue().get('leakyrelu')!,
        form
      )!();
      for (const [given, set] of [
        [{ form }, { form: 'full' as const }],
        [{ form }, { insertAs: 'magic' as const }],
        [{}, { form }]
      ] as const) {
        const { commands, content } = lab(
          [{ source: 'a' }],
          [],
          undefined,
          set
        );
        const args = { operator: 'leakyrelu', ...given };
        await commands.execute(CommandIDs.insert, args);
        expect(sources(content)[1]).toBe(program);
        expect(content.activeCell?.inputHidden).toBe(
          form === 'benchmark' && !('insertAs' in set)
        );
      }
    }
  );

  it('inserts the full form where the operator lacks the one that is set', async () => {
    const { otherForms: _, ...full } = new Catalogue().get('leakyrelu')!;
    const { commands, content } = lab([{ source: 'a' }], [], [full], {
      form: 'short'
    });
    await commands.execute(CommandIDs.insert, { operator: 'leakyrelu' });
    expect(sources(content)[1]).toBe(await full.loadProgram!());
  });

  it('inserts the magic where the person has set so, and answers with its cell', async () => {
    const { commands, content } = lab([{ source: 'a' }], [], undefined, {
      insertAs: 'magic'
    });
    const answer = await commands.execute(CommandIDs.insert, {
      operator: 'leakyrelu'
    });
    expect(sources(content)[1]).toBe('%load_ext kernelgate\n%leakyrelu_cuda');
    expect(content.activeCell?.inputHidden).toBe(false);
    expect(answer).toEqual({
      operator: 'leakyrelu',
      cellId: content.activeCell?.model.id
    });
  });

  it('adds a cell that uses the program with the values that were given; one undo takes both', async () => {
    const { commands, content } = lab([{ source: 'a' }]);
    await commands.execute(CommandIDs.insert, {
      operator: 'leakyrelu',
      parameters: { negative_slope: 0.2 }
    });
    expect(sources(content)[2]).toBe('layer = ModelNew(negative_slope=0.2)');
    expect(content.activeCellIndex).toBe(1);
    content.model!.sharedModel.undo();
    expect(sources(content)).toEqual(['a']);
  });

  it('says so where the program cannot be loaded, and inserts nothing', async () => {
    const error = jest.spyOn(Notification, 'error');
    const operator = {
      ...new Catalogue().get('leakyrelu')!,
      loadProgram: () => Promise.reject(new Error('Loading chunk 7 failed'))
    };
    const { commands, content } = lab([{ source: 'a' }], [], [operator]);
    await commands.execute(CommandIDs.insert, { operator: 'leakyrelu' });
    expect(error.mock.calls.pop()?.[0]).toContain('could not be loaded');
    expect(sources(content)).toEqual(['a']);
  });

  it.each([undefined, 'softmax', '../leakyrelu', 7])(
    'refuses %p',
    async operator => {
      const { commands, content } = lab([{ source: 'a' }]);
      const args = operator === undefined ? {} : { operator };
      expect(commands.isEnabled(CommandIDs.insert, args)).toBe(false);
      await expect(commands.execute(CommandIDs.insert, args)).rejects.toThrow(
        'takes the id of an operator'
      );
      expect(sources(content)).toEqual(['a']);
    }
  );

  it('needs a notebook, and says so', () => {
    const { commands } = lab(null);
    const args = { operator: 'leakyrelu' };
    expect(commands.isEnabled(CommandIDs.insert, args)).toBe(false);
    expect(commands.caption(CommandIDs.insert, args)).toBe(
      'Open a notebook first'
    );
  });

  it('is named after its operator', () => {
    const { commands } = lab(null);
    expect(commands.label(CommandIDs.insert, { operator: 'leakyrelu' })).toBe(
      'Insert optimized LeakyReLU'
    );
  });
});
