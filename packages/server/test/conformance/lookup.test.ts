import { LookupAnswer, type LookupMatch } from '@culprit/contract/incidents/lookup';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, EX, LOG, MINUTE, named, SECOND } from './incidents-fixtures.ts';

/** What an id names (docs/contract/server-additions.md S8). */
describe.concurrent('an id that is looked up', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const isValid = compileValidator(LookupAnswer);
  const isAnswer = (body: unknown): body is LookupAnswer => isValid(body);

  async function matches(client: IncidentClient, id: string): Promise<LookupMatch[]> {
    const { status, body } = await client.get(`/v1/lookup?id=${encodeURIComponent(id)}`);
    if (status !== 200 || !isAnswer(body)) throw new Error(`answered ${status} ${JSON.stringify(body)}`);
    return body.matches;
  }

  const NOTHING = { incident_id: null, improvement_id: null, event_id: null };

  it('names an incident or its bundle', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    const { incident_id, last_seen_at: occurred_at } = await client.only();
    const uuid = parseId(['inc'], incident_id) ?? '';
    const found = { ...NOTHING, incident_id, occurred_at };
    expect(await matches(client, incident_id)).toEqual([{ ...found, kind: 'incident' }]);
    expect(await matches(client, uuid.toUpperCase())).toEqual([{ ...found, kind: 'incident' }]);
    expect(await matches(client, `bun_${uuid}`)).toEqual([{ ...found, kind: 'bundle' }]);
    expect(await matches(client, `evt_${uuid}`)).toEqual([]);
  });

  it('names an event with the incident that counted it, in the right service', async () => {
    const client = await connect(culprit);
    // With a time in it, as our libraries send, and without.
    const [first, second, loose] = [newUuid(), `bestellung/ä ${newUuid()}`, `log-${newUuid()}`];
    const at = ago(MINUTE);
    await client.send(
      EX({ event_id: first }),
      EX({ event_id: second, timestamp: at, service: { name: 'other-api' } }),
      LOG('info', 'nothing wrong', { event_id: loose }),
    );
    const found = await client.counted(1, 1);
    await client.processed();
    const idOf = (service: string) => found.find((each) => each.service_name === service)?.incident_id;
    const event = { ...NOTHING, kind: 'event' };
    expect(await matches(client, first)).toMatchObject([
      { ...event, event_id: first, incident_id: idOf('checkout-api') },
    ]);
    expect(await matches(client, second)).toEqual([
      { ...event, event_id: second, incident_id: idOf('other-api'), occurred_at: at },
    ]);
    expect(await matches(client, loose)).toMatchObject([{ ...event, event_id: loose }]);
    expect(await matches(client, 'evt-unknown')).toEqual([]);
  });

  it('names a trace, a request or a session with every incident in it, newest first', async () => {
    const client = await connect(culprit);
    const [trace, request, session, quiet] = [newUuid(), newUuid(), newUuid(), newUuid()];
    await client.send(
      named('One', { correlation: { trace_id: trace, request_id: request }, timestamp: ago(3 * SECOND) }),
      named('Two', { correlation: { trace_id: trace, session_id: session }, timestamp: ago(2 * SECOND) }),
      LOG('info', 'in the trace', { correlation: { trace_id: trace } }),
      LOG('info', 'alone', { correlation: { trace_id: quiet }, timestamp: ago(SECOND) }),
    );
    const found = await client.counted(1, 1);
    await client.processed();
    const idOf = (word: string) => found.find(({ title }) => title.startsWith(word))?.incident_id;
    expect(await matches(client, trace)).toMatchObject([
      { ...NOTHING, kind: 'trace', incident_id: idOf('Two') },
      { ...NOTHING, kind: 'trace', incident_id: idOf('One') },
    ]);
    expect(await matches(client, request)).toMatchObject([{ kind: 'request', incident_id: idOf('One') }]);
    expect(await matches(client, session)).toMatchObject([{ kind: 'session', incident_id: idOf('Two') }]);
    expect(await matches(client, quiet)).toMatchObject([{ ...NOTHING, kind: 'trace' }]);
  });

  it('names an improvement, and no candidate', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    await client.only();
    const improvementId = newUuid();
    const addImprovement = (id: string, status: string) =>
      culprit.database.query(
        {
          name: 'test-improvement',
          text: `insert into improvements (improvement_id, project_id, service_id, service_name, environment, detector,
              detector_key, fingerprint, status, first_detected_at, last_detected_at, last_received_at)
            select $2::uuid, project_id, service_id, name, environment, 'slow_request', $2::uuid::text,
              sha256($2::uuid::text::bytea), $3,
              culprit_now(), culprit_now(), culprit_now()
            from services where project_id = $1`,
        },
        [parseId(['proj'], client.project.projectId), id, status],
      );
    const candidateId = newUuid();
    await addImprovement(improvementId, 'open');
    await addImprovement(candidateId, 'candidate');
    expect(await matches(client, `bun_${improvementId}`)).toMatchObject([
      { ...NOTHING, kind: 'improvement', improvement_id: `bun_${improvementId}` },
    ]);
    expect(await matches(client, `bun_${candidateId}`)).toEqual([]);
  });

  it('names nothing that the member does not see', async () => {
    const [client, foreign] = [await connect(culprit), await connect(culprit)];
    const [event, trace] = [`evt-${newUuid()}`, newUuid()];
    await foreign.send(EX({ event_id: event, correlation: { trace_id: trace } }));
    const { incident_id: id } = await foreign.only();
    for (const each of [event, trace, id]) {
      expect(await matches(foreign, each)).toHaveLength(1);
      expect(await matches(client, each)).toEqual([]);
    }
  });

  it.each(['', 'id=', `id=${'a'.repeat(201)}`, 'id=a&limit=5', 'id=a&id=b'])(
    'is refused in the query %s',
    async (query) => {
      const client = await connect(culprit);
      expect(await client.get(`/v1/lookup?${query}`)).toMatchObject({
        status: 400,
        body: { error: 'invalid_query' },
      });
    },
  );
});
