import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { type Incident, listIncidents } from '@culprit/contract/incidents/incidents';
import { type LifecycleRecord, listLifecycle } from '@culprit/contract/incidents/lifecycle';
import { SEVERITIES } from '@culprit/contract/incidents/severities';
import { usageError } from '../../cli-error.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { say } from '../../output/print.ts';
import { chosenProjectId } from '../../references/project-reference.ts';
import { outlastTrouble } from './outlast-trouble.ts';
import { pollIncidents } from './poll-incidents.ts';
import { printTailLine, TAIL_KINDS, type TailKind, type TailLine, tailLineOf } from './tail-line.ts';

const WAIT_SECONDS = 25;
/** The answer arrives when the wait has ended, so the call can take longer than others. */
const MARGIN_MS = 15_000;

/** Prints what happens to incidents, one line each, until time, number, kind or Ctrl-C ends it. */
export async function followLifecycle(
  context: Context,
  input: Input,
  { forMs, max = null }: { forMs: number | null; max?: number | null },
): Promise<ExitCode> {
  const kinds = kindsOf(input, 'kind');
  const failing = kindsOf(input, 'fail-on');
  const projectId = input.has('all-projects') ? null : await chosenProjectId(context, { isOptional: true });
  const since = input.time('since');
  const filters = {
    severity: input.text('severity'),
    severityMin: input.text('severity-min'),
    search: input.text('search')?.toLowerCase() ?? null,
    service: input.list('service'),
    environment: input.text('environment'),
  };
  const isWanted = (line: TailLine) =>
    (kinds === null || kinds.includes(line.kind)) &&
    (filters.severity === null || line.severity === filters.severity) &&
    (filters.severityMin === null || isAtLeast(line.severity, filters.severityMin)) &&
    (filters.search === null || line.title.toLowerCase().includes(filters.search)) &&
    (filters.service.length === 0 || filters.service.includes(line.service_name)) &&
    (filters.environment === null || line.environment === filters.environment);

  const ended = new AbortController();
  const timer = forMs === null ? null : setTimeout(() => ended.abort(), forMs);
  const onInterrupt = () => ended.abort();
  context.interrupted.addEventListener('abort', onInterrupt);
  let lines = 0;
  let hasFailed = false;
  const tell = (line: TailLine): void => {
    if (ended.signal.aborted || !isWanted(line)) return;
    printTailLine(context, line);
    lines += 1;
    hasFailed = failing?.includes(line.kind) === true;
    if (hasFailed || (max !== null && lines >= max)) ended.abort();
  };
  try {
    const patiently = outlastTrouble(context, input, ended.signal);
    const past = async (): Promise<ReadonlySet<string>> => {
      const recent = since === null ? [] : await recentLines(context, { projectId, since }, patiently);
      for (const line of recent) tell(line);
      return new Set(recent.map(nameOf));
    };
    const hasFeed = await readFeed(context, projectId, tell, { signal: ended.signal, patiently, past });
    if (!hasFeed) {
      await past();
      say(
        context,
        'This server has no feed: the first page of incidents is read every 2 s, so some of many can be missed.',
      );
      await pollIncidents(context, projectId, tell, { signal: ended.signal, patiently });
    }
  } finally {
    if (timer !== null) clearTimeout(timer);
    context.interrupted.removeEventListener('abort', onInterrupt);
  }
  return hasFailed ? EXIT.negative : EXIT.ok;
}

/** @returns false when the server has no feed */
async function readFeed(
  context: Context,
  projectId: string | null,
  tell: (line: TailLine) => void,
  {
    signal,
    patiently,
    past,
  }: {
    signal: AbortSignal;
    patiently: ReturnType<typeof outlastTrouble>;
    /** Prints the lines from before the start of the feed, and returns their names. */
    past: () => Promise<ReadonlySet<string>>;
  },
): Promise<boolean> {
  const waiting = await longApi(context);
  let after: string | null = null;
  // Lines that occurred while the past was requested are in both.
  let told: ReadonlySet<string> = new Set();
  while (!signal.aborted) {
    const waitSeconds = told.size === 0 ? WAIT_SECONDS : 0;
    const query: QueryOf<typeof listLifecycle> = {
      kinds: Object.keys(TAIL_KINDS).join(','),
      ...(projectId === null ? {} : { project_id: projectId }),
      ...(after === null ? {} : { after, wait_seconds: waitSeconds }),
    };
    const answer = await patiently(async () => {
      const result = await waiting.attempt(listLifecycle, { query, signal });
      if (!result.ok && result.code !== 'not_found') throw result.failure;
      return result;
    });
    if (answer === null) break;
    if (!answer.ok) return false;
    if (after === null && !context.globals.json) say(context, 'Following. Ctrl-C ends it.');
    for (const record of answer.body.lifecycle) {
      const line = lineOf(record);
      if (line !== null && !told.has(nameOf(line))) tell(line);
    }
    told = after === null ? await past() : new Set();
    after = answer.body.next_cursor;
  }
  return true;
}

/** The API with time for answers that wait. */
export async function longApi(context: Context) {
  const { memberApi } = await import('../../api/open-api.ts');
  const timeoutMs = WAIT_SECONDS * 1000 + MARGIN_MS;
  const patient = {
    ...context,
    globals: { ...context.globals, timeoutMs: Math.max(timeoutMs, context.globals.timeoutMs) },
  };
  return memberApi(patient, context.settings(), await context.credential());
}

function lineOf(record: LifecycleRecord): TailLine | null {
  const kind = Object.entries(TAIL_KINDS).find(([word]) => word === record.kind)?.[1];
  if (kind === undefined || record.incident_id === null) return null;
  return {
    at: record.recorded_at,
    kind,
    project_id: record.project_id,
    incident_id: record.incident_id,
    title: record.title,
    severity: record.severity,
    status: record.status,
    environment: record.environment,
    service_name: record.service_name,
    occurrence_count: record.occurrence_count ?? 0,
  };
}

/** Returns the name of an occurrence, which distinguishes it from others of nearly the same time. */
function nameOf({ incident_id, kind }: TailLine): string {
  return `${incident_id} ${kind}`;
}

/** A word that only a newer server knows is worth showing. */
function isAtLeast(severity: string, least: string): boolean {
  const severities: readonly string[] = SEVERITIES;
  const at = severities.indexOf(severity);
  return at < 0 || at >= severities.indexOf(least);
}

function kindsOf(input: Input, flag: string): TailKind[] | null {
  const words = input.text(flag)?.split(',') ?? null;
  if (words === null) return null;
  const known: TailKind[] = Object.values(TAIL_KINDS);
  return words.map((word) => {
    const kind = known.find((each) => each === word.trim());
    if (kind === undefined) throw usageError(`--${flag}: "${word}" is not one of ${known.join(', ')}.`);
    return kind;
  });
}

/** More pages than anybody reads; what is older than they reach is left out. */
const PAGES_MAX = 100;

/** Returns the lines since a time, oldest first, that tail would have shown: new and returned incidents. */
async function recentLines(
  context: Context,
  { projectId, since }: { projectId: string | null; since: string },
  patiently: ReturnType<typeof outlastTrouble>,
): Promise<TailLine[]> {
  const api = await context.api();
  const lines: TailLine[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const query: QueryOf<typeof listIncidents> = {
      limit: 100,
      attention_after: since,
      ...(projectId === null ? {} : { project_id: projectId }),
      ...(cursor === null ? {} : { cursor }),
    };
    const page: { incidents: Incident[]; next_cursor: string | null } | null = await patiently(() =>
      api.call(listIncidents, { query }),
    );
    if (page === null) break;
    lines.push(...page.incidents.flatMap((incident) => linesOf(incident, since)));
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  return lines.sort((one, other) => one.at.localeCompare(other.at, 'en'));
}

function linesOf(incident: Incident, since: string): TailLine[] {
  const { regressed_at, first_seen_at } = incident;
  const isSince = (at: string | null): at is string => at !== null && Date.parse(at) >= Date.parse(since);
  return [
    ...(isSince(first_seen_at) ? [{ ...tailLineOf(incident, 'new'), at: first_seen_at }] : []),
    ...(isSince(regressed_at) ? [{ ...tailLineOf(incident, 'regressed'), at: regressed_at }] : []),
  ];
}
