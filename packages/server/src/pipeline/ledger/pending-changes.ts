import {
  STREAM_INCIDENTS_MAX,
  STREAM_RESOURCES,
  type StreamResource,
} from '@culprit/contract/endpoints/stream';
import type { LifecycleKind } from '@culprit/contract/incidents/lifecycle-kinds';
import type { LedgerChange } from './ledger-change.ts';

/** The changes of one project that a stream has still to send. */
export interface PendingChange {
  projectId: string;
  resources: StreamResource[];
  /** Bare UUIDs; null: too many to name. */
  incidentIds: string[] | null;
}

/** Collects changes until a stream can send them: one message a second for a project, whatever comes in between. */
interface PendingChanges {
  add(change: LedgerChange): void;
  /** All of these may have changed. */
  addAll(projectIds: Iterable<string>): void;
  /** Returns the changes that can be sent now. */
  takeDue(nowMs: number): PendingChange[];
  /** Returns the time when the next can be sent; null when nothing is left. */
  nextDueMs(): number | null;
}

const SAME_PROJECT_MS = 1000;
/** The most incidents that are named in all pending messages of one stream; beyond that, none are. */
const NAMED_MAX = 1000;

export function createPendingChanges(): PendingChanges {
  const pending = new Map<string, { resources: Set<StreamResource>; incidentIds: Set<string> | null }>();
  const notifiedAtMs = new Map<string, number>();
  let named = 0;

  function entryOf(projectId: string) {
    const entry = pending.get(projectId) ?? { resources: new Set(), incidentIds: new Set<string>() };
    pending.set(projectId, entry);
    return entry;
  }

  const dueMs = (projectId: string): number =>
    (notifiedAtMs.get(projectId) ?? Number.NEGATIVE_INFINITY) + SAME_PROJECT_MS;

  return {
    add({ projectId, kinds, incidentIds, hasRejections }) {
      const entry = entryOf(projectId);
      for (const kind of kinds) for (const word of resourcesOf(kind)) entry.resources.add(word);
      if (hasRejections) entry.resources.add('rejections');
      if (entry.incidentIds === null) return;
      const before = entry.incidentIds.size;
      for (const id of incidentIds ?? []) entry.incidentIds.add(id);
      named += entry.incidentIds.size - before;
      if (incidentIds !== null && entry.incidentIds.size <= STREAM_INCIDENTS_MAX && named <= NAMED_MAX)
        return;
      named -= entry.incidentIds.size;
      entry.incidentIds = null;
    },
    addAll(projectIds) {
      for (const projectId of projectIds) {
        const entry = entryOf(projectId);
        named -= entry.incidentIds?.size ?? 0;
        entry.incidentIds = null;
        for (const word of STREAM_RESOURCES) entry.resources.add(word);
      }
    },
    takeDue(nowMs) {
      const due = [...pending].filter(([projectId]) => dueMs(projectId) <= nowMs);
      for (const [projectId, { incidentIds }] of due) {
        pending.delete(projectId);
        named -= incidentIds?.size ?? 0;
        notifiedAtMs.set(projectId, nowMs);
      }
      for (const [projectId, atMs] of notifiedAtMs)
        if (atMs + SAME_PROJECT_MS <= nowMs) notifiedAtMs.delete(projectId);
      return due.map(([projectId, { resources, incidentIds }]) => ({
        projectId,
        resources: STREAM_RESOURCES.filter((word) => resources.has(word)),
        incidentIds: incidentIds === null ? null : [...incidentIds],
      }));
    },
    nextDueMs() {
      return pending.size === 0 ? null : Math.min(...[...pending.keys()].map(dueMs));
    },
  };
}

function resourcesOf(kind: LifecycleKind): readonly StreamResource[] {
  if (kind === 'improvement_bundle.created') return ['improvements'];
  return kind.startsWith('bundle.') ? ['incidents', 'bundles'] : ['incidents'];
}
