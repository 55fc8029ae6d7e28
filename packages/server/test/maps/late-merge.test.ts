import type { LifecycleKind } from '@culprit/contract/incidents/lifecycle-kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertClient } from '../support/alert-client.ts';
import { type BuiltShop, buildShop } from '../support/built-shop.ts';
import { countRows } from '../support/count-rows.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** docs/contract/source-maps.md 5.6, item 25: incidents that a map which came after their events makes one. */

let culprit: TestCulprit;
let shop: BuiltShop;
let second: BuiltShop;
let receiver: WebhookReceiver;
beforeAll(async () => {
  culprit = await shareCulprit();
  receiver = await startReceiver();
  shop = await buildShop('first');
  second = await buildShop(
    'second',
    'export const padding = () => [1, 2, 3].map((n) => n * 7);console.log(padding());',
  );
});
afterAll(() => receiver.stop());

/** The failure of the shop in one of its builds, whose files have other names, for a user some seconds ago. */
function failure(built: BuiltShop, file: string, user: string, secondsAgo: number): object {
  const { line, column } = built.place('price.amount');
  const address = `https://shop.example/assets/${file}`;
  return {
    event_type: 'frontend_exception',
    timestamp: new Date(Date.now() - secondsAgo * 1000).toISOString(),
    service: { name: 'shop-web', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    context: { user_id: user },
    payload: {
      name: 'TypeError',
      message: 'no price',
      stack: `TypeError: no price\n    at e (${address}:${line}:${column})`,
      debug_ids: { [address]: built.debugId },
    },
  };
}

const ofFirst = (user: string, secondsAgo = 0) => failure(shop, 'index.js', user, secondsAgo);
const ofSecond = (user: string, secondsAgo = 0) => failure(second, 'cart.js', user, secondsAgo);

/** What is counted of an incident: signals, events that are kept, users. */
async function countsOf(client: IncidentClient, incidentId: string) {
  const incident = await client.read(incidentId);
  const { impact } = await client.bundle(incidentId);
  const events = await countRows(culprit, 'events where incident_id = $1 and is_counted', [
    incidentId.slice('inc_'.length),
  ]);
  const { status, occurrence_count: signals } = incident;
  return { status, signals, events, users: impact.affected_users_estimate };
}

describe('two incidents of builds without maps', () => {
  it('become one when their maps come: no count moves, no alert is sent, and a split takes them apart', async () => {
    const client = await connect(culprit);
    const alerts = alertClient(culprit, client.project);
    await alerts.create({ channel: 'webhook', config: { target_url: receiver.url } });
    await uploadMaps(culprit, client.project, [await buildShop('unrelated')]);
    await client.send(ofFirst('u-1', 60), ofFirst('u-2', 50));
    await client.send(ofSecond('u-2', 40), ofSecond('u-3', 30), ofSecond('u-4', 20));
    const opened = await client.counted(2, 3);
    const idOf = (signals: number) =>
      opened.find(({ occurrence_count }) => occurrence_count === signals)?.incident_id ?? '';
    const [older, younger] = [idOf(2), idOf(3)];
    await client.refreshed();
    const told = async () => {
      const of = async (kind: LifecycleKind, id?: string) =>
        (await client.ledger(kind)).filter(({ incidentId }) => id === undefined || incidentId === id).length;
      return {
        ...{ alerts: (await alerts.evaluated()).length, opened: await of('incident.opened') },
        created: await of('bundle.created'),
        updated: [await of('bundle.updated', older), await of('bundle.updated', younger)],
      };
    };
    expect(await told()).toEqual({ alerts: 2, opened: 2, created: 2, updated: [0, 0] });
    const counts = async () => [await countsOf(client, older), await countsOf(client, younger)];
    expect(await counts()).toMatchObject([
      { status: 'open', signals: 2, events: 2, users: 2 },
      { status: 'open', signals: 3, events: 3, users: 3 },
    ]);

    // The mapped key leads to the younger one first, and with it to the older one then.
    await uploadMaps(culprit, client.project, [{ ...second, path: 'assets/cart.js' }]);
    await eventually(async () => expect(await client.ledger('incident.remapped')).toHaveLength(1));
    await uploadMaps(culprit, client.project, [shop]);
    await eventually(async () => expect(await client.ledger('incident.merged')).toHaveLength(2));
    // With the second run of what comes late.
    await client.refreshed();
    expect(await told()).toEqual({ alerts: 2, opened: 2, created: 2, updated: [1, 1] });
    expect((await client.ledger('incident.merged')).map(({ data }) => data)).toEqual(
      Array(2).fill({ by: 'maps', into: older }),
    );
    expect(await counts()).toMatchObject([
      { status: 'open', signals: 2, events: 2, users: 2 },
      { status: 'resolved', signals: 3, events: 3, users: 3 },
    ]);

    // Either build leads to the older one now, which alone is counted.
    await client.send(ofFirst('u-5'), ofSecond('u-6'));
    await client.counted(3, 4);
    await client.refreshed();
    expect(await told()).toMatchObject({ alerts: 2, opened: 2, created: 2 });

    const answer = await client.post(`/v1/incidents/${older}/split`, { incident_ids: [younger] });
    expect(answer).toMatchObject({ status: 200, body: { grouping: { members: [] } } });
    const apart = [
      { status: 'open', signals: 4, events: 4, users: 4 },
      { status: 'open', signals: 3, events: 3, users: 3 },
    ];
    await client.refreshed();
    expect(await counts()).toMatchObject(apart);
    // The mapped key still leads to the same incident, and no later run of late maps merges the two again.
    await client.send(ofFirst('u-7'), ofSecond('u-8'));
    await client.counted(4, 5);
    await client.refreshed();
    expect(await counts()).toMatchObject([apart[0], { status: 'open', signals: 5, events: 5, users: 5 }]);
    expect(await told()).toMatchObject({ alerts: 2, opened: 2, created: 2 });
  });
});
