import { ProjectClient } from '@culprit/contract/setup/clients';
import { isJsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { EX, LOG, SUP } from './incidents-fixtures.ts';

/** Which libraries send, and what they lost (docs/contract/incidents.md 7.1.1). */
describe.concurrent('the client libraries of a project', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const isClient = compileValidator(ProjectClient);
  const NODE = { name: '@culprit/node', version: '1.4.0' };
  const today = () => new Date().toISOString().slice(0, 10);

  async function page(client: IncidentClient, query = ''): Promise<{ clients: object[]; next: JsonValue }> {
    await client.processed();
    const { status, body } = await client.get(`/v1/projects/${client.project.projectId}/clients${query}`);
    expect(status).toBe(200);
    if (!isJsonObject(body) || !Array.isArray(body.clients)) throw new Error('no list of clients');
    const clients = body.clients.filter(isJsonObject);
    expect(clients.every((each) => isClient(each))).toBe(true);
    return { clients, next: body.next_cursor ?? null };
  }

  it('are counted by service, environment, name and version', async () => {
    const client = await connect(culprit);
    const day = today();
    await client.send(
      EX({ sdk: NODE }),
      LOG('error', 'disk full', { sdk: NODE }),
      SUP({ sdk: NODE }),
      EX({ sdk: { ...NODE, version: '1.5.0' } }),
      EX({ sdk: NODE, service: { environment: 'staging' } }),
      { ...EX(), sdk: undefined },
    );
    const { clients, next } = await page(client);
    const counts = clients.map((each) => ({ ...each, service_id: undefined }));
    const of = (environment: string, sdk_name: string, sdk_version: string, events: number) => ({
      service_id: undefined,
      service_name: 'checkout-api',
      environment,
      sdk_name,
      sdk_version,
      events,
      lost: {},
      tags_left_out: 0,
      last_day: expect.stringMatching(new RegExp(`^(${day}|${today()})$`)),
    });
    expect(counts).toEqual([
      of('production', '@culprit/node', '1.4.0', 3),
      of('production', '@culprit/node', '1.5.0', 1),
      of('production', 'unknown', '0', 1),
      of('staging', '@culprit/node', '1.4.0', 1),
    ]);
    expect(next).toBeNull();
  });

  it('are shown with the loss that they report, each report once', async () => {
    const client = await connect(culprit);
    const lossy = (loss: object) => EX({ sdk: NODE, event_id: newUuid(), context: { capture_loss: loss } });
    const first = lossy({ overflow: 5, unload: 2, cosmic_rays: 3, gremlins: 1 });
    await client.send(first);
    await client.send(
      first,
      lossy({ overflow: 7, stale: 0, noise: -1, rule: 1.5, policy: 'many', too_large: 1e12 }),
      EX({ sdk: NODE, context: { capture_loss: 'some' } }),
    );
    const { clients } = await page(client);
    expect(clients).toMatchObject([
      { events: 3, lost: { other: 4, overflow: 12, too_large: 1_000_000_000, unload: 2 } },
    ]);
  });

  it('are shown with the number of tags that were left out, each event once', async () => {
    const client = await connect(culprit);
    const many = Object.fromEntries(Array.from({ length: 53 }, (_, n) => [`tag.${n}`, 'x']));
    const odd = { 'two words': 'x', list: ['x'], kept: 'x', nothing: null };
    const event = EX({ sdk: NODE, event_id: newUuid(), context: { tags: many } });
    await client.send(event);
    await client.send(event, EX({ sdk: NODE, context: { tags: odd } }));
    expect((await page(client)).clients).toMatchObject([{ events: 2, lost: {}, tags_left_out: 5 }]);
  });

  it('are listed page by page', async () => {
    const client = await connect(culprit);
    const versions = ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0'];
    await client.send(...versions.map((version) => EX({ sdk: { ...NODE, version } })));
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const { clients, next } = await page(client, `?limit=2${cursor}`);
      expect(clients.length).toBeLessThanOrEqual(2);
      seen.push(...clients.map((each) => Reflect.get(each, 'sdk_version')));
      cursor = typeof next === 'string' ? `&cursor=${encodeURIComponent(next)}` : '';
    } while (cursor !== '');
    expect(seen).toEqual(versions);
  });

  it('are those of the asked days', async () => {
    const client = await connect(culprit);
    await client.send(EX({ sdk: NODE }));
    await client.processed();
    const id = parseId(['proj'], client.project.projectId);
    await culprit.database.query(
      { name: 'test-age-clients', text: 'update client_counts set day = day - 3 where project_id = $1' },
      [id],
    );
    expect((await page(client, '?days=3')).clients).toEqual([]);
    expect((await page(client, '?days=4')).clients).toHaveLength(1);
    expect((await page(client)).clients).toHaveLength(1);
  });

  it('are counted together beyond 500 rows a day, the known ones still by name', async () => {
    const client = await connect(culprit);
    await client.send(EX({ sdk: NODE }));
    await client.processed();
    await culprit.database.query(
      {
        name: 'test-fill-clients',
        text: `insert into client_counts (project_id, day, service_id, sdk_name, sdk_version, outcome, events)
          select project_id, day, service_id, 'invented', n::text, 'received', 1
          from client_counts, generate_series(1, 600) n where project_id = $1`,
      },
      [parseId(['proj'], client.project.projectId)],
    );
    await client.send(
      EX({ sdk: NODE }),
      EX({ sdk: { name: 'new', version: '1' } }),
      EX({ sdk: { name: 'newer', version: '2' } }),
    );
    const { clients } = await page(client, '?limit=2');
    expect(clients).toMatchObject([{ sdk_name: '@culprit/node', events: 2 }, { sdk_name: 'invented' }]);
    const cursor = encodeURIComponent(['checkout-api', 'production', 'nz', '0'].join('|'));
    expect((await page(client, `?limit=1&cursor=${cursor}`)).clients).toMatchObject([
      { sdk_name: 'other', sdk_version: '0', events: 2 },
    ]);
  });

  it.each(['days=0', 'days=91', 'days=x', 'limit=101', 'cursor=a', 'service=x', 'cursor=a%7Cb%7Cc'])(
    'are not listed for the query %s',
    async (query) => {
      const client = await connect(culprit);
      const path = `/v1/projects/${client.project.projectId}/clients?${query}`;
      expect(await client.get(path)).toMatchObject({ status: 400, body: { error: 'invalid_query' } });
    },
  );

  it('are not shown to members of other projects', async () => {
    const [client, foreign] = [await connect(culprit), await connect(culprit)];
    const path = `/v1/projects/${client.project.projectId}/clients`;
    expect(await foreign.get(path)).toMatchObject({ status: 404, body: { error: 'project_not_found' } });
  });
});
