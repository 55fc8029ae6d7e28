import type { JsonObject } from '../../sdk-core/src/wire.ts';

interface BrandVersion {
  brand: string;
  version: string;
}

interface ClientHints extends Navigator {
  userAgentData?: { brands: readonly BrandVersion[]; platform: string; mobile: boolean };
  connection?: { effectiveType?: string };
}

/** What the page is shown on (docs/contract/ingestion.md 2.9). Whatever the global lacks is left out. */
export function deviceFacts(): JsonObject {
  const { userAgent, language, connection, maxTouchPoints, userAgentData }: Partial<ClientHints> = navigator;
  return {
    user_agent: userAgent as string,
    language: language as string,
    connection_type: connection?.effectiveType ?? null,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(userAgentData?.platform && { os: { name: userAgentData.platform } }),
    ...(globalThis.document && {
      screen: { width: screen.width, height: screen.height },
      viewport: { width: innerWidth, height: innerHeight },
      device_pixel_ratio: devicePixelRatio,
      touch_capable: Number(maxTouchPoints) > 0,
    }),
  };
}
