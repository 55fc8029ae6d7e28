import type { CaptureRuleSuggestion } from '@culprit/contract/capture/capture-rules';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Fix } from '@culprit/contract/incidents/incident-fixes';
import type { Note } from '@culprit/contract/incidents/incident-notes';
import type { IncidentTag } from '@culprit/contract/incidents/incident-tags';
import type { Incident } from '@culprit/contract/incidents/incidents';
import {
  createEvidenceRedaction,
  type RemovedCounts,
  type RemovedKind,
} from '@culprit/evidence/bundles/sharing/redact-shared-text';
import { fenced } from '../text/fence.ts';
import { cutText, harmlessLine } from '../text/harmless-text.ts';
import { tokenBound } from '../tokens/token-bound.ts';
import { type ChosenItems, chooseItems, itemBound, type SectionItems } from './choose-items.ts';
import { createEvidenceText } from './evidence-text.ts';
import { handleStart } from './handles.ts';
import type { Evidence, Item } from './item.ts';
import { SECTIONS, type SectionName, sectionRow } from './sections.ts';

/** The possible senders of the events of an incident (docs/contract/command-line.md 5.6). */
export type SourceTrust = 'browser' | 'server' | 'mixed' | 'local' | 'unknown';

/** The data of an answer about one incident. */
export interface IncidentEvidence {
  incident: Incident;
  /** The name that the agent uses: with `local:` before one of this machine. */
  reference: string;
  trust: SourceTrust;
  /** Null while there is none; `absence` says why. */
  bundle: DebugBundle | null;
  absence: string | null;
  suggestions: readonly CaptureRuleSuggestion[];
  /** The first frame of the application in its repository; absent or null where that is unknown. */
  codeUrl?: string | null;
  /** Proposed fixes, newest first; absent where they are not known. */
  fixes?: readonly Fix[];
  /** Absent unless their section was asked for. */
  tags?: readonly IncidentTag[] | undefined;
  notes?: readonly Note[] | undefined;
}

/** Which part of the evidence is wanted. */
export type Wanted =
  | { kind: 'all' }
  | { kind: 'sections'; names: readonly SectionName[] }
  | { kind: 'from'; section: SectionName; offset: number; generation: number };

const VALUE_CHARACTERS_MAX = 600;
const VALUE_CHARACTERS_MIN = 120;
/** Shorter than this no value is cut, whatever does not fit then. */
const VALUE_CHARACTERS_LEAST = 8;
const VALUE_SHORTER = 0.8;
/** Counts of what is left out may have one digit more than before something was chosen. */
const COUNT_TOKENS = 2;
/** Below this number of tokens the lines about what is left out are as short as they can be. */
const TERSE_BELOW_TOKENS = 1000;

const TRUST: Readonly<Record<SourceTrust, string>> = {
  browser: 'browser (anyone who can open the page can write this)',
  server: 'server (texts may still come from visitors)',
  mixed: 'mixed (some events come from browsers, where anyone can write them)',
  local: 'local files of this machine (texts may still come from visitors)',
  unknown: 'unknown (anyone may have written this)',
};

const REMOVED: Readonly<Record<RemovedKind, [one: string, many: string]>> = {
  secret: ['secret', 'secrets'],
  email: ['e-mail address', 'e-mail addresses'],
  ip: ['IP address', 'IP addresses'],
  iban: ['IBAN', 'IBANs'],
  phone: ['telephone number', 'telephone numbers'],
  header: ['header', 'headers'],
  field: ['field', 'fields'],
};

/**
 * Facts of the service, evidence inside a fence, what was left out with its handles, and what was removed; never more
 * than `tokensMax` tokens.
 */
export function incidentAnswer(about: IncidentEvidence, wanted: Wanted, tokensMax: number): string {
  const facts = [...factLines(about), ...fixLines(about, tokensMax)];
  const { bundle, absence } = about;
  if (bundle === null) return [...facts, `${absence ?? 'There is no bundle'}.`].join('\n');
  if (wanted.kind === 'from' && wanted.generation !== bundle.metadata.generation_number) {
    facts.push(`note: the handle is of generation ${wanted.generation}; this is the present one`);
  }
  const isTerse = tokensMax < TERSE_BELOW_TOKENS;
  let valueMax = Math.min(VALUE_CHARACTERS_MAX, Math.max(VALUE_CHARACTERS_MIN, Math.floor(tokensMax / 4)));
  for (;;) {
    const redaction = createEvidenceRedaction();
    const text = createEvidenceText(redaction, valueMax);
    const sections = wantedSections(
      {
        ...{ bundle, suggestions: about.suggestions, codeUrl: about.codeUrl ?? null },
        ...{ tags: about.tags, notes: about.notes },
      },
      wanted,
      text,
    );
    const compose = (chosen: readonly ChosenItems[]) =>
      answerOf(about, { bundle, facts, chosen, removed: redaction.removed, isTerse });
    const empty = compose(sections.map((section) => ({ ...section, end: section.offset })));
    const { chosen, hasFirsts } = chooseItems(sections, {
      tokensMax: tokensMax - tokenBound(empty) - COUNT_TOKENS,
      hasShares: wanted.kind === 'all',
      firstsOf: ({ name, items }) => (isSaidBefore(items[0], sections) ? 0 : firstsOf(wanted, name)),
    });
    // The items that every answer has are cut sooner than left out.
    valueMax = Math.floor(valueMax * VALUE_SHORTER);
    if (!hasFirsts && valueMax >= VALUE_CHARACTERS_LEAST) continue;
    for (;;) {
      const answer = compose(chosen);
      // The bound of the whole may be above that of its parts by a token.
      if (tokenBound(answer) <= tokensMax || !dropLast(chosen, wanted)) return answer;
    }
  }
}

/** The message of an error is mostly the title too, and not worth its tokens twice where there are few. */
function isSaidBefore(first: Item | undefined, [cause]: readonly SectionItems[]): boolean {
  const title = cause?.name === 'cause' ? cause.items[0]?.[0] : undefined;
  return first?.[0] !== undefined && first !== cause?.items[0] && title?.endsWith(first[0]) === true;
}

/** An answer from a handle always shows at least one more item, so that following handles comes to an end. */
function firstsOf(wanted: Wanted, name: SectionName): number {
  if (wanted.kind === 'all') return sectionRow(name).first;
  return wanted.kind === 'from' ? 1 : 0;
}

function wantedSections(
  evidence: Evidence,
  wanted: Wanted,
  text: ReturnType<typeof createEvidenceText>,
): SectionItems[] {
  const rows = SECTIONS.filter((row) => {
    if (wanted.kind === 'from') return row.name === wanted.section;
    if (wanted.kind === 'sections') return wanted.names.includes(row.name);
    return !('isOnDemand' in row);
  });
  return rows.map((row) => ({
    name: row.name,
    items: row.items(evidence, text),
    offset: wanted.kind === 'from' ? wanted.offset : 0,
  }));
}

function answerOf(
  { reference }: IncidentEvidence,
  {
    bundle,
    facts,
    chosen,
    removed,
    isTerse,
  }: {
    bundle: DebugBundle;
    facts: readonly string[];
    chosen: readonly ChosenItems[];
    removed: RemovedCounts;
    isTerse: boolean;
  },
): string {
  const shown = chosen.filter(({ offset, end }) => end > offset);
  const lines = shown.flatMap((section) => [section.name, ...shownLines(section).map((line) => `| ${line}`)]);
  return [
    ...facts,
    ...fenced(lines),
    ...leftOutLines(handleStart(reference, bundle.metadata.generation_number), chosen, isTerse),
    redactionLine(bundle, removed),
  ].join('\n');
}

function shownLines({ name, items, offset, end }: ChosenItems): string[] {
  const shown = items.slice(offset, end).map((item) => [...item]);
  // Each begins with its time.
  if (sectionRow(name).isShownByTime === true) shown.sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
  return shown.flat();
}

/** Names everything that there is besides, and how to get it. */
function leftOutLines(start: string, chosen: readonly ChosenItems[], isTerse: boolean): string[] {
  const cut = chosen.filter(({ end, items }) => end < items.length);
  if (cut.length === 0) return [];
  return [
    isTerse
      ? `more: get_evidence with ${start} and one of:`
      : `more, by get_evidence with the handle ${start} and one of:`,
    ...cut.map(({ name, items, end }) => {
      const left = items.slice(end);
      const tokens = left.reduce((sum, item) => sum + itemBound(item), 0);
      const roundTokens = Math.ceil(tokens / 10) * 10;
      return isTerse
        ? `${name}~${end} (${left.length})`
        : `${name}~${end} (${left.length} ${sectionRow(name).noun}, ~${roundTokens} tokens)`;
    }),
  ];
}

function redactionLine({ redaction }: DebugBundle, removed: RemovedCounts): string {
  const here = Object.entries(REMOVED).flatMap(([kind, [one, many]]) => {
    const count = Object.entries(removed).find(([name]) => name === kind)?.[1] ?? 0;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  return `redaction: ${redaction.fields.length} by server; here: ${here.length === 0 ? 'nothing' : here.join(', ')}`;
}

/** Removes the item that matters least; false when only the first ones are left. */
function dropLast(chosen: ChosenItems[], wanted: Wanted): boolean {
  const last = chosen.findLast(({ name, offset, end }) => end > offset + firstsOf(wanted, name));
  const any = last ?? chosen.findLast(({ offset, end }) => end > offset);
  if (any === undefined) return false;
  any.end -= 1;
  return true;
}

/** Returns facts of the service: they contain no text of the senders of events. */
function factLines({ incident, reference, bundle, trust }: IncidentEvidence): string[] {
  const { status, severity, occurrence_count, first_seen_at, last_seen_at, incident_reason } = incident;
  const decided = triageFacts(incident);
  const users = bundle?.impact.affected_users_estimate ?? null;
  const line = (parts: readonly (string | null)[]) => parts.filter((part) => part !== null).join(' · ');
  return [
    line([
      `incident ${reference}`,
      status,
      severity,
      occurrence_count === 1 ? '1 occurrence' : `${occurrence_count} occurrences`,
      users === null ? null : users === 1 ? '1 user' : `${users} users`,
      bundle === null ? null : `generation ${bundle.metadata.generation_number}`,
    ]),
    line([
      `first seen ${shortTime(first_seen_at)}, last seen ${shortTime(last_seen_at)}`,
      `${incident_reason.kind}/${incident_reason.matched_policy}`,
      mapsFact(bundle),
    ]),
    line([
      `source: ${TRUST[trust]}`,
      bundle === null
        ? null
        : `reproduction ${bundle.reproduction.possible ? 'possible' : 'not possible'} (${bundle.reproduction.reason})`,
    ]),
    ...(decided.length === 0 ? [] : [line(decided)]),
  ];
}

const NAME_CHARACTERS_MAX = 40;
const URL_CHARACTERS_MAX = 200;
/** A line about a fix has at most this part of the tokens of its answer. */
const FIX_SHARE = 8;

/**
 * Returns the fix after which an incident came back, with which the next one begins, and the newest other one. People
 * write their addresses and releases, so each line has a share of the tokens.
 */
function fixLines({ incident, fixes = [] }: IncidentEvidence, tokensMax: number): string[] {
  const { status, regressed_at } = incident;
  const failed =
    status === 'regressed' && regressed_at !== null
      ? fixes.find((fix) => isBefore(fix, regressed_at))
      : undefined;
  const [newest] = fixes;
  return [
    failed === undefined ? [] : `came back after the fix ${fixFact(failed)}`,
    newest === undefined || newest === failed ? [] : `fix proposed: ${fixFact(newest)}`,
  ]
    .flat()
    .map((line) => lineWithin(line, tokensMax / FIX_SHARE));
}

function lineWithin(line: string, tokensMax: number): string {
  let shown = line;
  while (tokenBound(shown) > tokensMax && shown.length > 1)
    shown = cutText(line, Math.floor(shown.length * VALUE_SHORTER));
  return shown;
}

/** One that only waits for its deployment failed nowhere. */
function isBefore({ resolves, deployed_at, created_at }: Fix, time: string): boolean {
  const since = resolves ? deployed_at : created_at;
  return since !== null && Date.parse(since) <= Date.parse(time);
}

function fixFact({ url, commit_sha, release, author, via, deployed_in }: Fix): string {
  const shown = (text: string) => cutText(harmlessLine(text), NAME_CHARACTERS_MAX);
  const facts = [
    commit_sha === null ? [] : `commit ${commit_sha.slice(0, 12)}`,
    release === null ? [] : `release ${shown(release)}`,
    deployed_in === null ? [] : `deployed in ${shown(deployed_in)}`,
  ].flat();
  const about = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  const who = `by ${author === null ? 'a former member' : shown(author.name)} via ${shown(via)}`;
  return `${cutText(harmlessLine(url), URL_CHARACTERS_MAX)}${about} ${who}`;
}

/** Tokens of a name in the decisions of people, so that all of them together have at most 60. */
const DECISION_TOKENS_MAX = 12;

/** Returns the decisions of people about an incident, if there are any; at most 60 tokens. */
export function triageFacts({ triage: { assignee, priority, snooze, notes, links } }: Incident): string[] {
  return [
    assignee === null ? [] : `assigned to ${shortName(assignee.name)}`,
    priority.is_manual ? `priority ${priority.level} set by hand` : [],
    snooze === null ? [] : `snoozed until ${shortTime(snooze.until)}`,
    notes === 0 ? [] : notes === 1 ? '1 note' : `${notes} notes`,
    ticketFact(links),
  ].flat();
}

/** The newest ticket or link, and how many more the record shows. */
function ticketFact([newest, ...others]: Incident['triage']['links']): string[] {
  if (newest === undefined) return [];
  const { key, url, state } = newest;
  return [
    `ticket ${shortName(key ?? url ?? 'new')} ${state}${others.length === 0 ? '' : ` and ${others.length} more`}`,
  ];
}

function shortName(text: string): string {
  return lineWithin(cutText(harmlessLine(text), NAME_CHARACTERS_MAX), DECISION_TOKENS_MAX);
}

/** Returns the result of source maps for the stack, in words of the service alone. */
function mapsFact(bundle: DebugBundle | null): string | null {
  const block = bundle?.context.symbolication;
  if (block === undefined) return null;
  const [first] = block.problems;
  return `maps: ${block.state}${first === undefined ? '' : ` (${first.reason})`}`;
}

/** Without fractions of a second. */
export function shortTime(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
