import { readFileSync } from 'fs';

import { Catalogue, readOperator } from '../catalogue';
import { OPERATORS } from '../operators';

describe('Catalogue', () => {
  it('loads the program of the Python package, byte for byte', async () => {
    const file = 'python/kernelgate/catalogue/leakyrelu/model_new.py';
    expect(await new Catalogue().get('leakyrelu')?.loadProgram?.()).toBe(
      readFileSync(file, 'utf8')
    );
  });

  it('offers LeakyReLU first, as its manifest says', () => {
    expect(new Catalogue().operators[0]?.id).toBe('leakyrelu');
  });

  it('takes a problem without a program', () => {
    const operator = readOperator(OPERATORS[0]!.manifest, null);
    expect(operator.name).toBeTruthy();
    expect(operator.loadProgram).toBeNull();
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
      expect(() => readOperator(manifest, null)).toThrow('operator.json');
    }
  );
});
