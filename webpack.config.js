const { existsSync, readdirSync, readFileSync } = require('fs');
const { join } = require('path');

/** Where scripts/wheels.py puts what the page sends to a kernel without network. */
const WHEELS = join(__dirname, '.kernelgate', 'wheels');

/** Puts the wheels, with the list of them, beside the scripts: a build, and each rebuild, empties that folder. */
class Wheels {
  apply(compiler) {
    const { sources } = compiler.webpack;
    compiler.hooks.thisCompilation.tap('Wheels', compilation => {
      compilation.hooks.processAssets.tap('Wheels', () => {
        for (const name of existsSync(WHEELS) ? readdirSync(WHEELS) : []) {
          const source = new sources.RawSource(
            readFileSync(join(WHEELS, name))
          );
          compilation.emitAsset(`wheels/${name}`, source);
        }
      });
    });
  }
}

module.exports = {
  // The catalogue's programs are bundled as text, straight from the Python package.
  module: { rules: [{ test: /\.py$/, type: 'asset/source' }] },
  plugins: [new Wheels()],
  // A wheel is loaded when a person's cell asks for it.
  performance: { assetFilter: name => name.endsWith('.js') }
};
