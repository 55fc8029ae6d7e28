import { projectFolder } from '../../workspace/projects/project-objects.ts';

/**
 * The keys of raw objects: `raw/<project>/<UTC day of receipt>/<id>` for a batch, or for several that retention has
 * merged, and `raw/<project>/<day>/am-<id>` or `pm-<id>` for one to which batches of that half of the day are appended.
 */
export interface RawObjectKey {
  key: string;
  projectId: string;
  /** UTC day of receipt, `2026-03-24`. */
  day: string;
  /** The id of its batch, unless several share it. */
  id: string;
  /** Batches are, or were, appended to it. Behind the last one may be what a crash has left. */
  isAppended: boolean;
}

const RAW_KEY =
  /^raw\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(\d{4}-\d{2}-\d{2})\/([ap]m-)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The folder of what a project received on a day, with its slash. @param receivedAt a day or a moment, ISO 8601, UTC */
export function rawDayFolder(projectId: string, receivedAt: string): string {
  return `${projectFolder('raw', projectId)}/${receivedAt.slice(0, 10)}/`;
}

/** Returns the beginning of the keys of the objects to which batches received at a moment are appended. */
export function appendedRawPrefix(projectId: string, receivedAt: string): string {
  return `${rawDayFolder(projectId, receivedAt)}${receivedAt.slice(11, 13) < '12' ? 'am' : 'pm'}-`;
}

/** Returns null for a key that neither the event intake nor retention creates. */
export function parseRawKey(key: string): RawObjectKey | null {
  const [, projectId, day, half, id] = RAW_KEY.exec(key) ?? [];
  return projectId === undefined || day === undefined || id === undefined
    ? null
    : { key, projectId, day, id, isAppended: half !== undefined };
}
