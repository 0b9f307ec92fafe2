/**
 * The bar below a cell with a program: what it is checked against, and what
 * checks it. Drawn from what is known; a press asks the notebook's commands.
 */

import { CodeCell } from '@jupyterlab/cells';
import { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { PanelLayout } from '@lumino/widgets';
import * as React from 'react';

import { ICellProgram } from '../../tokens';
import { Own } from '../../ui/own';
import { ProblemSelect } from '../../ui/problemSelect';
import { Verb, verbCaption, verbName } from '../verify/verbs';
import '../../../style/bar.css';

export interface IBarOptions {
  choose: (key: string) => void;
  run: (verb: Verb) => void;
  /** Why that cannot be done now; empty where it can. */
  whyNot: (verb: Verb) => string;
  trans: TranslationBundle;
}

/** Profile is in the panel and in the menus. */
const ON_BAR: readonly Verb[] = ['verify', 'benchmark'];

export class ProgramBar extends ReactWidget {
  constructor(private _options: IBarOptions) {
    super();
    this.addClass('jp-KernelBar');
    // The keys that are pressed here are no commands of the notebook.
    this.node.setAttribute('data-lm-suppress-shortcuts', 'true');
  }

  set program(value: ICellProgram | null) {
    this._program = value;
    this.update();
  }

  /** Below the input; a cell out of sight has no parts yet. */
  attachTo(cell: CodeCell): void {
    void cell.ready.then(() => {
      const layout = cell.layout;
      if (
        layout instanceof PanelLayout &&
        !this.isDisposed &&
        !cell.isDisposed
      ) {
        const at = layout.widgets.findIndex(one =>
          one.hasClass('jp-Cell-inputWrapper')
        );
        layout.insertWidget(at + 1, this);
      }
    });
  }

  protected render(): React.JSX.Element | null {
    const program = this._program;
    const { choose, run, whyNot, trans } = this._options;
    return (
      program && (
        <Own tag="kernelgate-bar">
          <div
            className="jp-KernelBar-content"
            role="group"
            aria-label={trans.__('Check the program of this cell')}
          >
            {program.came !== '' && <span>{program.came}</span>}
            <ProblemSelect
              label={trans.__('Check against')}
              unchosen={trans.__('Choose…')}
              catalogue={trans.__('Catalogue')}
              {...program}
              onChoose={choose}
            />
            {ON_BAR.map(verb => {
              const why = whyNot(verb);
              return (
                <button
                  key={verb}
                  type="button"
                  aria-disabled={why !== ''}
                  title={why || verbCaption(verb, trans)}
                  onClick={() => {
                    if (!why) {
                      run(verb);
                    }
                  }}
                >
                  {verbName(verb, trans)}
                </button>
              );
            })}
          </div>
        </Own>
      )
    );
  }

  private _program: ICellProgram | null = null;
}
