import { listProjects, type Project } from '@culprit/contract/workspace/projects';
import { namedProjects } from '@culprit/mcp/service/named-projects';
import { notFoundError, usageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { askChoice } from '../output/ask.ts';
import { visibleLine } from '../output/visible-text.ts';
import { noteNames } from '../state/known-names.ts';

const ID = /^(?:proj_)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PROJECTS_MAX = 500;

/** The project of the command, by id, slug or unique name; asks when several could be meant. */
export async function projectId(context: Context): Promise<string> {
  const chosen = await chosenProjectId(context, { isOptional: false });
  if (chosen === null) throw notFoundError('You have no projects yet.', 'culprit projects create NAME');
  return chosen;
}

/**
 * The project that was chosen.
 * @param isOptional null instead of a question when none was
 */
export async function chosenProjectId(
  context: Context,
  { isOptional }: { isOptional: boolean },
): Promise<string | null> {
  const { project } = context.settings();
  if (project !== null) return ID.test(project) ? project : await projectIdByName(context, project);
  const projects = await visibleProjects(context);
  const [only] = projects;
  if (only === undefined) return null;
  if (projects.length === 1) return only.project_id;
  if (isOptional) return null;
  const names = projects.map(({ slug }) => visibleLine(slug)).join(', ');
  return await askChoice(
    context,
    'Which project?',
    projects.map((each) => ({ value: each.project_id, label: `${each.name} (${each.slug})` })),
    () =>
      usageError(
        `Several projects match: ${names}.`,
        'choose one: --project REF, or culprit projects use REF',
      ),
  );
}

export async function projectIdByName(context: Context, name: string): Promise<string> {
  return (await projectByName(context, name)).project_id;
}

async function projectByName(context: Context, name: string): Promise<Project> {
  const found = namedProjects(await visibleProjects(context), name);
  const [first] = found;
  if (first === undefined)
    throw notFoundError(`You have no project called "${name}".`, 'culprit projects list');
  if (found.length > 1)
    throw notFoundError(`Several projects are called "${name}".`, 'use the id: culprit projects list');
  return first;
}

/** Every project that the credential sees, up to a bound that no person reaches. */
export async function visibleProjects(context: Context): Promise<Project[]> {
  const api = await context.api();
  const projects: Project[] = [];
  let cursor: string | null = null;
  do {
    const page: { projects: Project[]; next_cursor: string | null } = await api.call(listProjects, {
      query: { limit: 100, ...(cursor === null ? {} : { cursor }) },
    });
    projects.push(...page.projects);
    cursor = page.next_cursor;
  } while (cursor !== null && projects.length < PROJECTS_MAX);
  noteNames(
    context.environment,
    'projects',
    projects.map(({ slug }) => slug),
  );
  return projects;
}
