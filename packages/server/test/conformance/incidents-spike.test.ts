import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { storeBatch } from '../support/store-batch.ts';
import { ago, DAY, DEP, EX, HOUR, MINUTE, SECOND, SUP } from './incidents-fixtures.ts';

const BEGAN_MS = Date.now();

/** `count` events spread evenly from one moment to another, both included, oldest first. */
function spread(count: number, fromAgoMs: number, toAgoMs: number): object[] {
  return Array.from({ length: count }, (_, n) =>
    EX({ timestamp: ago(fromAgoMs + ((toAgoMs - fromAgoMs) * n) / Math.max(1, count - 1)) }),
  );
}

describe.concurrent('spikes', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  async function sendInTurn(client: IncidentClient, events: object[]): Promise<void> {
    for (let start = 0; start < events.length; start += 30) {
      await client.send(...events.slice(start, start + 30));
      await client.processed();
    }
  }

  async function expectSpikes(client: IncidentClient, count: number): Promise<void> {
    await client.processed();
    const [incident] = await client.list();
    expect(await client.ledger('incident.spike_detected')).toHaveLength(count);
    if (count === 0) expect(incident?.spike_detected_at).toBeNull();
    else {
      expect(Date.parse(incident?.spike_detected_at ?? '')).toBeGreaterThanOrEqual(BEGAN_MS);
      expect(Date.parse(incident?.spike_detected_at ?? '')).toBeLessThanOrEqual(Date.now());
    }
  }

  //
  it('three and a half times the usual rate is one spike', async () => {
    const client = await connect(culprit);
    await sendInTurn(client, spread(120, 64 * MINUTE, 10 * MINUTE));
    await expectSpikes(client, 0);
    await sendInTurn(client, spread(35, 0, 0));
    await expectSpikes(client, 1);
  });

  //
  it('less than three times the usual rate is none', async () => {
    const client = await connect(culprit);
    await sendInTurn(client, spread(120, 64 * MINUTE, 10 * MINUTE));
    await sendInTurn(client, spread(29, 0, 0));
    await expectSpikes(client, 0);
  });

  //
  it('ninety-nine events of a new incident in one minute are none, the hundredth makes one', async () => {
    const client = await connect(culprit);
    await sendInTurn(client, spread(99, MINUTE, SECOND));
    await expectSpikes(client, 0);
    await sendInTurn(client, spread(1, 0, 0));
    await expectSpikes(client, 1);
    await sendInTurn(client, spread(60, 0, 0));
    await expectSpikes(client, 1);
  });

  it('twelve after four every five minutes are one, with the least base of one', async () => {
    const client = await connect(culprit);
    await sendInTurn(client, spread(48, 64 * MINUTE, 6 * MINUTE));
    await sendInTurn(client, spread(11, 0, 0));
    await expectSpikes(client, 0);
    await sendInTurn(client, spread(1, 0, 0));
    await expectSpikes(client, 1);
  });

  it('nine events of a quiet incident are none, the tenth makes one', async () => {
    const client = await connect(culprit);
    await sendInTurn(client, spread(6, 64 * MINUTE, 6 * MINUTE));
    await sendInTurn(client, spread(9, 0, 0));
    await expectSpikes(client, 0);
    await sendInTurn(client, spread(1, 0, 0));
    await expectSpikes(client, 1);
  });

  it('a young incident needs the burst, whatever its ratio', async () => {
    const client = await connect(culprit);
    await sendInTurn(client, spread(1, 29 * MINUTE, 29 * MINUTE));
    await sendInTurn(client, spread(98, 0, 0));
    await expectSpikes(client, 0);
    await sendInTurn(client, spread(2, 0, 0));
    await expectSpikes(client, 1);
  });

  it('one detection is made in an episode, which ends when no rule was true for an hour', async () => {
    const detections = await Promise.all(
      [118, 119].map(async (lastMinute) => {
        const client = await connect(culprit);
        const startMs = Date.now() - 120 * MINUTE;
        for (const minute of [0, 59, lastMinute]) {
          const atMs = startMs + minute * MINUTE;
          const event = { event: EX({ timestamp: new Date(atMs).toISOString() }) };
          await storeBatch(
            culprit,
            client.project,
            Array.from({ length: 100 }, () => event),
            atMs,
          );
          await client.processed();
        }
        return (await client.ledger('incident.spike_detected')).length;
      }),
    );
    expect(detections).toEqual([1, 2]);
  });

  it('events that arrive more than an hour late are no spike', async () => {
    const client = await connect(culprit);
    await sendInTurn(client, spread(100, HOUR + MINUTE, HOUR + MINUTE));
    await expectSpikes(client, 0);
  });

  it('a resolved incident has none, a regressed one has', async () => {
    const client = await connect(culprit);
    await sendInTurn(client, spread(99, 0, 0));
    const { incident_id } = await client.only(99);
    const { resolved_at } = await client.resolve(incident_id);
    const before = Array.from({ length: 50 }, () => ({ event: EX() }));
    await storeBatch(culprit, client.project, before, Date.parse(resolved_at ?? ''));
    await client.only(149);
    await expectSpikes(client, 0);
    await sendInTurn(client, spread(1, 0, 0));
    expect((await client.only(150)).status).toBe('regressed');
    await expectSpikes(client, 1);
  });

  describe('tells of the deploys of its service and environment', () => {
    const FIRST = DEP({ payload: { version: '1.2.2', commit_sha: 'old', deployed_at: ago(40 * DAY) } });
    const LATEST = DEP({ payload: { version: '1.2.3', commit_sha: 'new', deployed_at: ago(30 * DAY) } });
    const FOREIGN = DEP({ payload: { environment: 'staging' } });
    const LATER = DEP({ payload: { version: '1.2.4', deployed_at: ago(-HOUR) } });
    const figures = {
      severity: 'high',
      spike_detected_at: expect.any(String),
      events_5m: expect.any(Number),
      baseline_5m: expect.any(Number),
      ratio: expect.any(Number),
    };
    const latest = {
      deploy_version: '1.2.3',
      deploy_commit_sha: 'new',
      deploy_branch: LATEST.payload.branch,
      deploy_deployed_at: LATEST.payload.deployed_at,
      minutes_since_deploy: expect.toSatisfy((minutes: number) => Math.abs(minutes - 30 * 24 * 60) < 5),
    };

    async function spikeAfter(deploys: object[], ...events: object[]): Promise<unknown> {
      const client = await connect(culprit);
      if (deploys.length > 0) await client.send(...deploys);
      await client.processed();
      await client.send(...events);
      await client.processed();
      const spikes = await client.ledger('incident.spike_detected');
      expect(spikes).toHaveLength(1);
      return spikes[0]?.data;
    }

    it('however long ago the latest was, and never of one that is still to come', async () => {
      const data = await spikeAfter([FIRST, LATEST, FOREIGN, LATER], ...spread(100, 0, 0));
      expect(data).toEqual({ ...figures, ...latest, previous_deploy_version: '1.2.2' });
    });

    it('without a previous version when there was one deploy only', async () => {
      const data = await spikeAfter([LATEST], ...spread(100, 0, 0));
      expect(data).toEqual({ ...figures, ...latest, previous_deploy_version: null });
    });

    it('and says nothing where none is known', async () => {
      expect(await spikeAfter([FOREIGN, LATER], ...spread(100, 0, 0))).toEqual(figures);
    });

    it('also when suppressed duplicates show it', async () => {
      const client = await connect(culprit);
      await client.send(FIRST, LATEST, EX({ timestamp: ago(SECOND) }));
      await client.only();
      await client.send(SUP({ payload: { suppressed_count: 200 } }));
      await client.only(201);
      expect((await client.ledger('incident.spike_detected')).map(({ data }) => data)).toEqual([
        { ...figures, ...latest, previous_deploy_version: '1.2.2' },
      ]);
    });
  });

  it('suppressed duplicates count as occurrences', async () => {
    const client = await connect(culprit);
    await client.send(EX({ timestamp: ago(SECOND) }));
    await client.only();
    await client.send(SUP({ payload: { suppressed_count: 98 } }));
    await client.only(99);
    await expectSpikes(client, 0);
    await client.send(EX());
    await expectSpikes(client, 1);
  });

  it('the end of a spike leaves the time of its detection', async () => {
    const client = await connect(culprit);
    await sendInTurn(client, spread(100, 0, 0));
    const { spike_detected_at, incident_id } = await client.only(100);
    expect((await client.resolve(incident_id)).spike_detected_at).toBe(spike_detected_at);
    expect((await client.reopen(incident_id)).spike_detected_at).toBe(spike_detected_at);
  });

  it('two incidents that storm in one request have one each', async () => {
    const client = await connect(culprit);
    const other = spread(100, 0, 0).map((event) => ({
      ...event,
      service: { name: 'mailer', environment: 'production' },
    }));
    await client.send(...spread(100, 0, 0));
    await client.send(...other);
    const incidents = await client.counted(100, 100);
    expect(
      (await client.ledger('incident.spike_detected')).map(({ incidentId }) => incidentId).sort(),
    ).toEqual(incidents.map(({ incident_id }) => incident_id).sort());
  });
});
