import type { HandedOut } from '../endpoints/server.ts';
import { dsnText } from '../events/dsn.ts';
import { commandLine } from './install-lines.ts';
import { PLATFORMS, type Platform, type SetupPlace, type SetupStep } from './setup-platforms.ts';

/**
 * The pages from which coding agents set something up: `/setup/<platform>.md` and `/llms.txt`
 * (docs/contract/packages.md 1).
 */

/** The placeholder for a secret, which no page has. */
const TOKEN = 'svc_proj_YOUR_TOKEN';
/** The key in the place of one of a project. */
const KEY = 'YOUR_KEY';

interface SetupSource {
  baseUrl: string;
  /** The address of the dashboard. */
  appUrl: string;
  packages: HandedOut;
}

/** Returns the setup of one platform, from nothing to an incident that can be read. */
export function setupPage(platform: Platform, source: SetupSource): string {
  const { baseUrl, appUrl, packages } = source;
  const place = placeOf(source);
  const steps: SetupStep[] = [
    ...platform.steps(place),
    {
      title: 'Report a deployment (in CI, after it)',
      code: deployCommand(baseUrl),
      note: 'Failures are then shown with the version that caused them.',
    },
    {
      title: 'Check that it arrived',
      code: [
        commandLine({ baseUrl, version: packages.version }, `login --url ${baseUrl}`),
        commandLine({ baseUrl, version: packages.version }, 'incidents list'),
      ].join('\n'),
      note: `Without a terminal: ${appUrl} shows it. Agents ask ${baseUrl}/mcp with a member token.`,
    },
  ];
  return `# Culprit for ${platform.name}

Culprit at ${baseUrl} collects errors and shows them as incidents. ${credentialText(platform, source)}

${steps.map(stepText).join('\n\n')}
`;
}

function placeOf({ baseUrl, packages }: SetupSource): SetupPlace {
  return { token: TOKEN, dsn: dsnText({ baseUrl, key: KEY, number: '1' }), baseUrl, packages };
}

function credentialText({ credential }: Platform, source: SetupSource): string {
  const { baseUrl, appUrl, packages } = source;
  const { dsn } = placeOf(source);
  const ofToken = `Replace ${TOKEN} by a token of the project: a signed-in person creates one at ${appUrl} under Settings, Tokens`;
  switch (credential) {
    case 'token':
      return `${ofToken}. Keep it out of the repository.`;
    case 'page-token':
      return `${ofToken}, for the origins of the page, because it is public.`;
    case 'dsn':
      return `Replace ${dsn} by the DSN of the project: a signed-in person finds it at ${appUrl} under Settings, or with \`${commandLine({ baseUrl, version: packages.version }, 'dsn')}\`. It can only send.
Deployments are reported with a token, ${TOKEN}, from Settings, Tokens.`;
  }
}

/** Returns a description of this server and of the setup of each platform, in lines that work. */
export function llmsText(source: SetupSource): string {
  const { baseUrl, packages } = source;
  const lines = PLATFORMS.map((platform) => `- [${platform.name}](${baseUrl}/setup/${platform.id}.md)`);
  const ofServers = PLATFORMS.filter(({ id }) => id === 'node' || id === 'browser').map((platform) => {
    const [install] = platform.steps(placeOf(source));
    return `${platform.name}: \`${install?.code ?? ''}\``;
  });
  return `# Culprit

> Error tracking at ${baseUrl}, release ${packages.version}. Errors become incidents, each with a debug bundle: what failed, where,
> since which deployment, and how to reproduce it.

- API: ${baseUrl}/openapi.json, for people ${baseUrl}/docs
- Incidents for coding agents (Model Context Protocol): ${baseUrl}/mcp with a member token, nothing to install
- The same over standard input and output: \`${commandLine({ baseUrl, version: packages.version }, 'mcp')}\`
- Command line: \`${commandLine({ baseUrl, version: packages.version }, '--help')}\`

This server provides its own packages. Install them from these addresses: they are not in a public registry.

${ofServers.join('\n')}

## Set-up, one page for each platform

${lines.join('\n')}
`;
}

function deployCommand(baseUrl: string): string {
  return `curl -s ${baseUrl}/v1/events \\
  -H "Authorization: Bearer ${TOKEN}" -H "Content-Type: application/json" \\
  -d '{"events":[{"event_type":"deploy_metadata","timestamp":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'","service":{"name":"my-app","environment":"production"},"payload":{"version":"1.4.0","deployed_at":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'"}}]}'`;
}

function stepText({ title, code, note }: SetupStep, index: number): string {
  const fenced = `## ${index + 1}. ${title}\n\n\`\`\`\n${code}\n\`\`\``;
  return note === undefined ? fenced : `${fenced}\n\n${note}`;
}
