// Proves 54.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { tokenHash } from '../../src/workspace/tokens/token.ts';
import { countRows, readNumber } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { intakeWaitsForLock, whileInsertsRun, whileLocked } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, acknowledgement, sendEvents, sendRequest } from '../support/send-events.ts';
import { listRawObjects, readStoredBatches } from '../support/stored-events.ts';

/**
 * docs/contract/reliability.md test 54, the other half: for each refusal neither object, nor row, nor job. No worker
 * runs.
 */

const EVENT = {
  event_type: 'log_event',
  timestamp: '2026-03-24T10:30:00Z',
  service: { name: 'api-server', environment: 'production' },
  payload: { level: 'error', message: 'payment failed' },
};
const BODY = JSON.stringify({ events: [EVENT] });
const UNAVAILABLE = { status: 503, body: { error: 'service_unavailable' } };

let culprit: TestCulprit;
let project: TestProject;

beforeAll(async () => {
  culprit = await startCulprit({ plans: HOSTED, hasWorker: false });
});
afterAll(() => culprit.stop());

async function freshProject(): Promise<TestProject> {
  project = await culprit.createProject({ plan: 'free' });
  return project;
}

function send(request: { token?: string | null; body?: string; headers?: Record<string, string> }) {
  const { token = project.projectToken, body = BODY, headers = {} } = request;
  return sendRequest(`${culprit.url}/v1/events`, { token, body, headers });
}

/** What is left of a project's requests; objects without a row are told apart. */
async function traces(of: TestProject): Promise<Record<string, number>> {
  const id = [parseId(['proj'], of.projectId) ?? ''];
  return {
    objects: (await listRawObjects(culprit, of.projectId)).length,
    batches: await countRows(culprit, 'batches where project_id = $1', id),
    jobs: await countRows(culprit, 'jobs where fairness_key = $1', id),
    fates: await countRows(culprit, 'event_fates where project_id = $1', id),
    budget: await readNumber(
      culprit,
      'sum(requests + r.events)',
      'rate_windows r join project_tokens using (token_id) where project_id = $1',
      id,
    ),
  };
}

const NOTHING = { objects: 0, batches: 0, jobs: 0, fates: 0, budget: 0 };

const REFUSALS: readonly (readonly [string, number, string, () => Promise<Answer>])[] = [
  ['no token', 401, 'invalid_project_token', () => send({ token: null })],
  ['an unknown token', 401, 'invalid_project_token', () => send({ token: 'svc_proj_unknown' })],
  [
    'a well-formed unknown token',
    401,
    'invalid_project_token',
    () => send({ token: project.projectToken.replace(/.{8}$/, 'aaaaaaaa') }),
  ],
  ['a member token', 401, 'invalid_project_token', () => send({ token: project.memberToken })],
  [
    'a revoked token',
    401,
    'invalid_project_token',
    async () => {
      const token = await culprit.createProjectToken(project.projectId);
      await culprit.database.query(
        {
          name: 'test-revoke-token',
          text: 'update project_tokens set revoked_at = culprit_now() where token_hash = $1',
        },
        [tokenHash(token)],
      );
      return await send({ token });
    },
  ],
  [
    'the token of a deleted project',
    401,
    'invalid_project_token',
    async () => {
      await culprit.database.query(
        {
          name: 'test-delete-project',
          text: 'update projects set deleted_at = culprit_now() where project_id = $1',
        },
        [parseId(['proj'], project.projectId) ?? ''],
      );
      return await send({});
    },
  ],
  [
    'a foreign origin',
    403,
    'origin_not_allowed',
    async () => {
      const token = await culprit.createProjectToken(project.projectId, ['https://app.example.com']);
      return await send({ token, headers: { origin: 'https://evil.example' } });
    },
  ],
  [
    'another media type',
    400,
    'invalid_content_type',
    () => send({ headers: { 'content-type': 'text/plain' } }),
  ],
  ['too many bytes', 413, 'payload_too_large', () => send({ body: BODY + ' '.repeat(1_048_577) })],
  ['broken JSON', 400, 'invalid_payload', () => send({ body: BODY.slice(0, -1) })],
  ['an unknown key beside events', 400, 'invalid_payload', () => send({ body: `{"a":1,${BODY.slice(1)}` })],
  [
    'broken JSON in an event that is nested too deep',
    400,
    'invalid_payload',
    () => send({ body: `${BODY.slice(0, -2)},${'['.repeat(33)}nul${']'.repeat(33)}]}` }),
  ],
  [
    'an unknown encoding',
    400,
    'invalid_payload',
    () => send({ headers: { 'content-encoding': 'compress' } }),
  ],
];

describe('a request that is refused for', () => {
  it.each(REFUSALS)(
    '%s leaves neither object, nor row, nor job, nor budget taken',
    async (_name, status, error, refuse) => {
      await freshProject();
      expect(await refuse()).toMatchObject({ status, body: { error } });
      expect(await traces(project)).toEqual(NOTHING);
    },
  );

  it('a used-up window leaves what was there before', async () => {
    await freshProject();
    const before = await sendEvents(culprit.url, project.projectToken, Array(60).fill(EVENT));
    expect(acknowledgement(before).accepted).toBe(60);
    const left = await traces(project);
    expect(await send({})).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    expect(await traces(project)).toEqual(left);
  });

  it('want of room for requests leaves nothing', async () => {
    const crowded = await startCulprit({
      hasWorker: false,
      limits: { ingestion: { requestsMax: 0, bytesMax: 1_048_576 } },
    });
    try {
      const { projectToken } = await crowded.createProject();
      const answer = await sendEvents(crowded.url, projectToken, [EVENT]);
      expect(answer).toMatchObject(UNAVAILABLE);
      expect(answer.headers.get('retry-after')).toBe('5');
      expect(await countRows(crowded, 'batches')).toBe(0);
      expect(await countRows(crowded, 'jobs')).toBe(0);
    } finally {
      await crowded.stop();
    }
  });
});

describe('a request whose events are all refused', () => {
  it('stores no object, no row and no job, only the fates', async () => {
    await freshProject();
    const sent = [7, { ...EVENT, payload: { message: 'started' } }];
    const answer = await sendEvents(culprit.url, project.projectToken, sent);
    expect(acknowledgement(answer)).toMatchObject({ accepted: 0, rejected: 2 });
    // Submitted, invalid and refused by policy; one request and one event of sound shape.
    expect(await traces(project)).toEqual({ ...NOTHING, fates: 3, budget: 2 });
  });

  it('stores nothing at all when it has no events', async () => {
    await freshProject();
    const answer = await sendEvents(culprit.url, project.projectToken, []);
    expect(acknowledgement(answer)).toMatchObject({ accepted: 0, rejected: 0 });
    expect(await traces(project)).toEqual({ ...NOTHING, budget: 1 });
  });
});

describe('a request that fails while it is stored', () => {
  it('leaves nothing when the object store is gone, and gets its budget back', async () => {
    await freshProject();
    await rename(culprit.objectDirectory, `${culprit.objectDirectory}-away`);
    await writeFile(culprit.objectDirectory, '');
    try {
      expect(await sendEvents(culprit.url, project.projectToken, Array(60).fill(EVENT))).toMatchObject(
        UNAVAILABLE,
      );
    } finally {
      await rm(culprit.objectDirectory);
      await rename(`${culprit.objectDirectory}-away`, culprit.objectDirectory);
    }
    await eventually(async () => expect(await traces(project)).toEqual(NOTHING));
    const again = await sendEvents(culprit.url, project.projectToken, Array(60).fill(EVENT));
    expect(acknowledgement(again).accepted).toBe(60);
  });

  it.each(['batches', 'jobs', 'event_fates'])(
    'leaves no row and no job when %s cannot be written, and gets its budget back',
    async (table) => {
      await freshProject();
      const failure = await whileInsertsRun(culprit, table, `raise exception 'no';`, () =>
        sendEvents(culprit.url, project.projectToken, Array(60).fill(EVENT)),
      );
      expect(failure).toMatchObject(UNAVAILABLE);
      // The bytes were written first; nothing names them, so nobody reads them.
      await eventually(async () => expect(await traces(project)).toEqual({ ...NOTHING, objects: 1 }));
      const again = await sendEvents(culprit.url, project.projectToken, Array(60).fill(EVENT));
      expect(acknowledgement(again).accepted).toBe(60);
      expect(await readStoredBatches(culprit, project.projectId)).toHaveLength(1);
    },
  );

  it('fails alone when only its object could not be written', async () => {
    const [broken, sound] = [await freshProject(), await freshProject()];
    const folder = join(culprit.objectDirectory, 'raw', parseId(['proj'], broken.projectId) ?? '');
    await mkdir(dirname(folder), { recursive: true });
    await writeFile(folder, '');
    // Held up together behind the lock, so that later requests share windows.
    const answers = await whileLocked(culprit, 'lock table batches in exclusive mode', async () => {
      const sending = Array.from({ length: 12 }, (_, index) =>
        sendEvents(culprit.url, (index % 2 === 0 ? broken : sound).projectToken, [EVENT]),
      );
      await intakeWaitsForLock(culprit);
      return { sending };
    });
    const settled = await Promise.all(answers.sending);
    expect(settled.map((answer) => answer.status)).toEqual(
      settled.map((_, index) => (index % 2 === 0 ? 503 : 202)),
    );
    expect(await traces(broken)).toMatchObject({ batches: 0, jobs: 0, fates: 0 });
    const stored = await readStoredBatches(culprit, sound.projectId);
    expect(stored.reduce((sum, batch) => sum + batch.eventCount, 0)).toBe(6);
  });

  it('is refused like any unknown token when its project is deleted meanwhile', async () => {
    await freshProject();
    const id = parseId(['proj'], project.projectId) ?? '';
    const answers = await whileLocked(
      culprit,
      `select from projects where project_id = '${id}' for update`,
      async (holder) => {
        const sending = send({});
        await intakeWaitsForLock(culprit);
        await holder.query('update projects set deleted_at = culprit_now() where project_id = $1', [id]);
        return { sending };
      },
    );
    expect(await answers.sending).toMatchObject({ status: 401, body: { error: 'invalid_project_token' } });
    expect(await traces(project)).toMatchObject({ batches: 0, jobs: 0, fates: 0 });
  });
});
