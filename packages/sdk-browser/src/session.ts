import { attempt } from '../../sdk-core/src/attempt.ts';

const KEY = 'culprit.session';
const IDLE_MS = 30 * 60_000;

/**
 * Id of the visit (docs/contract/clients.md 5.3): it lives as long as the tab and ends after half an hour without an
 * event. Where storage is blocked it is only remembered.
 */
export function createSession(newId: () => string): () => string {
  let stored = '';
  return () => {
    stored = attempt(() => sessionStorage.getItem(KEY)) ?? stored;
    const now = Date.now();
    const [, id, usedAt] = /^([\w-]{36}) (\d+)$/.exec(stored) ?? [];
    const current = id && now - Number(usedAt) < IDLE_MS ? id : newId();
    stored = `${current} ${now}`;
    attempt(() => sessionStorage.setItem(KEY, stored));
    return current;
  };
}
