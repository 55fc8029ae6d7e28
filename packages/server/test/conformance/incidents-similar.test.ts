import { SimilarIncident } from '@culprit/contract/incidents/incident-similar';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, EX, MINUTE } from './incidents-fixtures.ts';

/** Incidents that may have the same cause (docs/contract/server-additions.md S20). */
describe.concurrent('similar incidents', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const isValid = compileValidator(Type.Object({ similar: Type.Array(SimilarIncident) }));
  const isAnswer = (body: unknown): body is { similar: SimilarIncident[] } => isValid(body);

  /** What is named, by title and service: why, and how much. */
  async function similarTo(
    client: IncidentClient,
    id: string,
  ): Promise<[string, string | null, string[], number][]> {
    const { status, body } = await client.get(`/v1/incidents/${id}/similar`);
    if (status !== 200 || !isAnswer(body)) throw new Error(`answered ${status} ${JSON.stringify(body)}`);
    return body.similar.map(({ incident, reasons, score }) => [
      incident.title,
      incident.service_name,
      reasons,
      score,
    ]);
  }

  /** An exception of a type, a message and a place, long before the others unless it says when. */
  function failure(type: string, message: string, place: string, more: Record<string, unknown> = {}) {
    const stacktrace = `${type}: ${message}\n    at ${place}`;
    return EX({ payload: { error_class: type, message, stacktrace }, ...more });
  }

  it('are named with their reasons, the most alike first, and others are not', async () => {
    const client = await connect(culprit);
    const long = { timestamp: ago(60 * MINUTE) };
    await client.send(
      failure('TypeError', 'x of undefined', 'total (/srv/app/src/cart.js:42:10)'),
      failure('RangeError', 'bad length', 'total (/srv/app/src/cart.js:50:3)', long),
      failure('TypeError', 'y is not a function', 'render (/srv/app/src/cart.js:9:1)', long),
      failure('TypeError', 'x of undefined', 'other (/srv/app/src/other.js:1:1)', {
        ...long,
        service: { name: 'worker' },
      }),
      failure('TypeError', 'unrelated', 'other (/srv/app/src/far.js:1:1)', long),
      failure('TypeError', 'at once', 'near (/srv/app/src/near.js:1:1)'),
      failure('PaymentError', 'refused', 'pay (/srv/app/src/pay.js:1:1)'),
    );
    const all = await client.counted(1, 1, 1, 1, 1, 1, 1);
    for (const { incident_id: id } of all) await client.bundle(id);
    const subject = all.find(
      ({ title, service_name: service }) => title === 'TypeError: x of undefined' && service !== 'worker',
    );
    const own = subject?.service_name ?? null;
    expect(await similarTo(client, subject?.incident_id ?? '')).toEqual([
      ['RangeError: bad length', own, ['same_frame'], 0.5],
      ['TypeError: x of undefined', 'worker', ['same_message'], 0.4],
      ['TypeError: y is not a function', own, ['same_file', 'same_error_type'], 0.4],
      ['TypeError: at once', own, ['same_error_type', 'same_time'], 0.3],
    ]);
  });

  it('are five at most, of the same project only, and never one that was merged with it', async () => {
    const [client, stranger] = await Promise.all([connect(culprit), connect(culprit)]);
    const kinds = ['Ann', 'Ben', 'Cid', 'Dan', 'Eve', 'Fay', 'Gus'];
    const events = kinds.map((kind) =>
      failure(`${kind}Error`, `${kind} broke`, 'shared (/srv/app/src/shared.js:1:1)'),
    );
    await Promise.all([client.send(...events), stranger.send(...events)]);
    const all = await client.counted(...kinds.map(() => 1));
    await stranger.counted(...kinds.map(() => 1));
    for (const { incident_id: id } of all) await client.bundle(id);
    const [first, second] = all;
    const id = first?.incident_id ?? '';
    const before = await similarTo(client, id);
    expect(before).toHaveLength(5);
    expect(new Set(before.map(([, , reasons]) => reasons.join()))).toEqual(new Set(['same_frame,same_time']));
    await client.post('/v1/incidents/merge', { incident_ids: [id, second?.incident_id] });
    for (const each of [first, second]) {
      const titles = (await similarTo(client, each?.incident_id ?? '')).map(([title]) => title);
      expect(titles).not.toContain(first?.title);
      expect(titles).not.toContain(second?.title);
    }
    const refused = await stranger.get(`/v1/incidents/${id}/similar`);
    expect([refused.status, refused.body]).toEqual([404, { error: 'incident_not_found' }]);
  });
});
