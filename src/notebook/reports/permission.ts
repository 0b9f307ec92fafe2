/**
 * Asks for the permission to show notifications of the operating system.
 *
 * To be called at a press that starts a run: some browsers ask a person then,
 * and at no other time.
 */

import { IPreferences } from '../../tokens';

export function askPermission({ whenEnded }: IPreferences): void {
  if (
    whenEnded === 'system' &&
    'Notification' in window &&
    window.Notification.permission === 'default'
  ) {
    void window.Notification.requestPermission();
  }
}
