import { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { ICatalogue } from '../tokens';
import { Catalogue } from './catalogue';

export const catalogue: JupyterFrontEndPlugin<ICatalogue> = {
  id: 'jupyterlab-kernelgate:catalogue',
  description: 'The operators: problems, and programs that replace them.',
  autoStart: true,
  provides: ICatalogue,
  activate: () => new Catalogue()
};
