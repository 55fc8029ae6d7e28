import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { expect } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { consumeAllowance } from '../../src/workspace/billing/take-allowance.ts';
import { HOSTED } from '../support/culprit.ts';
import { moveClock } from '../support/move-clock.ts';
import { type Answer, sendEvents, sendRequest } from '../support/send-events.ts';
import { valueAt } from './case-notation.ts';
import type { CaseWorld } from './case-world.ts';

type Given = (world: CaseWorld) => Promise<void>;

const HOUR_MS = 3_600_000;

/** What each `given` of 9.6 and 9.7 asks for. */
export const PROBE_GIVENS: ReadonlyMap<string, Given> = new Map<string, Given>([
  [
    'active probes: P1 service web, P2 environment staging, P3 both *',
    async (world) => {
      await activate(world, { service: 'web' });
      await activate(world, { environment: 'staging' });
      await activate(world, {});
    },
  ],
  [
    'five active activations in solo',
    async (world) => {
      for (let i = 0; i < 5; i += 1) await activate(world, {});
    },
  ],
  ['solo has no remote activations left this month', useUpActivations],
  ['one drop rule; tag saved; an event matched the rule and the worker is idle', matchRuleBehindTag],
  ['one enabled, one disabled, one expired rule', makeThreeRules],
]);

/** What each `note` of 9.6 and 9.7 says beyond the answers. */
export const PROBE_NOTES: ReadonlyMap<string, Given> = new Map<string, Given>([
  [
    'expires_at is created_at + 300 s, trigger_expires_at + 3600 s; both tokens differ only in prefix',
    async ({ lastAnswer }) => {
      const text = (path: string) => String(lastAnswer === null ? '' : valueAt(lastAnswer, path));
      const createdAt = Date.parse(text('activation.created_at'));
      expect(Date.parse(text('activation.expires_at')) - createdAt).toBe(300_000);
      expect(Date.parse(text('activation.trigger_expires_at')) - createdAt).toBe(3_600_000);
      expect(text('trigger_token')).toMatch(/^svc_probe_[\w-]+\.[\w-]{43}$/);
      expect(text('compat_trigger_token')).toBe(text('trigger_token').replace('svc_', 'dbundle_'));
    },
  ],
  [
    'only P3',
    async ({ lastAnswer }) => {
      if (lastAnswer === null) throw new Error('nothing was answered');
      expect(valueAt(lastAnswer, 'probe_directives.active_probes.0')).toMatchObject({
        service: '*',
        environment: '*',
      });
    },
  ],
]);

async function post(world: CaseWorld, path: string, body: JsonObject): Promise<Answer> {
  const answer = await sendRequest(world.culprit.url + (await world.path(path)), {
    token: await world.token('OWNER'),
    body: JSON.stringify(body),
  });
  expect({ path, status: answer.status, body: answer.body }).toMatchObject({ status: 201 });
  return answer;
}

async function activate(world: CaseWorld, scope: JsonObject): Promise<void> {
  await post(world, '/v1/projects/solo/probes/activate', { label_pattern: 'auth.*', ...scope });
}

async function useUpActivations(world: CaseWorld): Promise<void> {
  const { projectId } = await world.project('solo');
  const { database } = world.culprit;
  const [row] = await database.query<{ organization_id: string }>(
    {
      name: 'test-organization-of',
      text: 'select organization_id from projects where project_id = $1',
    },
    [parseId(['proj'], projectId) ?? ''],
  );
  // What Solo has in a month.
  const taken = await database.transaction((transaction) =>
    consumeAllowance(transaction, HOSTED, row?.organization_id ?? '', 'monthly_remote_activations', 75),
  );
  expect(taken).toEqual({ granted: true });
}

async function matchRuleBehindTag(world: CaseWorld): Promise<void> {
  const rule = { name: 'r', action: 'drop', matcher: { services: ['api-server'] } };
  await post(world, '/v1/projects/solo/capture-rules', rule);
  const token = await world.token('SOLO');
  const config = await sendRequest(`${world.culprit.url}/v1/sdk/config`, { method: 'GET', token });
  world.saved.set('tag', config.headers.get('etag') ?? '');
  const answer = await sendEvents(world.culprit.url, token, [world.event('A')]);
  expect(answer.body).toMatchObject({ errors: [{ index: 0, reason: 'capture_rule_dropped' }] });
  await world.culprit.drain();
}

async function makeThreeRules(world: CaseWorld): Promise<void> {
  const rule = { name: 'r', action: 'drop', matcher: { services: ['api-server'] } };
  const path = '/v1/projects/solo/capture-rules';
  await post(world, path, rule);
  await post(world, path, { ...rule, enabled: false });
  const expiring = new Date(Date.now() + HOUR_MS).toISOString();
  await post(world, path, { ...rule, expires_at: expiring });
  await moveClock(world.culprit.database, 2 * HOUR_MS);
}
