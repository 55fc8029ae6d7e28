import { TRACKER_FACTS, TRACKERS_MAX, type TrackerKind } from '@culprit/contract/alerts/tracker-words';
import type {
  createTracker as createEndpoint,
  deleteTracker as deleteEndpoint,
  Tracker,
  updateTracker as updateEndpoint,
} from '@culprit/contract/alerts/trackers';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import { requireTarget } from '../../platform/outbound/require-target.ts';
import type { Keys } from '../../platform/secrets/keys.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { lockProject } from '../../workspace/projects/projects.queries.ts';
import { generateSecret } from '../../workspace/tokens/token.ts';
import { appKeyIn, isAppKey } from './github-app.ts';
import { TICKET_FIELDS } from './jira.ts';
import { newTrackerHook } from './new-tracker-hook.ts';
import type { ExtraField } from './tracker-api.ts';
import { TRACKER_APIS } from './tracker-apis.ts';
import { sealTrackerSecret } from './tracker-secrets.ts';
import {
  countTrackers,
  deleteTrackerRow,
  findTracker,
  insertTracker,
  isTrackerAlerted,
  isTrackerUsed,
  lockTracker,
  type TrackerSettings,
  updateSettings,
} from './trackers.queries.ts';

/** The address of a new tracker. @throws Problem `invalid_payload`, `blocked_target` */
export function checkNewTracker(
  { outbound }: Pick<Runtime, 'outbound'>,
  { body }: { body: BodyOf<typeof createEndpoint> },
): string {
  if (body.kind !== 'generic' && body.token === undefined) {
    throw invalidPayload('/token', 'is needed for this kind of tracker');
  }
  return requireBaseUrl(outbound, body.kind, body.base_url);
}

/** The stored form of an address of a tracker, without a final slash. @throws Problem `invalid_payload`, `blocked_target` */
export function requireBaseUrl(
  outbound: Runtime['outbound'],
  kind: TrackerKind,
  given: string | undefined,
): string {
  const text = given ?? TRACKER_FACTS[kind].baseUrl;
  if (text === null) throw invalidPayload('/base_url', 'is needed for this kind of tracker');
  const url = requireTarget(outbound, text, '/base_url');
  // The whole address of a generic tracker is that of its people.
  if (kind === 'generic') return url;
  if (new URL(url).search !== '') throw invalidPayload('/base_url', 'must have no query');
  return url.replace(/\/$/, '');
}

/**
 * Connects a tracker (docs/contract/team-workflow.md 7.1), a generic one with the address of its reports and, without
 * `token`, a new secret, which is answered once.
 * @throws Problem `project_not_found`, `resource_limit_reached`
 */
export async function createTracker(
  runtime: Pick<Runtime, 'database' | 'keys' | 'baseUrl'>,
  request: ApiRequest<typeof createEndpoint, string>,
): Promise<{ tracker: Tracker; secret?: string }> {
  const { database, keys } = runtime;
  const { access, caller, body, checked: baseUrl } = request;
  const { projectId } = access;
  const trackerId = newUuid();
  const secret = body.token === undefined ? generateSecret() : null;
  const settings = changedSettings(keys, body.kind, trackerId, newSettings(body.kind), {
    ...body,
    ...(secret === null ? {} : { token: secret }),
  });
  const hook = body.kind === 'generic' ? newTrackerHook(runtime, trackerId) : null;
  const tracker = await database.transaction(async (transaction) => {
    if ((await lockProject(transaction, projectId)) === null) throw new Problem('project_not_found');
    if ((await countTrackers(transaction, projectId)) >= TRACKERS_MAX) {
      throw new Problem('resource_limit_reached');
    }
    const { kind } = body;
    await insertTracker(transaction, {
      ...{ trackerId, projectId, createdByUserId: caller.userId, kind, baseUrl, settings, hook },
    });
    return await findTracker(transaction, projectId, trackerId);
  });
  if (tracker === null) throw new Error('an inserted tracker is not there');
  await recordAudit(database, request, {
    ...access,
    action: 'tracker.created',
    actorUserId: caller.userId,
    subject: `tracker:${trackerId}`,
  });
  return secret === null ? { tracker } : { tracker, secret };
}

/** Changes a tracker. @throws Problem `tracker_not_found`, `invalid_payload`, `tracker_in_use` */
export async function updateTracker(
  { database, keys }: Pick<Runtime, 'database' | 'keys'>,
  request: ApiRequest<typeof updateEndpoint>,
): Promise<Tracker> {
  const { access, caller, body } = request;
  const { projectId, recordId: trackerId } = access;
  const tracker = await database.transaction(async (transaction) => {
    const held = await lockTracker(transaction, projectId, trackerId);
    if (held === null) throw new Problem('tracker_not_found');
    const settings = changedSettings(keys, held.kind, trackerId, held.settings, body);
    // The tickets that are linked belong to the target of before.
    const isMoved = settings.target !== held.settings.target;
    if (isMoved && (await isTrackerUsed(transaction, trackerId))) throw new Problem('tracker_in_use');
    await updateSettings(transaction, projectId, trackerId, settings);
    return await findTracker(transaction, projectId, trackerId);
  });
  if (tracker === null) throw new Error('an updated tracker is not there');
  await recordAudit(database, request, {
    ...access,
    action: 'tracker.updated',
    actorUserId: caller.userId,
    subject: `tracker:${trackerId}`,
    data: { fields: Object.keys(body).join(' ') },
  });
  return tracker;
}

/** Disconnects a tracker. @throws Problem `tracker_not_found`, `tracker_in_use` */
export async function deleteTracker(
  { database }: Pick<Runtime, 'database'>,
  request: ApiRequest<typeof deleteEndpoint>,
): Promise<void> {
  const { access, caller, query } = request;
  const { projectId, recordId: trackerId } = access;
  await database.transaction(async (transaction) => {
    if ((await lockTracker(transaction, projectId, trackerId)) === null) {
      throw new Problem('tracker_not_found');
    }
    const isUsed = async () =>
      (await isTrackerUsed(transaction, trackerId)) ||
      (await isTrackerAlerted(transaction, projectId, trackerId));
    if (query.unlink === undefined && (await isUsed())) throw new Problem('tracker_in_use');
    await deleteTrackerRow(transaction, projectId, trackerId);
  });
  await recordAudit(database, request, {
    ...access,
    action: 'tracker.deleted',
    actorUserId: caller.userId,
    subject: `tracker:${trackerId}`,
  });
}

function newSettings(kind: TrackerKind): TrackerSettings {
  return {
    name: TRACKER_FACTS[kind].name,
    target: '',
    user: null,
    issueType: kind === 'jira' ? 'Task' : null,
    extraFields: [],
    closeOnResolve: true,
    reopenOnRegress: true,
    resolveOnClose: true,
    wontFix: 'snooze',
    syncAssignee: 'none',
    syncNotes: false,
    sealedToken: Buffer.alloc(0),
  };
}

/** @throws Problem `invalid_payload` for fields that the tickets of this kind do not take */
function extraFieldsOf(kind: TrackerKind, fields: readonly ExtraField[]): readonly ExtraField[] {
  if (kind !== 'jira' && fields.length > 0) throw invalidPayload('/extra_fields', 'are only for Jira');
  for (const [index, { id }] of fields.entries()) {
    const place = `/extra_fields/${index}/id`;
    if (TICKET_FIELDS.includes(id)) throw invalidPayload(place, 'is a field that every ticket has');
    if (fields.findIndex((each) => each.id === id) < index) throw invalidPayload(place, 'is there already');
  }
  return fields;
}

/** @throws Problem `invalid_payload` for a private key that is none of a GitHub App */
export function requireApp(kind: TrackerKind, token: string, user: string | null): void {
  if (kind !== 'github') throw invalidPayload('/token', 'is a private key, which only GitHub takes');
  if (appKeyIn(token) === null) throw invalidPayload('/token', 'is not a whole private key (RSA)');
  if (user === null)
    throw invalidPayload('/user', 'must be the ID of the GitHub App to which the key belongs');
}

/** @throws Problem `invalid_payload` for a target that names nothing, or a token of another kind */
function changedSettings(
  keys: Keys,
  kind: TrackerKind,
  trackerId: string,
  before: TrackerSettings,
  body: BodyOf<typeof updateEndpoint>,
): TrackerSettings {
  const target = body.target ?? before.target;
  if (!TRACKER_APIS[kind].target.test(target)) {
    const { target: noun, example } = TRACKER_FACTS[kind];
    throw invalidPayload('/target', `must be a ${noun.toLowerCase()} such as ${example}`);
  }
  const user = body.user === undefined ? before.user : body.user;
  if (body.token !== undefined && isAppKey(body.token)) requireApp(kind, body.token, user);
  return {
    name: body.name?.trim() ?? before.name,
    target,
    user,
    issueType: body.issue_type === undefined ? before.issueType : (body.issue_type?.trim() ?? null),
    extraFields:
      body.extra_fields === undefined ? before.extraFields : extraFieldsOf(kind, body.extra_fields),
    closeOnResolve: body.close_on_resolve ?? before.closeOnResolve,
    reopenOnRegress: body.reopen_on_regress ?? before.reopenOnRegress,
    resolveOnClose: body.resolve_on_close ?? before.resolveOnClose,
    wontFix: body.wont_fix ?? before.wontFix,
    syncAssignee: body.sync_assignee ?? before.syncAssignee,
    syncNotes: body.sync_notes ?? before.syncNotes,
    sealedToken:
      body.token === undefined ? before.sealedToken : sealTrackerSecret(keys, body.token, trackerId),
  };
}
