import { ensureBuilt } from '../../scripts/sdk/built-sdk.ts';
import { launchBrowser } from '../browser/launch-browser.ts';
import { FIRST_VISITS } from '../browser/visits.ts';
import { Checks } from '../checks.ts';
import { IncidentLedger } from '../expected-incidents.ts';
import { fact, say, section, title } from '../report/paper.ts';
import { announceRelease, newRelease, type Release } from '../service/announce-release.ts';
import type { Connection } from '../service/connect.ts';
import { serviceApi } from '../service/service-api.ts';
import { type Neighbours, startNeighbours } from '../shop/neighbours.ts';
import { type ShopProcess, startShop } from '../shop/shop-process.ts';
import { receiveVisit } from './receive-visit.ts';
import { showBundle } from './show-bundle.ts';
import { showIncidents } from './show-incidents.ts';
import { showRegression } from './show-regression.ts';
import { showReproduction } from './show-reproduction.ts';
import { checkDelivery, type Stage } from './stage.ts';

/** The port of the shop if it is free, so that addresses look the same in every run. */
const SHOP_PORT = 4810;

/** The whole demo, from the first visitor to the reproduced failure. @returns what was expected and what was missing */
export async function tellStory(connection: Connection, startedAt: Date): Promise<Checks> {
  title(`Culprit ${connection.version} at ${connection.baseUrl}`);
  say(`The project "Demo shop" (${connection.projectId}) is ready. It belongs to ${connection.email}.`);
  const api = serviceApi(connection);
  const checks = new Checks();
  // The libraries that the shop and its page import.
  await ensureBuilt();
  const ledger = new IncidentLedger(await api.incidents());
  const [browser, neighbours] = await Promise.all([launchBrowser(), startNeighbours()]);
  const stage: Stage = { connection, api, checks, browser, ledger };
  let shop: ShopProcess | null = null;
  try {
    section('A small shop fails');
    const release = newRelease(startedAt, 1);
    checkDelivery(stage, 'the first deploy', await announceRelease(connection, release));
    shop = await openShop(connection, { release, neighbours, port: null });
    say(`The shop runs at ${shop.origin}, release ${release.version}. Visitors come:`);
    for (const visit of FIRST_VISITS) await receiveVisit(stage, visit, shop);
    checkDelivery(stage, 'the shop', await shop.flush());

    section('What Culprit made of it');
    const incident = await showIncidents(stage);
    if (incident === null) return checks;

    section('A release that should fix the guest checkout');
    const { port } = shop;
    await shop.stop();
    shop = null;
    const resolved = await api.resolve(incident.incident_id);
    checks.expect('the incident is resolved', resolved.status === 'resolved');
    fact('Resolved', `${resolved.title} (${resolved.status} at ${resolved.resolved_at})`);
    const nextRelease = newRelease(startedAt, 2);
    checkDelivery(stage, 'the second deploy', await announceRelease(connection, nextRelease));
    shop = await openShop(connection, { release: nextRelease, neighbours, port });
    fact('Deployed', `release ${nextRelease.version}, at the same address`);
    const bundle = await showRegression(stage, { resolved, shop, release: nextRelease });
    if (bundle === null) return checks;

    section('The debug bundle of that incident');
    showBundle(stage, { bundle, shop, release: nextRelease });

    section('Reproduction');
    await showReproduction(stage, { bundle, shop, incidentId: incident.incident_id });
    stage.ledger.check(await api.incidents(), checks);
    return checks;
  } finally {
    await shop?.stop();
    neighbours.stop();
    await browser.close();
  }
}

/** Starts the shop, at its usual port if that is free. */
export async function openShop(
  connection: Connection,
  options: { release: Release; neighbours: Neighbours; port: number | null },
): Promise<ShopProcess> {
  const { paymentsUrl, stockUrl, ratesUrl, reviewsUrl } = options.neighbours;
  return await startShop({
    baseUrl: connection.baseUrl,
    projectToken: connection.projectToken,
    release: options.release.version,
    commit: options.release.commit,
    paymentsUrl,
    stockUrl,
    ratesUrl,
    reviewsUrl,
    port: options.port ?? SHOP_PORT,
    isPortFixed: options.port !== null,
  });
}
