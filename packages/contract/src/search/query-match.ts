import type { Incident } from '../incidents/incidents.ts';
import { SPIKING_MINUTES } from '../incidents/triage-words.ts';
import type { FilterTerm, QueryTerm, QueryValue } from './incident-query.ts';
import { QUERY_KEYS } from './query-keys.ts';
import { FINGERPRINT_PREFIX_MIN } from './query-limits.ts';
import { type Comparison, readAmount, readComparison, readMoment } from './query-values.ts';

/**
 * Returns true if the record of an incident fits a query, for incidents of files without a server. Data that only a
 * server has, such as tags and frames, fits nothing.
 */
export function fitsQuery(incident: Incident, terms: readonly QueryTerm[], nowMs: number): boolean {
  return terms.every((term) => {
    const fits =
      term.kind === 'text'
        ? hasText(incident, term.text)
        : term.values.some((value) => hasValue(incident, term, value, nowMs));
    return fits !== term.isNegated;
  });
}

function hasText({ title, incident_id: id, fingerprint }: Incident, text: string): boolean {
  const lower = text.toLowerCase();
  return (
    title.toLowerCase().includes(lower) ||
    id === lower ||
    (lower.length >= FINGERPRINT_PREFIX_MIN && fingerprint.startsWith(lower))
  );
}

function hasValue(incident: Incident, { key }: FilterTerm, value: QueryValue, nowMs: number): boolean {
  const { text } = value;
  switch (key) {
    case 'is':
      return isWord(incident, text, nowMs);
    case 'severity': {
      const { words } = QUERY_KEYS.severity.values;
      const { comparison, rest } = readComparison(text);
      const rank = (word: string) => words.map(String).indexOf(word);
      return compares(rank(incident.severity), comparison ?? '=', rank(rest));
    }
    case 'priority': {
      const { words } = QUERY_KEYS.priority.values;
      const { comparison, rest } = readComparison(text);
      const rank = (word: string) => words.map(String).indexOf(word);
      return compares(rank(incident.triage.priority.level), comparison ?? '=', rank(rest));
    }
    case 'service':
      return isNamed(incident.service_name ?? '', value);
    case 'env':
      return isNamed(incident.environment, value);
    case 'kind':
      return incident.incident_reason.kind === text;
    case 'trust':
      return incident.source_trust === text;
    case 'title':
      return incident.title.toLowerCase().includes(text.toLowerCase());
    case 'id':
      return incident.incident_id === text;
    case 'fingerprint':
      return incident.fingerprint.startsWith(text.toLowerCase());
    case 'ticket':
      return incident.triage.links.some(
        ({ key, url }) =>
          isNamed((key ?? '').toLowerCase(), { ...value, text: text.toLowerCase() }) ||
          isNamed(url ?? '', value),
      );
    case 'count': {
      const amount = readAmount(text);
      return amount !== null && compares(incident.occurrence_count, amount.comparison, amount.amount);
    }
    case 'first_seen':
      return isWithin(incident.first_seen_at, text, nowMs);
    case 'last_seen':
      return isWithin(incident.last_seen_at, text, nowMs);
    default:
      return false;
  }
}

function isWord(incident: Incident, word: string, nowMs: number): boolean {
  const { status, first_seen_at: first, spike_detected_at: spiked, is_sample: isSample } = incident;
  if (word === 'unassigned') return incident.triage.assignee === null;
  if (word === 'assigned') return incident.triage.assignee !== null;
  if (word === 'linked') return incident.triage.links.length > 0;
  if (word === 'unlinked') return incident.triage.links.length === 0;
  if (word === 'noted') return incident.triage.notes > 0;
  if (word === 'sample') return isSample;
  if (word === 'active') return status !== 'resolved';
  if (word === 'new') return Date.parse(first) >= nowMs - 86_400_000;
  if (word === 'spiking') return spiked !== null && Date.parse(spiked) >= nowMs - SPIKING_MINUTES * 60_000;
  return status === word;
}

function isNamed(name: string, { text, isQuoted }: QueryValue): boolean {
  return !isQuoted && text.endsWith('*') ? name.startsWith(text.slice(0, -1)) : name === text;
}

function compares(left: number, comparison: Comparison, right: number): boolean {
  if (comparison === '>') return left > right;
  if (comparison === '>=') return left >= right;
  if (comparison === '<') return left < right;
  return comparison === '<=' ? left <= right : left === right;
}

function isWithin(time: string, text: string, nowMs: number): boolean {
  const span = readMoment(text, nowMs);
  const atMs = Date.parse(time);
  if (span === null) return false;
  return (span.fromMs === null || atMs >= span.fromMs) && (span.beforeMs === null || atMs < span.beforeMs);
}
