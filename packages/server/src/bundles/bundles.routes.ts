import { getIncidentBundle, getIncidentReproduction } from '@culprit/contract/incident-bundle';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { RawJson } from '../platform/http/raw-json.ts';
import { parseId } from '../platform/ids.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { findIncidentAccess } from './bundles.queries.ts';
import { readBundle, readReproduction } from './read-bundle.ts';

/** The debug bundle of an incident and its reproduction. */
export function bindBundleRoutes<C extends Callers & { member: Member }>(
  binder: Binder<C>,
  reading: { database: Database; objects: ObjectStore; plans: PlanSettings },
): void {
  const { database, plans } = reading;

  async function visibleIncident(member: Member, id: string): Promise<string> {
    const incidentId = parseId(['inc', 'bun'], id);
    if (incidentId === null) throw new Problem('incident_not_found');
    const access = await findIncidentAccess(database, plans, member.userId, incidentId);
    if (access === null) throw new Problem('incident_not_found');
    if (access.isSuspended) throw new Problem('shared_access_suspended');
    return incidentId;
  }

  binder.bind(getIncidentBundle, { rawResponse: true }).to(async ({ caller, params }) => {
    const bundle = await readBundle(reading, await visibleIncident(caller, params.id));
    if (bundle.kind === 'ready') return { status: 200, body: new RawJson(bundle.bytes) };
    const body =
      bundle.kind === 'pending'
        ? { status: 'pending' as const }
        : { status: 'failed' as const, reason: bundle.reason };
    return { status: 200, body };
  });
  binder.bind(getIncidentReproduction, { rawResponse: true }).to(async ({ caller, params }) => {
    const incidentId = await visibleIncident(caller, params.id);
    const reproduction = await readReproduction(reading, incidentId);
    return { status: 200, body: new RawJson(Buffer.from(JSON.stringify(reproduction))) };
  });
}
