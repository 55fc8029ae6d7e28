import type {
  CheckTestResult,
  testAvailabilityTarget as endpoint,
} from '@culprit/contract/availability-checks';
import type { BodyOf } from '@culprit/contract/endpoint';
import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { askTarget } from './ask-target.ts';
import type { AvailabilityRoom } from './availability.routes.ts';
import { errorMessage } from './check-outcome.ts';
import { targetOf } from './check-settings.ts';
import { maskQuery } from './masked-query.ts';
import { requireCheckProject } from './require-check.ts';
import { requireReachable, requireTarget } from './require-target.ts';
import { takeTest } from './tests.queries.ts';

const TESTS_PER_WINDOW = 10;

/**
 * Asks an address once, as a check would, and keeps nothing of it (account.md 7.6). A test is counted before anything is
 * looked up: this is no scanner.
 * @throws Problem `invalid_payload`, `blocked_target`, `project_not_found`, `forbidden`, `shared_access_suspended`,
 * `rate_limited`
 */
export async function testTarget(
  { database, plans, outbound }: AvailabilityRoom,
  member: Member,
  projectId: string,
  body: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<{ normalized_url: string; result: CheckTestResult }> {
  const target = targetOf(requireTarget(outbound, body.url), body);
  const { access, scope } = await requireCheckProject(database, plans, member, projectId, 'admin');
  const taken = await takeTest(database, scope.projectId, TESTS_PER_WINDOW);
  if (!taken.granted) throw new Problem('rate_limited', { retryAfterSeconds: taken.retryAfterSeconds });
  await requireReachable(outbound, target.url);
  const outcome = await askTarget(outbound, target);
  const address = maskQuery(target.url);
  await recordAudit(database, request, {
    action: 'availability_check.tested',
    actorUserId: member.userId,
    organizationId: access.organizationId,
    projectId: access.projectId,
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
