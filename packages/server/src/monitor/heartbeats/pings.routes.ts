import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { type ForeignAnswer, refusalAnswer } from '../../pipeline/ingest/foreign/foreign-answer.ts';
import { type ForeignRequest, isRefusal } from '../../pipeline/ingest/foreign/foreign-intake.ts';
import type { ForeignKeys } from '../../pipeline/ingest/foreign/foreign-keys.ts';
import { refusal } from '../../pipeline/ingest/foreign/foreign-refusal.ts';
import type { ForeignRoute } from '../../pipeline/ingest/foreign/foreign-route.ts';
import { KindCounts } from '../../pipeline/ingest/foreign/kind-counts.ts';
import type { KindLedger } from '../../pipeline/ingest/foreign/kind-ledger.ts';
import { normalizeOrigin } from '../../workspace/tokens/allowed-origin.ts';
import { acceptCheckIn } from './accept-check-in.ts';
import { findByPingKey } from './find-heartbeat.queries.ts';
import { checkInAnswer, isPingKey, readPing, readSmallBody } from './ping-request.ts';
import { recordCheckIn } from './record-check-in.ts';
import {
  CHECK_IN_REFUSALS,
  type CheckInOptions,
  outcomeOf,
  recordSentryCheckIn,
} from './record-sentry-check-in.ts';

interface PingIntake extends CheckInOptions {
  keys: ForeignKeys;
  kinds: KindLedger;
}

const METHODS = ['GET', 'HEAD', 'POST'];

/** The addresses that jobs request: own pings and check-ins, and the `/cron/` address of Sentry. */
export function pingRoutes(intake: PingIntake): ForeignRoute[] {
  const options = { methods: METHODS };
  const accept: ForeignRoute[1] = (request, params) => acceptPing(request, intake, params);
  const cron: ForeignRoute[1] = (request, params) => acceptCron(request, intake, params);
  return [
    ['/v1/heartbeats/:key', accept, options],
    ['/v1/heartbeats/:key/:action', accept, options],
    ['/api/:number/cron/:slug/:key', cron, options],
    ['/v1/check-ins', (request) => acceptCheckIn(request, intake)],
  ];
}

const UNKNOWN = refusal('not_found', 'There is no such heartbeat. Copy its address from the dashboard.');

async function acceptPing(
  request: ForeignRequest,
  intake: PingIntake,
  { key = '', action }: Readonly<Record<string, string>>,
): Promise<ForeignAnswer> {
  if (!isPingKey(key)) return refusalAnswer(UNKNOWN);
  const body = await readSmallBody(request, key);
  if (isRefusal(body)) return refusalAnswer(body);
  const ping = readPing(action, request.queryText, body);
  if (ping === null) {
    const detail = 'After the key, the address must end, or have start, fail, or an exit code from 0 to 255.';
    return refusalAnswer(refusal('not_found', detail));
  }
  const heartbeat = await findByPingKey(intake.database, key);
  if (heartbeat === null) return refusalAnswer(UNKNOWN);
  return checkInAnswer(await recordCheckIn(intake, heartbeat, ping), (checkInId) => ({
    status: 202,
    body: { check_in_id: checkInId },
  }));
}

/** `GET`, `POST /api/<number>/cron/<slug>/<public key>/`; the number may be 0, which older clients write. */
async function acceptCron(
  request: ForeignRequest,
  intake: PingIntake,
  { number = '', slug = '', key = '' }: Readonly<Record<string, string>>,
): Promise<ForeignAnswer> {
  const { origin } = request.headers;
  const judged = await intake.keys.judge(key, {
    number: number === '0' ? null : number,
    origin: origin === undefined ? null : normalizeOrigin(origin),
    client: request.clientKey,
    takesProjectTokens: false,
  });
  if (isRefusal(judged)) return refusalAnswer(judged);
  if (judged.refusal !== null) return refusalAnswer(judged.refusal);
  const { projectId, tokenHash } = judged.key;
  const body = await readSmallBody(request, tokenHash.toString('latin1'));
  if (isRefusal(body)) return refusalAnswer(body);
  const said = saidBy(body, request.queryText);
  if (said === null) return refusalAnswer(refusal('invalid_payload', 'The body is not a JSON object.'));
  const result = await recordSentryCheckIn(intake, projectId, { ...said, monitor_slug: slug });
  const counts = new KindCounts();
  counts.add('check_in', outcomeOf(result).outcome);
  intake.kinds.add(projectId, 'sentry', counts);
  if (typeof result !== 'string') {
    return checkInAnswer(result, (checkInId) => ({
      status: 200,
      body: { id: checkInId.replaceAll('-', '') },
    }));
  }
  return refusalAnswer(CHECK_IN_REFUSALS[result]);
}

function saidBy(body: string, queryText: string): JsonObject | null {
  const query = new URLSearchParams(queryText);
  const said: JsonObject = {};
  for (const name of ['status', 'check_in_id', 'duration', 'environment', 'release']) {
    const value = query.get(name);
    if (value !== null) said[name] = value;
  }
  if (body.trim() === '') return said;
  try {
    const parsed: unknown = JSON.parse(body);
    return isJsonObject(parsed) ? { ...parsed, ...said } : null;
  } catch {
    return null;
  }
}
