import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connectImprovements, type ImprovementClient } from '../support/improvement-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, changed, DAY, LOG, MINUTE, type SentEvent } from './incidents-fixtures.ts';

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});
afterAll(() => culprit.stop());

/** Observations of which ten make an improvement. */
function announcements(count: number, name = 'foo'): SentEvent[] {
  return Array.from({ length: count }, () => LOG('info', `${name} is deprecated`));
}

/** A client of a project with one open improvement. */
async function opened(): Promise<{ client: ImprovementClient; id: string }> {
  const client = await connectImprovements(culprit);
  await client.send(...announcements(10));
  return { client, id: (await client.onlyImprovement()).improvement_id };
}

async function bundlesTold(client: ImprovementClient): Promise<number> {
  return (await client.ledger('improvement_bundle.created')).length;
}

describe('the life cycle of improvements', () => {
  it('a candidate is not to be seen, and its bundle is not generated yet', async () => {
    const client = await connectImprovements(culprit);
    const { projectId } = client.project;
    await client.send(...announcements(9));
    await client.judged();
    const [candidate] = await culprit.database.query<{ improvement_id: string }>(
      { name: 'test-candidate', text: 'select improvement_id from improvements where project_id = $1' },
      [parseId(['proj'], projectId)],
    );
    const id = candidate?.improvement_id ?? '';
    const missing = { status: 404, body: { error: 'improvement_not_found' } };
    expect(await client.get(`/v1/improvements/${id}`)).toMatchObject(missing);
    expect(await client.post(`/v1/improvements/${id}/resolve`)).toMatchObject(missing);
    expect((await client.get(`/v1/projects/${projectId}/improvements/${id}/bundle`)).body).toEqual({
      status: 'failed',
      reason: 'bundle_not_generated_yet',
    });
  });

  it('what is resolved opens only by fresh evidence, as a new episode with a bundle of its own', async () => {
    const { client, id } = await opened();
    await client.send(...announcements(9));
    await client.judged();
    const resolved = await client.change(id, 'resolve');
    expect(resolved).toMatchObject({ status: 'resolved', snoozed_until: null });
    expect(await client.change(id, 'resolve')).toEqual(resolved);
    await client.send(...announcements(9));
    expect(await client.onlyImprovement()).toMatchObject({ status: 'resolved', occurrence_count: 28 });
    expect(await bundlesTold(client)).toBe(1);
    await client.send(...announcements(1));
    expect(await client.onlyImprovement()).toMatchObject({
      improvement_id: id,
      status: 'open',
      resolved_at: null,
      occurrence_count: 29,
      evidence: { observed: 10 },
    });
    expect(await bundlesTold(client)).toBe(2);
  });

  it('what a person reopens goes on in its episode', async () => {
    const { client, id } = await opened();
    await client.change(id, 'resolve');
    const reopened = await client.change(id, 'reopen');
    expect(reopened).toMatchObject({ status: 'open', resolved_at: null });
    expect(await client.change(id, 'reopen')).toEqual(reopened);
    await client.judged();
    expect(await bundlesTold(client)).toBe(1);
  });

  it('what is snoozed stays so while its time lasts, and opens with an observation after it', async () => {
    const { client, id } = await opened();
    await client.change(id, 'resolve');
    const until = ago(-DAY);
    expect(await client.change(id, { snoozed_until: until })).toMatchObject({ resolved_at: null });
    await client.send(...announcements(1));
    expect(await client.onlyImprovement()).toMatchObject({ status: 'snoozed', snoozed_until: until });
    await culprit.database.query(
      {
        name: 'test-snooze-ends',
        text: `update improvements set snoozed_until = culprit_now() - interval '1 ms' where improvement_id = $1`,
      },
      [id],
    );
    expect(await client.onlyImprovement()).toMatchObject({ status: 'snoozed' });
    await client.send(...announcements(1));
    expect(await client.onlyImprovement()).toMatchObject({ status: 'open', snoozed_until: null });
    expect(await bundlesTold(client)).toBe(1);
    await client.change(id, { snoozed_until: until });
    expect(await client.change(id, 'reopen')).toMatchObject({ status: 'open', snoozed_until: null });
  });

  it('a bundle is refreshed when the count doubles or a day is over, and neither is told', async () => {
    const { client, id } = await opened();
    const generations = async () => (await client.onlyImprovement()).bundle_generation_number;
    await client.send(...announcements(9));
    expect(await generations()).toBe(1);
    await client.send(...announcements(1));
    expect(await generations()).toBe(2);
    await client.send(...announcements(1));
    expect(await generations()).toBe(2);
    await culprit.database.query(
      {
        name: 'test-bundle-ages',
        text: `update improvements set bundle_checked_at = bundle_checked_at - interval '1 d' where improvement_id = $1`,
      },
      [id],
    );
    await client.send(...announcements(1));
    expect(await generations()).toBe(3);
    expect((await client.document(id)).metadata.generation_number).toBe(3);
    expect(await bundlesTold(client)).toBe(1);
  });

  it('lists by activity, page by page, and by every filter', async () => {
    const client = await connectImprovements(culprit);
    const at = (agoMs: number, name: string, service: Record<string, unknown>) =>
      announcements(10, name).map((each) => changed(each, { timestamp: ago(agoMs), service }));
    await client.send(
      ...at(3 * MINUTE, 'first', { name: 'a' }),
      ...at(2 * MINUTE, 'second', { name: 'b', environment: 'staging' }),
      ...at(MINUTE, 'third', { name: 'a' }),
    );
    await client.judged();
    const titles = async (query: Record<string, string>) =>
      (await client.improvements(query)).map(({ title }) => title.split(' ')[2]);
    expect(await titles({})).toEqual(['third', 'second', 'first']);
    expect(await titles({ service: 'a' })).toEqual(['third', 'first']);
    expect(await titles({ environment: 'staging' })).toEqual(['second']);
    expect(await titles({ kind: 'warning_hotspot', severity: 'low', status: 'open' })).toHaveLength(3);
    expect(await titles({ kind: 'slow_request' })).toEqual([]);
    expect(await titles({ severity: 'high' })).toEqual([]);
    expect(await titles({ status: 'snoozed' })).toEqual([]);
    const path = `/v1/improvements?project_id=${client.project.projectId}&limit=2`;
    const first = await client.get(path);
    expect(first.body).toMatchObject({ improvements: [{}, {}], next_cursor: expect.any(String) });
    const { next_cursor: cursor } = first.body as { next_cursor: string };
    expect((await client.get(`${path}&cursor=${encodeURIComponent(cursor)}`)).body).toMatchObject({
      improvements: [{ title: expect.stringContaining('first') }],
      next_cursor: null,
    });
    expect(await client.get(`${path}&cursor=x`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_query' },
    });
    expect(await client.get(`${path}&kind=other`)).toMatchObject({ status: 400 });
  });
});
