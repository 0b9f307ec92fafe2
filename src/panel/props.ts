import { TranslationBundle } from '@jupyterlab/translation';

import { IPanelActions } from './actions';

/** What every section of the panel is given beside its data. */
export interface ISectionProps {
  actions: IPanelActions;
  trans: TranslationBundle;
}
