import js from '@eslint/js';
import jupyter from '@jupyter/eslint-plugin';
import boundaries from 'eslint-plugin-boundaries';
import jest from 'eslint-plugin-jest';
import prettier from 'eslint-config-prettier';
import globals from 'globals';
import tseslint from 'typescript-eslint';

const jp = jupyter.default ?? jupyter;

/**
 * The parts of src, and what each may import beside itself; everything else is
 * refused, and so is a file of no part. A file's part is the first that fits.
 * ARCHITECTURE.md, "The front end", says why.
 */
const PARTS = [
  { type: 'model', pattern: 'src/model', imports: [] },
  { type: 'ui', pattern: 'src/ui', imports: ['model'] },
  // The MIME renderer. A section imports no other section.
  {
    type: 'report parts',
    pattern: 'src/report/parts',
    imports: ['model', 'ui']
  },
  {
    type: 'report section',
    pattern: 'src/report/*',
    imports: ['model', 'ui', 'report parts']
  },
  {
    type: 'report',
    pattern: 'src/report',
    imports: ['model', 'ui', 'report parts', 'report section']
  },
  // The documentation's demo page, which no plugin knows.
  { type: 'demo', pattern: 'src/demo', imports: ['model', 'report'] },
  // The plugins. Those with screens and commands meet in the tokens only.
  { type: 'tokens', pattern: 'src/tokens', imports: ['model'] },
  { type: 'kernel', pattern: 'src/kernel', imports: ['tokens'] },
  { type: 'catalogue', pattern: 'src/catalogue', imports: ['tokens'] },
  {
    type: 'notebook',
    pattern: 'src/notebook',
    imports: ['model', 'ui', 'tokens', 'kernel']
  },
  {
    type: 'panel',
    pattern: 'src/panel',
    imports: ['model', 'ui', 'tokens', 'kernel']
  }
];

export default tseslint.config(
  {
    ignores: [
      '.kernelgate/',
      '.venv/',
      'bench/',
      'dist/',
      'examples/*/lib/',
      'examples/*/*/labextension/',
      'lib/',
      'python/',
      // Generated.
      'src/model/followsSchema.ts',
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
    files: ['src/**/*.{ts,tsx}'],
    // src/index.ts lists the plugins, and is imported by none of them.
    ignores: ['src/**/__tests__/**', 'src/index.ts', 'src/raw.d.ts'],
    plugins: { boundaries },
    settings: {
      'import/resolver': { node: { extensions: ['.ts', '.tsx', '.d.ts'] } },
      'boundaries/include': ['src/**/*'],
      'boundaries/elements': PARTS.map(({ type, pattern }) => ({
        type,
        pattern
      }))
    },
    rules: {
      'boundaries/dependencies': [
        'error',
        {
          default: 'disallow',
          policies: PARTS.map(({ type, imports }) => ({
            from: { element: { type } },
            allow: { to: { element: { types: { anyOf: imports } } } }
          }))
        }
      ],
      'boundaries/no-unknown-dependencies': 'error',
      'boundaries/no-unknown-files': 'error'
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
    files: ['*.js', 'examples/*/*.js', 'ui-tests/*.js'],
    languageOptions: { globals: globals.node, sourceType: 'commonjs' },
    rules: { '@typescript-eslint/no-require-imports': 'off' }
  },
  {
    files: ['scripts/**/*.mjs', 'style/**/*.js'],
    languageOptions: { globals: globals.node }
  },
  prettier
);
