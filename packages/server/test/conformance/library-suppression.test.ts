import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { DAY, EX, LOG, SECOND, SUP } from './incidents-fixtures.ts';
import {
  browserException,
  browserRequest,
  nodeException,
  nodeRequest,
  type Repeated,
  scriptException,
} from './library-events.ts';

const BEGAN_MS = Date.now();

/** What published libraries suppress is counted where it belongs (docs/contract/incidents.md 5.10). */
describe.concurrent('30 equal failures of which a library sent three of each kind', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit();
  });
  afterAll(() => culprit.stop());

  /** Times of a clock that begins with the machine, an hour ago. */
  const SINCE_BOOT = { first_seen: '1970-01-01T00:59:40.000Z', last_seen: '1970-01-01T01:00:00.000Z' };

  const KINDS: readonly [string, () => readonly [Repeated, Repeated]][] = [
    ['a Node service', () => [nodeException('PayError'), nodeRequest('/pay')]],
    ['a page', () => [browserException('CartError'), browserRequest('/api/cart')]],
    [
      'a Python service',
      () => [scriptException('python', 'PayError'), scriptException('python', 'KeyError')],
    ],
    ['a Ruby service', () => [scriptException('ruby', 'PayError'), scriptException('ruby', 'KeyError')]],
  ];
  const sent = (kinds: readonly Repeated[]) => kinds.flatMap(({ event }) => [event(), event(), event()]);

  it.each(KINDS)('count 30 and 30 in %s, all in one request', async (_, kinds) => {
    const client = await connect(culprit);
    const [one, other] = kinds();
    await client.send(...sent([one, other]), one.report(27), other.report(27));
    await client.counted(30, 30);
  });

  it.each(KINDS)('count 30 and 30 in %s, with reports that follow from a clock of 1970', async (_, kinds) => {
    const client = await connect(culprit);
    const [one, other] = kinds();
    await client.send(...sent([one, other]));
    const before = await client.counted(3, 3);
    await client.send(one.report(20, SINCE_BOOT), other.report(27, SINCE_BOOT), one.report(7, SINCE_BOOT));
    const after = await client.counted(30, 30);
    for (const { incident_id, first_seen_at, last_seen_at } of after) {
      const earlier = before.find((each) => each.incident_id === incident_id);
      expect(first_seen_at).toBe(earlier?.first_seen_at);
      expect(Date.parse(last_seen_at)).toBeGreaterThanOrEqual(Date.parse(earlier?.last_seen_at ?? ''));
    }
  });

  it('are counted long after the last one that was sent, as a loop goes on', async () => {
    const client = await connect(culprit);
    const [one, other] = [nodeException('PayError'), nodeException('KeyError')];
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60 * SECOND).toISOString();
    await client.send(...sent([one, other]).map((event) => ({ ...event, occurred_at: minutesAgo(40) })));
    await client.counted(3, 3);
    await client.send(one.report(27, { first_seen: minutesAgo(2), last_seen: minutesAgo(1) }));
    await client.counted(3, 30);
  });

  it('count in the incidents of their own service', async () => {
    const client = await connect(culprit);
    const one = nodeException('PayError');
    const elsewhere = { service: { name: 'refunds', runtime: 'node', environment: 'production' } };
    await client.send(...sent([one]), ...sent([one]).map((event) => ({ ...event, ...elsewhere })));
    await client.counted(3, 3);
    await client.send({ ...one.report(27), ...elsewhere });
    const [first, second] = await client.counted(3, 30);
    expect([first, second].find((each) => each?.occurrence_count === 30)?.service_name).toBe('refunds');
  });

  it('are those of the one exception where the library suppresses nothing else', async () => {
    const client = await connect(culprit);
    const python = { name: 'debugbundle-python', version: '2.0.0' };
    await client.send(EX({ sdk: python }), LOG('error', 'disk full', { sdk: python }));
    await client.counted(1, 1);
    await client.send(SUP({ sdk: python }));
    const incidents = await client.counted(1, 98);
    expect(incidents.find((each) => each.occurrence_count === 98)?.title).toMatch(/^TypeError/);
  });

  it('of an unknown library with a clock of 1970 count in the one incident of that time', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    await client.only();
    await client.send(SUP({ payload: { ...SINCE_BOOT } }));
    const { last_seen_at } = await client.only(98);
    expect(Date.parse(last_seen_at)).toBeGreaterThan(BEGAN_MS - DAY);
  });

  it('count where the clock of the signals began in 1970 as well', async () => {
    const client = await connect(culprit);
    await client.send(EX({ timestamp: '1970-01-01T00:59:50Z' }));
    await client.only();
    await client.send(SUP({ timestamp: SINCE_BOOT.last_seen, payload: { ...SINCE_BOOT } }));
    await client.only(98);
  });

  it.each([
    [
      'a clock of 1970 while two incidents were active',
      async (client: IncidentClient) => {
        await client.send(EX(), LOG('error', 'disk full'));
        await client.counted(1, 1);
        await client.send(SUP({ payload: { ...SINCE_BOOT } }));
        await client.processed();
        return [1, 1];
      },
    ],
    [
      'a clock of 1970 when no signal came before them',
      async (client: IncidentClient) => {
        await client.send(EX({ timestamp: new Date(Date.now() - 600 * SECOND).toISOString() }));
        await client.counted(1);
        await client.send(SUP({ payload: { ...SINCE_BOOT } }));
        await client.processed();
        return [1];
      },
    ],
    [
      'a full queue',
      async (client: IncidentClient) => {
        await client.send(EX(), SUP({ payload: { fingerprint: 'node-queue-pressure:log' } }));
        await client.processed();
        return [1];
      },
    ],
  ])('belong to nobody with %s', async (_, act) => {
    const client = await connect(culprit);
    await client.counted(...(await act(client)));
  });

  it('are counted under a key that is longer than a digest', async () => {
    const client = await connect(culprit);
    const go = { name: '@debugbundle/sdk-go', version: '1.3.0' };
    const message = 'x'.repeat(2000);
    const exception = { sdk: go, payload: { error_class: undefined, name: '*errors.errorString', message } };
    await client.send(EX({ sdk: go }), EX(exception), EX(exception));
    await client.counted(1, 2);
    const fingerprint = `backend_exception:*errors.errorString:${message}`;
    await client.send(SUP({ sdk: go, payload: { fingerprint } }));
    await client.counted(1, 99);
  });
});
