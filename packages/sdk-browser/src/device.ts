import { attempt } from '../../sdk-core/src/attempt.ts';
import type { JsonValue } from '../../sdk-core/src/wire.ts';

interface BrandVersion {
  brand: string;
  version: string;
}

interface ClientHints extends Navigator {
  userAgentData?: { brands: readonly BrandVersion[]; platform: string; mobile: boolean };
  connection?: { effectiveType?: string };
}

const FACTS: { readonly [name: string]: (navigator: ClientHints) => JsonValue | undefined } = {
  user_agent: (navigator) => navigator.userAgent,
  language: (navigator) => navigator.language,
  connection_type: (navigator) => navigator.connection?.effectiveType ?? null,
  timezone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
  os: ({ userAgentData }) => (userAgentData?.platform ? { name: userAgentData.platform } : undefined),
  screen: () => ({ width: screen.width, height: screen.height }),
  viewport: () => ({ width: innerWidth, height: innerHeight }),
  device_pixel_ratio: () => devicePixelRatio,
  // The global of a worker has none, so that this fails there as the others do.
  touch_capable: (navigator) => navigator.maxTouchPoints.valueOf() > 0,
};

/**
 * Returns the facts about the device that shows the page (docs/contract/ingestion.md 2.9). A fact that the global lacks
 * or refuses is left out.
 */
export function deviceFacts(): object {
  return Object.fromEntries(
    Object.entries(FACTS).map(([name, read]) => [name, attempt(() => read(navigator))]),
  );
}
