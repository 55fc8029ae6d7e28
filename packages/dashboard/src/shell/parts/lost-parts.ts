import type { AnyRouter } from '@tanstack/react-router';
import { isOutdated } from '../frame/new-build.ts';

/** The key for the time at which this tab was last reloaded for a part that was gone. */
const KEY = 'culprit.reloaded';
/** Not sooner again: what is still gone then is shown as a failure. */
const AGAIN_AFTER_MS = 60_000;

/**
 * Watches for parts of the page that cannot be loaded, because a newer build has replaced them. If a person is on the
 * way to a screen, the page is reloaded once and they get there; if they stay, the new version is offered.
 */
export function watchParts(router: AnyRouter): void {
  let isLost = false;
  window.addEventListener('vite:preloadError', () => {
    isLost = true;
    isOutdated.set(true);
    if (router.state.status === 'pending') loadAgain(router.latestLocation.href);
  });
  router.subscribe('onBeforeNavigate', ({ pathChanged, toLocation }) => {
    if (isLost && pathChanged) loadAgain(toLocation.href);
  });
}

function loadAgain(href: string): void {
  const before = Number(sessionStorage.getItem(KEY) ?? 0);
  if (Date.now() - before < AGAIN_AFTER_MS) return;
  sessionStorage.setItem(KEY, String(Date.now()));
  // The address may already be in the bar; then a navigation to it would load nothing.
  history.replaceState(null, '', href);
  location.reload();
}
