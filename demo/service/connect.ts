import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createClient } from '@culprit/contract/client';
import { getHealth } from '@culprit/contract/health';
import { listIncidents } from '@culprit/contract/incidents';

/** A running Culprit, and the demo's project in it. */
export interface Connection {
  baseUrl: string;
  version: string;
  projectId: string;
  projectToken: string;
  memberToken: string;
}

/** Something the person who runs the demo can put right; the message says how. */
export class ConnectError extends Error {
  override name = 'ConnectError';
}

const ADMIN = fileURLToPath(new URL('../../packages/server/src/admin/main.ts', import.meta.url));
const BOOTSTRAP = ['bootstrap', '--email', 'demo@example.test', '--project', 'Demo shop', '--json'];

/** Finds the server, then makes or finds the project by the administrator's command. @throws ConnectError */
export async function connect(environment: NodeJS.ProcessEnv): Promise<Connection> {
  const baseUrl = environment.CULPRIT_BASE_URL || `http://localhost:${environment.CULPRIT_PORT || '4800'}`;
  const health = await createClient({ baseUrl, token: null }).call(getHealth);
  if (!health.ok) {
    throw new ConnectError(
      `No Culprit answers at ${baseUrl}. Start it in another terminal with: npm start\n` +
        'If it runs elsewhere, name its address in CULPRIT_BASE_URL.',
    );
  }
  const project = await bootstrap();
  const probe = await createClient({ baseUrl, token: project.memberToken }).call(listIncidents);
  if (!probe.ok) {
    throw new ConnectError(
      `Culprit at ${baseUrl} does not accept the token just made (${probe.error}). It uses another database: ` +
        'run the demo with the CULPRIT_DATA_DIR or CULPRIT_DATABASE_URL of the server.',
    );
  }
  return { baseUrl: baseUrl.replace(/\/+$/, ''), version: health.body.version, ...project };
}

async function bootstrap(): Promise<Pick<Connection, 'projectId' | 'projectToken' | 'memberToken'>> {
  const child = spawn(process.execPath, [ADMIN, ...BOOTSTRAP], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, code] = await Promise.all([
    text(child.stdout),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  if (code !== 0) throw new ConnectError('The administrator command could not make a project (see above).');
  const made: Record<string, unknown> = JSON.parse(output);
  return {
    projectId: String(made.project_id),
    projectToken: String(made.project_token),
    memberToken: String(made.member_token),
  };
}
