import { readFileSync } from 'fs';
import { join } from 'path';

import { IPreferences } from '../../tokens';
import { CHOICES, DEFAULTS, readPreferences } from '../preferences';

const SCHEMA = JSON.parse(
  readFileSync(join(__dirname, '../../../schema/plugin.json'), 'utf-8')
);
const properties: Record<
  keyof IPreferences,
  { default: unknown; enum?: unknown[]; oneOf?: { const: unknown }[] }
> = SCHEMA.properties;

it('has the defaults of the schema, and offers what the schema does', () => {
  const defaults = Object.entries(properties).map(([name, property]) => [
    name,
    property.default
  ]);
  expect(Object.fromEntries(defaults)).toEqual(DEFAULTS);
  const offered = Object.entries(properties).flatMap(([name, { oneOf }]) =>
    oneOf ? [[name, oneOf.map(one => one.const)]] : []
  );
  expect(Object.fromEntries(offered)).toEqual(CHOICES);
});

it('takes what a person has set', () => {
  const set: IPreferences = {
    device: 'emulated',
    contract: 'drop-in',
    thorough: true,
    rtol: 1e-3,
    atol: 0.5,
    budget: 5,
    insertAs: 'magic',
    form: 'short',
    notify: 'never',
    whenEnded: 'system'
  };
  expect(readPreferences({ ...set })).toEqual(set);
});

it.each([
  {},
  { device: 'cuda"); import os', contract: 7, thorough: 'yes', budget: -1 },
  {
    budget: Number.NaN,
    rtol: -1,
    atol: '1',
    form: null,
    insertAs: 'short',
    notify: []
  }
])('takes the default for what is missing or of another kind: %p', set => {
  expect(readPreferences(set)).toEqual(DEFAULTS);
});
