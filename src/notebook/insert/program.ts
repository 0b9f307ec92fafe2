/**
 * What an insertion needs that is not loaded with the page: a text, and what changes cells.
 *
 * In: an operator, what a person has set, and the form that was asked for, which
 * may be anything. Out: the text in that form, or else in the one that is set.
 */

import {
  formOf,
  IOperator,
  IPreferences,
  loadForm,
  PROGRAM_FORMS,
  ProgramForm
} from '../../tokens';

interface IInsertion {
  text: string;
  /** Only its first line shows until a person opens it. */
  isFolded: boolean;
  cells: typeof import('../cells');
}

/** Null where the operator has no program; throws where the Jupyter server does not answer. */
export async function loadInsertion(
  operator: IOperator,
  set: IPreferences,
  asked?: unknown
): Promise<IInsertion | null> {
  const given = PROGRAM_FORMS.find(form => form === asked);
  const form = formOf(operator, given ?? set.form);
  const isMagic = set.insertAs === 'magic' && given === undefined;
  // Both at once: someone waits for the cell.
  const [text, cells] = await Promise.all([
    isMagic
      ? `%load_ext kernelgate\n%${operator.magic}`
      : loadForm(operator, form)?.(),
    import('../cells')
  ]);
  const isFolded = set.insertAs === 'folded' && isLong(form);
  return text === undefined ? null : { text, isFolded, cells };
}

/** Hundreds of lines would push everything else off the screen; the short form is there to be read. */
function isLong(form: ProgramForm): boolean {
  return form !== 'short';
}
