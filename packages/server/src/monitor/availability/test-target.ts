import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import type {
  CheckTestResult,
  testAvailabilityTarget as endpoint,
} from '@culprit/contract/monitor/availability-checks';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { askTarget } from './ask-target.ts';
import { type CheckTarget, errorMessage } from './check-outcome.ts';
import { targetOf } from './check-settings.ts';
import { requireCheckTarget, requireReachable } from './require-target.ts';
import { consumeTest } from './tests.queries.ts';

const TESTS_PER_WINDOW = 10;

/** Returns the target of a test from a body. @throws Problem `invalid_payload`, `blocked_target` */
export function checkTestTarget(
  { outbound }: Runtime,
  { body }: { body: BodyOf<typeof endpoint> },
): CheckTarget {
  return targetOf(requireCheckTarget(outbound, body.url), body);
}

/**
 * Requests an address once, as a check would, and keeps nothing of it (docs/contract/account.md 7.6). A test is counted
 * before anything is looked up: this is no scanner.
 * @throws Problem `rate_limited`, `blocked_target`
 */
export async function testTarget(
  { database, outbound }: Runtime,
  request: ApiRequest<typeof endpoint, CheckTarget>,
): Promise<{ normalized_url: string; result: CheckTestResult }> {
  const { access, caller, checked: target } = request;
  const taken = await consumeTest(database, access.projectId, TESTS_PER_WINDOW);
  if (!taken.granted) throw new Problem('rate_limited', { retryAfterSeconds: taken.retryAfterSeconds });
  await requireReachable(outbound, target.url);
  const outcome = await askTarget(outbound, target);
  const address = maskQuery(target.url);
  await recordAudit(database, request, {
    ...access,
    action: 'availability_check.tested',
    actorUserId: caller.userId,
    data: { host: address.host, path: address.path, status: outcome.status },
  });
  return {
    normalized_url: address.url,
    result: {
      status: outcome.status,
      http_status: outcome.httpStatus,
      duration_ms: outcome.durationMs,
      error_kind: outcome.errorKind,
      error_message: errorMessage(outcome.errorKind),
      checked_url_host: address.host,
      checked_url_path: address.path,
      checked_url_query: address.query,
      final_url: outcome.finalUrl,
      redirect_count: outcome.redirectCount,
    },
  };
}

const MASK = '[REDACTED]';

/**
 * An address as a test answers it (docs/contract/account.md 7.6): names of parameters are shown, their values are not.
 */
interface MaskedAddress {
  url: string;
  host: string;
  path: string;
  query: Record<string, string>;
}

function maskQuery(address: string): MaskedAddress {
  const url = new URL(address);
  const names = [...url.searchParams.keys()];
  const masked = names.map((name) => `${encodeURIComponent(name)}=${MASK}`).join('&');
  return {
    url: url.origin + url.pathname + (masked === '' ? '' : `?${masked}`),
    host: url.host,
    path: url.pathname,
    query: Object.fromEntries(names.map((name) => [name, MASK])),
  };
}
