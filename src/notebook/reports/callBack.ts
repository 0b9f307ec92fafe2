/**
 * Calls a person back to a page out of sight when a long run has ended.
 *
 * In: the end of a run, in words. Out: the title of the browser's tab, or a
 * notification of the operating system. Both are gone when the page is looked at.
 */

import type { IPreferences } from '../../tokens';

export class CallBack {
  constructor(private _how: () => IPreferences['whenEnded']) {}

  /** While a run goes on, once: a browser shows no notification that was not allowed. */
  prepare(): void {
    if (
      !this._isAsked &&
      this._how() === 'system' &&
      'Notification' in window &&
      window.Notification.permission === 'default'
    ) {
      this._isAsked = true;
      void window.Notification.requestPermission();
    }
  }

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

  /** The last of several runs stands there; a title that Lab has changed meanwhile is Lab's. */
  private _putIntoTitle(words: string): void {
    this._restore();
    document.title = `${words}${document.title}`;
    this._words = words;
    document.addEventListener('visibilitychange', this._restore);
  }

  private _restore = (): void => {
    if (document.title.startsWith(this._words)) {
      document.title = document.title.slice(this._words.length);
    }
    this._words = '';
    document.removeEventListener('visibilitychange', this._restore);
  };

  private _words = '';
  private _isAsked = false;
}

function isAllowed(): boolean {
  return (
    'Notification' in window && window.Notification.permission === 'granted'
  );
}
