/** The seven services of the busy project, each with its language and its releases. */

export interface BusyService {
  name: string;
  runtime: string;
  framework: string | null;
  sdk: string;
  /** The language of its stacks. */
  language: 'javascript' | 'browser' | 'python' | 'java' | 'go' | 'php';
  /** Oldest first. */
  releases: readonly BusyRelease[];
}

export interface BusyRelease {
  version: string;
  hoursAgo: number;
}

export const BUSY_SERVICES = [
  {
    name: 'checkout-api',
    runtime: 'node',
    framework: 'fastify',
    sdk: '@culprit/node',
    language: 'javascript',
    releases: [
      { version: '4.17.9', hoursAgo: 316 },
      { version: '4.18.2', hoursAgo: 220 },
      { version: '4.18.3', hoursAgo: 97 },
      { version: '4.19.0', hoursAgo: 5 },
    ],
  },
  {
    name: 'storefront',
    runtime: 'browser',
    framework: 'react',
    sdk: '@culprit/browser',
    language: 'browser',
    releases: [
      { version: '2026.46.1', hoursAgo: 300 },
      { version: '2026.47.0', hoursAgo: 150 },
      { version: '2026.48.2', hoursAgo: 19 },
    ],
  },
  {
    name: 'payments',
    runtime: 'jvm',
    framework: 'spring',
    sdk: 'busy-java',
    language: 'java',
    releases: [
      { version: '11.2.0', hoursAgo: 330 },
      { version: '11.3.1', hoursAgo: 74 },
    ],
  },
  {
    name: 'search-api',
    runtime: 'python',
    framework: 'fastapi',
    sdk: 'busy-python',
    language: 'python',
    releases: [
      { version: '0.94.0', hoursAgo: 290 },
      { version: '0.95.2', hoursAgo: 21 },
    ],
  },
  {
    name: 'inventory',
    runtime: 'go',
    framework: null,
    sdk: 'busy-go',
    language: 'go',
    releases: [
      { version: '1.61.0', hoursAgo: 310 },
      { version: '1.62.4', hoursAgo: 120 },
    ],
  },
  {
    name: 'mailer',
    runtime: 'php',
    framework: 'symfony',
    sdk: 'busy-php',
    language: 'php',
    releases: [{ version: '3.8.1', hoursAgo: 250 }],
  },
  {
    name: 'recommendations-and-personalization-worker',
    runtime: 'python',
    framework: 'celery',
    sdk: 'busy-python',
    language: 'python',
    releases: [
      { version: '7.0.0-rc.3', hoursAgo: 200 },
      { version: '7.0.0-rc.4+build.20261127.5c1f0a9', hoursAgo: 44 },
    ],
  },
] as const satisfies readonly BusyService[];

export type BusyServiceName = (typeof BUSY_SERVICES)[number]['name'];

export function serviceNamed(name: BusyServiceName): BusyService {
  const found = BUSY_SERVICES.find((service) => service.name === name);
  if (found === undefined) throw new Error(`there is no service ${name}`);
  return found;
}
