import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { insertDeployments, type NewDeployment } from '../pipeline/incidents/reading/services.queries.ts';
import { readClock } from '../platform/db/read-clock.ts';
import { Problem } from '../platform/http/binding/problem.ts';
import { newUuid } from '../platform/ids.ts';
import { nameRelease, noteReleases, touchReleases } from '../releases/naming.queries.ts';
import { replaceCommits, setReleaseFacts } from '../releases/releases.queries.ts';
import type { Runtime } from '../runtime.ts';
import { readCommits, readLine, readProjects, readTime, readVersion } from './tool-bodies.ts';
import { findRunningServices, type ToolProject } from './tool-projects.queries.ts';
import { projectsOfRelease } from './tool-projects.ts';
import { ToolFault } from './tool-words.ts';

/** A release as build tools read it. */
function releaseAnswer(
  version: string,
  projects: readonly ToolProject[],
  timeMs: number,
  body: JsonObject,
): object {
  return {
    version,
    dateCreated: formatTimestamp(timeMs),
    dateReleased: typeof body.dateReleased === 'string' ? body.dateReleased : null,
    newGroups: 0,
    projects: projects.map(({ slug, name }) => ({ slug, name })),
    url: null,
    lastEvent: null,
  };
}

/** `releases new`, and `finalize` and `set-commits` of a release that may be there. */
export async function saveRelease(
  runtime: Runtime,
  userId: string,
  { version: named, body, project }: { version: unknown; body: JsonObject; project: string | null },
): Promise<object> {
  const { database } = runtime;
  const version = readVersion(named);
  const names = project === null ? readProjects(body) : [project];
  const projects = await projectsOfRelease(runtime, userId, { version, names });
  const commits = readCommits(body);
  for (const { projectId } of projects) {
    await database.transaction(async (transaction) => {
      const release = await nameRelease(transaction, projectId, version, 'api');
      if (release === null) throw new ToolFault('The project has reached its limit of releases.');
      await setReleaseFacts(transaction, projectId, release.releaseId, {
        commitSha: readLine(body.ref) ?? commits?.[0]?.sha ?? null,
        branch: null,
        url: readLine(body.url),
      });
      if (commits !== null) await replaceCommits(transaction, projectId, release.releaseId, commits);
    });
  }
  return releaseAnswer(version, projects, await readClock(database), body);
}

/** A release that is there. @throws ToolFault */
export async function readRelease(
  runtime: Runtime,
  userId: string,
  named: unknown,
  project: string | null,
): Promise<object> {
  const version = readVersion(named);
  const names = project === null ? [] : [project];
  const projects = await projectsOfRelease(runtime, userId, { version, names });
  return releaseAnswer(version, projects, await readClock(runtime.database), {});
}

/** `deploys new`: a deployment of every service that ran in the environment lately. */
export async function recordDeploy(
  runtime: Runtime,
  userId: string,
  { version: named, body }: { version: unknown; body: JsonObject },
): Promise<object> {
  const { database } = runtime;
  const version = readVersion(named);
  const environment = readLine(body.environment);
  if (environment === null) throw new ToolFault('Give the environment of the deploy: -e production');
  const projects = await projectsOfRelease(runtime, userId, { version, names: readProjects(body) });
  const nowMs = await readClock(database);
  const deployedAtMs = Math.min(readTime(body.dateFinished) ?? nowMs, nowMs);
  for (const { projectId } of projects) {
    const services = await findRunningServices(database, projectId, environment);
    const deployments = services.map(
      (serviceName): NewDeployment => ({
        ...{ deploymentId: newUuid(), serviceName, environment, version, commitSha: null, branch: null },
        ...{ deployedAtMs, eventId: newUuid(), receivedAtMs: nowMs, isInferred: false },
      }),
    );
    await database.transaction(async (transaction) => {
      if ((await nameRelease(transaction, projectId, version, 'api')) === null)
        throw new Problem('resource_limit_reached');
      if (deployments.length === 0) return;
      const noted = await noteReleases(
        transaction,
        projectId,
        deployments.map(({ serviceName }) => ({
          ...{ version, by: 'deploy' as const, serviceName, environment, atMs: deployedAtMs, isRun: false },
        })),
      );
      await insertDeployments(transaction, projectId, deployments);
      touchReleases(
        transaction,
        projectId,
        noted.flatMap(({ releaseId, serviceName }) =>
          releaseId === null
            ? []
            : {
                ...{ releaseId, serviceName, environment, seenAtMs: null, isRun: false, deployedAtMs },
                ...{ commitSha: null, branch: null },
              },
        ),
      );
    });
  }
  return {
    id: newUuid(),
    environment,
    name: readLine(body.name),
    url: readLine(body.url),
    dateStarted: null,
    dateFinished: formatTimestamp(deployedAtMs),
  };
}
