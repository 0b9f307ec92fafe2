const { execFileSync } = require('child_process');
const { existsSync } = require('fs');
const base = require('@jupyterlab/testutils/lib/jest-config')(__dirname);

// Published as ES modules: jest has to transform them although they are dependencies.
const esModules = [
  '@codemirror',
  '@jupyter/',
  '@jupyterlab/',
  '@marijn',
  '@microsoft',
  '@noble',
  'color',
  'd3-',
  'exenv-es6',
  'internmap',
  'lib0',
  'marked',
  'nanoid',
  'vscode-ws-jsonrpc',
  'y-protocols',
  'y-websocket',
  'yjs'
].join('|');

// Git does not keep the types of a report.
if (!existsSync(`${__dirname}/src/model/types.ts`)) {
  execFileSync('node', ['scripts/generate.mjs', '--made'], { cwd: __dirname });
}

module.exports = {
  ...base,
  transform: {
    ...base.transform,
    '\\.py$': '@jupyterlab/testing/lib/jest-raw-loader.js'
  },
  transformIgnorePatterns: [`/node_modules/(?!${esModules}).+`],
  modulePathIgnorePatterns: [
    '<rootDir>/.kernelgate',
    '<rootDir>/.venv',
    '<rootDir>/lib',
    '<rootDir>/python/kernelgate/labextension',
    '<rootDir>/ui-tests'
  ],
  reporters: ['default'],
  testRegex: 'src/.*/.*.spec.ts[x]?$'
};
