import { ALLOWED_ORIGINS_MAX } from '@culprit/contract/workspace/tokens';

/** The origins in a line that people typed. */
export function originsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((origin) => origin !== '');
}

/** Returns the fault in the origins, in words; null if there is none. */
export function faultOfOrigins(text: string): string | null {
  const origins = originsIn(text);
  if (origins.length > ALLOWED_ORIGINS_MAX) return `At most ${ALLOWED_ORIGINS_MAX} origins.`;
  const wrong = origins.find((origin) => !isOrigin(origin));
  return wrong === undefined
    ? null
    : `${wrong} is not an origin. Write scheme and host, such as https://shop.example.com`;
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, search, hash, username } = new URL(text);
  const isBare = pathname === '/' && !text.endsWith('/') && search === '' && hash === '' && username === '';
  return (protocol === 'https:' || protocol === 'http:') && isBare;
}
