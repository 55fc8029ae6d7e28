import { randomInt } from 'node:crypto';
import { groupingSentences, slotSentence } from '@culprit/contract/incidents/grouping-words';
import type { Incident } from '@culprit/contract/incidents/incidents';
import type { Checks } from '../checks.ts';
import { IncidentLedger } from '../expected-incidents.ts';
import { fact, item, say, section } from '../report/paper.ts';
import { newRelease } from '../service/announce-release.ts';
import type { Connection } from '../service/connect.ts';
import { type ServiceApi, serviceApi } from '../service/service-api.ts';
import { until } from '../service/until.ts';
import { startNeighbours } from '../shop/neighbours.ts';
import type { ShopProcess } from '../shop/shop-process.ts';
import { openShop } from './tell-story.ts';

/** At one place of the code three different words make a slot (docs/contract/grouping.md 3). */
const CUSTOMERS = ['anna', 'boris', 'chloe', 'dmitri'] as const;
const CUSTOMER_AFTERWARDS = 'elena';

/** Shows one failure that names a customer: its incidents become one, that is explained, and it is undone. */
export async function showSlot(connection: Connection, startedAt: Date, checks: Checks): Promise<void> {
  section('A word that is a value');
  const api = serviceApi(connection);
  const vouchers = new VoucherLedger(api, await api.incidents());
  const neighbours = await startNeighbours();
  let shop: ShopProcess | null = null;
  try {
    shop = await openShop(connection, { release: newRelease(startedAt, 3), neighbours, port: null });
    // Names of code are never learned, so each run has a separate slot.
    const campaign = `campaign${letters()}`;
    for (const customer of CUSTOMERS) await redeem(shop, vouchers, { campaign, customer });
    await showOpenSlot(vouchers, { api, checks });
    await redeem(shop, vouchers, { campaign, customer: CUSTOMER_AFTERWARDS });
    const counts = (await vouchers.touched()).map((incident) => vouchers.gained(incident));
    checks.expect(
      `the slot stays closed, so that there are 3, 1 and 1 occurrences, not ${counts.join(', ')}`,
      counts.sort().join() === '1,1,3',
    );
    fact('Stays closed', `${CUSTOMER_AFTERWARDS} has an incident of her own`);
  } finally {
    await shop?.stop();
    neighbours.stop();
  }
}

/** Shows what the slot made one, with its explanation, and closes it. */
async function showOpenSlot(
  vouchers: VoucherLedger,
  { api, checks }: { api: ServiceApi; checks: Checks },
): Promise<void> {
  const [root, member, ...others] = (await vouchers.touched()).sort(
    (a, b) => vouchers.gained(b) - vouchers.gained(a),
  );
  const isOne =
    root !== undefined &&
    member?.status === 'resolved' &&
    others.length === 0 &&
    vouchers.gained(root) === CUSTOMERS.length - 1;
  checks.expect('four customers with one failure have one active incident', isOne);
  if (root === undefined) return;
  const { slots } = await api.grouping(root.incident_id);
  const [slot] = slots;
  checks.expect(`one slot is open, not ${slots.length}`, slots.length === 1);
  if (slot === undefined) return;
  fact('One incident', root.title);
  fact('Explained', slotSentence(slot));
  const bundle = await until(
    () => api.bundle(root.incident_id),
    (seen) => typeof seen === 'object' && (seen.context.grouping?.members.length ?? 0) > 0,
  );
  const grouping = typeof bundle === 'string' ? undefined : bundle.context.grouping;
  checks.expect(
    'the bundle explains the slot too',
    grouping !== undefined && groupingSentences(grouping).includes(slotSentence(slot)),
  );
  const before = await vouchers.countsOf(root.incident_id);
  const left = await api.closeSlot(root.incident_id, slot.slot_id);
  checks.expect('the slot is closed', left.slots.length === 0 && left.members.length === 0);
  const apart = await vouchers.touched();
  checks.expect(
    'both incidents are active again, with the counts that they had',
    apart.length === 2 &&
      apart.every(({ status }) => status !== 'resolved') &&
      (await vouchers.countsOf(root.incident_id)) === before,
  );
  fact(
    'Undone',
    ...apart.map(({ title, status, occurrence_count: count }) => `${title} (${status}, ${count})`),
  );
  say('Closing the slot split them permanently.');
}

/** The incidents of vouchers that this run leads to. */
class VoucherLedger {
  readonly #api: ServiceApi;
  readonly #ledger: IncidentLedger;

  constructor(api: ServiceApi, before: readonly Incident[]) {
    this.#api = api;
    this.#ledger = new IncidentLedger(before);
  }

  async touched(): Promise<Incident[]> {
    const touched = this.#ledger.touched(await this.#api.incidents());
    return touched.filter(({ title }) => title.startsWith('VoucherError: '));
  }

  gained(incident: Incident): number {
    return this.#ledger.gained(incident);
  }

  /** Occurrences of this run. */
  async total(): Promise<number> {
    return (await this.touched()).reduce((sum, incident) => sum + this.gained(incident), 0);
  }

  async countsOf(incidentId: string): Promise<number> {
    return (await this.#api.incident(incidentId)).occurrence_count;
  }
}

/** Lets one customer try, and waits until the failure is counted. */
async function redeem(
  shop: ShopProcess,
  vouchers: VoucherLedger,
  { campaign, customer }: { campaign: string; customer: string },
): Promise<void> {
  const before = await vouchers.total();
  const answer = await fetch(`${shop.origin}/api/vouchers/${campaign}/${customer}`, { method: 'POST' });
  await answer.arrayBuffer();
  await shop.flush();
  await until(
    () => vouchers.total(),
    (total) => total > before,
  );
  const incidents = await vouchers.touched();
  const active = incidents.filter(({ status }) => status !== 'resolved').length;
  item(customer, [
    `answered ${answer.status}`,
    `${active} active ${active === 1 ? 'incident' : 'incidents'}`,
  ]);
}

function letters(): string {
  return Array.from({ length: 5 }, (_, at) =>
    String.fromCodePoint((at === 0 ? 65 : 97) + randomInt(26)),
  ).join('');
}
