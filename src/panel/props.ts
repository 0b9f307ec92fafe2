import { TranslationBundle } from '@jupyterlab/translation';

import { IPanelActions } from './actions';

/** What every section of the panel gets besides its data. */
export interface ISectionProps {
  actions: IPanelActions;
  trans: TranslationBundle;
}
