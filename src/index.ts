// The list of plugins, nothing else.
import { catalogue } from './catalogue/plugin';

export default [catalogue];
