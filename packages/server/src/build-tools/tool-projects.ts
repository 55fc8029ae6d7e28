import type { Queryable } from '../platform/db/database.ts';
import { parseId } from '../platform/ids.ts';
import type { PlanSettings } from '../workspace/billing/plan.ts';
import { findProjects, findProjectsOfRelease, type ToolProject } from './tool-projects.queries.ts';
import { ToolFault } from './tool-words.ts';

/** Projects that one request names. */
const PROJECTS_MAX = 20;

/**
 * The projects that a tool names by slug or id.
 * @throws ToolFault for one that the person does not have
 */
export async function namedProjects(
  { database, plans }: { database: Queryable; plans: PlanSettings },
  userId: string,
  names: readonly string[],
): Promise<ToolProject[]> {
  if (names.length === 0) throw new ToolFault('Choose a project: set SENTRY_PROJECT to its slug or id.');
  if (names.length > PROJECTS_MAX) {
    throw new ToolFault(`The request lists ${names.length} projects; the limit is ${PROJECTS_MAX}.`);
  }
  const ids = new Map(
    names.flatMap((name) => {
      const projectId = parseId(['proj'], name);
      return projectId === null ? [] : [[name, projectId]];
    }),
  );
  const found = await findProjects(database, plans, userId, { slugs: names, projectIds: [...ids.values()] });
  return names.map((name) => {
    const ofId = found.find(({ projectId }) => projectId === ids.get(name));
    if (ofId !== undefined) return ofId;
    const [first, second] = found.filter(({ slug }) => slug === name);
    if (first === undefined) {
      throw new ToolFault(
        `You have no project with the slug or id "${name.slice(0, 100)}". Set SENTRY_PROJECT to one that culprit projects list shows.`,
      );
    }
    if (second !== undefined) {
      throw new ToolFault(
        `Two of your projects have the slug "${name.slice(0, 100)}". Set SENTRY_PROJECT to the id of one.`,
      );
    }
    return first;
  });
}

/**
 * The projects that a request about a release is for: those it names, else those that have the release.
 * @throws ToolFault where there is none
 */
export async function projectsOfRelease(
  context: { database: Queryable; plans: PlanSettings },
  userId: string,
  { version, names }: { version: string; names: readonly string[] },
): Promise<ToolProject[]> {
  if (names.length > 0) return await namedProjects(context, userId, names);
  const projects = await findProjectsOfRelease(context.database, context.plans, userId, version);
  if (projects.length === 0) {
    throw new ToolFault(
      `None of your projects has the release ${version}. Create it first: sentry-cli releases new ${version}`,
    );
  }
  return projects.slice(0, PROJECTS_MAX);
}
