import type { Answer } from './send-events.ts';

/** The origin of the tests, and what a page elsewhere may try to pass for it. */

export const APP_ORIGIN = 'https://app.example.com';

/** Forty origins that are not `https://app.example.com`, however much some look like it. */
export const FOREIGN_ORIGINS = [
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://app.example.com:80',
  'http://app.example.com:443',
  'https://app.example.com.evil.test',
  'https://app.example.com.',
  'https://evilapp.example.com',
  'https://evil-app.example.com',
  'https://www.app.example.com',
  'https://example.com',
  'https://app.example.co',
  'https://app.example.comm',
  'https://app-example.com',
  'https://appxexample.com',
  'https://app.example.com@evil.test',
  'https://app.example.com:443@evil.test',
  'https://evil.test/https://app.example.com',
  'https://evil.test#https://app.example.com',
  'https://evil.test?https://app.example.com',
  'https://app.example.com/path',
  'https://app.example.com//',
  'https://app.example.com#',
  'https://app.example.com?',
  'https://app.example.com\\.evil.test',
  'https://app.example.com%2eevil.test',
  'https://app.example.com%00.evil.test',
  'https://app.example.com https://evil.test',
  'https://evil.test, https://app.example.com',
  'https://app.example.com, https://app.example.com',
  'https:app.example.com',
  'https:/app.example.com',
  '//app.example.com',
  'app.example.com',
  'file://app.example.com',
  'javascript://app.example.com',
  'https://xn--pp-6kc.example.com',
  'null',
  'NULL',
  '*',
  'https://*.example.com',
  'https://app.example.com_evil.test',
  `https://${'a'.repeat(3000)}.example.com`,
];

/** An event of a page. */
export const PAGE_EVENT = {
  event_type: 'frontend_exception',
  timestamp: '2026-03-24T10:30:00Z',
  service: { name: 'web', environment: 'production' },
  payload: { name: 'TypeError', message: 'x is undefined' },
};

/** The headers of an answer that decide what a page may do with it. */
export function corsOf({ headers }: Answer): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => name === 'vary' || name.startsWith('access-control-')),
  );
}
