import { useSource } from '../use';

const OPERATOR = {
  parameters: [
    { name: 'features', type: 'int', default: null },
    { name: 'slope', type: 'float', default: 0.01 }
  ]
} as const;

it.each([
  [{ features: 8 }, 'layer = ModelNew(features=8)'],
  [{ slope: 2, features: 8 }, 'layer = ModelNew(features=8, slope=2.0)'],
  [{ features: -1, slope: 1e-9 }, 'layer = ModelNew(features=-1, slope=1e-9)']
])('makes a module with %j', (values, source) => {
  expect(useSource(OPERATOR, values)).toBe(source);
});

it.each<[unknown]>([
  [undefined],
  [null],
  ['features'],
  [{}],
  [{ slope: 1 }],
  [{ features: 1.5 }],
  [{ features: 8, slope: 'inf' }],
  [{ features: 8, slope: NaN }],
  [{ features: '8); import os' }],
  [{ ['features=8, x']: 1 }]
])('writes nothing for %j', values => {
  expect(useSource(OPERATOR, values)).toBeNull();
});
