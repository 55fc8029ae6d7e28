import type { HandedOut } from '../endpoints/server.ts';
import { PAGE_LINES, SERVER_LINES, stepOfLines } from './framework-lines.ts';
import { installLine, registryFiles, scriptTag } from './install-lines.ts';
import { sentryLibraries } from './setup-foreign.ts';
import { languageSteps } from './setup-languages.ts';

/** One thing to do: what to run or write. */
export interface SetupStep {
  title: string;
  code: string;
  /** A sentence below it. */
  note?: string;
}

/** The address to which events are sent, and the packages that the server distributes; null if it distributes none. */
export interface SetupPlace {
  token: string;
  /** The address with which libraries of others send. */
  dsn: string;
  baseUrl: string;
  packages: HandedOut | null;
}

/** The way to send events from a platform: the commands and code, in the order in which they are used. */
export interface Platform {
  id: string;
  name: string;
  /** The credential with which it sends. A page's token is public, so it is created for the page's own origins. */
  credential: 'token' | 'page-token' | 'dsn';
  steps: (place: SetupPlace) => readonly SetupStep[];
}

/** Everything that our own libraries and plain HTTP offer. */
export const OWN_PLATFORMS: readonly Platform[] = [
  {
    id: 'curl',
    name: 'curl',
    credential: 'token',
    steps: (place) => [{ title: 'Send a test error', code: curlOf(place) }],
  },
  {
    id: 'node',
    name: 'Node',
    credential: 'token',
    steps: (place) => [
      ...installSteps(place, ['node']),
      {
        title: 'Start your server with it',
        code: withVariables(place, 'node --import @culprit/node/register server.js'),
      },
      stepOfLines(
        SERVER_LINES,
        "Express 5.3 and newer, Fastify, node:http, SvelteKit, Astro, React Router and Remix need none. Request bodies are off by default: to send those of failed requests, --import a file that calls init({ requestBodies: 'failures' }) from @culprit/node instead.",
      ),
      {
        title: 'Send a test error',
        code: withVariables(
          place,
          `node --import @culprit/node/register -e "throw new Error('Hello from Node')"`,
        ),
      },
    ],
  },
  {
    id: 'next',
    name: 'Next.js',
    credential: 'token',
    steps: (place) => [
      ...installSteps(place, ['node', 'browser']),
      {
        title: 'Write instrumentation.js next to app (or in src)',
        code: `import { init } from '@culprit/node';

export { onRequestError } from '@culprit/node/next';

export function register() {
  init();
}`,
      },
      {
        title: 'Write instrumentation-client.js next to it, for pages',
        code: `import { init } from '@culprit/browser';

init({ service: 'my-page' });`,
      },
      {
        title: 'Write app/culprit/browser/route.js, which receives reports from pages',
        code: `export { GET, OPTIONS, POST } from '@culprit/node/next';`,
      },
      {
        title: 'Build, and start it with the variables',
        code: `npx next build && \\\n${withVariables(place, 'npx next start')}`,
        note: 'next dev writes events to files instead; CULPRIT_MODE=connected sends them. To see your sources instead of built files, set productionBrowserSourceMaps: true in next.config and run culprit sourcemaps upload .next after each build.',
      },
      {
        title: 'Send a test error',
        code: withVariables(
          place,
          `node --import @culprit/node/register -e "throw new Error('Hello from Next.js')"`,
        ),
      },
    ],
  },
  {
    id: 'browser',
    name: 'Browser',
    credential: 'page-token',
    steps: (place) => [
      ...installSteps(place, ['browser']),
      {
        title: 'Start it in your page',
        code: `import { init } from '@culprit/browser';

init({ token: '${place.token}', endpoint: '${place.baseUrl}', service: 'my-page' });`,
      },
      stepOfLines(
        PAGE_LINES,
        'Without a framework none is needed. Nuxt, SvelteKit, Svelte, Solid, Preact and htmx have theirs in the README of the package.',
      ),
      ...(place.packages === null
        ? []
        : [
            {
              title: 'Or without a bundler, as the first script of the page',
              code: scriptTag(place.baseUrl, place.packages, { token: place.token, service: 'my-page' }),
            },
          ]),
      { title: 'Send a test error', code: `setTimeout(() => { throw new Error('Hello from a page'); });` },
    ],
  },
  ...languageSteps.map(
    ({ id, name, file, run, code }): Platform => ({
      id,
      name,
      credential: 'token',
      steps: (place) => [
        { title: `Report exceptions over HTTP: write ${file}`, code: code.trim() },
        { title: 'Send a test error', code: withVariables(place, run) },
      ],
    }),
  ),
];

/** Libraries that applications have already. */
export const FOREIGN_PLATFORMS: readonly Platform[] = [
  ...sentryLibraries.map(
    ({ id, name, where, line, test }): Platform => ({
      id,
      name,
      credential: 'dsn',
      steps: ({ dsn }) => [
        {
          title: `Replace the old address with this one, ${where}`,
          code: line(dsn),
          note: 'Or, if the code has no address and the library reads the environment: SENTRY_DSN, with the same address.',
        },
        {
          title: 'Send a test error',
          code: test(dsn),
        },
      ],
    }),
  ),
  {
    id: 'opentelemetry',
    name: 'OpenTelemetry',
    credential: 'token',
    steps: ({ token, baseUrl }) => [
      {
        title: 'Set these variables where the application or its collector starts',
        code: `OTEL_EXPORTER_OTLP_ENDPOINT=${baseUrl}
OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20${token}
OTEL_METRICS_EXPORTER=none`,
        note: 'Exceptions of spans and error lines of logs become incidents. Metrics are not accepted.',
      },
      {
        title: 'Send a test error',
        code: `curl -s ${baseUrl}/v1/logs -H "Authorization: Bearer ${token}" -H "Content-Type: application/json" \\
  -d '{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"my-app"}}]},"scopeLogs":[{"logRecords":[{"timeUnixNano":"'$(date +%s)000000000'","severityNumber":17,"body":{"stringValue":"Hello from OpenTelemetry"},"attributes":[{"key":"exception.type","value":{"stringValue":"Error"}},{"key":"exception.message","value":{"stringValue":"Hello from OpenTelemetry"}}]}]}]}]}'`,
      },
    ],
  },
];

/** Every platform: the setup page, `/setup/<id>.md` and `/llms.txt` show them. */
export const PLATFORMS: readonly Platform[] = [...OWN_PLATFORMS, ...FOREIGN_PLATFORMS];

/** Returns the steps that install libraries, by address and by name. */
function installSteps({ baseUrl, packages }: SetupPlace, names: ('node' | 'browser')[]): SetupStep[] {
  if (packages === null) {
    const files = names.map((name) => `/tmp/culprit/culprit-${name}-*.tgz`).join(' ');
    return [
      {
        title: 'Install',
        code: `npm run build:sdk -- --pack /tmp/culprit   # in a checkout of Culprit
npm install ${files}   # in your application`,
        note: 'This server provides no packages (CULPRIT_PACKAGES is off).',
      },
    ];
  }
  const source = { baseUrl, version: packages.version };
  const packed = names.map((name) => `@culprit/${name}`).join(' ');
  return [
    {
      title: 'Install',
      code: installLine(source, names),
      note: `pnpm add and bun add accept the same address, Yarn with the name before it: ${installLine(source, names, 'yarn')}. A lockfile then points to this server. To avoid that, create a copy for the repository with npm pack and the address. Behind a sign-in proxy, package managers need an exception or credentials for that proxy in .npmrc.`,
    },
    {
      title: 'Or by name, for a team, with the registry in one file',
      code: [
        ...registryFiles(baseUrl).map(({ file, readers, text }) => `# ${file} (${readers})\n${text}`),
        `# then\nnpm install ${packed}`,
      ].join('\n'),
    },
  ];
}

/** A command with what the libraries read of the environment. */
function withVariables({ token, baseUrl }: SetupPlace, command: string): string {
  return `CULPRIT_PROJECT_TOKEN=${token} CULPRIT_ENDPOINT=${baseUrl} NODE_ENV=production \\\n  ${command}`;
}

function curlOf({ token, baseUrl }: SetupPlace): string {
  return `curl -s ${baseUrl}/v1/events \\
  -H "Authorization: Bearer ${token}" -H "Content-Type: application/json" \\
  -d '{"events":[{"event_type":"backend_exception","timestamp":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'","service":{"name":"my-app","environment":"production"},"payload":{"name":"Error","message":"Hello from curl","stack":"Error: Hello from curl\\n    at main (app.js:1:1)"}}]}'`;
}
