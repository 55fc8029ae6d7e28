import type { Database } from '../../../platform/db/database.ts';
import {
  closeDays,
  countDayBlocks,
  type DayStamps,
  type FoundIds,
  type IdSearch,
  readDayIds,
} from './event-ids.queries.ts';
import { createIdFilter, filterBytes, type IdFilter } from './id-filter.ts';

/**
 * The ids of days that are over, as a thread remembers them: filters, so that a claim looks for most of its ids only in
 * the rows of today. A filter never denies an id of its day; ids that it confirms are looked for in the rows. It has all
 * ids while its day has the stamp with which it was read (`event_id_days`): the statement that looks for ids compares
 * stamps, and looks everywhere if one differs.
 */
export interface ClosedDays {
  /** Returns the search for ids of events that were received since then. */
  search(projectId: string, ids: readonly bigint[], fromMs: number): IdSearch;
  /** Notes the answer, also of a transaction that is rolled back: it only makes the memory know less. */
  note(projectId: string, answer: Pick<FoundIds, 'closed'> & { ids: number; nowMs: number }): void;
  /** Reads a part of the next past day of a project, where the project has enough events. */
  advance(database: Database, projectId: string): Promise<void>;
  /** The memory that is taken. */
  bytes(): number;
}

interface ProjectDays {
  /** Ids that claims of this thread had, until there are enough. */
  ids: number;
  nowMs: number;
  /** Nothing is read before: a day changed, or there was no room. */
  waitsUntilMs: number;
  filters: Map<number, { stamp: string; filter: IdFilter }>;
  reading: DayReading | null;
}

interface DayReading {
  day: number;
  stamp: string;
  blocks: number;
  nextBlock: number;
  parts: Buffer[];
}

const DAY_MS = 24 * 3_600_000;
const KNOWN_DAYS = 7;
/** Ids that are being read. */
const BYTES_PER_ID = 8;
/** Events that wait for a worker around midnight still go into their day. */
const SETTLE_MS = 3_600_000;
const WAIT_MS = 3_600_000;
/** 32 MB of rows, some hundredth seconds. */
const BLOCKS_PER_PART = 4096;
const PROJECTS_MAX = 1000;

/**
 * @param options.bytesMax for all projects: the filters, and the ids of which one is made
 * @param options.idsMin ids of a project that this thread counts before it reads days: few are found faster by index
 */
export function createClosedDays(options: { bytesMax: number; idsMin: number }): ClosedDays {
  const projects = new Map<string, ProjectDays>();
  let bytes = 0;

  function forget(project: ProjectDays, day: number): void {
    bytes -= project.filters.get(day)?.filter.bytes ?? 0;
    project.filters.delete(day);
  }

  function stopReading(project: ProjectDays): void {
    bytes -= bytesOf(project.reading);
    project.reading = null;
  }

  function forgetAll(project: ProjectDays): void {
    stopReading(project);
    for (const day of [...project.filters.keys()]) forget(project, day);
  }

  /** Makes room by forgetting projects without claims for an hour. */
  function hasRoom(wanted: number, nowMs: number): boolean {
    for (const project of projects.values()) {
      if (bytes + wanted <= options.bytesMax) break;
      if (project.nowMs < nowMs - WAIT_MS) forgetAll(project);
    }
    return bytes + wanted <= options.bytesMax;
  }

  function waitOn(project: ProjectDays): void {
    stopReading(project);
    project.waitsUntilMs = project.nowMs + WAIT_MS;
  }

  async function begin(database: Database, projectId: string, project: ProjectDays): Promise<void> {
    const firstDay = dayOf(project.nowMs - KNOWN_DAYS * DAY_MS - SETTLE_MS);
    const today = dayOf(project.nowMs - SETTLE_MS);
    for (const day of [...project.filters.keys()]) {
      if (day < firstDay || day >= today) forget(project, day);
    }
    const days = Array.from({ length: today - firstDay }, (_, n) => firstDay + n);
    const day = days.find((each) => !project.filters.has(each));
    if (day === undefined) return;
    const stamp = (await closeDays(database, projectId, days.map(dayText))).get(dayText(day));
    if (stamp === undefined) return waitOn(project);
    // Counted behind the commit, so that all rows of the day without another stamp lie in these blocks. Rows of events are
    // inserted and deleted, and never updated, so that none moves to a block that was read.
    const blocks = await countDayBlocks(database, dayText(day));
    project.reading = { day, stamp, blocks, nextBlock: 0, parts: [] };
  }

  return {
    bytes: () => bytes,

    search(projectId, ids, fromMs) {
      const filters: IdFilter[] = [];
      const filtered = new Map<string, string>();
      const known = projects.get(projectId)?.filters;
      let day = dayOf(fromMs);
      for (let each = known?.get(day); each !== undefined; each = known?.get(day)) {
        filters.push(each.filter);
        filtered.set(dayText(day), each.stamp);
        day += 1;
      }
      if (filters.length === 0) {
        return { everywhere: ids, fromMs, recent: [], filtered, recentFromMs: fromMs };
      }
      const everywhere: bigint[] = [];
      const recent: bigint[] = [];
      for (const id of ids) {
        (filters.some((filter) => filter.mayHave(id)) ? everywhere : recent).push(id);
      }
      return { everywhere, fromMs, recent, filtered, recentFromMs: day * DAY_MS };
    },

    note(projectId, { closed, ids, nowMs }) {
      const project = projects.get(projectId) ?? {
        ids: 0,
        nowMs,
        waitsUntilMs: 0,
        filters: new Map(),
        reading: null,
      };
      // Projects with claims stay longest.
      projects.delete(projectId);
      projects.set(projectId, project);
      for (const [oldest, itsDays] of projects) {
        if (projects.size <= PROJECTS_MAX) break;
        forgetAll(itsDays);
        projects.delete(oldest);
      }
      project.ids = Math.min(project.ids + ids, options.idsMin);
      project.nowMs = nowMs;
      const { reading } = project;
      if (reading !== null && closed.get(dayText(reading.day)) !== reading.stamp) waitOn(project);
      for (const [day, { stamp }] of [...project.filters]) {
        if (closed.get(dayText(day)) === stamp) continue;
        forget(project, day);
        waitOn(project);
      }
    },

    async advance(database, projectId) {
      const project = projects.get(projectId);
      if (project === undefined || project.ids < options.idsMin || project.nowMs < project.waitsUntilMs)
        return;
      try {
        if (project.reading === null) await begin(database, projectId, project);
        const { reading } = project;
        if (reading === null) return;
        const from = reading.nextBlock;
        const before = Math.min(from + BLOCKS_PER_PART, reading.blocks);
        const part =
          from < before
            ? await readDayIds(database, projectId, dayText(reading.day), { from, before })
            : Buffer.alloc(0);
        // A claim that ran in the meantime may have found another stamp.
        if (project.reading !== reading) return;
        const size = filterBytes((bytesOf(reading) + part.length) / BYTES_PER_ID);
        if (!hasRoom(part.length + size, project.nowMs)) return waitOn(project);
        reading.parts.push(part);
        bytes += part.length;
        reading.nextBlock = before;
        if (before < reading.blocks) return;
        const filter = createIdFilter(reading.parts);
        stopReading(project);
        bytes += filter.bytes;
        project.filters.set(reading.day, { stamp: reading.stamp, filter });
      } catch (error) {
        waitOn(project);
        throw error;
      }
    },
  };
}

function bytesOf(reading: DayReading | null): number {
  return reading?.parts.reduce((sum, part) => sum + part.length, 0) ?? 0;
}

/** Returns those of the days of receipt that are over. */
export function daysAmong(receivedAtMs: Iterable<number>, closed: DayStamps): string[] {
  const days = new Set<string>();
  for (const each of receivedAtMs) {
    const day = dayText(dayOf(each));
    if (closed.has(day)) days.add(day);
  }
  return [...days];
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
