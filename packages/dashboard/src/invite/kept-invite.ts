import { serverNow } from '../api/transport.ts';

/** The token of an invite between the link and its acceptance: in this tab, and for an hour at most. */
/** The key is among the drafts, which are forgotten on sign-out. */
const KEY = 'culprit.draft./invite';
const KEPT_MS = 3_600_000;

export function keepInvite(token: string): void {
  sessionStorage.setItem(KEY, JSON.stringify({ token, until: serverNow() + KEPT_MS }));
}

/** The token; null where no link was opened in this tab, or too long ago. */
export function keptInvite(): string | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    if (typeof kept !== 'object' || kept === null || !('token' in kept) || !('until' in kept)) return null;
    if (typeof kept.token === 'string' && Number(kept.until) > serverNow()) return kept.token;
  } catch {
    // Text of another program under this key is no invite.
  }
  forgetInvite();
  return null;
}

export function forgetInvite(): void {
  sessionStorage.removeItem(KEY);
}
