import { TICKET_TITLE_LENGTH_MAX } from '@culprit/contract/alerts/tracker-words';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import type { TicketDraft } from '../notify/trackers/tracker-api.ts';
import { headerText, shownText } from '../platform/mail/mail.ts';

const STACK_LINES_MAX = 30;
const CODE_LENGTH_MAX = 8000;
const FACT_LENGTH_MAX = 200;

/**
 * The text of a ticket: where the incident is, its error and stack, and what is known. No ids of users and no headers
 * (docs/contract/team-workflow.md 7.3).
 * @param bundle the document of its bundle; null while there is none
 */
export function ticketDraft(
  incident: Incident,
  bundle: unknown,
  { linkId, title, appUrl }: { linkId: string; title: string | null; appUrl: string },
): TicketDraft {
  // Tickets leave out triage, because assignees and what people do with the incident are internal.
  const { triage: _triage, ...record } = incident;
  const { service_name: service, environment, first_release: firstRelease, last_release: release } = incident;
  return {
    incident: record,
    linkId,
    title: cut(title ?? `[${incident.short_id}] ${incident.title}`, TICKET_TITLE_LENGTH_MAX),
    url: incidentAddress(appUrl, incident.incident_id),
    code: codeOf(incident, bundle),
    facts: [
      `${service} in ${environment}`,
      `severity ${incident.severity}`,
      `${incident.occurrence_count} ${incident.occurrence_count === 1 ? 'event' : 'events'}`,
      `first seen ${incident.first_seen_at}${firstRelease === null ? '' : ` in ${firstRelease}`}`,
      `last seen ${incident.last_seen_at}${release === null ? '' : ` in ${release}`}`,
    ].map((fact) => cut(fact, FACT_LENGTH_MAX)),
  };
}

/** The address of an incident in the text of its ticket. */
export function incidentAddress(appUrl: string, incidentId: string): string {
  return `${appUrl}/incidents/${incidentId}`;
}

/**
 * The address at the end of each comment of ours, by which it is known when it is read again.
 * @param noteId null: the comment is about the status
 */
export function commentAddress(appUrl: string, incidentId: string, noteId: string | null): string {
  return `${incidentAddress(appUrl, incidentId)}#${noteId ?? 'tickets'}`;
}

/** Returns true for a comment of ours on a ticket of an incident, whatever the tracker makes of an address. */
export function isOurComment(text: string, appUrl: string, incidentId: string): boolean {
  const address = incidentAddress(appUrl, incidentId);
  const at = text.lastIndexOf(address);
  if (at === -1 || !OUR_END.test(text.slice(at + address.length))) return false;
  // An answer by mail quotes what it answers.
  return !/^\s*>/.test(text.slice(text.lastIndexOf('\n', at) + 1, at));
}

/** The fragment, and the marks of a link that the tracker made of the address: `<…>`, `[…](…)`, `[…|…|smart-link]`. */
const OUR_END = /^#(?:tickets|[0-9a-f-]{36})(?![\w-])(?:\|smart-(?:link|card))?[\s>)\]|]{0,20}$/;

function codeOf(incident: Incident, bundle: unknown): string {
  const stack = stackIn(bundle);
  const lines = stack === null ? [incident.title] : stack.split('\n').slice(0, STACK_LINES_MAX);
  return lines
    .map((line) => shownText(line).replaceAll('\t', ' ').trimEnd())
    .join('\n')
    .slice(0, CODE_LENGTH_MAX)
    .toWellFormed();
}

/** The stack of a bundle as text; null where it has none. */
function stackIn(bundle: unknown): string | null {
  const context = isJsonObject(bundle) ? bundle.context : null;
  const error = isJsonObject(context) ? context.error : null;
  if (!isJsonObject(error) || typeof error.stack !== 'string') return null;
  return error.stack === 'unavailable' ? null : error.stack;
}

function cut(text: string, lengthMax: number): string {
  const line = headerText(text, text.length);
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax - 1).toWellFormed()}…`;
}
