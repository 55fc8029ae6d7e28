import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { TrackerKind } from '@culprit/contract/alerts/tracker-words';

/** The largest accepted age of a dated notification (docs/contract/team-workflow.md 7.4). */
const LINEAR_AGE_MAX_MS = 60_000;
const STANDARD_AGE_MAX_MS = 300_000;

/** A notification as it came. */
interface HookRequest {
  headers: IncomingHttpHeaders;
  body: Uint8Array;
  nowMs: number;
}

type Verify = (request: HookRequest, secret: string) => boolean;

const VERIFIERS: Readonly<Record<TrackerKind, Verify>> = {
  github: ({ headers, body }, secret) =>
    isHexSignature(headers['x-hub-signature-256'], 'sha256=', body, secret),
  jira: ({ headers, body }, secret) => isHexSignature(headers['x-hub-signature'], 'sha256=', body, secret),
  gitlab: isOfGitlab,
  generic: isStandard,
  linear: ({ headers, body, nowMs }, secret) =>
    isHexSignature(headers['linear-signature'], '', body, secret) && isFreshLinear(body, nowMs),
};

/** Returns true if a notification is signed with the secret of its webhook, over the bytes that arrived. */
export function isSigned(kind: TrackerKind, request: HookRequest, secret: string): boolean {
  return VERIFIERS[kind](request, secret);
}

function isHexSignature(
  header: string | string[] | undefined,
  prefix: string,
  body: Uint8Array,
  secret: string,
): boolean {
  if (typeof header !== 'string' || !header.startsWith(prefix)) return false;
  const mac = createHmac('sha256', secret).update(body).digest('hex');
  return isSame(header.slice(prefix.length).toLowerCase(), mac);
}

/** Signed like Standard Webhooks, or by older servers with the secret itself. */
function isOfGitlab(request: HookRequest, secret: string): boolean {
  const { headers } = request;
  if (typeof headers['webhook-signature'] === 'string') return isStandard(request, secret);
  const token = headers['x-gitlab-token'];
  return typeof token === 'string' && isSame(token, secret);
}

/**
 * Returns the time at which a notification of Standard Webhooks was sent, by its header, in milliseconds since the
 * epoch.
 */
export function sentAtMs(headers: IncomingHttpHeaders): number {
  return Number(headers['webhook-timestamp']) * 1000;
}

/** Signed like Standard Webhooks, which sign the time too. */
function isStandard({ headers, body, nowMs }: HookRequest, secret: string): boolean {
  const signature = headers['webhook-signature'];
  if (typeof signature !== 'string') return false;
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  const ageMs = Math.abs(nowMs - sentAtMs(headers));
  if (!(ageMs <= STANDARD_AGE_MAX_MS)) return false;
  const [, encoded] = /^whsec_([A-Za-z0-9+/]{1,200}={0,2})$/.exec(secret) ?? [];
  const key = encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return signature.split(' ').some((each) => isSame(each, `v1,${mac}`));
}

function isFreshLinear(body: Uint8Array, nowMs: number): boolean {
  try {
    const sent: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    const time: unknown =
      typeof sent === 'object' && sent !== null ? Reflect.get(sent, 'webhookTimestamp') : null;
    return typeof time === 'number' && Math.abs(nowMs - time) <= LINEAR_AGE_MAX_MS;
  } catch {
    return false;
  }
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
