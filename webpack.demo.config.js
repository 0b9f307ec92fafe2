// The script of the documentation's demo page, into site/demo: the report's renderer with the reports of the tests.
// `make docs` runs it behind `tsc`, whose lib it bundles, and behind mkdocs, which empties site.

const { join } = require('path');
const root = __dirname;

module.exports = {
  mode: 'production',
  context: root,
  entry: './lib/demo/index.js',
  output: {
    path: join(root, 'site/demo'),
    filename: 'demo.js',
    chunkFilename: 'demo.[contenthash].js',
    publicPath: 'auto'
  },
  // Each of these packages is a part of a whole application. A report needs one module of it.
  resolve: {
    alias: {
      '@jupyterlab/apputils$': join(root, 'lib/demo/clipboard.js'),
      '@jupyterlab/rendermime$': '@jupyterlab/rendermime/lib/mimemodel',
      '@jupyterlab/translation$': '@jupyterlab/translation/lib/base'
    }
  },
  module: {
    rules: [
      { test: /\.css$/, use: ['style-loader', 'css-loader'] },
      { test: /\.txt$/, type: 'asset/source' }
    ]
  },
  performance: { hints: false }
};
