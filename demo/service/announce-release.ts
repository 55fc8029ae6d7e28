import { createHash } from 'node:crypto';
import type { Connection } from './connect.ts';
import type { Delivery } from './delivery.ts';

/** A build of the shop. */
export interface Release {
  version: string;
  commit: string;
}

const ANSWER_TIMEOUT_MS = 5_000;

/** A release that no other run has. */
export function newRelease(runStartedAt: Date, number: number): Release {
  const stamp = runStartedAt.toISOString().replace(/[-:T]/g, '').slice(0, 14);
  const version = `${stamp}.${number}`;
  return { version, commit: createHash('sha1').update(version).digest('hex') };
}

/** Reports a deploy to Culprit, as the last step of a pipeline would: written by hand, in the seed form. */
export async function announceRelease(
  connection: Connection,
  { version, commit }: Release,
): Promise<Delivery> {
  const now = new Date().toISOString();
  const events = ['shop-api', 'shop-web'].map((name) => ({
    event_type: 'deploy_metadata',
    timestamp: now,
    service: { name, environment: 'production' },
    sdk: { name: 'demo-deploy-script', version: '1.0.0' },
    context: {},
    payload: { version, commit_sha: commit, branch: 'main', environment: 'production', deployed_at: now },
  }));
  return await sendEvents(connection, events);
}

/** Sends one request of events. */
export async function sendEvents(
  { baseUrl, projectToken }: Connection,
  events: readonly object[],
): Promise<Delivery> {
  const answer = await fetch(`${baseUrl}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${projectToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ events }),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  const text = await answer.text();
  const isAccepted = answer.status === 202 && acceptedOf(text) === events.length;
  return isAccepted
    ? { accepted: events.length, problems: [] }
    : { accepted: 0, problems: [`they were answered with ${answer.status} ${text}`] };
}

function acceptedOf(text: string): unknown {
  const body: unknown = JSON.parse(text);
  return typeof body === 'object' && body !== null && 'accepted' in body ? body.accepted : null;
}
