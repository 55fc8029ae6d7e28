import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { LOG } from './incidents-fixtures.ts';

/** Which messages an incident is found by (docs/contract/team-workflow.md 1.2). */
describe.concurrent('an incident is found', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  it('by eight messages, and later by newer ones whose form it knows', async () => {
    const client = await connect(culprit);
    const unpaid = (order: number) => LOG('error', `order ${order} was not paid`);
    const isFound = async (order: number) => (await client.list({ q: String(order) })).length === 1;
    await client.send(...[70001, 70002, 70003, 70004, 70005, 70006, 70007].map(unpaid));
    const incident = await client.only(7);
    await client.settled();
    await client.send(unpaid(70008));
    await client.only(8);
    await client.settled();
    expect(await isFound(70008)).toBe(true);

    // The index takes a document as a whole, so that one for each message of a busy incident would cost most of all.
    await client.send(unpaid(70009));
    await client.only(9);
    await client.settled();
    expect(await isFound(70009)).toBe(false);

    await culprit.database.query(
      {
        name: 'test-older-document',
        text: `update incident_search set written_at = written_at - interval '11 min' where incident_id = $1`,
      },
      [parseId(['inc'], incident.incident_id) ?? ''],
    );
    await client.send(unpaid(70010));
    await client.only(10);
    await client.settled();
    expect(await isFound(70010)).toBe(true);
    expect(await isFound(70001)).toBe(true);
    expect(await isFound(70002)).toBe(false);
  });
});
