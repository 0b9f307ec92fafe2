/** The languages that Lab colours. */

import { EditorLanguageRegistry } from '@jupyterlab/codemirror';

export function languages(): EditorLanguageRegistry {
  const registry = new EditorLanguageRegistry();
  EditorLanguageRegistry.getDefaultLanguages().forEach(one =>
    registry.addLanguage(one)
  );
  return registry;
}
