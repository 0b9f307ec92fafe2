/** The bundle that translates what is drawn, for components at any depth. */
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { createContext, useContext } from 'react';

export type Trans = IRenderMime.TranslationBundle;

export const TransContext = createContext<Trans | null>(null);

export function useTrans(): Trans {
  const trans = useContext(TransContext);
  if (!trans) {
    throw new Error('A component is drawn without a TransContext');
  }
  return trans;
}
