import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { EXPECTED_INCIDENTS, GUEST_CHECKOUT } from '../expected-incidents.ts';
import { printCauses, printIncidents, worstFirst } from '../report/incident-table.ts';
import { blank, say } from '../report/paper.ts';
import { until } from '../service/until.ts';
import type { Stage } from './stage.ts';

/**
 * Waits for the incidents and their bundles, and shows them.
 * @returns the one with which the story continues
 */
export async function showIncidents(stage: Stage): Promise<Incident | null> {
  const { api, checks, ledger } = stage;
  const incidents = await until(
    () => api.incidents(),
    (seen) => ledger.hasAll(seen),
  );
  const touched = worstFirst(ledger.touched(incidents));
  printIncidents(touched);
  blank();
  say('Three different failures of one address, POST /api/checkout, are three incidents.');
  blank();
  const bundles = await readBundles(stage, touched);
  printCauses([...bundles.values()]);
  for (const expected of EXPECTED_INCIDENTS) {
    const incident = ledger.find(incidents, expected);
    const cause = bundles.get(incident?.incident_id ?? '')?.summary.likely_cause ?? null;
    checks.expect(
      `a likely cause of ${expected.what}, not ${cause}`,
      cause?.startsWith(expected.cause) === true,
    );
  }
  const guestCheckout = ledger.find(incidents, GUEST_CHECKOUT);
  // The story ends here, so what is wrong is said now.
  if (guestCheckout === null) ledger.check(incidents, checks);
  return guestCheckout;
}

/** By incident id. */
async function readBundles(
  { api, checks }: Stage,
  incidents: readonly Incident[],
): Promise<Map<string, DebugBundle>> {
  const answers = await until(
    () => Promise.all(incidents.map(async (each) => ({ each, bundle: await api.bundle(each.incident_id) }))),
    (seen) => seen.every(({ bundle }) => typeof bundle === 'object'),
  );
  const bundles = new Map<string, DebugBundle>();
  for (const { each, bundle } of answers) {
    const isThere = typeof bundle === 'object';
    checks.expect(`a bundle for "${each.title}"${isThere ? '' : `, not ${bundle}`}`, isThere);
    if (isThere) bundles.set(each.incident_id, bundle);
  }
  return bundles;
}
