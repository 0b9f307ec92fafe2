// The catalogue's programs are bundled as text, straight from the Python package.
module.exports = {
  module: { rules: [{ test: /\.py$/, type: 'asset/source' }] }
};
