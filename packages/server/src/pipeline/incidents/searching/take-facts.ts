import {
  keptMessages,
  keptReleases,
  type SearchFacts,
  tellsMore,
} from '@culprit/evidence/incidents/search-document';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { finishJobs, type Job } from '../../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../../platform/jobs/lane.ts';
import { OTHER_VALUES } from './collect-facts.ts';
import { FACTS_JOBS_MAX, type IncidentFacts, readFacts } from './facts.jobs.ts';
import { lockSearchRows, readKeptMessages, updateSearchRows } from './search-rows.queries.ts';
import {
  addToIncidentTags,
  addToProjectTags,
  countDayValues,
  countTagValues,
  findLiveIncidents,
  holdProject,
  type IncidentTagCount,
  insertIncidentTags,
  insertProjectTags,
  type ProjectTagCount,
} from './tag-counts.queries.ts';

/** Bounds of an incident, and of a day of a project (docs/contract/team-workflow.md 1.3). */
const KEYS_MAX = 40;
const VALUES_MAX = 200;
const DAY_KEYS_MAX = 200;
const DAY_VALUES_MAX = 100;
/** Days before the newest one of which signals still count for what is usual. */
const DAYS_BACK = 8;
const DAY_MS = 86_400_000;

/** Adds up tags, and keeps what incidents are found by. */
export function factsLane({ database }: { database: Database }): LaneWork {
  return { claimMax: FACTS_JOBS_MAX, run: (jobs) => takeFacts(database, jobs) };
}

/** Takes the facts of some jobs of one project, all in one transaction. */
async function takeFacts(database: Database, jobs: readonly Job[]): Promise<void> {
  const projectId = jobs[0]?.fairnessKey ?? '';
  const facts = joined(jobs.flatMap((job) => readFacts(job.payload)));
  await database.transaction(async (transaction) => {
    if (await holdProject(transaction, projectId)) await count(transaction, projectId, facts);
    await finishJobs(transaction, jobs);
  });
}

/** Facts of one incident, by key and value. */
interface JoinedFacts {
  messages: string[];
  tags: Map<string, IncidentTagCount>;
}

function joined(all: readonly IncidentFacts[]): Map<string, JoinedFacts> {
  const byIncident = new Map<string, JoinedFacts>();
  // The tags of an incident were seen at the same times.
  const times = new Map<number, string>();
  const timeOf = (ms: number) => {
    const known = times.get(ms) ?? new Date(ms).toISOString();
    times.set(ms, known);
    return known;
  };
  for (const { incidentId, messages, tags } of all) {
    let facts = byIncident.get(incidentId);
    if (facts === undefined) {
      facts = { messages: [], tags: new Map() };
      byIncident.set(incidentId, facts);
    }
    facts.messages.push(...messages);
    for (const [key, value, count, firstMs, lastMs] of tags) {
      const first_seen_at = timeOf(firstMs);
      const last_seen_at = timeOf(lastMs);
      addCount(facts.tags, { incident_id: incidentId, key, value, count, first_seen_at, last_seen_at });
    }
  }
  return byIncident;
}

function addCount(counts: Map<string, IncidentTagCount>, added: IncidentTagCount): void {
  const name = `${added.key} ${added.value}`;
  const known = counts.get(name);
  if (known === undefined) {
    counts.set(name, { ...added });
    return;
  }
  known.count += added.count;
  if (added.first_seen_at < known.first_seen_at) known.first_seen_at = added.first_seen_at;
  if (added.last_seen_at > known.last_seen_at) known.last_seen_at = added.last_seen_at;
}

async function count(
  transaction: Transaction,
  projectId: string,
  facts: ReadonlyMap<string, JoinedFacts>,
): Promise<void> {
  // One that is gone leaves nothing behind.
  const live = await findLiveIncidents(transaction, projectId, [...facts.keys()].toSorted());
  const counts = [...live.keys()].flatMap((incidentId) => [...(facts.get(incidentId)?.tags.values() ?? [])]);
  const added = await addToIncidentTags(transaction, projectId, counts);
  const changed = [...new Set(added.map((each) => each.incident_id))];
  if (added.length > 0) {
    const values = await countTagValues(transaction, changed);
    insertIncidentTags(
      transaction,
      projectId,
      summed(bounded(added, (each) => each.incident_id, values, { keys: KEYS_MAX, values: VALUES_MAX })),
    );
  }
  // Facts of sample data do not count as usual in the project.
  const usual = counts.filter(({ incident_id: id }) => live.get(id)?.isSample === false);
  await countDays(transaction, projectId, usual);
  await keepDocuments(transaction, projectId, facts, { live, added });
}

/** Counts with the values and keys that fit; the others count as one value. */
function bounded<Count extends { key: string; value: string }>(
  counts: readonly Count[],
  ownerOf: (count: Count) => string,
  known: ReadonlyMap<string, Map<string, number>>,
  max: { keys: number; values: number },
): Count[] {
  const used = new Map([...known].map(([owner, keys]) => [owner, new Map(keys)]));
  return counts.map((each) => {
    const owner = ownerOf(each);
    const keys = used.get(owner) ?? new Map<string, number>();
    used.set(owner, keys);
    const values = keys.get(each.key);
    if (values === undefined && keys.size >= max.keys)
      return { ...each, key: OTHER_VALUES, value: OTHER_VALUES };
    if (values !== undefined && values >= max.values) return { ...each, value: OTHER_VALUES };
    keys.set(each.key, (values ?? 0) + 1);
    return each;
  });
}

function summed(counts: readonly IncidentTagCount[]): IncidentTagCount[] {
  const byName = new Map<string, Map<string, IncidentTagCount>>();
  for (const each of counts) {
    const ofIncident = byName.get(each.incident_id) ?? new Map<string, IncidentTagCount>();
    byName.set(each.incident_id, ofIncident);
    addCount(ofIncident, each);
  }
  return [...byName.values()].flatMap((each) => [...each.values()]);
}

/** Adds to what is usual in the project. */
async function countDays(
  transaction: Transaction,
  projectId: string,
  counts: readonly IncidentTagCount[],
): Promise<void> {
  if (counts.length === 0) return;
  const newest = Math.max(...counts.map((each) => Date.parse(each.last_seen_at)));
  const oldest = new Date(newest - DAYS_BACK * DAY_MS).toISOString().slice(0, 10);
  const byName = new Map<string, ProjectTagCount>();
  const add = ({ day, key, value, count }: ProjectTagCount) => {
    const name = `${day} ${key} ${value}`;
    const known = byName.get(name);
    if (known === undefined) byName.set(name, { day, key, value, count });
    else known.count += count;
  };
  for (const each of counts) {
    const day = each.last_seen_at.slice(0, 10);
    if (day >= oldest) add({ ...each, day });
  }
  const given = [...byName.values()].toSorted(byPlace);
  const added = await addToProjectTags(transaction, projectId, given);
  if (added.length === 0) return;
  const days = [...new Set(added.map(({ day }) => day))];
  const values = await countDayValues(transaction, projectId, days);
  const fitting = bounded(added, ({ day }) => day, values, { keys: DAY_KEYS_MAX, values: DAY_VALUES_MAX });
  byName.clear();
  for (const each of fitting) add(each);
  insertProjectTags(transaction, projectId, [...byName.values()].toSorted(byPlace));
}

/** Rows are changed in one order, so that two transactions wait for each other in one direction only. */
function byPlace(a: ProjectTagCount, b: ProjectTagCount): number {
  return compare(a.day, b.day) || compare(a.key, b.key) || compare(a.value, b.value);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Writes the documents of incidents of which there is something new to find. Only these are held. */
async function keepDocuments(
  transaction: Transaction,
  projectId: string,
  facts: ReadonlyMap<string, JoinedFacts>,
  { live, added }: { live: ReadonlyMap<string, unknown>; added: readonly IncidentTagCount[] },
): Promise<void> {
  const newTags = new Map<string, IncidentTagCount[]>();
  for (const each of added) newTags.set(each.incident_id, [...(newTags.get(each.incident_id) ?? []), each]);
  const messagesOf = (id: string) => facts.get(id)?.messages ?? [];
  const speaking = [...live.keys()].filter((id) => messagesOf(id).length > 0 && !newTags.has(id));
  const kept = await readKeptMessages(transaction, projectId, speaking);
  const telling = kept.filter(({ incidentId, messages, isYoung }) =>
    isYoung
      ? tellsMore(messages, messagesOf(incidentId))
      : keptMessages(messages, messagesOf(incidentId)) !== messages,
  );
  const asked = [...newTags.keys(), ...telling.map(({ incidentId }) => incidentId)];
  const rows = await lockSearchRows(transaction, projectId, asked.toSorted());
  updateSearchRows(
    transaction,
    projectId,
    rows.flatMap(({ incidentId, facts: before, hasOwnFrames }) => {
      const tags = newTags.get(incidentId) ?? [];
      const after = withNews(before, messagesOf(incidentId), tags);
      return after === null ? [] : [{ incidentId, facts: after, hasOwnFrames }];
    }),
  );
}

/** The facts with what is new; null where nothing is. */
function withNews(
  before: SearchFacts,
  messages: readonly string[],
  tags: readonly IncidentTagCount[],
): SearchFacts | null {
  const of = (key: string) =>
    tags
      .filter((tag) => tag.key === key && tag.value !== OTHER_VALUES)
      .toSorted((a, b) => compare(a.first_seen_at, b.first_seen_at))
      .map(({ value }) => value);
  const after = {
    ...before,
    messages: keptMessages(before.messages, messages),
    releases: keptReleases(before.releases, of('release')),
    routes: withAll(before.routes, of('route')),
    statuses: withAll(before.statuses, of('http.status')),
  };
  return tags.length === 0 && after.messages === before.messages ? null : after;
}

const LISTED_MAX = 50;

function withAll(before: readonly string[], added: readonly string[]): readonly string[] {
  return [...new Set([...before, ...added])].slice(0, LISTED_MAX);
}
