import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { CliSignInState, pollCliSignIn as endpoint } from '@culprit/contract/workspace/cli-sign-in';
import { Problem } from '../../../platform/http/binding/problem.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../access/api-callers.ts';
import { requestIdHash } from '../request-id-hash.ts';
import { limitSignInRequests } from '../sign-in-rate.ts';
import { findCliSignIn } from './cli-sign-ins.queries.ts';

/** The pause between polls of a program. */
export const CLI_POLL_SECONDS = 2;

/**
 * Reports the state of its sign-in to a program (docs/contract/team-workflow.md 9.5).
 * @throws Problem `rate_limited`, `device_request_not_found`
 */
export async function pollCliSignIn(
  runtime: Runtime,
  { body, clientAddress }: ApiRequest<typeof endpoint>,
): Promise<CliSignInState> {
  await limitSignInRequests(runtime, 'cli_poll', clientAddress);
  const hash = requestIdHash(body.request_id);
  const found = hash === null ? null : await findCliSignIn(runtime.database, hash);
  if (found === null) throw new Problem('device_request_not_found');
  const isUseless = found.isOver && (found.status === 'pending' || found.status === 'approved');
  return {
    status: isUseless ? 'expired' : found.status,
    interval_seconds: CLI_POLL_SECONDS,
    expires_at: formatTimestamp(found.expiresAt),
  };
}
