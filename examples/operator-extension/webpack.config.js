// The program is bundled as text.
module.exports = {
  module: { rules: [{ test: /\.py$/, type: 'asset/source' }] }
};
