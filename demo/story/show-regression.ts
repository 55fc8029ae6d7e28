import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { GUEST_VISIT } from '../browser/visits.ts';
import { PAGE_ERROR } from '../expected-incidents.ts';
import { fact } from '../report/paper.ts';
import type { Release } from '../service/announce-release.ts';
import { until } from '../service/until.ts';
import type { ShopProcess } from '../shop/shop-process.ts';
import { receiveVisit } from './receive-visit.ts';
import { checkDelivery, type Stage } from './stage.ts';

/**
 * Shows the same failure again, after the deploy.
 * @returns the bundle of the regressed incident
 */
export async function showRegression(
  stage: Stage,
  { resolved, shop, release }: { resolved: Incident; shop: ShopProcess; release: Release },
): Promise<DebugBundle | null> {
  const { api, checks, ledger } = stage;
  const { traceId } = await receiveVisit(stage, GUEST_VISIT, shop);
  // The page's side first, so that the bundle which the regression starts immediately has the whole trace.
  await until(
    () => api.incidents(),
    (seen) => {
      const incident = ledger.find(seen, PAGE_ERROR);
      return incident !== null && ledger.gained(incident) > PAGE_ERROR.occurrences;
    },
  );
  checkDelivery(stage, 'the shop after the deploy', await shop.flush());
  const regressed = await until(
    () => api.incident(resolved.incident_id),
    (seen) => seen.status === 'regressed' && seen.latest_deployment_id !== resolved.latest_deployment_id,
  );
  fact(
    'Status',
    `${regressed.status}${regressed.regressed_at === null ? '' : ` at ${regressed.regressed_at}`}`,
  );
  checks.expect(`the incident is regressed, not ${regressed.status}`, regressed.status === 'regressed');
  checks.expect(
    'the regression is younger than the resolution',
    (regressed.regressed_at ?? '') > (resolved.resolved_at ?? ''),
  );
  checks.expect(
    'the incident names the new deployment',
    regressed.latest_deployment_id !== null &&
      regressed.latest_deployment_id !== resolved.latest_deployment_id,
  );
  const bundle = await until(
    () => api.bundle(resolved.incident_id),
    (seen) => typeof seen === 'object' && isOfTrace(seen, traceId) && seen.context.frontend !== null,
  );
  if (typeof bundle === 'string') {
    checks.expect(`a bundle of the regressed incident, not ${bundle}`, false);
    return null;
  }
  checks.expect('the bundle is about the newest occurrence', isOfTrace(bundle, traceId));
  const { deploy } = bundle.context;
  const isMarked =
    deploy?.deploy_version === release.version &&
    deploy.regression_window &&
    bundle.impact.regression_suspected;
  checks.expect(`the bundle marks a regression after deploy ${release.version}`, isMarked);
  fact('Deploy', deploy === null ? null : `${deploy.deploy_version} at ${deploy.deployed_at}`);
  fact('In the bundle', bundle.summary.likely_cause);
  return bundle;
}

function isOfTrace(bundle: DebugBundle, traceId: string): boolean {
  return bundle.context.request?.headers['x-service-trace-id'] === traceId;
}
