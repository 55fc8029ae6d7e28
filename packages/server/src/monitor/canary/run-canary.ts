import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { BUILT_IN_SINK_URL } from '../../notify/webhooks/built-in-sink.ts';
import { createSigningSecret, sealSigningSecret } from '../../notify/webhooks/signing-secret.ts';
import { insertWebhook, lockProjectAndCountWebhooks } from '../../notify/webhooks/webhooks.queries.ts';
import { readClock } from '../../platform/db/read-clock.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import { deleteUsage } from '../../workspace/billing/usage-counters.queries.ts';
import { markProjectDeleted } from '../../workspace/projects/delete-project.ts';
import { findOtherProjects, lockServiceProject } from '../../workspace/projects/service-project.queries.ts';
import { revokeLiveProjectToken } from '../../workspace/tokens/project-tokens.queries.ts';
import { createToken, tokenHash, tokenPreview } from '../../workspace/tokens/token.ts';
import { insertProjectToken } from '../../workspace/tokens/tokens.queries.ts';
import { readProgress } from './canary.queries.ts';
import type { CanaryStep } from './canary-metrics.ts';

export interface CanaryOptions extends Pick<Runtime, 'database' | 'keys'> {
  /** Sends a batch the way of every other; returns the status. */
  send: (projectToken: string, body: string) => Promise<number>;
}

/** The outcome of one event of the canary; times in seconds since its receipt. */
export type CanaryRun =
  | { missing: CanaryStep; toIncident: number | null }
  | { missing: null; toIncident: number; toWebhook: number };

const ORGANIZATION_ID = '00000000-0000-4000-8000-00000000ca01';
const OWNER_USER_ID = '00000000-0000-4000-8000-00000000ca02';
/** The top-level domain that never exists (RFC 2606). */
const OWNER_EMAIL = 'canary@culprit.invalid';
const NAME = 'culprit-canary';
const LOOK_INTERVAL_MS = 100;
const ACCEPTED = 202;

/**
 * Sends one event of a separate project through the event intake and waits for its incident and its webhook. There is a
 * project for each day; those of earlier days are deleted like any other.
 * @param options.timeoutMs a step that has not happened after this time counts as missing
 */
export async function runCanary(
  options: CanaryOptions & { timeoutMs: number; signal: AbortSignal },
): Promise<CanaryRun> {
  const { database, signal } = options;
  const token = createToken('project');
  const tokenId = newUuid();
  const nowMs = await readClock(database);
  const projectId = await prepare(options, { nowMs, tokenId, token });
  try {
    const eventId = newUuid();
    const status = await options.send(token, JSON.stringify({ events: [canaryEvent(eventId, nowMs)] }));
    if (status !== ACCEPTED) return { missing: 'intake', toIncident: null };
    const deadlineMs = performance.now() + options.timeoutMs;
    for (;;) {
      const { toIncident, toWebhook } = await readProgress(database, projectId, eventId);
      if (toIncident !== null && toWebhook !== null) return { missing: null, toIncident, toWebhook };
      if (performance.now() > deadlineMs) {
        return { missing: toIncident === null ? 'incident' : 'webhook', toIncident };
      }
      await delay(LOOK_INTERVAL_MS, undefined, { signal });
    }
  } finally {
    await revokeLiveProjectToken(database, projectId, tokenId);
  }
}

/** Sees to it that today's project is there with its webhook, that no other is, and that nothing counts as used. */
async function prepare(
  { database, keys }: CanaryOptions,
  { nowMs, tokenId, token }: { nowMs: number; tokenId: string; token: string },
): Promise<string> {
  return await database.transaction(async (transaction) => {
    const day = new Date(nowMs).toISOString().slice(0, 10);
    const projectId = await lockServiceProject(
      transaction,
      {
        organizationId: ORGANIZATION_ID,
        ownerUserId: OWNER_USER_ID,
        email: OWNER_EMAIL,
        name: NAME,
        slug: `canary-${day}`,
      },
      { projectId: newUuid(), userKey: randomBytes(32) },
    );
    for (const old of await findOtherProjects(transaction, ORGANIZATION_ID, projectId)) {
      await markProjectDeleted(transaction, old);
    }
    await deleteUsage(transaction, ORGANIZATION_ID);
    if ((await lockProjectAndCountWebhooks(transaction, projectId)) === 0) {
      const webhookId = newUuid();
      await insertWebhook(transaction, {
        webhookId,
        projectId,
        createdByUserId: OWNER_USER_ID,
        url: BUILT_IN_SINK_URL,
        events: ['bundle.created'],
        filters: {},
        isEnabled: true,
        sealedSecret: sealSigningSecret(keys.webhookSecrets, createSigningSecret(), webhookId),
      });
    }
    await insertProjectToken(transaction, {
      tokenId,
      projectId,
      label: NAME,
      hash: tokenHash(token),
      preview: tokenPreview(token),
      allowedOrigins: [],
      createdByUserId: null,
    });
    return projectId;
  });
}

const LETTERS = 'abcdefghijklmnop';

/** Returns a failure in a function with a unique name, so that it opens a separate incident. */
function canaryEvent(eventId: string, nowMs: number): object {
  const place = [...randomBytes(16)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
  const message = 'The canary sings';
  return {
    event_id: eventId,
    event_type: 'backend_exception',
    timestamp: new Date(nowMs).toISOString(),
    service: { name: NAME, environment: 'production' },
    sdk: { name: NAME, version: '1.0.0' },
    context: {},
    payload: {
      error_class: 'CanaryError',
      message,
      stacktrace: `CanaryError: ${message}\n    at ${place} (/srv/canary/${place}.js:1:1)`,
    },
  };
}
