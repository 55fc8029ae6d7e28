import type { DebugBundle } from '@culprit/contract/incidents/bundle';

/** An error whose details the browser withheld. */
export function isOpaque(bundle: DebugBundle): boolean {
  return bundle.reproduction.reason === 'opaque_browser_event';
}
