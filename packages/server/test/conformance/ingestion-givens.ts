import { rename, rm, writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { monthSince } from '../../src/workspace/billing/usage-window.ts';
import { managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { sendEvents, sendRequest } from '../support/send-events.ts';
import type { CaseWorld, PlanName } from './case-world.ts';

type Given = (world: CaseWorld) => Promise<void>;

const FREE_LIMIT = 60;

/** What each `given` of the checklist asks for. */
export const GIVENS: ReadonlyMap<string, Given> = new Map<string, Given>([
  ['preset investigative on team', (world) => setPreset(world, 'team', 'investigative')],
  // Described by the request itself.
  ['body of 1048577 bytes', async () => {}],
  ['REVOKED is a revoked token of solo', makeRevokedToken],
  [
    'WEB2 has allowed_origins ["HTTPS://App.Example.com:443/"]',
    async (world) => void (await world.addToken('WEB2', 'solo', ['HTTPS://App.Example.com:443/'])),
  ],
  ['object storage unreachable', breakObjectStore],
  [
    '60 answered requests of one event each in the same window',
    async (world) => {
      for (let i = 0; i < FREE_LIMIT; i += 1) await expectAccepted(world, [world.event('A')]);
    },
  ],
  [
    '60 answered requests with an empty array',
    async (world) => {
      for (let i = 0; i < FREE_LIMIT; i += 1) await expectAccepted(world, []);
    },
  ],
  ['100 requests with body {} answered 400', sendMalformedRequests],
  [
    'FREE has used its window; FREE2 is another token of the same project',
    async (world) => {
      await useUpWindow(world);
      await world.addToken('FREE2', 'free');
    },
  ],
  ['FREE got 429 with Retry-After n and n seconds passed', letWindowPass],
  [
    'SOLO accepted event_id evt_x',
    async (world) => {
      const token = await world.token('SOLO');
      const answer = await sendEvents(world.culprit.url, token, [world.event('A', { event_id: 'evt_x' })]);
      expect(answer).toMatchObject({ status: 202, body: { accepted: 1 } });
    },
  ],
  ['solo is past its monthly event allowance', exceedAllowance],
  ['solo has override capture_logs off', (world) => world.saveOverrides('solo', { capture_logs: 'off' })],
  [
    'solo has override capture_request_events off',
    (world) => world.saveOverrides('solo', { capture_request_events: 'off' }),
  ],
  [
    'solo has path rule {status_code 404, path_pattern "/checkout/*", methods ["GET"]}',
    (world) =>
      world.saveOverrides('solo', {
        immediate_client_error_path_rules: [
          { status_code: 404, path_pattern: '/checkout/*', methods: ['GET'] },
        ],
      }),
  ],
]);

async function setPreset(world: CaseWorld, plan: PlanName, preset: string): Promise<void> {
  const { projectId } = await world.project(plan);
  await world.culprit.database.query(
    { name: 'test-set-preset', text: 'update projects set capture_preset = $2 where project_id = $1' },
    [parseId(['proj'], projectId) ?? '', preset],
  );
}

async function makeRevokedToken(world: CaseWorld): Promise<void> {
  await world.addToken('REVOKED', 'solo');
  const { projectId, memberToken } = await world.project('solo');
  const owner = managementClient(world.culprit, memberToken);
  const tokens = await owner.listProjectTokens(projectId);
  const { token_id } = tokens.find(({ label }) => label === 'REVOKED') ?? { token_id: '' };
  const answer = await owner.post(`/v1/projects/${projectId}/tokens/${token_id}/revoke`);
  expect(answer.status).toBe(200);
}

/** Nothing can be written below a path that is a file. */
async function breakObjectStore(world: CaseWorld): Promise<void> {
  const directory = world.culprit.objectDirectory;
  await world.culprit.drain();
  await rename(directory, `${directory}-away`);
  await writeFile(directory, '');
  world.onRestore(async () => {
    await rm(directory);
    await rename(`${directory}-away`, directory);
    const answer = await sendEvents(world.culprit.url, await world.token('SOLO'), [world.event('A')]);
    expect(answer).toMatchObject({ status: 202, body: { accepted: 1 } });
  });
}

async function expectAccepted(world: CaseWorld, events: readonly unknown[]): Promise<void> {
  const answer = await sendEvents(world.culprit.url, await world.token('FREE'), events);
  expect(answer).toMatchObject({ status: 202, body: { accepted: events.length } });
}

async function sendMalformedRequests(world: CaseWorld): Promise<void> {
  const token = await world.token('FREE');
  for (let i = 0; i < 100; i += 1) {
    const answer = await sendRequest(`${world.culprit.url}/v1/events`, { token, body: '{}' });
    expect(answer.status).toBe(400);
  }
}

async function useUpWindow(world: CaseWorld): Promise<number> {
  const events = Array.from({ length: FREE_LIMIT }, () => world.event('A'));
  await expectAccepted(world, events);
  const refused = await sendEvents(world.culprit.url, await world.token('FREE'), [world.event('A')]);
  expect(refused.status).toBe(429);
  return Number(refused.headers.get('retry-after'));
}

async function letWindowPass(world: CaseWorld): Promise<void> {
  const waitSeconds = await useUpWindow(world);
  expect(waitSeconds).toBeGreaterThanOrEqual(1);
  expect(waitSeconds).toBeLessThanOrEqual(60);
  await moveClock(world.culprit.database, waitSeconds * 1000);
}

async function exceedAllowance(world: CaseWorld): Promise<void> {
  const { projectId } = await world.project('solo');
  const { database } = world.culprit;
  const [row] = await database.query<{ organization_id: string; plan_started_at: number; now: number }>(
    {
      name: 'test-organization-of-project',
      text: `select o.organization_id, o.plan_started_at, culprit_now() as now
        from projects p join organizations o using (organization_id) where p.project_id = $1`,
    },
    [parseId(['proj'], projectId) ?? ''],
  );
  if (row === undefined) throw new Error('the project is missing');
  await database.query(
    {
      name: 'test-use-allowance',
      text: `insert into usage_counters (organization_id, window_started_at, meter, used)
        values ($1, $2, 'monthly_raw_ingested_events', 1000000000)`,
    },
    [row.organization_id, new Date(monthSince(row.plan_started_at, row.now).startMs)],
  );
}
