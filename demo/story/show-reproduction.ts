import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { blank, fact, say, verbatim } from '../report/paper.ts';
import { reproduce } from '../reproduce.ts';
import { until } from '../service/until.ts';
import type { ShopProcess } from '../shop/shop-process.ts';
import { checkDelivery, type Stage } from './stage.ts';

/** Runs the bundle's own command against the shop, which still runs: it fails again, and is counted. */
export async function showReproduction(
  stage: Stage,
  { bundle, shop, incidentId }: { bundle: DebugBundle; shop: ShopProcess; incidentId: string },
): Promise<void> {
  const { api, checks } = stage;
  const { artifacts, confidence, reason } = bundle.reproduction;
  checks.expect(`a reproduction is possible (${reason})`, artifacts !== null);
  if (artifacts === null) return;
  checks.expect(
    `the reproduction goes to ${shop.origin}`,
    artifacts.json_spec.url === `${shop.origin}/api/checkout`,
  );
  say(`Possible with confidence ${confidence} (${reason}). The command of the bundle:`);
  blank();
  verbatim(artifacts.curl);
  blank();

  const before = await api.incident(incidentId);
  const result = await reproduce(artifacts);
  if (result.means === 'fetch') say('There is no curl here, so the demo sent the same request itself.');
  fact('Answer', `HTTP ${result.status} ${result.body}`);
  checks.expect(`the request fails again with HTTP 500, not ${result.status}`, result.status === 500);
  checkDelivery(stage, 'the shop after the reproduction', await shop.flush());
  const after = await until(
    () => api.incident(incidentId),
    (seen) => seen.occurrence_count > before.occurrence_count,
  );
  fact('Occurrences', `${before.occurrence_count} before, ${after.occurrence_count} after`);
  checks.expect(
    `one more occurrence after the reproduction (${before.occurrence_count}, then ${after.occurrence_count})`,
    after.occurrence_count === before.occurrence_count + 1,
  );
}
