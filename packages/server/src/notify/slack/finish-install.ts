import type { IncomingHttpHeaders } from 'node:http';
import { SLACK_CALLBACK_VALUE_LENGTH_MAX } from '@culprit/contract/alerts/slack';
import { errorFields } from '../../platform/error-fields.ts';
import type { RequestContext } from '../../platform/http/binding/operation.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import { ProviderUnavailableError } from '../../platform/outbound/provider-request.ts';
import { parseTarget } from '../../platform/outbound/target.ts';
import type { Runtime } from '../../runtime.ts';
import { findProjectAccess } from '../../workspace/access/access.queries.ts';
import { isSharedAccessSuspended } from '../../workspace/access/project-access.ts';
import { authenticateSession } from '../../workspace/accounts/authenticate-session.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { isSlackInPlan } from './find-slack-destination.ts';
import { clearedStateCookie, isKeptState, isOwnState, stateHash } from './install-state.ts';
import { upsertDestination } from './slack-destinations.queries.ts';
import { consumeInstall, type SlackInstall } from './slack-installs.queries.ts';
import { exchangeCode, slackCallbackUrl } from './slack-oauth.ts';
import { sealSlackUrl } from './slack-url.ts';

/** The words of `?slack_connect=` on the dashboard's page (docs/contract/notifications.md 2.4). */
type SlackConnectOutcome = 'success' | 'cancelled' | 'error';

/**
 * Ends the connecting of a channel (docs/contract/notifications.md 2.4): consumes the state, exchanges the code, writes
 * the destination. Every failure is a code on a page of the dashboard.
 * @returns the next location of the browser, and the header that clears its cookie; null if no installation of the
 * browser ended
 */
export async function finishInstall(
  runtime: Runtime,
  request: Pick<RequestContext, 'log' | 'clientAddress'> & {
    queryText: string;
    headers: IncomingHttpHeaders;
  },
): Promise<{ location: string; cookie: string | null }> {
  const query = readCallback(request.queryText);
  const install = await consumeState(runtime, query.state, request.headers);
  const outcome = install === null ? 'error' : await outcomeOf(runtime, install, query, request);
  const page = new URL(runtime.appUrl + (install?.returnTo ?? '/'));
  page.searchParams.set('slack_connect', outcome);
  const cookie = install === null ? null : clearedStateCookie(runtime.signIn.isCookieSecure);
  return { location: page.href, cookie };
}

/** The parameters with which Slack sent the browser; null for one that is missing or unusable. */
interface Callback {
  code: string | null;
  state: string | null;
  error: string | null;
  /** Each parameter came at most once and is not too long. */
  isSound: boolean;
}

function readCallback(queryText: string): Callback {
  const query = new URLSearchParams(queryText);
  let isSound = true;
  const read = (name: string): string | null => {
    const [value = null, ...others] = query.getAll(name);
    if (others.length === 0 && (value?.length ?? 0) <= SLACK_CALLBACK_VALUE_LENGTH_MAX) return value;
    isSound = false;
    return null;
  };
  return { code: read('code'), state: read('state'), error: read('error'), isSound };
}

/** The connection that began with this state, if this browser is its own; null in every other case. */
async function consumeState(
  runtime: Runtime,
  state: string | null,
  headers: IncomingHttpHeaders,
): Promise<SlackInstall | null> {
  if (state === null || !isOwnState(runtime.keys.slackStates, state)) return null;
  const session = await authenticateSession(runtime.database, headers);
  return await consumeInstall(runtime.database, stateHash(state), {
    keepsState: isKeptState(headers, state, runtime.signIn.isCookieSecure),
    userId: session?.userId ?? null,
  });
}

async function outcomeOf(
  runtime: Runtime,
  install: SlackInstall,
  { code, error, isSound }: Callback,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<SlackConnectOutcome> {
  if (isSound && error === 'access_denied') return 'cancelled';
  try {
    if (!isSound || code === null || error !== null) throw new ProviderUnavailableError(error ?? 'no_code');
    await connectChannel(runtime, install, code, request);
    return 'success';
  } catch (failure) {
    if (failure instanceof ProviderUnavailableError) {
      request.log.warn({ slackFailure: failure.word }, 'Slack could not be used to connect a channel');
    } else if (!(failure instanceof Problem)) {
      request.log.error(errorFields(failure), 'a Slack channel could not be connected');
    }
    return 'error';
  }
}

/** Membership and plan are checked again: they may have changed since the person set out. */
async function connectChannel(
  runtime: Runtime,
  { userId, projectId }: SlackInstall,
  code: string,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<void> {
  const { database, plans, slackApp, outbound, keys, baseUrl } = runtime;
  const access = await findProjectAccess(database, plans, userId, projectId);
  if (access === null) throw new Problem('project_not_found');
  if (isSharedAccessSuspended(plans, access)) throw new Problem('shared_access_suspended');
  if (!isSlackInPlan(plans, access.plan)) throw new Problem('upgrade_required');
  if (slackApp === null) throw new Problem('slack_not_configured');
  const channel = await exchangeCode(slackApp, { code, redirectUri: slackCallbackUrl(baseUrl) });
  const target = parseTarget(channel.webhookUrl.reveal(), outbound);
  if (!target.ok) throw new ProviderUnavailableError('address_refused');
  const { slackTeamId, slackTeamName, slackChannelId, slackChannelName } = channel;
  const { organizationId } = access;
  const place = { organizationId, slackTeamId, slackChannelId };
  const written = await upsertDestination(database, {
    slackDestinationId: newUuid(),
    place,
    slackTeamName,
    slackChannelName,
    installedByUserId: userId,
    sealedUrl: sealSlackUrl(keys.slackUrls, target.url.href, place),
  });
  if (written === null) throw new Problem('project_not_found');
  await recordAudit(database, request, {
    action: 'slack_destination.connected',
    actorUserId: userId,
    organizationId,
    projectId,
    subject: `slack_destination:${written.slackDestinationId}`,
  });
}
