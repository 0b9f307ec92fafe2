// The list of plugins, nothing else.
import { catalogue } from './catalogue/plugin';
import { kernelLink } from './kernel/plugin';

export default [catalogue, kernelLink];
