import { OperatorHealth } from '@culprit/contract/workspace/operator';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordBackup } from '../../src/installation/backups.queries.ts';
import { checkDatabase } from '../../src/installation/findings/check-database.ts';
import type { Finding } from '../../src/installation/findings/finding.ts';
import { inspectSurroundings, wholeList } from '../../src/installation/findings/inspect-installation.ts';
import { shownFindings } from '../../src/installation/operator/operator-health.ts';
import { startHeartbeat } from '../../src/installation/processes/heartbeat.ts';
import { readMigrations } from '../../src/platform/db/migrate.ts';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/log.ts';
import { MEASURED_LANES } from '../../src/roles/metrics.queries.ts';
import { MIGRATIONS_FOLDER } from '../../src/roles/migrations-folder.ts';
import { deletePerson } from '../../src/workspace/accounts/account-deletion.queries.ts';
import { isOperator, nameFirstOwner } from '../../src/workspace/accounts/operators.ts';
import { markProjectDeleted } from '../../src/workspace/projects/delete-project.ts';
import { deleteMemberTokens } from '../../src/workspace/tokens/member-tokens.queries.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { scrape } from '../support/metrics-client.ts';
import { newAddress } from '../support/people.ts';
import { sendEvents } from '../support/send-events.ts';
import { EX } from './incidents-fixtures.ts';

const OPERATOR = newAddress('operator');
const NOT_FOUND = { status: 404, body: { error: 'not_found' } };
const isSound = compileValidator(OperatorHealth);
const isHealth = (body: unknown): body is OperatorHealth => isSound(body);

let culprit: TestCulprit;
let project: TestProject;
let operator: ManagementClient;
beforeAll(async () => {
  culprit = await startCulprit({ operators: { emails: [OPERATOR] } });
  project = await culprit.createProject({ email: OPERATOR });
  operator = managementClient(culprit, project.memberToken);
});
afterAll(() => culprit?.stop());

/** A look that is not one of the last two seconds: the answer says when it was made. */
async function healthAfter(sinceMs: number): Promise<OperatorHealth> {
  return await eventually(async () => {
    const { status, body } = await operator.get('/v1/operator/health');
    expect(status).toBe(200);
    if (!isHealth(body)) throw new Error('not as the contract says');
    expect(Date.parse(body.time)).toBeGreaterThan(sinceMs);
    return body;
  });
}

async function clock(): Promise<number> {
  const [row] = await culprit.database.query<{ now: number }>({
    name: 'test-clock',
    text: 'select culprit_now() as now',
  });
  return row?.now ?? 0;
}

async function park(position: number): Promise<void> {
  await culprit.database.query(
    {
      name: 'test-park',
      text: `insert into dead_letters (project_id, batch_id, position, reason, attempts)
        values ($1, gen_random_uuid(), $2, 'cannot read "a secret of the event"', 8)`,
    },
    [parseId(['proj'], project.projectId), position],
  );
}

describe('the endpoints of operators (docs/contract/server-additions.md S12)', () => {
  it('are not there for anybody else, whatever their role', async () => {
    const other = await culprit.createProject();
    const stranger = managementClient(culprit, other.memberToken);
    expect(await stranger.get('/v1/operator/health')).toMatchObject(NOT_FOUND);
    expect(await stranger.get('/v1/operator/dead-letters')).toMatchObject(NOT_FOUND);
    expect(await stranger.post('/v1/operator/dead-letters/retry', { ids: [1] })).toMatchObject(NOT_FOUND);
  });

  it('are named in the session of operators only', async () => {
    const mine = await culprit.signIn(OPERATOR);
    const other = await culprit.signIn(newAddress('nobody'));
    expect(mine.session.is_operator).toBe(true);
    expect(other.session.is_operator).toBe(false);
    const answer = await fetch(`${culprit.url}/v1/operator/health`, { headers: mine.headers });
    expect(answer.status).toBe(200);
  });

  it('tell the same figures as the metrics', async () => {
    // Counters are those of the process, which may have served other tests.
    const before = await scrape(culprit.url);
    const told = (await healthAfter(0)).fates_24h;
    await sendEvents(culprit.url, project.projectToken, [EX(), EX()]);
    await culprit.drain();
    const health = await healthAfter(await clock());
    const page = await scrape(culprit.url);
    expect(health.queues.map(({ lane }) => lane)).toEqual(MEASURED_LANES);
    for (const { lane, waiting, due } of health.queues) {
      expect([lane, waiting, due]).toEqual([
        lane,
        page.value('culprit_queue_length', { lane }),
        page.value('culprit_queue_due', { lane }),
      ]);
    }
    expect(health.dead_letters).toBe(page.value('culprit_dead_letters'));
    const counted = (role: string, fate: string) =>
      page.value('culprit_event_fates_total', { role, fate }) -
      before.value('culprit_event_fates_total', { role, fate });
    const { submitted, processed, waiting } = health.fates_24h;
    expect([submitted - told.submitted, processed - told.processed, waiting]).toEqual([
      counted('api', 'submitted'),
      counted('worker', 'processed'),
      0,
    ]);
    expect(submitted - told.submitted).toBe(2);
    expect(health.objects.size_bytes).not.toBeNull();
    expect(health.disk?.guard_bytes).toBe(1);
    expect(health.canary).toBeNull();
  });

  it('tell the same findings as the doctor, the serious ones first', async () => {
    await park(0);
    const health = await healthAfter(await clock());
    const { installation: settings, database } = culprit;
    const around = await inspectSurroundings(settings, true);
    const migrations = await readMigrations(MIGRATIONS_FOLDER);
    const ofDatabase = await checkDatabase({ database, migrations, settings, isServerExpected: true });
    expect(health.findings).toEqual(shownFindings(wholeList(around, ofDatabase)));
    expect(health.findings).toContainEqual({
      check: 'dead letters',
      severity: 'wrong',
      what: '1 events could not be processed',
      since: expect.any(String),
      todo: expect.stringContaining('dead-letters retry --all'),
      command: 'npm run -s admin -- dead-letters list',
    });
    await culprit.database.script('delete from dead_letters');
  });

  it('name processes that run, and the last backup', async () => {
    const beat = startHeartbeat({
      database: culprit.database,
      role: 'worker',
      version: '1.2.3',
      intervalMs: 60_000,
      metrics: async () => [],
      log: createLogger({ level: 'silent', role: 'test' }),
    });
    await recordBackup(culprit.database, {
      backupId: newUuid(),
      directory: '/backups/one',
      sizeBytes: 1234,
      missingObjects: 2,
    });
    const seen = await eventually(async () => {
      const health = await healthAfter(0);
      expect(health.processes).toHaveLength(1);
      expect(health.backup).not.toBeNull();
      return health;
    });
    expect(seen.processes).toMatchObject([{ role: 'worker', version: '1.2.3', pid: process.pid }]);
    expect(seen.backup).toMatchObject({ directory: '/backups/one', size_bytes: 1234, missing_objects: 2 });
    expect(seen.findings).toContainEqual(
      expect.objectContaining({ check: 'backup', severity: 'warning', what: 'the last one lacks 2 objects' }),
    );
    await beat.stop();
    const gone = await healthAfter(await clock());
    expect(gone.processes).toEqual([]);
  });

  it('list dead letters in pages without what was in the event, and put back those that are named', async () => {
    for (const position of [0, 1, 2]) await park(position);
    const first = await pageOf('?limit=2');
    expect(first.total).toBe(3);
    const second = await pageOf(`?limit=2&cursor=${encodeURIComponent(String(first.next_cursor))}`);
    expect(second.next_cursor).toBeNull();
    const letters = [...lettersOf(first), ...lettersOf(second)];
    expect(letters.map(({ position }) => position)).toEqual([0, 1, 2]);
    expect(letters[0]).toMatchObject({ project_id: project.projectId, reason: 'cannot read …', attempts: 8 });
    // Their batches are gone, so there is nothing to put back; ids that are none are passed over.
    const ids = [...letters.map(({ id }) => id), 999_999];
    expect(await operator.post('/v1/operator/dead-letters/retry', { ids })).toMatchObject({
      status: 200,
      body: { retried: 0 },
    });
    expect(await operator.get('/v1/operator/dead-letters?cursor=x')).toMatchObject({
      status: 400,
      body: { error: 'invalid_query' },
    });
    await culprit.database.script('delete from dead_letters');
  });
});

describe('who is an operator', () => {
  const byAddress = (email: string) => ({
    emails: [email],
    isFirstOwner: false,
  });

  it('is decided by the verified address, in any case', async () => {
    const person = await culprit.createProject({ email: 'Named@Example.test'.toLowerCase() });
    expect(await isOperator(culprit.database, byAddress('named@example.test'), person.userId)).toBe(true);
    await culprit.database.query(
      { name: 'test-unverify', text: 'update users set email_verified_at = null where user_id = $1' },
      [person.userId],
    );
    expect(await isOperator(culprit.database, byAddress('named@example.test'), person.userId)).toBe(false);
  });

  it('is the first owner where no address is named and the database is our own, and nobody inherits it', async () => {
    const fresh = await startCulprit({ operators: { isFirstOwner: true }, hasWorker: false });
    try {
      const demo = await fresh.createProject();
      const first = await fresh.createProject({ email: 'first@example.com' });
      const second = await fresh.createProject({ email: 'second@example.com' });
      const asks = async ({ memberToken }: TestProject) =>
        (await managementClient(fresh, memberToken).get('/v1/operator/health')).status;
      expect([await asks(first), await asks(second)]).toEqual([200, 404]);
      expect(await asks(demo), 'an address in .test').toBe(404);
      await deleteOwner(fresh, first);
      const third = await fresh.createProject();
      expect([await asks(first), await asks(second), await asks(third)]).toEqual([401, 404, 404]);
      const told = async () => (await operatorFindings(fresh)).map(({ state, what }) => `${state}: ${what}`);
      expect(await told()).toEqual([
        'warning: there is none, because the account of the first owner was deleted',
      ]);
      expect(await nameFirstOwner(fresh.database, 'nobody@example.test')).toBe(false);
      const { email } = (
        await fresh.database.query<{ email: string }>(
          { name: 'test-address', text: 'select email from users where user_id = $1' },
          [second.userId],
        )
      )[0] ?? { email: '' };
      expect(await nameFirstOwner(fresh.database, email)).toBe(true);
      expect([await asks(second), await asks(third)]).toEqual([200, 404]);
      expect(await told()).toEqual([`ok: ${email}`]);
    } finally {
      await fresh.stop();
    }
  });
});

/** An owner who deletes their account, as far as the rows of people go. */
async function deleteOwner(culprit: TestCulprit, { userId, projectId }: TestProject): Promise<void> {
  await culprit.database.transaction(async (transaction) => {
    await markProjectDeleted(transaction, projectId.replace('proj_', ''));
    await deleteMemberTokens(transaction, userId);
    await deletePerson(transaction, userId, 'gone@example.test');
  });
}

async function operatorFindings(culprit: TestCulprit): Promise<Finding[]> {
  const findings = await checkDatabase({
    database: culprit.database,
    migrations: await readMigrations(MIGRATIONS_FOLDER),
    settings: { ...culprit.installation, operators: null, databaseUrl: null, isBaseUrlLoopback: true },
    isServerExpected: true,
  });
  return findings.filter(({ check }) => check === 'operator');
}

async function pageOf(query: string): Promise<JsonObject> {
  const { status, body } = await operator.get(`/v1/operator/dead-letters${query}`);
  expect(status).toBe(200);
  if (!isJsonObject(body)) throw new Error('no page');
  return body;
}

function lettersOf(page: JsonObject): JsonObject[] {
  return Array.isArray(page.dead_letters) ? page.dead_letters.filter(isJsonObject) : [];
}
