// The list of plugins, nothing else.
import { catalogue } from './catalogue/plugin';
import { kernelLink } from './kernel/plugin';
import { editor } from './notebook/editor/plugin';
import { commands, reportHistory } from './notebook/plugin';
import { panel } from './panel/plugin';

export default [catalogue, kernelLink, reportHistory, commands, editor, panel];
