import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCollaborator } from '../support/collaborators.ts';
import { countRows } from '../support/count-rows.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connectImprovements, type ImprovementClient } from '../support/improvement-client.ts';
import { managementClient } from '../support/management-client.ts';
import { organizationOf, setPlanOf } from '../support/organizations.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { changed, LOG, REQ, type SentEvent } from './incidents-fixtures.ts';

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit('hosted');
});
afterAll(() => culprit.stop());

/** Warnings, which every plan above Free takes; ten make an improvement. */
function announcements(count = 10, name = 'foo'): SentEvent[] {
  return Array.from({ length: count }, () => LOG('warning', `${name} is deprecated`));
}

async function used(client: ImprovementClient): Promise<number> {
  return await countRows(
    culprit,
    `usage_counters, generate_series(1, used::integer) where organization_id = $1 and meter = 'monthly_bundle_requests'`,
    [await organizationOf(culprit.database, client.project.userId)],
  );
}

async function bundleAnswer(client: ImprovementClient, id: string): Promise<unknown> {
  return (await client.get(`/v1/projects/${client.project.projectId}/improvements/${id}/bundle`)).body;
}

describe('improvements and plans', () => {
  it('on Free nothing is generated, and the settings say so', async () => {
    const client = await connectImprovements(culprit, { plan: 'free', preset: 'investigative' });
    await client.send(...announcements());
    await client.judged();
    expect(await client.improvements()).toEqual([]);
    expect(
      await countRows(culprit, 'improvements where project_id = $1::uuid', [
        client.project.projectId.replace('proj_', ''),
      ]),
    ).toBe(0);
    expect(await client.settings()).toEqual({
      access_mode: 'manage',
      cloud_automation_available: false,
      settings: {
        automated_improvement_bundles_enabled: true,
        improvement_bundle_sensitivity: 'high_confidence',
      },
    });
    const path = `/v1/projects/${client.project.projectId}/improvement-settings`;
    const owner = managementClient(culprit, client.project.memberToken);
    expect(await owner.patch(path, { improvement_bundle_sensitivity: 'verbose' })).toMatchObject({
      status: 403,
      body: { error: 'upgrade_required' },
    });
  });

  it('a plain member looks at the settings, and only real changes are taken', async () => {
    const client = await connectImprovements(culprit, { plan: 'team' });
    const { memberToken } = await createCollaborator(culprit, client.project, 'member');
    const member = managementClient(culprit, memberToken);
    const owner = managementClient(culprit, client.project.memberToken);
    const path = `/v1/projects/${client.project.projectId}/improvement-settings`;
    expect((await member.get(path)).body).toMatchObject({
      access_mode: 'preview',
      cloud_automation_available: true,
    });
    const change = { improvement_bundle_sensitivity: 'balanced' };
    expect(await member.patch(path, change)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    for (const body of [{}, { improvement_bundle_sensitivity: 'loud' }, { other: true }]) {
      expect(await owner.patch(path, body)).toMatchObject({
        status: 400,
        body: { error: 'invalid_payload' },
      });
    }
    expect((await owner.patch(path, change)).body).toMatchObject({ settings: change });
    const audited = `audit_log where action = 'improvement_settings.updated' and actor_user_id = $1`;
    expect(await countRows(culprit, audited, [client.project.userId])).toBe(1);
  });

  it('a lower sensitivity counts what was seen before, and slower limits', async () => {
    const client = await connectImprovements(culprit, { plan: 'solo', preset: 'investigative' });
    const request = (durationMs: number) =>
      changed(REQ(), {
        payload: { method: 'GET', path: '/slow', response_status: 200, duration_ms: durationMs },
      });
    await client.send(request(1000), request(1200), request(1600), request(2500));
    await client.judged();
    await client.settings({ improvement_bundle_sensitivity: 'verbose' });
    expect(await client.improvements()).toEqual([]);
    await client.send(request(1000));
    expect(await client.onlyImprovement()).toMatchObject({
      evidence: { observed: 5, threshold: 5, limit_ms: 1000 },
    });
  });

  it('the first bundle of an episode takes of the allowance, a refresh does not', async () => {
    const client = await connectImprovements(culprit, { plan: 'solo' });
    await client.send(...announcements());
    const { improvement_id: id } = await client.onlyImprovement();
    expect(await used(client)).toBe(1);
    await client.send(...announcements());
    expect(await client.onlyImprovement()).toMatchObject({ bundle_generation_number: 2 });
    expect(await used(client)).toBe(1);
    await client.change(id, 'resolve');
    await client.send(...announcements());
    expect(await client.onlyImprovement()).toMatchObject({ status: 'open', bundle_generation_number: 3 });
    expect(await used(client)).toBe(2);
  });

  it('when the allowance is used up the improvement is there without a bundle, until somebody asks after the reset', async () => {
    const client = await connectImprovements(culprit, { plan: 'solo' });
    const organizationId = await organizationOf(culprit.database, client.project.userId);
    const setUsed = (count: number) =>
      culprit.database.query(
        {
          name: 'test-use-bundles',
          text: `insert into usage_counters (organization_id, window_started_at, meter, used)
            select organization_id, plan_started_at, 'monthly_bundle_requests', $2 from organizations
            where organization_id = $1
            on conflict (organization_id, window_started_at, meter) do update set used = excluded.used`,
        },
        [organizationId, count],
      );
    await setUsed(750);
    await client.send(...announcements());
    const withheld = await client.onlyImprovement();
    expect(withheld).toMatchObject({
      status: 'open',
      bundle_generation_number: 0,
      bundle_failure_reason: 'monthly_quota_exceeded',
    });
    const { improvement_id: id } = withheld;
    expect(await bundleAnswer(client, id)).toEqual({ status: 'failed', reason: 'monthly_quota_exceeded' });
    await setUsed(749);
    expect(await bundleAnswer(client, id)).toEqual({ status: 'pending' });
    await eventually(async () => expect((await client.document(id)).metadata.generation_number).toBe(1));
    expect(await used(client)).toBe(750);
  });

  it('without automation improvements are found and no bundle is made', async () => {
    const client = await connectImprovements(culprit, { plan: 'solo' });
    await client.settings({ automated_improvement_bundles_enabled: false });
    await client.send(...announcements());
    const found = await client.onlyImprovement();
    expect(found).toMatchObject({ status: 'open', bundle_failure_reason: 'automation_disabled' });
    const { improvement_id: id } = found;
    expect(await bundleAnswer(client, id)).toEqual({ status: 'failed', reason: 'automation_disabled' });
    expect(await client.ledger('improvement_bundle.created')).toEqual([]);
    await client.settings({ automated_improvement_bundles_enabled: true });
    expect(await bundleAnswer(client, id)).toEqual({ status: 'pending' });
    await eventually(async () => expect((await client.document(id)).bundle_type).toBe('improvement'));
  });

  it('a plan that falls to Free keeps what was found and finds no more', async () => {
    const client = await connectImprovements(culprit, { plan: 'solo', preset: 'investigative' });
    await client.send(...announcements());
    const { improvement_id: id } = await client.onlyImprovement();
    await setPlanOf(culprit.database, client.project.userId, 'free');
    await client.send(...announcements(10, 'bar'), ...announcements());
    expect(await client.onlyImprovement()).toMatchObject({ improvement_id: id, occurrence_count: 10 });
    expect((await client.document(id)).bundle_type).toBe('improvement');
  });
});
