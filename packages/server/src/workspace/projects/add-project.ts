import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import { DEFAULT_DSN_KEY, insertDsnKey } from '../tokens/dsn-keys.queries.ts';
import { countLiveProjects, findSlugs, insertProject, lockOrganization } from './projects.queries.ts';
import { insertOwnersReport } from './report-recipients.queries.ts';

/**
 * Creates the alert rule with which a project begins. Alerts are a layer above projects, so it is passed in. Ids are
 * bare UUIDs.
 */
export type CreateFirstAlert = (
  transaction: Transaction,
  project: { projectId: string; ownerUserId: string },
) => Promise<void>;

export interface NewProject {
  organizationId: string;
  ownerUserId: string;
  name: string;
  /** Null derives one from the name. */
  slug: string | null;
  environmentDefault: string;
  /** IANA name. */
  weeklyReportTimezone: string;
  capturePreset: string;
}

/** The guard of a deployment: live projects in one organization (docs/contract/incidents.md 7.3). */
export const PROJECTS_MAX = 1000;
const USER_KEY_BYTES = 32;

/**
 * Creates a project inside the caller's transaction, with its first DSN key, its weekly report to the owner and its
 * first alert rule, and returns its bare id. The organization stays locked until the transaction ends, so that neither
 * the guard nor a slug is passed by calls at the same time.
 * @param createFirstAlert null: the project begins without alerts
 * @throws Problem `resource_limit_reached`, `project_slug_taken` for a given slug
 */
export async function addProject(
  transaction: Transaction,
  project: NewProject,
  createFirstAlert: CreateFirstAlert | null,
): Promise<string> {
  const { organizationId } = project;
  await lockOrganization(transaction, organizationId);
  if ((await countLiveProjects(transaction, organizationId)) >= PROJECTS_MAX)
    throw new Problem('resource_limit_reached');
  const slug = await chooseSlug(transaction, project);
  const projectId = newUuid();
  await insertProject(transaction, {
    projectId,
    organizationId,
    ownerUserId: project.ownerUserId,
    name: project.name,
    slug,
    environmentDefault: project.environmentDefault,
    weeklyReportTimezone: project.weeklyReportTimezone,
    capturePreset: project.capturePreset,
    userKey: randomBytes(USER_KEY_BYTES),
  });
  await insertDsnKey(transaction, {
    ...DEFAULT_DSN_KEY,
    projectId,
    createdByUserId: project.ownerUserId,
  });
  await insertOwnersReport(transaction, {
    channelId: newUuid(),
    projectId,
    ownerUserId: project.ownerUserId,
    timezone: project.weeklyReportTimezone,
  });
  await createFirstAlert?.(transaction, { projectId, ownerUserId: project.ownerUserId });
  return projectId;
}

async function chooseSlug(transaction: Transaction, project: NewProject): Promise<string> {
  const { organizationId, name, slug } = project;
  if (slug === null) {
    const taken = await findSlugs(transaction, organizationId, slugStem(slugFromName(name, [])));
    return slugFromName(name, taken);
  }
  if ((await findSlugs(transaction, organizationId, slug)).includes(slug)) {
    throw new Problem('project_slug_taken');
  }
  return slug;
}

const SLUG_LENGTH_MAX = 80;
/** Room for the number behind a slug that is taken: a hyphen and five digits. */
const NUMBER_LENGTH_MAX = 6;

/** Returns the common beginning of a slug and its numbered variants, by which taken ones are found. */
function slugStem(slug: string): string {
  return slug.slice(0, SLUG_LENGTH_MAX - NUMBER_LENGTH_MAX).replace(/-$/, '');
}

/** A slug made from a name, with a number behind it when it is taken (docs/contract/incidents.md 7.3). */
function slugFromName(name: string, taken: readonly string[]): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, SLUG_LENGTH_MAX)
    .replace(/-$/, '');
  const base = plain === '' ? 'project' : plain;
  const used = new Set(taken);
  if (!used.has(base)) return base;
  for (let number = 2; ; number += 1) {
    const candidate = `${slugStem(base)}-${number}`;
    if (!used.has(candidate)) return candidate;
  }
}
