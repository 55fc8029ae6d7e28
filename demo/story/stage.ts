import type { Browser } from 'playwright-core';
import type { Checks } from '../checks.ts';
import type { IncidentLedger } from '../expected-incidents.ts';
import type { Connection } from '../service/connect.ts';
import type { Delivery } from '../service/delivery.ts';
import type { ServiceApi } from '../service/service-api.ts';

/** What the parts of the story share. */
export interface Stage {
  connection: Connection;
  api: ServiceApi;
  checks: Checks;
  /** What visitors come with. */
  browser: Browser;
  ledger: IncidentLedger;
}

/** Every event that somebody sends must be accepted. */
export function checkDelivery({ checks }: Stage, sender: string, { accepted, problems }: Delivery): void {
  const detail = problems.length === 0 ? '' : `, but ${problems.join('; ')}`;
  checks.expect(`all events of ${sender} are accepted${detail}`, problems.length === 0 && accepted > 0);
}
