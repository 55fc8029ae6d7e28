import { createEvidenceRedaction } from '@culprit/evidence/bundles/sharing/redact-shared-text';
import { shortTime } from './evidence/incident-answer.ts';
import type { ListedIncidents, ProjectFacts } from './source.ts';
import { FENCE_SAMPLE, fenced } from './text/fence.ts';
import { cutText, harmlessLine } from './text/harmless-text.ts';
import { tokenBound } from './tokens/token-bound.ts';

/** Tokens of one row of a list at most (docs/contract/command-line.md 5.4). */
const ROW_TOKENS_MAX = 60;
const NAME_CHARACTERS_MAX = 60;
const SERVICES_MAX = 20;
/** The tokens of the line after the fence that describes how to continue. */
const TRAILER_TOKENS = 60;

/** Incidents, one line each, with a cursor for those that are left. */
export function incidentList(list: ListedIncidents, tokensMax: number): string {
  if (list.incidents.length === 0) return 'No incidents.';
  const redaction = createEvidenceRedaction();
  const rows = list.incidents.map(({ reference, incident }) => {
    const { status, severity, occurrence_count, last_seen_at, service_name, title } = incident;
    const facts = `${reference} ${status} ${severity} ${occurrence_count}× ${shortTime(last_seen_at).slice(0, 16)}Z`;
    const words = harmlessLine(redaction.text(`${service_name ?? '-'}: ${title}`));
    return cutToTokens(`| ${facts} `, words, ROW_TOKENS_MAX - 2);
  });
  const fit = fitting(rows, tokensMax);
  const isCut = fit.length < rows.length;
  const end = list.nextCursor === null ? 'end of list' : `more: cursor ${list.nextCursor}`;
  return [
    ...fenced(fit),
    // A cursor leads behind the whole page, so it comes only with the whole page.
    isCut ? `${rows.length - fit.length} more of this page: raise max_tokens or lower limit` : end,
  ].join('\n');
}

/** Projects with their services. */
export function projectList(projects: readonly ProjectFacts[], tokensMax: number): string {
  if (projects.length === 0) return 'No projects.';
  const redaction = createEvidenceRedaction();
  const clean = (text: string) => harmlessLine(redaction.text(cutText(text, NAME_CHARACTERS_MAX)));
  const rows = projects.map(({ projectId, slug, name, openIncidents, services }) => {
    const places = services
      .slice(0, SERVICES_MAX)
      .map((service) => `${clean(service.name)} (${clean(service.environment)})`);
    const more = services.length > SERVICES_MAX ? `, and ${services.length - SERVICES_MAX} more` : '';
    return `| ${projectId} ${clean(slug)} "${clean(name)}": ${openIncidents} open · ${places.join(', ')}${more}`;
  });
  const fit = fitting(rows, tokensMax);
  return [
    ...fenced(fit),
    fit.length < rows.length ? `${rows.length - fit.length} more: raise max_tokens` : 'end of list',
  ].join('\n');
}

function fitting(rows: readonly string[], tokensMax: number): string[] {
  let left = tokensMax - tokenBound(FENCE_SAMPLE) - TRAILER_TOKENS;
  const fit: string[] = [];
  for (const row of rows) {
    left -= tokenBound(row) + 1;
    if (left < 0) break;
    fit.push(row);
  }
  return fit;
}

/** Returns the start unchanged, and as much of the rest as fits. */
function cutToTokens(start: string, rest: string, tokensMax: number): string {
  let characters = Math.min(rest.length, 160);
  while (characters > 8 && tokenBound(start + cutText(rest, characters)) > tokensMax) {
    characters = Math.floor(characters * 0.85);
  }
  return start + cutText(rest, characters);
}
