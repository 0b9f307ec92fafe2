import { readFileSync } from 'fs';

import { Catalogue, readOperator } from '../catalogue';
import { OPERATORS } from '../operators';
import { formOf, loadForm } from '../../tokens';

const FOLDER = 'python/kernelgate/catalogue/leakyrelu';

describe('Catalogue', () => {
  it('loads the program of the Python package, byte for byte', async () => {
    expect(await new Catalogue().get('leakyrelu')?.loadProgram?.()).toBe(
      readFileSync(`${FOLDER}/model_new.py`, 'utf8')
    );
  });

  it('loads the short form as it is, with what its docstring says that it gives up', async () => {
    const text = readFileSync(`${FOLDER}/short.py`, 'utf8');
    const operator = new Catalogue().get('leakyrelu')!;
    expect(await loadForm(operator, 'short')?.()).toBe(text);
    const { givenUp } = operator.otherForms![0]!;
    expect(givenUp).not.toBe('');
    expect(text.replace(/\s+/g, ' ')).toContain(`Given up: ${givenUp}`);
  });

  it('loads the program and below it the problem as the benchmark form', async () => {
    const files = ['model_new.py', 'problem.py'].map(name =>
      readFileSync(`${FOLDER}/${name}`, 'utf8')
    );
    const operator = new Catalogue().get('leakyrelu')!;
    expect(await loadForm(operator, 'benchmark')?.()).toBe(files.join('\n\n'));
  });

  it('lets the full form stand in for a short one that is not there', () => {
    const operator = readOperator({ ...OPERATORS[0]!, loadShort: null });
    expect(loadForm(operator, 'short')).toBeNull();
    expect(formOf(operator, 'short')).toBe('full');
    expect(formOf(operator, 'benchmark')).toBe('benchmark');
  });

  it('offers LeakyReLU first, as its manifest says', () => {
    expect(new Catalogue().operators[0]?.id).toBe('leakyrelu');
  });

  it('takes a problem without a program', () => {
    const operator = readOperator({
      ...OPERATORS[0]!,
      loadProgram: null,
      loadShort: null
    });
    expect(operator.name).toBeTruthy();
    expect(operator.loadProgram).toBeNull();
    expect(operator.otherForms).toEqual([]);
  });

  it('takes an operator of another extension, until that removes it', () => {
    const catalogue = new Catalogue();
    const heard = jest.fn();
    catalogue.changed.connect(heard);
    const other = { ...catalogue.operators[0]!, id: 'softplus' };

    const added = catalogue.add(other);

    expect(catalogue.get('softplus')).toBe(other);
    expect(catalogue.operators.at(-1)).toBe(other);
    expect(() => catalogue.add(other)).toThrow('softplus');
    added.dispose();
    expect(catalogue.get('softplus')).toBeNull();
    expect(heard).toHaveBeenCalledTimes(2);
  });

  it.each([undefined, null, 7, '', 'softmax', 'constructor', ['leakyrelu']])(
    'knows no operator %p',
    id => {
      expect(new Catalogue().get(id)).toBeNull();
    }
  );

  it.each([null, 'text', {}, { id: 3 }, { id: 'x', name: '' }])(
    'refuses the manifest %p',
    manifest => {
      expect(() => readOperator({ ...OPERATORS[0]!, manifest })).toThrow(
        'operator.json'
      );
    }
  );
});
