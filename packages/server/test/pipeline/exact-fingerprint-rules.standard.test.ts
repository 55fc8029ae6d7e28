import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExactFingerprints } from '../../src/capture/exact-fingerprints.ts';
import { checkBatch } from '../../src/pipeline/ingest/check-batch.ts';
import { createIntakeWindow } from '../../src/pipeline/ingest/intake-window.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import { tokenHash } from '../../src/workspace/tokens/token.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { clientOf } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { type RoleProcess, startApiProcess } from '../support/role-process.ts';
import { ruleClient } from '../support/rule-client.ts';
import { runThrough } from '../support/run-through.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { readStoredBatches } from '../support/stored-events.ts';

/**
 * Rules that compare the fingerprint of the grouping algorithm (docs/contract/ingestion.md 5.2), which only a thread
 * computes.
 */

const plans = HOSTED;

let culprit: TestCulprit;
let second: RoleProcess;
let urls: [string, string];

beforeAll(async () => {
  culprit = await startCulprit({ plans });
  second = await startApiProcess(culprit, { plans });
  urls = [culprit.url, second.report];
});
afterAll(async () => {
  await second.kill();
  await culprit.stop();
});

const STACK =
  'TypeError: total is undefined\n    at checkout (/app/cart.js:42:10)\n    at pay (/app/pay.js:7:1)';
const base = {
  timestamp: '2026-03-24T10:30:00Z',
  service: { name: 'api-server', environment: 'production' },
};

/** Events of every kind that is grouped, with what could make a difference: secrets, user ids, odd spellings. */
const EVENTS: readonly (readonly [string, object])[] = [
  [
    'stack',
    {
      ...base,
      event_type: 'backend_exception',
      payload: { name: 'TypeError', message: 'total is undefined', stack: STACK },
    },
  ],
  [
    'frames',
    {
      ...base,
      event_type: 'backend_exception',
      payload: {
        error_class: '\\App\\Bad',
        message: null,
        stacktrace: [{ function: 'f', file: '/app/a.php', line: 3 }],
      },
    },
  ],
  [
    'secrets',
    {
      ...base,
      event_type: 'backend_exception',
      context: {
        user_id: 'u-1',
        password: 'hunter2',
        request: {
          method: 'post',
          path: '/pay/4111111111111111',
          headers: { authorization: 'Bearer abc.def' },
        },
      },
      payload: { name: 'E', message: 'Bearer abcdef123 was refused for https://a:b@c.example/', stack: null },
    },
  ],
  [
    'cause',
    {
      ...base,
      event_type: 'backend_exception',
      payload: {
        name: 'Outer',
        message: 'o',
        stack: null,
        causes: [{ name: 'Inner', message: 'row 7', stack: STACK }],
      },
    },
  ],
  [
    'request',
    {
      ...base,
      event_type: 'request_event',
      payload: { method: 'get', path: '/orders/17?token=x', response_status: 503 },
    },
  ],
  [
    'log',
    {
      ...base,
      event_type: 'log_event',
      payload: {
        level: 'error',
        message: 'payment 17 failed',
        attributes: { error: { name: 'E', stack: STACK } },
      },
    },
  ],
  ['plain log', { ...base, event_type: 'log_event', payload: { level: 'fatal', message: 'disk 7 is full' } }],
  [
    'window',
    {
      ...base,
      event_type: 'frontend_exception',
      payload: { name: 'Error', message: 'Script error.', stack: null },
    },
  ],
  [
    'resource',
    {
      ...base,
      event_type: 'frontend_exception',
      payload: {
        name: 'E',
        message: 'm',
        stack: null,
        browser_event: {
          kind: 'resource_error',
          opaque: true,
          target: { tag_name: 'img', source_url: 'https://cdn.example/a.png?x=1' },
        },
      },
    },
  ],
  [
    'rejection',
    {
      ...base,
      event_type: 'frontend_exception',
      payload: {
        name: 'UnhandledRejection',
        message: 'm',
        stack: null,
        rejection_reason: { kind: 'object', preview: '{a: 1}' },
      },
    },
  ],
];

async function budget(project: TestProject): Promise<{ requests: number; events: number } | undefined> {
  const [row] = await culprit.database.query<{ requests: number; events: number }>(
    {
      name: 'test-project-window',
      text: `select w.requests, w.events from rate_windows w join project_tokens t using (token_id)
        where t.project_id = $1`,
    },
    [parseId(['proj'], project.projectId)],
  );
  return row;
}

function send(project: TestProject, events: readonly object[], url = culprit.url) {
  return sendEvents(url, project.projectToken, events);
}

describe('a rule on a fingerprint', () => {
  it.each(EVENTS)('meets what the worker grouped by it: %s', async (_name, event) => {
    const project = await culprit.createProject({ plan: 'team' });
    const client = clientOf(culprit, project);
    await client.send(event);
    const { fingerprint, fingerprint_version: version } = await client.only();
    const rules = ruleClient(culprit.url, project);
    await rules.create({ matcher: { fingerprint: { version, value: fingerprint } } });
    for (const url of urls) {
      for (let n = 0; n < 2; n += 1) {
        const other = { ...base, event_type: 'log_event', payload: { level: 'error', message: 'another' } };
        expect(acknowledgement(await send(project, [other, event, other], url))).toEqual({
          accepted: 2,
          rejected: 1,
          errors: [{ index: 1, reason: 'capture_rule_dropped' }],
        });
      }
    }
  });

  it('meets what the worker grouped by the stack rules in force, each time they are changed', async () => {
    const project = await culprit.createProject({ plan: 'team' });
    const client = clientOf(culprit, project);
    const owner = managementClient(culprit, project.memberToken);
    const rules = ruleClient(culprit.url, project);
    const [, event] = EVENTS[0] ?? [];
    if (event === undefined) throw new Error('no event');
    const seen = new Set<string>();
    for (const [round, line] of [null, '*cart* foreign', '*pay* ignore'].entries()) {
      const stackRules = line === null ? [] : [line];
      const changed = await owner.patch(`/v1/projects/${project.projectId}`, { stack_rules: stackRules });
      expect(changed).toMatchObject({ status: 200, body: { project: { stack_rules: stackRules } } });
      for (const url of urls) {
        // The first rules drop nothing of it: it has another fingerprint now.
        await eventually(async () => {
          expect(acknowledgement(await send(project, [event], url))).toMatchObject({ accepted: 1 });
        });
      }
      const found = await client.counted(...Array(round + 1).fill(2));
      const [
        { fingerprint: value, fingerprint_version: version } = { fingerprint: '', fingerprint_version: '' },
      ] = found;
      seen.add(value);
      await rules.create({ matcher: { fingerprint: { version, value } } });
      for (const url of urls) {
        expect(acknowledgement(await send(project, [event], url))).toMatchObject({ rejected: 1 });
      }
    }
    expect(seen.size).toBe(3);
  });

  it('costs the budget of one request, however often it joins', async () => {
    const project = await culprit.createProject({ plan: 'team' });
    const rules = ruleClient(culprit.url, project);
    await rules.create({ matcher: { fingerprint: { version: 'v2', value: 'f' } } });
    const [, event] = EVENTS[0] ?? [];
    if (event === undefined) throw new Error('no event');
    for (let n = 1; n <= 3; n += 1) {
      expect(acknowledgement(await send(project, [event, event]))).toMatchObject({ accepted: 2 });
      expect(await budget(project)).toEqual({ requests: n, events: 2 * n });
    }
    expect(await readStoredBatches(culprit, project.projectId)).toHaveLength(3);
  });

  it('refuses no more and no fewer events for the rate when many learn of it at once', async () => {
    const project = await culprit.createProject({ plan: 'free', preset: 'investigative' });
    const rules = ruleClient(culprit.url, project);
    await rules.create({ matcher: { fingerprint: { version: 'v2', value: 'f' } } });
    const [, event] = EVENTS[6] ?? [];
    const batch = Array.from({ length: 7 }, () => ({ ...event, event_id: newUuid() }));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => send(project, batch, urls[n % 2])),
    );
    const accepted = answers
      .filter(({ status }) => status === 202)
      .map((answer) => acknowledgement(answer).accepted);
    // Of 60 in a window, eight batches of seven fit whole.
    expect(accepted).toEqual(Array(8).fill(7));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4);
  });

  it('still lets the wrong token answer first, and an empty batch through', async () => {
    const project = await culprit.createProject({ plan: 'team' });
    await ruleClient(culprit.url, project).create({
      matcher: { fingerprint: { version: 'v2', value: 'f' } },
    });
    expect(
      await send({ ...project, projectToken: `${project.projectToken.slice(0, -1)}_` }, []),
    ).toMatchObject({
      status: 401,
    });
    expect(acknowledgement(await send(project, []))).toEqual({ accepted: 0, rejected: 0, errors: [] });
    expect(acknowledgement(await send(project, [{}]))).toMatchObject({ accepted: 0, rejected: 1 });
  });
});

describe('fingerprints that cannot be had in time', () => {
  it('refuse the request with 503, give its budget back and store nothing', async () => {
    const project = await culprit.createProject({ plan: 'team' });
    const rules = ruleClient(culprit.url, project);
    const { id } = await rules.create({ matcher: { fingerprint: { version: 'v2', value: 'f' } } });
    let asked = 0;
    const failing: Pick<ExactFingerprints, 'compute' | 'close'> = {
      compute: async () => {
        asked += 1;
        return null;
      },
      close: async () => {},
    };
    const window = createIntakeWindow({
      database: culprit.database,
      objects: await createFileObjectStore({ directory: culprit.objectDirectory, writeTimeoutMs: 10_000 }),
      plans,
      log: createLogger({ level: 'silent', role: 'test', toStandardError: true }),
      exact: failing,
    });
    const [, event] = EVENTS[0] ?? [];
    const join = () =>
      window.join({
        tokenHash: tokenHash(project.projectToken),
        origin: null,
        isBeacon: false,
        isPublishedLibrary: false,
        readsWildcards: true,
        content: runThrough(checkBatch(Buffer.from(JSON.stringify({ events: [event] })), () => true)),
      });
    const unavailable = { problem: 'service_unavailable', retryAfterSeconds: 5 };
    expect(await join()).toEqual(unavailable);
    await expect.poll(() => budget(project)).toEqual({ requests: 0, events: 0 });
    // The second is computed before it joins, in vain again.
    expect(await join()).toEqual(unavailable);
    await expect.poll(() => budget(project)).toEqual({ requests: 0, events: 0 });
    expect(asked).toBe(2);
    expect(await readStoredBatches(culprit, project.projectId)).toEqual([]);

    await rules.delete(id);
    for (let n = 0; n < 2; n += 1) expect(await join()).toMatchObject({ status: 202, accepted: 1 });
    await window.drain();
  });
});
