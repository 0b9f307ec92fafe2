/** Our editor extensions, loaded with the first editor. */

import { Extension } from '@codemirror/state';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { TranslationBundle } from '@jupyterlab/translation';

import { ICatalogue } from '../../tokens';
import { CellMarks } from './cellMarks';
import { cudaHighlight, ParseCpp } from './cudaHighlight';
import { markLines } from './markLines';
import '../../../style/editor.css';

export { CellMarks };

export interface IEditorOptions {
  /** The model of the editor's text. */
  model: object;
  marks: CellMarks;
  catalogue: ICatalogue;
  languages: IEditorLanguageRegistry | null;
  trans: TranslationBundle;
}

export function editorExtension(options: IEditorOptions): Extension {
  const { model, marks, catalogue, languages, trans } = options;
  const isMagic = (name: string) =>
    name === 'kernelgate' ||
    catalogue.operators.some(one => one.magic === name);
  return [
    cudaHighlight({ isMagic, loadCpp: () => loadCpp(languages) }),
    markLines({ model, marks, trans })
  ];
}

/** The C++ parser that Lab itself uses. */
async function loadCpp(
  languages: IEditorLanguageRegistry | null
): Promise<ParseCpp | null> {
  const found = await languages?.getLanguage('C++');
  const parser = found?.support?.language.parser;
  return parser ? text => parser.parse(text) : null;
}
