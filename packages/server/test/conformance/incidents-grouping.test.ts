import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** A pair of section 10 of docs/contract/incidents.md: two events and what becomes of them. */
interface GroupingPair {
  id: string;
  title: string;
  expect: 'same' | 'different' | 'same fingerprint, two incidents';
  a: object;
  b: object;
  materials: { a?: { sha256: string }; b?: { sha256: string } };
}

const { pairs }: { pairs: GroupingPair[] } = JSON.parse(
  readFileSync(
    new URL('../../../evidence/test/events/fingerprint/golden-vectors.json', import.meta.url),
    'utf8',
  ),
);
/** Fingerprints of the events that later pairs name as "A of …". */
const KNOWN = new Map(
  pairs.flatMap(({ a, materials }) => (materials.a ? [[JSON.stringify(a), materials.a.sha256]] : [])),
);

describe.concurrent('grouping of events that were really sent', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  it.each(pairs)('$id $title: $expect', async (pair) => {
    const client = await connect(culprit);
    await client.send(pair.a);
    const first = await client.only();
    const expectedA = pair.materials.a?.sha256 ?? KNOWN.get(JSON.stringify(pair.a));
    expect(expectedA).toMatch(/^[0-9a-f]{64}$/);
    expect(first.fingerprint).toBe(expectedA);

    await client.send(pair.b);
    const isSame = pair.expect === 'same';
    const incidents = isSame ? await client.counted(2) : await client.counted(1, 1);
    const second = incidents.find(({ incident_id }) => isSame === (incident_id === first.incident_id));
    expect(incidents.map(({ incident_id }) => incident_id)).toContain(first.incident_id);
    const material = pair.materials.b;
    if (material !== undefined) expect(second?.fingerprint).toBe(material.sha256);
    else expect(second?.fingerprint === first.fingerprint).toBe(pair.expect !== 'different');
    expect(await client.ledger('incident.opened')).toHaveLength(incidents.length);
  });

  it('both events of a pair group the same way when they come in one request, in either order', async () => {
    for (const { a, b, expect: outcome } of pairs) {
      for (const events of [
        [a, b],
        [b, a],
      ]) {
        const client = await connect(culprit);
        await client.send(...events);
        await (outcome === 'same' ? client.counted(2) : client.counted(1, 1));
      }
    }
  });
});
