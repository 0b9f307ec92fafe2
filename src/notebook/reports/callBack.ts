/**
 * Calls a person back to a page out of sight when a long run has ended.
 *
 * In: the end of a run, in words. Out: the title of the browser's tab, or a
 * notification of the operating system. Both are gone when the page is looked at.
 */

import type { IPreferences } from '../../tokens';

export class CallBack {
  constructor(private _how: () => IPreferences['whenEnded']) {}

  /** Where the page is in sight, nothing: the report is, too, or Lab's own notification. */
  call(name: string, sentence: string, show: () => void): void {
    const how = this._how();
    if (how === 'nothing' || document.visibilityState === 'visible') {
      return;
    }
    if (how === 'system' && isAllowed()) {
      const options = { body: sentence, tag: `kernelgate ${name}` };
      const shown = new window.Notification(name, options);
      shown.onclick = () => {
        window.focus();
        shown.close();
        show();
      };
    } else {
      this._putIntoTitle(`${sentence} – `);
    }
  }

  /**
   * The last of several runs stands there. Lab writes the title anew when the state
   * of a document changes, as it does at the end of a run: the words go before that.
   */
  private _putIntoTitle(words: string): void {
    this._restore();
    this._words = words.replace(/\s+/g, ' ').trimStart(); // as a browser keeps it
    document.title = `${this._words}${document.title}`;
    this._written.observe(document.head, {
      characterData: true,
      childList: true,
      subtree: true
    });
    document.addEventListener('visibilitychange', this._restore);
  }

  private _restore = (): void => {
    this._written.disconnect();
    if (document.title.startsWith(this._words)) {
      document.title = document.title.slice(this._words.length);
    }
    this._words = '';
    document.removeEventListener('visibilitychange', this._restore);
  };

  private _written = new MutationObserver(() => {
    if (!document.title.startsWith(this._words)) {
      document.title = `${this._words}${document.title}`;
    }
  });
  private _words = '';
}

function isAllowed(): boolean {
  return (
    'Notification' in window && window.Notification.permission === 'granted'
  );
}
