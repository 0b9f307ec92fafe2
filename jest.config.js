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
