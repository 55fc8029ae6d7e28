import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { checkClient } from '../support/check-client.ts';
import { createCheck, HOME, manageChecks } from '../support/check-manager.ts';
import { createCollaborator } from '../support/collaborators.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { managementClient } from '../support/management-client.ts';
import { setPlanOf } from '../support/organizations.ts';

/**
 * Who sees and does what with checks, and what their plan allows (docs/contract/account.md 7.1, 7.4, 12 and 13);
 * nothing runs here.
 */

let culprit: TestCulprit;
let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer();
  dns.set('status.example.com', { addresses: ['93.184.216.34'] });
  dns.set('broken.example.com', 'servfail');
  culprit = await startCulprit({
    plans: HOSTED,
    hasWorker: false,
    outbound: { nameServers: [dns.address] },
  });
});
afterAll(async () => {
  await culprit.stop();
  await dns.close();
});

describe('availability checks', () => {
  it('lists them newest first, page by page', async () => {
    const manager = await manageChecks(culprit, 'team');
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1)
      made.unshift((await createCheck(manager, { name: `check ${n}` })).check_id);
    const seen: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await manager.get(`${manager.base}?limit=2${query}`);
      if (!isJsonObject(body) || !Array.isArray(body.availability_checks)) throw new Error('no list');
      seen.push(...body.availability_checks.map((check) => isJsonObject(check) && check.check_id));
      cursor = typeof body.next_cursor === 'string' ? body.next_cursor : null;
    }
    expect(seen).toEqual(made);
    for (const query of ['limit=0', 'limit=101', 'cursor=x', 'status=failing']) {
      expectProblem(await manager.get(`${manager.base}?${query}`), 400, 'invalid_query');
    }
  });

  //
  it('a smaller plan pauses what is beyond it, the newest first, and takes effect at once', async () => {
    const manager = await manageChecks(culprit, 'solo');
    const checks = checkClient(culprit, manager.project);
    for (let n = 0; n < 3; n += 1) await createCheck(manager, { interval_seconds: 60 });
    const reasons = async () => (await checks.list()).map((check) => [check.status, check.paused_reason]);
    expect(await reasons()).toEqual(Array(3).fill(['unknown', null]));
    await setPlanOf(culprit.database, manager.project.userId, 'free');
    expect(await reasons()).toEqual([
      ['paused', 'plan_check_limit'],
      ['paused', 'plan_check_limit'],
      ['paused', 'plan_interval_limit'],
    ]);
    const [newest, , oldest] = await checks.list();
    if (newest === undefined || oldest === undefined) throw new Error('no checks');
    // The first cause that applies is told.
    expect(await checks.update(newest.check_id, { enabled: false })).toMatchObject({
      paused_reason: 'disabled',
      next_check_at: null,
    });
    expect(await checks.update(oldest.check_id, { name: 'still mine' })).toMatchObject({
      paused_reason: 'plan_interval_limit',
    });
    expect(await checks.update(oldest.check_id, { interval_seconds: 300 })).toMatchObject({
      status: 'unknown',
      paused_reason: null,
    });
    await setPlanOf(culprit.database, manager.project.userId, 'team');
    expect(await reasons()).toEqual([
      ['paused', 'disabled'],
      ['unknown', null],
      ['unknown', null],
    ]);
  });

  //
  it('members read, admins and owners write, others see nothing', async () => {
    const manager = await manageChecks(culprit, 'team');
    const member = managementClient(
      culprit,
      (await createCollaborator(culprit, manager.project, 'member')).memberToken,
    );
    const stranger = managementClient(culprit, (await culprit.createProject()).memberToken);
    const { check_id: id } = await createCheck(manager);
    expect((await member.get(manager.base)).status).toBe(200);
    expectProblem(await member.post(manager.base, HOME), 403, 'forbidden');
    expectProblem(await member.patch(`${manager.base}/${id}`, { name: 'x' }), 403, 'forbidden');
    expectProblem(
      await member.patch(`${manager.base}/${newUuid()}`, { name: 'x' }),
      404,
      'availability_check_not_found',
    );
    expectProblem(await stranger.get(manager.base), 404, 'project_not_found');
    expectProblem(await stranger.get(`${manager.base}/${id}`), 404, 'project_not_found');
    const elsewhere = await manageChecks(culprit);
    expectProblem(await elsewhere.get(`${elsewhere.base}/${id}`), 404, 'availability_check_not_found');
    expectProblem(await manager.get(`${manager.base}/a%20b`), 400, 'invalid_availability_check_id');
  });

  it('what people do to them is audited, without addresses', async () => {
    const manager = await manageChecks(culprit);
    const secret = `s-${newUuid()}`;
    const { check_id: id } = await createCheck(manager, { url: `${HOME.url}?token=${secret}` });
    await manager.patch(`${manager.base}/${id}`, { name: 'renamed', timeout_ms: 600 });
    await manager.post(`${manager.base}/test`, { url: `http://broken.example.com/x?token=${secret}` });
    await manager.delete(`${manager.base}/${id}`);
    const rows = await culprit.database.query<{ action: string; subject: string | null; data: JsonObject }>(
      {
        name: 'test-check-audit',
        text: `select action, subject, data from audit_log
          where project_id = $1 and action like 'availability_check.%' order by audit_id`,
      },
      [parseId(['proj'], manager.project.projectId)],
    );
    const subject = `availability_check:${id}`;
    expect(rows).toEqual([
      { action: 'availability_check.created', subject, data: {} },
      { action: 'availability_check.updated', subject, data: { fields: 'name timeout_ms' } },
      {
        action: 'availability_check.tested',
        subject: null,
        data: { host: 'broken.example.com', path: '/x', status: 'dns_error' },
      },
      { action: 'availability_check.deleted', subject, data: {} },
    ]);
    expect(await countRows(culprit, 'audit_log a where strpos(a::text, $1) > 0', [secret])).toBe(0);
  });
});
