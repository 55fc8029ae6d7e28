import type { Endpoint } from './endpoint.ts';
import { postEvents } from './events.ts';
import { getHealth, getLive, getReady } from './health.ts';
import { getIncidentBundle, getIncidentReproduction } from './incident-bundle.ts';
import {
  getIncident,
  listIncidents,
  reopenIncident,
  reopenIncidents,
  resolveIncident,
  resolveIncidents,
} from './incidents.ts';
import { listIncidentLogs, listLogs } from './logs.ts';
import { listServices } from './services.ts';

/** Every endpoint of the service, in the order of the reference. A server that does not bind one of them does not start. */
export const api: readonly Endpoint[] = [
  postEvents,

  listIncidents,
  getIncident,
  resolveIncident,
  reopenIncident,
  resolveIncidents,
  reopenIncidents,
  listIncidentLogs,
  listLogs,
  getIncidentBundle,
  getIncidentReproduction,

  listServices,

  getHealth,
  getLive,
  getReady,
];
