import { randomUUID } from 'node:crypto';
import { postEvents } from '@culprit/contract/events/events';
import { getIncidentBundle } from '@culprit/contract/incidents/incident-bundle';
import { type Incident, resolveIncident } from '@culprit/contract/incidents/incidents';
import { openApi } from '../api/open-api.ts';
import { CliError } from '../cli-error.ts';
import { findIncidentOf } from '../commands/send/wait-for-incident.ts';
import type { JsonObject } from '../config/json-file.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { sleep } from '../sleep.ts';
import { VERSION } from '../version.ts';

const BUNDLE_WAIT_MS = 30_000;
const LOOK_EVERY_MS = 250;

/** Which way an event takes to prove that one can be seen. */
interface ProofPlace {
  origin: string;
  projectId: string;
  projectToken: string;
  /** The origin whose pages alone can use the token. */
  pageOrigin: string | null;
  service: string;
  environment: string;
  /** Which command proves it, as the event says. */
  type: 'cli_init' | 'cli_doctor';
  keepsIncident: boolean;
}

export interface Proof {
  incident: Incident;
  /** From sending to incident and bundle. */
  visibleMs: number;
}

/** Sends one event and waits until its incident has a bundle; then it is resolved, for nothing is broken. */
export async function proveDelivery(context: Context, place: ProofPlace): Promise<Proof> {
  const event = verificationEvent(place);
  const startedAt = performance.now();
  await sendEvent(context, place, event);
  const incident = await findIncidentOf(context, event, place.projectId);
  if (incident === null) throw notVisible('no incident appeared within 30 s');
  const api = await context.api();
  const params = { id: incident.incident_id };
  const deadline = performance.now() + BUNDLE_WAIT_MS;
  for (;;) {
    const document = await api.call(getIncidentBundle, { params });
    if ('bundle_version' in document) break;
    if (document.status === 'failed') throw notVisible(`there is no bundle: ${document.reason}`);
    if (performance.now() > deadline || context.interrupted.aborted)
      throw notVisible('its bundle was not built within 30 s');
    await sleep(LOOK_EVERY_MS, context.interrupted);
  }
  const visibleMs = Math.round(performance.now() - startedAt);
  if (!place.keepsIncident) await api.call(resolveIncident, { params, body: {} });
  return { incident, visibleMs };
}

function verificationEvent({ service, environment, type }: ProofPlace): JsonObject {
  return {
    event_id: `cli_${randomUUID()}`,
    event_type: 'backend_exception',
    timestamp: new Date().toISOString(),
    service: { name: service, environment },
    sdk: { name: 'culprit-cli', version: VERSION },
    context: { verification: true, verification_type: type },
    payload: {
      name: 'CulpritVerification',
      message: 'culprit sent this event to check that events of this application arrive',
      handled: true,
    },
  };
}

async function sendEvent(context: Context, place: ProofPlace, event: JsonObject): Promise<void> {
  const headers = place.pageOrigin === null ? {} : { headers: { origin: place.pageOrigin } };
  const credential = { credential: 'the project token', profileName: null, isFromEnvironment: false };
  const api = openApi(context, place.origin, place.projectToken, credential, headers);
  const answer = await api.send(postEvents, { body: { events: [event] } });
  if (answer.accepted === 1) return;
  throw notVisible(`it was not accepted: ${JSON.stringify(answer.errors ?? answer)}`);
}

function notVisible(why: string): CliError {
  return new CliError(`The test event was sent, and ${why}.`, {
    exit: EXIT.negative,
    code: 'not_visible',
    hint: 'culprit doctor',
  });
}
