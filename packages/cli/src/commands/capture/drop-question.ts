import { previewCapture } from '@culprit/contract/capture/capture-preview';
import { listCaptureRules, suggestCaptureRules } from '@culprit/contract/capture/capture-rules';
import { getIncident } from '@culprit/contract/incidents/incidents';
import { isObject, type JsonObject } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import { findListed } from '../../records/find-listed.ts';

/** The questions before a rule discards events permanently (docs/contract/command-line.md 2.9). */

const HOURS = 24;
const NAMED_TITLES = 5;

/**
 * Returns the question about a rule that will be created or enabled; null for one that drops nothing.
 * @param rule the future rule
 */
export async function dropQuestion(
  context: Context,
  projectId: string,
  rule: JsonObject,
): Promise<string | null> {
  if (rule.action !== 'drop' || rule.enabled === false) return null;
  const what = 'Events that the rule matches are discarded and cannot be seen later.';
  return [what, await foretold(context, projectId, rule), 'Continue?']
    .filter((text) => text !== '')
    .join(' ');
}

/** The question about a change of a rule. */
export async function changedDropQuestion(
  context: Context,
  projectId: string,
  ruleId: string,
  change: JsonObject,
): Promise<string | null> {
  if (change.action === undefined && change.matcher === undefined && change.enabled === undefined)
    return null;
  const api = await context.api();
  const params = { id: projectId };
  const rule = await findListed(api, listCaptureRules, params, 'capture_rules', ({ id }) => id === ruleId);
  return rule === null ? null : await dropQuestion(context, projectId, { ...rule, ...change });
}

/** The question about a suggested rule. */
export async function suggestedDropQuestion(
  context: Context,
  incidentId: string,
  suggestionId: string,
  isDisabled: boolean,
): Promise<string | null> {
  if (isDisabled) return null;
  const api = await context.api();
  const params = { id: incidentId };
  const { suggestions } = await api.call(suggestCaptureRules, { params });
  const rule = suggestions.find(({ suggestion_id }) => suggestion_id === suggestionId)?.rule;
  if (rule?.action !== 'drop') return null;
  const { incident } = await api.call(getIncident, { params });
  return await dropQuestion(context, incident.project_id, { ...rule, enabled: true });
}

/** Returns the events that the rule would have hidden recently; empty if the server does not report them. */
async function foretold(context: Context, projectId: string, rule: JsonObject): Promise<string> {
  const api = await context.api();
  const answer = await api.attemptSend(previewCapture, {
    params: { id: projectId },
    body: { hours: HOURS, rule: { name: 'preview', action: 'drop', matcher: rule.matcher } },
  });
  if (!answer.ok || !isObject(answer.body)) return '';
  const { events_seen, before, after, incidents_hidden, is_complete } = answer.body;
  const dropped = countOf(after, 'dropped') - countOf(before, 'dropped');
  const titles = Array.isArray(incidents_hidden)
    ? incidents_hidden.filter(isObject).map(({ title }) => `"${String(title)}"`)
    : [];
  const more = titles.length > NAMED_TITLES ? ` and ${titles.length - NAMED_TITLES} more` : '';
  return (
    `Of ${String(events_seen)}${is_complete === false ? ' and more' : ''} events of the last ${HOURS} hours it would have dropped ${dropped}` +
    `${titles.length === 0 ? '' : `, and hidden ${titles.slice(0, NAMED_TITLES).join(', ')}${more}`}.`
  );
}

function countOf(outcomes: unknown, name: string): number {
  return isObject(outcomes) ? Number(outcomes[name]) : 0;
}
