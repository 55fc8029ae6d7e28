import { installLine, scriptTag } from '@culprit/contract/install-lines';
import type { HandedOut } from '@culprit/contract/server';

/** What the lines of a platform name. */
export interface Place {
  token: string;
  baseUrl: string;
  /** The packages that the server hands out; null when it hands out none. */
  packages: HandedOut | null;
}

interface Line {
  title: string;
  code: string;
}

/** How an event is sent from an application. */
export interface Platform {
  id: string;
  name: string;
  /** The logo of its tile. */
  letters: string;
  /** The token of a page is public, so it is limited to the page's origins. */
  isBrowser: boolean;
  /** What is installed and configured, in this order. */
  install: (place: Place) => readonly Line[];
  /** Sends one error. */
  test: (place: Place) => Line;
}

/** Every platform of the setup page: one source for its tiles, its code and the prompt for agents. */
export const PLATFORMS: readonly Platform[] = [
  {
    id: 'curl',
    name: 'curl',
    letters: '$_',
    isBrowser: false,
    install: () => [],
    test: ({ token, baseUrl }) => ({ title: 'Send a test error', code: curlOf(token, baseUrl) }),
  },
  {
    id: 'node',
    name: 'Node',
    letters: 'JS',
    isBrowser: false,
    install: ({ token, baseUrl, packages }) => [
      { title: 'Install', code: installOf('node', baseUrl, packages) },
      {
        title: 'Start your server with it',
        code: `CULPRIT_PROJECT_TOKEN=${token} CULPRIT_ENDPOINT=${baseUrl} NODE_ENV=production \\
  node --import @culprit/node/register server.js`,
      },
    ],
    test: ({ token, baseUrl }) => ({
      title: 'Send a test error',
      code: `CULPRIT_PROJECT_TOKEN=${token} CULPRIT_ENDPOINT=${baseUrl} NODE_ENV=production \\
  node --import @culprit/node/register -e "throw new Error('Hello from Node')"`,
    }),
  },
  {
    id: 'browser',
    name: 'Browser',
    letters: '<>',
    isBrowser: true,
    install: ({ token, baseUrl, packages }) => [
      { title: 'Install', code: installOf('browser', baseUrl, packages) },
      {
        title: 'Start it in your page',
        code: `import { init } from '@culprit/browser';

init({ token: '${token}', endpoint: '${baseUrl}', service: 'my-page' });`,
      },
    ],
    test: () => ({
      title: 'Send a test error',
      code: `setTimeout(() => { throw new Error('Hello from a page'); });`,
    }),
  },
  {
    id: 'html',
    name: 'HTML page',
    letters: 'H5',
    isBrowser: true,
    install: ({ token, baseUrl, packages }) =>
      packages === null
        ? []
        : [
            {
              title: 'Add to the head of your page',
              code: scriptTag(baseUrl, packages, { token, service: 'my-page' }),
            },
          ],
    test: () => ({
      title: 'Send a test error',
      code: `setTimeout(() => { throw new Error('Hello from a page'); });`,
    }),
  },
];

/** The platforms of a server: a page without a bundler needs the script that the server hands out. */
export function platformsOf(packages: HandedOut | null): readonly Platform[] {
  return PLATFORMS.filter(({ id }) => id !== 'html' || packages !== null);
}

/** The task for a coding agent. The token is in it, as in the code of the page. */
export function agentPrompt(platform: Platform, place: Place, projectName: string): string {
  const lines = [...platform.install(place), platform.test(place)];
  return [
    `Add error tracking with Culprit to this application (${platform.name}). Errors go to the project "${projectName}" at ${place.baseUrl}.`,
    ...lines.map(({ title, code }, index) => `${index + 1}. ${title}:\n\n${code}`),
    platform.isBrowser
      ? 'The token is limited to the origins of the page and may be part of its code.'
      : 'The token is a secret. Read it from the environment variable CULPRIT_PROJECT_TOKEN and never commit it.',
    'Name the service after this application. When you are done, send the test error and report the response.',
  ].join('\n\n');
}

function installOf(name: 'node' | 'browser', baseUrl: string, packages: HandedOut | null): string {
  return packages === null
    ? `npm install @culprit/${name}`
    : installLine({ baseUrl, version: packages.version }, [name]);
}

function curlOf(token: string, baseUrl: string): string {
  return `curl -s ${baseUrl}/v1/events \\
  -H "Authorization: Bearer ${token}" -H "Content-Type: application/json" \\
  -d '{"events":[{"event_type":"backend_exception","timestamp":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'","service":{"name":"my-app","environment":"production"},"payload":{"name":"Error","message":"Hello from curl","stack":"Error: Hello from curl\\n    at main (app.js:1:1)"}}]}'`;
}
