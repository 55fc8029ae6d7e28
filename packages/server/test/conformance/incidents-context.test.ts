import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, EX, EX_TITLE, LOG, MINUTE, SECOND } from './incidents-fixtures.ts';

/** What stands around an incident without being an occurrence of it (docs/contract/incidents.md 3.3). */
describe.concurrent('the context of a bundle', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  async function loggedMessages(client: IncidentClient): Promise<string[]> {
    await client.refreshed();
    const incident = (await client.list()).find(({ title }) => title === EX_TITLE);
    const bundle = await client.bundle(incident?.incident_id ?? '');
    return bundle.context.logs?.items.map(({ message }) => message) ?? [];
  }

  it('holds the logs of the moment, error logs too, where neither side carries an id', async () => {
    const client = await connect(culprit);
    const at = (durationMs: number) => ({ timestamp: ago(durationMs) });
    await client.send(
      LOG('info', 'too early', at(5 * MINUTE)),
      LOG('info', 'a moment before', at(20 * SECOND)),
      LOG('error', 'it is about to fail', at(10 * SECOND)),
    );
    await client.send(EX(at(5 * SECOND)));
    expect(await loggedMessages(client)).toEqual(['a moment before', 'it is about to fail']);
  });

  it('holds no logs of the moment when they belong to another trace', async () => {
    const client = await connect(culprit);
    await client.send(LOG('info', 'somebody else', { correlation: { trace_id: 't-other' } }));
    await client.send(EX());
    expect(await loggedMessages(client)).toEqual([]);
  });
});
