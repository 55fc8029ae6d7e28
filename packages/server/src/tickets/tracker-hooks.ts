import { TRACKER_HOOK_BYTES_MAX } from '@culprit/contract/alerts/tracker-words';
import { askTracker, findByHookToken } from '../notify/trackers/asked-trackers.queries.ts';
import { isSigned, sentAtMs } from '../notify/trackers/hook-signature.ts';
import { openTrackerSecret } from '../notify/trackers/tracker-secrets.ts';
import { readBoundedBody } from '../pipeline/ingest/foreign/bounded-body.ts';
import { type ForeignAnswer, refusalAnswer } from '../pipeline/ingest/foreign/foreign-answer.ts';
import { type ForeignRequest, isRefusal } from '../pipeline/ingest/foreign/foreign-intake.ts';
import { refusal } from '../pipeline/ingest/foreign/foreign-refusal.ts';
import type { ForeignRoute } from '../pipeline/ingest/foreign/foreign-route.ts';
import { readClock } from '../platform/db/read-clock.ts';
import type { Runtime } from '../runtime.ts';
import { tokenHash } from '../workspace/tokens/token.ts';
import { takeReport } from './take-report.ts';

const UNKNOWN = refusal(
  'not_found',
  'There is no such webhook. Copy its address from the issue tracker in Culprit.',
);
const UNSIGNED = refusal('signature_invalid', 'The signature is not that of the secret of this webhook.');
const TOO_LONG = 'The body is not read: a notification has at most 1 MB.';

/** The address that trackers call when a ticket changes. */
export function trackerHookRoutes(options: Pick<Runtime, 'database' | 'keys' | 'appUrl'>): ForeignRoute[] {
  return [
    [
      '/v1/tracker-hooks/:token',
      (request, { token = '' }) => receive(request, options, token),
      { methods: ['POST'] },
    ],
  ];
}

/**
 * Takes a notification. Only its signature counts: what happened is read from the tracker, so neither a forged content
 * nor a repetition nor another order has an effect (docs/contract/team-workflow.md 7.4). A generic tracker cannot be read:
 * what it signs is taken, unless a later state is known.
 */
async function receive(
  request: ForeignRequest,
  options: Pick<Runtime, 'database' | 'keys' | 'appUrl'>,
  token: string,
): Promise<ForeignAnswer> {
  const { database, keys } = options;
  if (!/^[A-Za-z0-9]{43}$/.test(token)) return refusalAnswer(UNKNOWN);
  const body = await readBoundedBody(request, {
    sender: token,
    bytesMax: TRACKER_HOOK_BYTES_MAX,
    tooLong: TOO_LONG,
  });
  if (isRefusal(body)) return refusalAnswer(body);
  const tracker = await findByHookToken(database, tokenHash(token));
  if (tracker === null) return refusalAnswer(UNKNOWN);
  const { trackerId, kind, sealedSecret } = tracker;
  const secret = openTrackerSecret(keys, sealedSecret, trackerId);
  const nowMs = await readClock(database);
  const { headers } = request;
  if (secret === null || !isSigned(kind, { headers, body, nowMs }, secret)) return refusalAnswer(UNSIGNED);
  await askTracker(database, trackerId, { isHook: true });
  if (kind === 'generic') return await takeReport(options, trackerId, body, sentAtMs(headers));
  return { status: 202, headers: {}, body: { accepted: true } };
}
