import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { DAY, HOUR, named } from '../conformance/incidents-fixtures.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { readRawObjects } from '../support/raw-objects.ts';
import { ageTo, QUICK_LOOKS } from '../support/retention.ts';

/** The file of a half day to which batches are appended (docs/decisions/0009-batches-appended-to-shared-files.md). */

describe('the file of half a day', { timeout: 60_000 }, () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    const plans = { ...SELF_HOSTED, retention: { rawDays: 7, incidentDays: 14 } };
    culprit = await startCulprit({ plans, ...QUICK_LOOKS });
  });
  afterAll(() => culprit.stop());

  it('holds every small batch of it, goes with the last of them, and leaves the other half alone', async () => {
    const now = Date.now();
    const startMs = DAY - (now % DAY) + 3 * HOUR;
    const pass = (durationMs: number) => ageTo(culprit, startMs + durationMs);
    await pass(0);
    const client = await connect(culprit);
    const projectId = parseId(['proj'], client.project.projectId) ?? '';
    const raw = () => readRawObjects(culprit, projectId);
    for (const name of ['One', 'Two']) await client.send(named(name));
    await client.processed();
    await pass(5 * HOUR);
    await client.send(named('Three'));
    await client.processed();
    const [morning = ''] = (await raw()).files;
    expect(await raw()).toEqual({ keys: [morning, morning, morning], broken: [], files: [morning] });
    expect(morning).toMatch(/\/am-[0-9a-f-]{36}$/);
    await pass(10 * HOUR);
    await client.send(named('Four'));
    await client.processed();
    const afternoon = (await raw()).keys[3] ?? '';
    expect(afternoon).toMatch(/\/pm-[0-9a-f-]{36}$/);

    await pass(7 * DAY + 2 * HOUR);
    expect(await raw()).toEqual({ keys: [morning, afternoon], broken: [], files: [morning, afternoon] });
    await pass(7 * DAY + 6 * HOUR);
    expect((await raw()).keys).toEqual([afternoon]);
    await pass(7 * DAY + 8 * HOUR);
    expect(await raw()).toEqual({ keys: [afternoon], broken: [], files: [afternoon] });
  });
});
