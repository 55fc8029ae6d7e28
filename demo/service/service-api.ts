import { type CallResult, type Client, createClient } from '@culprit/contract/endpoints/client';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { getIncidentBundle } from '@culprit/contract/incidents/incident-bundle';
import {
  getIncidentGrouping,
  type IncidentGrouping,
  splitIncident,
} from '@culprit/contract/incidents/incident-grouping';
import {
  getIncident,
  type Incident,
  listIncidents,
  resolveIncident,
} from '@culprit/contract/incidents/incidents';
import type { Connection } from './connect.ts';

/** The calls of the demo to the API. Every call throws when its answer is no success. */
export interface ServiceApi {
  /** All incidents of the project, latest activity first. */
  incidents(): Promise<Incident[]>;
  incident(incidentId: string): Promise<Incident>;
  /** The debug bundle, or why there is none yet. */
  bundle(incidentId: string): Promise<DebugBundle | string>;
  resolve(incidentId: string): Promise<Incident>;
  /** Returns the keys, members and slots that bring events to an incident. */
  grouping(incidentId: string): Promise<IncidentGrouping>;
  /** Splits the incidents that a slot merged, permanently. */
  closeSlot(incidentId: string, slotId: string): Promise<IncidentGrouping>;
}

const PAGE_SIZE = 100;

export function serviceApi({ baseUrl, memberToken, projectId }: Connection): ServiceApi {
  const client: Client = createClient({ baseUrl, token: memberToken });
  return {
    async incidents() {
      const incidents: Incident[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = {
          project_id: projectId,
          limit: PAGE_SIZE,
          ...(cursor === undefined ? {} : { cursor }),
        };
        const { body } = answered(listIncidents, await client.call(listIncidents, { query }));
        incidents.push(...body.incidents);
        cursor = body.next_cursor;
      }
      return incidents;
    },
    async incident(id) {
      return answered(getIncident, await client.call(getIncident, { params: { id } })).body.incident;
    },
    async bundle(id) {
      const { body } = answered(getIncidentBundle, await client.call(getIncidentBundle, { params: { id } }));
      if ('bundle_version' in body) return body;
      return 'reason' in body ? `${body.status}: ${body.reason}` : body.status;
    },
    async grouping(id) {
      const answer = await client.call(getIncidentGrouping, { params: { id } });
      return answered(getIncidentGrouping, answer).body.grouping;
    },
    async closeSlot(id, slotId) {
      const body = { slot_ids: [slotId] };
      return answered(splitIncident, await client.call(splitIncident, { params: { id }, body })).body
        .grouping;
    },
    async resolve(id) {
      return answered(resolveIncident, await client.call(resolveIncident, { params: { id } })).body.incident;
    },
  };
}

function answered<E extends Endpoint>(
  endpoint: E,
  result: CallResult<E>,
): Extract<CallResult<E>, { ok: true }> {
  if (result.ok) return result;
  throw new Error(`${endpoint.method} ${endpoint.path} was answered with ${result.status} ${result.error}`);
}
