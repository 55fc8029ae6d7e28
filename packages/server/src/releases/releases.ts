import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { RELEASE_ACTIVITY_DAYS_MAX, RELEASE_TREND_DAYS } from '@culprit/contract/releases/release-limits';
import type {
  getReleaseActivity as activityEndpoint,
  createRelease as createEndpoint,
  deleteRelease as deleteEndpoint,
  listReleases as listEndpoint,
  Release,
  ReleaseActivity,
} from '@culprit/contract/releases/releases';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { readClock } from '../platform/db/read-clock.ts';
import { invalidSpan } from '../platform/http/binding/invalid-query.ts';
import { Problem } from '../platform/http/binding/problem.ts';
import { pageOf, pageParameters, readPage, type TimePage } from '../platform/http/binding/time-page.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiRequest } from '../workspace/access/api-callers.ts';
import { recordAudit } from '../workspace/audit/record-audit.ts';
import { nameRelease } from './naming.queries.ts';
import {
  countUnnamed,
  findRelease,
  listReleaseDays,
  listReleaseRows,
  removeRelease,
  replaceCommits,
  setReleaseFacts,
} from './releases.queries.ts';

const DAY_MS = 86_400_000;

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkReleasesPage({ query }: { query: QueryOf<typeof listEndpoint> }): TimePage {
  return readPage([], query);
}

/** A page of the releases of a project, newest first (docs/contract/source-maps.md 10.3). */
export async function listReleases(
  { database }: Runtime,
  { access: { projectId }, query, checked: page }: ApiRequest<typeof listEndpoint, TimePage>,
): Promise<{ releases: Release[]; unnamed_today: number; next_cursor: string | null }> {
  const filter = {
    service: query.service ?? null,
    environment: query.environment ?? null,
    version: query.version?.trim() ?? null,
    q: query.q ?? null,
  };
  const [rows, unnamed] = await Promise.all([
    listReleaseRows(database, projectId, filter, pageParameters(page)),
    countUnnamed(database, projectId),
  ]);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.first_at, row.release_id]);
  return { releases: shown, unnamed_today: unnamed, next_cursor: nextCursor };
}

/** Creates a release, or sets the given facts of one that exists. @throws Problem `resource_limit_reached` */
export async function createRelease(
  { database }: Runtime,
  { access: { projectId }, body }: ApiRequest<typeof createEndpoint>,
): Promise<{ status: 200 | 201; body: { release: Release } }> {
  const { releaseId, isNew } = await database.transaction(async (transaction) => {
    const named = await nameRelease(transaction, projectId, body.version.trim(), 'api');
    if (named === null) throw new Problem('resource_limit_reached');
    await setReleaseFacts(transaction, projectId, named.releaseId, {
      commitSha: body.commit_sha ?? null,
      branch: body.branch ?? null,
      url: body.url ?? null,
    });
    if (body.commits !== undefined) {
      const commits = body.commits.map(({ sha, author_name, message, committed_at }) => ({
        ...{ sha, author_name: author_name ?? null, message: message.replaceAll('\u0000', '') },
        committed_at: committed_at ?? null,
      }));
      await replaceCommits(transaction, projectId, named.releaseId, commits);
    }
    return named;
  });
  const release = await requireRelease(database, projectId, releaseId);
  return { status: isNew ? 201 : 200, body: { release } };
}

/** @throws Problem `release_not_found` */
export async function requireRelease(
  database: Runtime['database'],
  projectId: string,
  releaseId: string,
): Promise<Release> {
  const release = await findRelease(database, projectId, releaseId);
  if (release === null) throw new Problem('release_not_found');
  return release;
}

interface AskedSpan {
  fromMs: number | null;
  toMs: number | null;
}

/** The span that a query asks for. @throws Problem `invalid_query` */
export function checkActivitySpan({ query }: { query: QueryOf<typeof activityEndpoint> }): AskedSpan {
  const span = {
    fromMs: query.from === undefined ? null : Date.parse(query.from),
    toMs: query.to === undefined ? null : Date.parse(query.to),
  };
  const { fromMs, toMs } = span;
  if (
    fromMs !== null &&
    toMs !== null &&
    (fromMs >= toMs || toMs - fromMs > RELEASE_ACTIVITY_DAYS_MAX * DAY_MS)
  )
    throw invalidSpan(RELEASE_ACTIVITY_DAYS_MAX);
  return span;
}

/** Counts of a release by the day on which its events occurred. */
export async function readReleaseActivity(
  { database }: Runtime,
  { access: { projectId, recordId }, checked }: ApiRequest<typeof activityEndpoint, AskedSpan>,
): Promise<ReleaseActivity> {
  const toMs = checked.toMs ?? (await readClock(database));
  const toDay = Math.ceil(toMs / DAY_MS);
  const fromMs = checked.fromMs ?? (toDay - RELEASE_TREND_DAYS) * DAY_MS;
  const fromDay = Math.floor(fromMs / DAY_MS);
  if (fromDay >= toDay || toDay - fromDay > RELEASE_ACTIVITY_DAYS_MAX + 1)
    throw invalidSpan(RELEASE_ACTIVITY_DAYS_MAX);
  const span = { from: new Date(fromDay * DAY_MS), to: new Date(toDay * DAY_MS) };
  const rows = await listReleaseDays(database, projectId, recordId, span);
  const filled = (count: (row: (typeof rows)[number]) => number) => {
    const counts = Array<number>(toDay - fromDay).fill(0);
    for (const row of rows) counts[row.day - fromDay] = count(row);
    return counts;
  };
  return {
    from: formatTimestamp(span.from.getTime()),
    to: formatTimestamp(span.to.getTime()),
    bucket_seconds: 86_400,
    counts: filled(({ events }) => events),
    new: filled(({ newIncidents }) => newIncidents),
    regressed: filled(({ regressedIncidents }) => regressedIncidents),
  };
}

/** Deletes a release; incidents and events stay. @throws Problem `release_not_found` */
export async function deleteRelease(
  { database }: Runtime,
  request: ApiRequest<typeof deleteEndpoint>,
): Promise<Release> {
  const { projectId, organizationId, recordId: releaseId } = request.access;
  const release = await requireRelease(database, projectId, releaseId);
  const isGone = await database.transaction(
    async (transaction) =>
      await removeRelease(transaction, projectId, { releaseId, version: release.version }),
  );
  if (!isGone) throw new Problem('release_not_found');
  await recordAudit(database, request, {
    ...{ organizationId, projectId, actorUserId: request.caller.userId },
    action: 'release.deleted',
    subject: `release:${releaseId}`,
    data: { version: release.version },
  });
  return release;
}
