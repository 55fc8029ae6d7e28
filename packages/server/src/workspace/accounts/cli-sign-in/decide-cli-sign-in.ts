import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type {
  approveCliSignIn as approveEndpoint,
  CliSignInOffer,
  denyCliSignIn as denyEndpoint,
  readCliSignIn as readEndpoint,
} from '@culprit/contract/workspace/cli-sign-in';
import { Problem } from '../../../platform/http/binding/problem.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../access/api-callers.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { limitSignInRequests } from '../sign-in-rate.ts';
import { decideCliSignIn, findPendingCliSignIn } from './cli-sign-ins.queries.ts';
import { shownCode, userCodeHash } from './user-code.ts';

/**
 * The program that shows a code. A code that is wrong, decided or expired is unknown.
 * @throws Problem `rate_limited`, `device_request_not_found`
 */
export async function readCliSignIn(
  runtime: Runtime,
  request: ApiRequest<typeof readEndpoint>,
): Promise<CliSignInOffer> {
  const hash = await codeOf(runtime, request);
  const offer = await findPendingCliSignIn(runtime.database, hash);
  if (offer === null) throw new Problem('device_request_not_found');
  return {
    user_code: shownCode(request.body.user_code),
    label: offer.label,
    address_class: offer.address_class,
    created_at: formatTimestamp(offer.created_at),
    expires_at: formatTimestamp(offer.expires_at),
  };
}

/**
 * Lets the program that shows a code act as the person of the session.
 * @throws Problem `rate_limited`, `device_request_not_found`
 */
export async function approveCliSignIn(
  runtime: Runtime,
  request: ApiRequest<typeof approveEndpoint>,
): Promise<void> {
  const { userId } = request.caller;
  const { access } = request.body;
  const hash = await codeOf(runtime, request);
  if (!(await decideCliSignIn(runtime.database, hash, { status: 'approved', userId, access }))) {
    throw new Problem('device_request_not_found');
  }
  await recordAudit(runtime.database, request, {
    action: 'cli_sign_in.approved',
    actorUserId: userId,
    subject: `user:${userId}`,
    data: { access },
  });
}

/** Refuses the program that shows a code. @throws Problem `rate_limited`, `device_request_not_found` */
export async function denyCliSignIn(
  runtime: Runtime,
  request: ApiRequest<typeof denyEndpoint>,
): Promise<void> {
  const { userId } = request.caller;
  const hash = await codeOf(runtime, request);
  if (!(await decideCliSignIn(runtime.database, hash, { status: 'denied' }))) {
    throw new Problem('device_request_not_found');
  }
  await recordAudit(runtime.database, request, {
    action: 'cli_sign_in.denied',
    actorUserId: userId,
    subject: `user:${userId}`,
  });
}

/** Counts a try of a code. A person could otherwise guess those of others, and let their programs act as themselves. */
async function codeOf(
  runtime: Runtime,
  { body, clientAddress }: { body: { user_code: string }; clientAddress: string },
): Promise<Buffer> {
  await limitSignInRequests(runtime, 'sign_in', clientAddress);
  const hash = userCodeHash(body.user_code);
  if (hash === null) throw new Problem('device_request_not_found');
  return hash;
}
