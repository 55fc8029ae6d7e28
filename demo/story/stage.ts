import type { Browser } from 'playwright-core';
import type { Checks } from '../checks.ts';
import type { IncidentLedger } from '../expected-incidents.ts';
import type { Connection } from '../service/connect.ts';
import type { Delivery } from '../service/delivery.ts';
import type { ServiceApi } from '../service/service-api.ts';

/** The data that the parts of the story share. */
export interface Stage {
  connection: Connection;
  api: ServiceApi;
  checks: Checks;
  /** The browser of the visitors. */
  browser: Browser;
  ledger: IncidentLedger;
}

/** Checks that every event of a sender is accepted. */
export function checkDelivery({ checks }: Stage, sender: string, { accepted, problems }: Delivery): void {
  const detail = problems.length === 0 ? '' : `, but ${problems.join('; ')}`;
  checks.expect(`all events of ${sender} are accepted${detail}`, problems.length === 0 && accepted > 0);
}
