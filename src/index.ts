// The list of plugins, and what other extensions may ask for.
import { catalogue } from './catalogue/plugin';
import { kernelLink } from './kernel/plugin';
import { editor } from './notebook/editor/plugin';
import { commands, preferences, reportHistory } from './notebook/plugin';
import { panel } from './panel/plugin';

export * from './tokens';

export default [
  catalogue,
  kernelLink,
  preferences,
  reportHistory,
  commands,
  editor,
  panel
];
