import type { Role } from '@culprit/contract/endpoints/endpoint';
import { RECORD_KINDS, type RecordKind, type RequestField } from '@culprit/contract/endpoints/scope';
import type { Queryable } from '../../platform/db/database.ts';
import type { Authorize, CheckedRequest, ScopeKind } from '../../platform/http/binding/callers.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { parseId } from '../../platform/ids.ts';
import { isOperator, type OperatorSettings } from '../accounts/operators.ts';
import { findOwnedOrganization } from '../billing/billing.queries.ts';
import type { PlanSettings } from '../billing/plan.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import {
  findAccessibleProjects,
  findProjectAccess,
  findRecordAccess,
  hasRecord,
  type RecordTables,
} from './access.queries.ts';
import { isSharedAccessSuspended, type ProjectAccess } from './project-access.ts';

/** Access to a record of a project. */
export interface RecordAccess extends ProjectAccess {
  /** Bare; that of the record which the request names. */
  recordId: string;
}

/** The data that operations get about the subject of a request, by the kind of the endpoint's scope. */
export interface Access {
  organization: { organizationId: string };
  installation: null;
  project: ProjectAccess;
  /** Bare ids. Of a request that names no project, those whose sharing is paused are left out. */
  projects: { projectIds: readonly string[] };
  record: RecordAccess;
  /** One entry for each distinct record, in the order in which the request names them. */
  records: readonly RecordAccess[];
  project_record: RecordAccess;
}

const RANKS: Readonly<Record<Role, number>> = { member: 0, admin: 1, owner: 2 };

/**
 * Steps 7 to 9 of the order of checks (docs/contract/account.md 0), looked up for each request and never kept
 * (docs/contract/reliability.md A9): what the request names is visible, the role suffices, and other people's access is
 * not paused by the owner's plan (docs/contract/account.md 1.7). Foreign and unknown ids look the same.
 */
export function createAuthorizers({
  database,
  plans,
  operators,
  recordTables,
}: {
  database: Queryable;
  plans: PlanSettings;
  operators: OperatorSettings;
  recordTables: RecordTables;
}): { [Kind in ScopeKind]: Authorize<Member, Access[Kind], Kind> } {
  async function visibleProject(member: Member, id: string): Promise<ProjectAccess | null> {
    const projectId = parseId(['proj'], id);
    return projectId === null ? null : await findProjectAccess(database, plans, member.userId, projectId);
  }

  async function visibleRecords(
    member: Member,
    kind: RecordKind,
    ids: readonly string[],
  ): Promise<RecordAccess[]> {
    const { prefixes, missing } = RECORD_KINDS[kind];
    const table = recordTables[kind];
    const parsed = ids.map((id) => ({ id, recordId: parseId([...prefixes], id) }));
    const unread = parsed.flatMap(({ id, recordId }) => (recordId === null ? [id] : []));
    const numbered =
      unread.length === 0 ? undefined : await table.findByShortIds?.(database, member.userId, unread);
    const recordIds = new Set(parsed.map(({ id, recordId }) => recordId ?? numbered?.get(id) ?? null));
    const known = [...recordIds].filter((id) => id !== null);
    if (known.length < recordIds.size) throw new Problem(missing);
    const found = await findRecordAccess(database, plans, member.userId, table, known);
    const byId = new Map(found.map((access) => [access.recordId, access]));
    if (byId.size < known.length) throw new Problem(missing);
    return known.flatMap((id) => byId.get(id) ?? []);
  }

  function judge(access: ProjectAccess, leastRole: Role): void {
    if (RANKS[access.role] < RANKS[leastRole]) throw new Problem('forbidden');
    if (isSharedAccessSuspended(plans, access)) throw new Problem('shared_access_suspended');
  }

  return {
    async organization({ userId }) {
      const organizationId = await findOwnedOrganization(database, userId);
      if (organizationId === null) throw new Problem('forbidden');
      return { organizationId };
    },

    async installation({ userId }) {
      if (!(await isOperator(database, operators, userId))) throw new Problem('not_found');
      return null;
    },

    async project(member, scope, role, request) {
      const access = await visibleProject(member, named(scope.id, request));
      if (access === null) throw new Problem('project_not_found');
      judge(access, role);
      return access;
    },

    async projects(member, scope, role, request) {
      const id = field(scope.id, request);
      if (id === undefined) {
        return { projectIds: await findAccessibleProjects(database, plans, member.userId) };
      }
      const access = await visibleProject(member, String(id));
      if (access === null) throw new Problem('project_not_found');
      judge(access, role);
      return { projectIds: [access.projectId] };
    },

    async record(member, scope, role, request) {
      const [access] = await visibleRecords(member, scope.kind, [named(scope.id, request)]);
      if (access === undefined) throw new Problem(RECORD_KINDS[scope.kind].missing);
      judge(access, role);
      return access;
    },

    async records(member, scope, role, request) {
      const ids = field(scope.ids, request);
      if (!Array.isArray(ids)) throw new Error(`${scope.ids} is no list`);
      const found = await visibleRecords(member, scope.kind, ids.map(String));
      for (const access of found) judge(access, role);
      return found;
    },

    async project_record(member, scope, role, request) {
      const { prefixes, missing } = RECORD_KINDS[scope.kind];
      const access = await visibleProject(member, named(scope.project, request));
      if (access === null) throw new Problem(scope.hidesProject === true ? missing : 'project_not_found');
      const recordId = parseId([...prefixes], named(scope.id, request));
      if (recordId === null) throw new Problem(missing);
      const isThere = await hasRecord(database, recordTables[scope.kind], access.projectId, recordId);
      if (!isThere) throw new Problem(missing);
      judge(access, role);
      return { ...access, recordId };
    },
  };
}

/** The id in a field; the schemas have seen to it that there is one. */
function named(name: RequestField, request: CheckedRequest): string {
  const value = field(name, request);
  if (typeof value !== 'string') throw new Error(`${name} is no id`);
  return value;
}

function field(name: RequestField, request: CheckedRequest): unknown {
  const [part = '', key = ''] = name.split('.');
  const values: unknown = Object.entries(request).find(([each]) => each === part)?.[1];
  if (typeof values !== 'object' || values === null) return undefined;
  return Object.entries(values).find(([each]) => each === key)?.[1];
}
