import js from '@eslint/js';
import jupyter from '@jupyter/eslint-plugin';
import jest from 'eslint-plugin-jest';
import prettier from 'eslint-config-prettier';
import globals from 'globals';
import tseslint from 'typescript-eslint';

const jp = jupyter.default ?? jupyter;

export default tseslint.config(
  {
    ignores: [
      '.kernelgate/',
      '.venv/',
      'bench/',
      'dist/',
      'lib/',
      'python/',
      'site/',
      'ui-tests/test-results/',
      '**/node_modules/'
    ]
  },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  // The plugin's own preset names its rules without registering it.
  { plugins: { jupyter: jp } },
  ...[].concat(jp.configs.recommended),
  {
    files: ['src/**/*.{ts,tsx}', 'ui-tests/**/*.ts'],
    rules: {
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'interface',
          format: ['PascalCase'],
          custom: { regex: '^I[A-Z]', match: true },
          // The browser's own.
          filter: { regex: '^Window$', match: false }
        }
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-namespace': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { args: 'none', ignoreRestSiblings: true }
      ],
      curly: ['error', 'all'],
      eqeqeq: 'error',
      // All plugins together are small, and each is needed as soon as it starts.
      'jupyter/prefer-lazy-imports': 'off',
      'prefer-arrow-callback': 'error'
    }
  },
  {
    files: ['src/**/*.{ts,tsx}', 'ui-tests/**/*.ts', 'scripts/*.mjs'],
    rules: {
      'max-lines': ['error', 400],
      'max-lines-per-function': [
        'error',
        { max: 60, skipBlankLines: true, skipComments: true }
      ]
    }
  },
  {
    // A describe block is a function that holds tests, and may be longer.
    files: ['**/*.spec.{ts,tsx}'],
    rules: { 'max-lines-per-function': 'off' }
  },
  {
    // Generated names come from the schema.
    files: ['src/model/types.ts'],
    rules: { '@typescript-eslint/naming-convention': 'off', 'max-lines': 'off' }
  },
  {
    files: ['src/**/*.spec.{ts,tsx}'],
    ...jest.configs['flat/recommended']
  },
  {
    files: ['*.js', 'ui-tests/*.js'],
    languageOptions: { globals: globals.node, sourceType: 'commonjs' },
    rules: { '@typescript-eslint/no-require-imports': 'off' }
  },
  {
    files: ['scripts/**/*.mjs', 'style/**/*.js'],
    languageOptions: { globals: globals.node }
  },
  prettier
);
