import { getCapturePolicy } from '@culprit/contract/capture/capture-policy';
import { listCaptureRules } from '@culprit/contract/capture/capture-rules';
import { listEventFates } from '@culprit/contract/events/event-fates';
import { postEvents } from '@culprit/contract/events/events';
import { getBilling } from '@culprit/contract/workspace/billing';
import { getProject, listProjects } from '@culprit/contract/workspace/projects';
import { listMemberTokens } from '@culprit/contract/workspace/tokens';
import type { Api } from '../../api/api.ts';
import { memberApi, openApi } from '../../api/open-api.ts';
import { CliError } from '../../cli-error.ts';
import type { Settings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import { memberCredential, projectCredential } from '../../credentials/credentials.ts';
import type { Input } from '../../input.ts';
import { projectIdByName } from '../../references/project-reference.ts';
import { sourceMapFindings } from './check-source-maps.ts';
import { webhookFindings } from './check-webhooks.ts';
import { type Finding, ok, skipped, warning, wrong } from './finding.ts';

const MEMBER_TOKENS_MAX = 50;
const MEMBER_TOKENS_WARNING = 45;
const DAY_MS = 86_400_000;

/** Checks whether the credentials are accepted, and how the project classifies events. */
export async function checkCredentials(
  context: Context,
  settings: Settings,
  input: Input,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let api: Api | null = null;
  try {
    // Reading the file would correct its mode, which is a change: `checkMachine` has reported it.
    const credential = await memberCredential(settings, context.environment, () => {});
    api = memberApi(context, settings, credential);
    const answer = await api.attempt(listProjects, { query: { limit: 1 } });
    if (answer.ok && Array.isArray(answer.body.projects))
      findings.push(ok('member token', `accepted, from ${credential.store}`));
    else if (answer.ok) {
      const says = `The server at ${settings.origin} lists no projects.`;
      findings.push(wrong('identity', says, 'check the address, and any proxy in front of the server'));
      api = null;
    } else {
      findings.push(wrong('member token', answer.failure.message, answer.failure.hint));
      api = null;
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    findings.push(wrong('member token', error.message, error.hint));
  }
  if (api !== null) findings.push(...(await tokenCount(api)));
  const id = api === null ? settings.project : await projectOf(context, settings, api);
  findings.push(...(await projectTokenFindings(context, settings, input, id)));
  if (api !== null && id !== null) findings.push(...(await projectFindings(api, id)));
  else findings.push(skipped('project', 'no project is chosen, or nothing can be read'));
  return findings;
}

async function tokenCount(api: Api): Promise<Finding[]> {
  const answer = await api.attempt(listMemberTokens, { query: { limit: 100 } });
  if (!answer.ok) return [];
  const live = answer.body.tokens.filter(({ revoked_at }) => revoked_at === null).length;
  if (live < MEMBER_TOKENS_WARNING) return [];
  return [
    warning(
      'member token',
      `${live} of ${MEMBER_TOKENS_MAX} member tokens are live`,
      'revoke some: culprit tokens list --member',
    ),
  ];
}

async function projectOf(context: Context, settings: Settings, api: Api): Promise<string | null> {
  if (settings.project !== null) {
    const isId = /^(?:proj_)?[0-9a-f-]{36}$/.test(settings.project);
    return isId
      ? settings.project
      : await projectIdByName({ ...context, api: async () => api }, settings.project);
  }
  const { projects } = await api.call(listProjects, { query: { limit: 2 } });
  return projects.length === 1 ? (projects[0]?.project_id ?? null) : null;
}

/** The server accepts an empty batch from every token that can send events. */
async function projectTokenFindings(
  context: Context,
  settings: Settings,
  input: Input,
  projectId: string | null,
): Promise<Finding[]> {
  try {
    const found = projectCredential(settings, context.environment, projectId, () => {});
    if (found === null) return [skipped('project token', 'none is stored')];
    const origin = input.text('origin');
    const api = openApi(
      context,
      settings.origin,
      found.token,
      { credential: found.source, profileName: null, isFromEnvironment: false },
      origin === null ? {} : { headers: { origin } },
    );
    const answer = await api.attemptSend(postEvents, { body: { events: [] } });
    if (answer.ok) return [ok('project token', 'can send events')];
    if (answer.code === 'origin_not_allowed' && origin === null) {
      return [
        warning(
          'project token',
          answer.failure.message,
          'try it with the origin of a page: culprit doctor --origin https://your.page',
        ),
      ];
    }
    return [wrong('project token', answer.failure.message, answer.failure.hint)];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [wrong('project token', error.message, error.hint)];
  }
}

async function projectFindings(api: Api, id: string): Promise<Finding[]> {
  const answer = await api.attempt(getProject, { params: { id } });
  if (!answer.ok) return [wrong('project', answer.failure.message, answer.failure.hint)];
  const { project } = answer.body;
  const findings: Finding[] = [
    project.shared_access_suspended
      ? wrong('project', `Access to "${project.slug}" is paused by its owner's plan.`, 'ask its owner')
      : ok('project', `"${project.slug}", your role is ${project.effective_role}`),
  ];
  if (project.relationship === 'owned') findings.push(...(await quotaFindings(api)));
  const policy = await api.attempt(getCapturePolicy, { params: { id } });
  if (policy.ok)
    findings.push(
      ok('capture policy', `preset ${policy.body.policy.preset}, logs ${policy.body.policy.capture_logs}`),
    );
  const rules = await api.attempt(listCaptureRules, { params: { id }, query: { limit: 100 } });
  const drops = rules.ok
    ? rules.body.capture_rules.filter(({ action, enabled }) => action === 'drop' && enabled)
    : [];
  for (const { name, matcher } of drops.filter((rule) => Object.keys(rule.matcher).length <= 1)) {
    findings.push(
      warning(
        'filters',
        `"${name}" drops everything with ${Object.keys(matcher).join(', ')}`,
        'culprit capture rules list',
      ),
    );
  }
  const expired = rules.ok
    ? rules.body.capture_rules.filter(
        ({ enabled, expires_at }) => enabled && expires_at !== null && Date.parse(expires_at) < Date.now(),
      )
    : [];
  for (const { name } of expired)
    findings.push(warning('filters', `"${name}" has expired`, 'culprit capture rules list'));
  findings.push(...(await sourceMapFindings(api, id)), ...(await webhookFindings(api, id)));
  const fates = await api.attempt(listEventFates, {
    params: { id },
    query: { from: new Date(Date.now() - DAY_MS).toISOString() },
  });
  if (fates.ok) {
    const { totals } = fates.body;
    const lost = Object.entries(totals).filter(
      ([fate, count]) =>
        !['submitted', 'processed', 'duplicate', 'demoted', 'waiting'].includes(fate) && Number(count) > 0,
    );
    const says = `${totals.submitted} events in 24 h${lost.map(([fate, count]) => `, ${count} ${fate}`).join('')}`;
    findings.push(
      lost.length === 0
        ? ok('events', says)
        : warning('events', says, 'culprit capture policy show, culprit billing show'),
    );
  }
  return findings;
}

/** Returns the monthly allowances of the person's own plan that are used up. */
async function quotaFindings(api: Api): Promise<Finding[]> {
  const answer = await api.attempt(getBilling);
  if (!answer.ok) return [];
  return Object.entries(answer.body.billing.allowances)
    .filter(([, { used, limit }]) => used >= limit)
    .map(([name, { used, limit }]) =>
      wrong(
        'quota',
        `${name.replaceAll('_', ' ')} are used up: ${used} of ${limit}`,
        'wait for the next month, or culprit billing show',
      ),
    );
}
