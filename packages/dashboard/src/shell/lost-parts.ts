import type { AnyRouter } from '@tanstack/react-router';
import { isOutdated } from './new-build.ts';

/** When this tab was last loaded again for a part that was gone. */
const KEY = 'culprit.reloaded';
/** Not sooner again: what is still gone then is shown as a failure. */
const AGAIN_AFTER_MS = 60_000;

/**
 * Parts of the page are loaded when they are wanted, and a newer build may have taken their place meanwhile. Whoever is
 * on the way to a screen gets there by loading the page again, once; whoever stays is offered the new version.
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
  // The address may stand in the bar already, where the same one would load nothing.
  history.replaceState(null, '', href);
  location.reload();
}
