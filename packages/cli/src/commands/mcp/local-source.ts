import { readQuery } from '@culprit/contract/search/incident-query';
import { fitsQuery } from '@culprit/contract/search/query-match';
import type { IncidentSource } from '@culprit/mcp/source';
import type { Context } from '../../context.ts';
import type { Input } from '../../input.ts';
import { ID_END_CHARS } from '../incidents/columns.ts';
import { localIncident, readLocal } from '../local/local-files.ts';
import { inWords } from './in-words.ts';

const PREFIX = 'local:';

/** The incidents of the events that client libraries wrote on this machine; read anew for each call. */
export function localSource(context: Context, input: Input): IncidentSource {
  return {
    listProjects: () =>
      inWords(async () => {
        const { incidents } = readLocal(context, input).local;
        const places = new Map(
          incidents.map(({ service_name, environment }) => [
            `${service_name} ${environment}`,
            { name: service_name ?? '-', environment },
          ]),
        );
        return [
          {
            projectId: 'local',
            slug: 'local',
            name: 'files of this machine',
            openIncidents: incidents.filter(({ status }) => status !== 'resolved').length,
            services: [...places.values()],
          },
        ];
      }),
    listIncidents: ({ status, query, severity, service, environment, since, limit }) =>
      inWords(async () => {
        const { terms } = readQuery(query ?? '');
        const sinceMs = since === undefined ? 0 : Date.parse(since);
        const incidents = readLocal(context, input).local.incidents.filter(
          (each) =>
            (status === 'active' ? each.status !== 'resolved' : each.status === status) &&
            (severity === undefined || each.severity === severity) &&
            (service === undefined || each.service_name === service) &&
            (environment === undefined || each.environment === environment) &&
            Date.parse(each.last_seen_at) >= sinceMs &&
            fitsQuery(each, terms, Date.now()),
        );
        return {
          incidents: incidents.slice(0, limit).map((incident) => ({
            reference: `${PREFIX}${incident.incident_id.slice(-ID_END_CHARS)}`,
            incident,
          })),
          nextCursor: null,
        };
      }),
    evidence: (reference) =>
      inWords(async () => {
        const read = readLocal(context, input);
        const incident = localIncident(read, reference);
        return {
          incident,
          reference: `${PREFIX}${incident.incident_id}`,
          trust: 'local',
          bundle: read.local.bundle(incident.incident_id),
          absence: 'There is no bundle: its events no longer exist',
          suggestions: [],
        };
      }),
    changes: null,
  };
}
