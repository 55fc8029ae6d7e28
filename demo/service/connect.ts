import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createClient } from '@culprit/contract/endpoints/client';
import { getHealth } from '@culprit/contract/endpoints/health';
import { listIncidents } from '@culprit/contract/incidents/incidents';
import { DEMO_EMAIL } from '../../packages/server/src/workspace/accounts/demo-account.ts';

/** A running Culprit, and the demo's project in it. */
export interface Connection {
  baseUrl: string;
  version: string;
  /** The account that owns the project. */
  email: string;
  projectId: string;
  projectToken: string;
  memberToken: string;
}

/** A problem that the person who runs the demo can solve; the message says how. */
export class ConnectError extends Error {
  override name = 'ConnectError';
}

const ADMIN = fileURLToPath(new URL('../../packages/server/src/admin/main.ts', import.meta.url));

/** The owner of the demo's project. */
interface OwnerChoice {
  /** The address that was named; undefined: the only account, or the one that is asked for. */
  email: string | undefined;
  /** Asks for an address; null when no one is there to answer. */
  ask: ((question: string) => Promise<string>) | null;
}

/** Finds the server, then creates or finds the project by the administrator's command. @throws ConnectError */
export async function connect(
  environment: NodeJS.ProcessEnv,
  owner: OwnerChoice,
  projectName = 'Demo shop',
): Promise<Connection> {
  const baseUrl = environment.CULPRIT_BASE_URL || `http://localhost:${environment.CULPRIT_PORT || '4800'}`;
  const health = await createClient({ baseUrl, token: null }).call(getHealth);
  if (!health.ok) {
    throw new ConnectError(
      `No Culprit answers at ${baseUrl}. Start it in another terminal with: npm start\n` +
        'If it runs elsewhere, name its address in CULPRIT_BASE_URL.',
    );
  }
  const email = owner.email ?? (await ownerAmong(await accountAddresses(environment), owner.ask));
  const project = await bootstrap(environment, email, projectName);
  const probe = await createClient({ baseUrl, token: project.memberToken }).call(listIncidents);
  if (!probe.ok) {
    throw new ConnectError(
      `Culprit at ${baseUrl} does not accept the new token (${probe.error}). It uses another database: ` +
        'run the demo with the CULPRIT_DATA_DIR or CULPRIT_DATABASE_URL of the server.',
    );
  }
  return { baseUrl: baseUrl.replace(/\/+$/, ''), version: health.body.version, email, ...project };
}

/** The only account; without any, the demo's own, whose project the first person who signs in sees. */
async function ownerAmong(addresses: readonly string[], ask: OwnerChoice['ask']): Promise<string> {
  const people = addresses.filter((address) => address !== DEMO_EMAIL);
  const [only] = people;
  if (only !== undefined && people.length === 1) return only;
  if (ask !== null) {
    const answer = await ask('Your e-mail address, with which you sign in to Culprit: ');
    if (answer !== '') return answer;
  }
  if (only === undefined) return DEMO_EMAIL;
  throw new ConnectError(
    `There are ${people.length} accounts. Name the one that gets the project: npm run demo -- --email ADDRESS`,
  );
}

async function accountAddresses(environment: NodeJS.ProcessEnv): Promise<string[]> {
  const { accounts } = await admin(environment, ['account', 'list'], 'list the accounts');
  return Array.isArray(accounts) ? accounts.map((account) => String(Object(account).email)) : [];
}

async function bootstrap(
  environment: NodeJS.ProcessEnv,
  email: string,
  projectName: string,
): Promise<Pick<Connection, 'projectId' | 'projectToken' | 'memberToken'>> {
  const made = await admin(
    environment,
    ['bootstrap', '--email', email, '--project', projectName],
    'create a project',
  );
  return {
    projectId: String(made.project_id),
    projectToken: String(made.project_token),
    memberToken: String(made.member_token),
  };
}

async function admin(
  environment: NodeJS.ProcessEnv,
  command: readonly string[],
  task: string,
): Promise<Record<string, unknown>> {
  const child = spawn(process.execPath, [ADMIN, ...command, '--json'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, code] = await Promise.all([
    text(child.stdout),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  if (code !== 0) throw new ConnectError(`The administrator command could not ${task} (see above).`);
  return JSON.parse(output);
}
