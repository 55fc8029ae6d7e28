import { policyOf } from '@culprit/contract/capture/policy';
import { api } from '@culprit/contract/endpoints/api';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import { isJsonObject, type JsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import { tokenHash } from '../../src/workspace/tokens/token.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { type IdPlace, idAt, idPlaces, kindOf, withId } from './id-places.ts';
import { type OperationRequest, type RawAnswer, sendOperation } from './operation-request.ts';
import { operationRequests } from './operation-requests.ts';
import { sharedEvents } from './shared-events.ts';
import type { Theatre } from './stage.ts';
import { createTenant, type Tenant, usualSession } from './tenant.ts';

/** One of the two tenants, and everything that is its own alone. */
export interface Side {
  name: string;
  /** Stands in every text of the side, and nowhere else. */
  mark: string;
  tenant: Tenant;
  /** Invites the side's people into projects of its own, and belongs to the side. */
  host: Tenant;
  /** Ids by what they name, as they were seen in answers to the side. */
  ids: Map<string, Set<string>>;
  /** Ids of any kind that answers to the side have shown. */
  uuids: Set<string>;
  cursors: string[];
}

/** What came of one operation. */
export interface Outcome {
  id: string;
  side: string;
  status: number;
  /** Whether it asked for something of the other side. */
  isForeign: boolean;
  /** What of the other side was in the answer. */
  leaks: string[];
}

/** What a side sees when it looks at everything it has. */
interface Inventory {
  leaks: string[];
  bundles: number;
  /** Places where its mark stands. */
  marks: number;
  fingerprints: Set<string>;
}

/**
 * Left out are those without a tenant, those that nobody succeeds with, the end of the account, and the trial, whose
 * request takes the plan back to Free and so shuts everybody but the owner out.
 */
const ENDPOINTS = api.filter((endpoint) => {
  const policy = policyOf(endpoint);
  const succeeds = Object.values(policy).some((verdict) => typeof verdict === 'number');
  return !('anybody' in policy) && succeeds && !['deleteAccount', 'startTrial'].includes(endpoint.id);
});
/** Events are what most of what is read is made of. */
const CHOICES = [
  ...ENDPOINTS,
  ...ENDPOINTS.filter(({ id }) => id === 'postEvents').flatMap((each) => [each, each, each]),
];

/** What would end a side if it were done to its own people and projects: only done to those made for it. */
const ENDS_THINGS = [
  'deleteProject',
  'leaveProject',
  'removeMember',
  'changeMemberRole',
  'revokeMemberToken',
  'revokeProjectToken',
];

/** Lists grow with every operation; the contract limits them. */
const ROOM_EVERY = 100;

const ROLES = ['owner', 'owner', 'admin', 'member'] as const;

/** A side with a tenant, and one more that invites its people. */
export async function createSide(theatre: Theatre, name: string): Promise<Side> {
  const mark = `${name}mark${crypto.randomUUID().slice(0, 8)}`;
  const tenant = await createTenant(theatre.culprit, mark);
  const host = await createTenant(theatre.culprit, mark);
  return { name, mark, tenant, host, ids: new Map(), uuids: new Set(), cursors: [] };
}

/** Lets somebody of a side do something, as it should be or with ids of the other side. */
export async function operateAtRandom(
  theatre: Theatre,
  sides: readonly [Side, Side],
  random: SeededRandom,
  step: number,
): Promise<Outcome> {
  if (step % ROOM_EVERY === 0) await makeRoom(theatre, sides);
  const [side, other] = random.chance(0.5) ? sides : [sides[1], sides[0]];
  const endpoint = random.pick(CHOICES);
  const role = random.pick(ROLES);
  const made = await makeRequest(theatre, side, endpoint, role);
  for (const place of idPlaces(endpoint)) keepId(side, kindOf(endpoint, place), idAt(made, place));

  const places = idPlaces(endpoint).filter((place) => idsOf(other, endpoint, place).length > 0);
  const isForeign = places.length > 0 && random.chance(0.35);
  let request = withMark(endpoint, made, side, random);
  if (isForeign) {
    for (const place of random.chance(0.5) ? places : [random.pick(places)]) {
      request = withId(request, place, random.pick(idsOf(other, endpoint, place)));
    }
  } else if (random.chance(0.3) && !ENDS_THINGS.includes(endpoint.id)) {
    const place = random.pick([...idPlaces(endpoint), null]);
    if (place !== null) request = withId(request, place, random.pick(idsOf(side, endpoint, place)));
  }
  if (random.chance(0.4)) request = onAPage(endpoint, request, random, [...side.cursors, ...other.cursors]);

  const answer = await ask(theatre, side, endpoint, request, role, random.chance(0.3));
  const leaks = look(answer, side, other).map((leak) => `step ${step}: ${side.name} ${endpoint.id}: ${leak}`);
  return { id: endpoint.id, side: side.name, status: answer.status, isForeign, leaks };
}

/** Lets the people of a side read everything they can, and every incident with all that hangs on it. */
export async function readEverything(theatre: Theatre, side: Side, other: Side): Promise<Inventory> {
  const inventory: Inventory = { leaks: [], bundles: 0, marks: 0, fingerprints: new Set() };

  async function read(endpoint: Endpoint, request: OperationRequest, role: Role): Promise<RawAnswer> {
    const answer = await ask(theatre, side, endpoint, request, role, false);
    inventory.leaks.push(...look(answer, side, other).map((leak) => `${side.name} ${endpoint.id}: ${leak}`));
    inventory.marks += answer.text.split(side.mark).length - 1;
    if (endpoint.id === 'getIncidentBundle' && answer.text.includes('"generation_number"'))
      inventory.bundles += 1;
    for (const [, print = ''] of answer.text.matchAll(/"fingerprint":"([0-9a-f]{64})"/g)) {
      inventory.fingerprints.add(print);
    }
    return answer;
  }

  for (const endpoint of ENDPOINTS.filter(({ method }) => method === 'GET')) {
    for (const role of ['owner', 'member'] as const) {
      const request = await makeRequest(theatre, side, endpoint, role);
      const query = endpoint.query?.properties.limit === undefined ? {} : { limit: '100' };
      await read(endpoint, { ...request, query: { ...request.query, ...query } }, role);
    }
  }
  const ofIncidents = ENDPOINTS.filter(
    ({ method, path }) => /^\/v1\/incidents\/:id(?!.*\/:)/.test(path) && method === 'GET',
  );
  for (const id of idsIn(side, 'incident')) {
    for (const endpoint of ofIncidents) await read(endpoint, { params: { id } }, 'member');
  }
  return inventory;
}

type Role = (typeof ROLES)[number];

async function makeRequest(
  { culprit, github, oidc, slack, receiver }: Theatre,
  { tenant, host }: Side,
  endpoint: Endpoint,
  role: Role,
): Promise<OperationRequest> {
  const make = operationRequests[endpoint.id];
  if (make === undefined) throw new Error(`no request is made up for ${endpoint.id}`);
  return await make({ culprit, github, oidc, slack, receiver, tenant, host }, tenant[role]);
}

async function ask(
  { culprit }: Theatre,
  { tenant }: Side,
  endpoint: Endpoint,
  request: OperationRequest,
  role: Role,
  byCookie: boolean,
): Promise<RawAnswer> {
  const { url } = culprit;
  if (endpoint.auth === 'project_token') {
    return await sendOperation(url, endpoint, request, bearer(tenant.project.projectToken));
  }
  if (endpoint.auth === 'member' && !byCookie) {
    return await sendOperation(url, endpoint, request, bearer(tenant[role].memberToken));
  }
  const { cookie, csrfToken } = await usualSession(culprit, tenant[role], tenant.organizationId);
  return await sendOperation(url, endpoint, request, { cookie, 'x-csrf-token': csrfToken });
}

function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/**
 * Every UUID of a text, but for two that are nobody's: the one that stands for no incident in tests of webhooks and
 * alerts, and the nil UUID (RFC 9562 section 5.9), with which a position before the first row is written.
 */
export const UUID =
  /(?!00000000-0000-(?:4000-8000|0000-0000)-0{12})[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Looks through an answer for what is the other side's, and keeps what it shows of the side's own. */
function look({ text }: RawAnswer, side: Side, other: Side): string[] {
  const leaks = text.includes(other.mark) ? [`the mark of ${other.name} in ${text.slice(0, 500)}`] : [];
  for (const [uuid] of text.matchAll(UUID)) {
    if (other.uuids.has(uuid)) leaks.push(`${uuid}, which ${other.name} was shown before`);
    else side.uuids.add(uuid);
  }
  if (text.startsWith('{')) keepNamed(side, JSON.parse(text));
  return leaks;
}

const KIND_OF_FIELD: Readonly<Record<string, string>> = {
  project_id: 'project',
  incident_id: 'incident',
  invite_id: 'invite',
  activation_id: 'activation',
  regrouping_id: 'regrouping',
  user_id: 'member',
  webhook_id: 'webhook',
  delivery_id: 'delivery',
  channel_id: 'weekly_report_channel',
  slack_destination_id: 'slack_destination',
};

function keepNamed(side: Side, value: JsonValue): void {
  if (Array.isArray(value)) for (const item of value) keepNamed(side, item);
  if (!isJsonObject(value)) return;
  for (const [name, field] of Object.entries(value)) {
    const kind = KIND_OF_FIELD[name];
    if (kind !== undefined && typeof field === 'string') keepId(side, kind, field);
    else if (name === 'next_cursor' && typeof field === 'string') keepCursor(side, field);
    else keepNamed(side, field);
  }
}

const KEPT_MAX = 60;

function keepId(side: Side, kind: string, id: string): void {
  const ids = side.ids.get(kind) ?? new Set();
  side.ids.set(kind, ids);
  ids.add(id);
  const [oldest = id] = ids;
  if (ids.size > KEPT_MAX) ids.delete(oldest);
}

function keepCursor(side: Side, cursor: string): void {
  side.cursors.push(cursor);
  if (side.cursors.length > KEPT_MAX) side.cursors.shift();
}

function idsIn(side: Side, kind: string): string[] {
  return [...(side.ids.get(kind) ?? [])];
}

function idsOf(side: Side, endpoint: Endpoint, place: IdPlace): string[] {
  return idsIn(side, kindOf(endpoint, place));
}

const MARKED_FIELDS = ['name', 'label', 'description', 'slug'];

/** The request with the side's mark wherever a text can stand; events have it in them. */
function withMark(
  { id }: Endpoint,
  request: OperationRequest,
  { mark }: Side,
  random: SeededRandom,
): OperationRequest {
  const { body } = request;
  if (body === undefined) return request;
  if (id === 'postEvents') return { ...request, body: { events: sharedEvents(random, mark) } };
  const marked: JsonObject = {};
  for (const [name, value] of Object.entries(body)) {
    const isText = MARKED_FIELDS.includes(name) && typeof value === 'string';
    marked[name] = isText ? `${mark}-${value}` : value;
  }
  return { ...request, body: marked };
}

function onAPage(
  endpoint: Endpoint,
  request: OperationRequest,
  random: SeededRandom,
  cursors: readonly string[],
): OperationRequest {
  if (endpoint.query?.properties.cursor === undefined) return request;
  const cursor = cursors.length > 0 && random.chance(0.4) ? { cursor: random.pick(cursors) } : {};
  return { ...request, query: { ...request.query, limit: String(random.integer(1, 3)), ...cursor } };
}

/** Removes what operations have piled up, but for what the sides began with. */
async function makeRoom({ culprit }: Theatre, sides: readonly [Side, Side]): Promise<void> {
  const people = sides.flatMap(({ tenant, host }) =>
    [tenant, host].flatMap(({ owner, admin, member }) => [owner, admin, member]),
  );
  const userIds = people.map(({ userId }) => userId);
  const hashes = people.map(({ memberToken }) => tokenHash(memberToken));
  for (const [name, text, parameters] of [
    [
      'tokens',
      `update member_tokens set revoked_at = culprit_now() where revoked_at is null and token_hash <> all ($1)`,
      [hashes],
    ],
    [
      'project-tokens',
      `update project_tokens set revoked_at = culprit_now() where revoked_at is null and label <> 'bootstrap'`,
      [],
    ],
    ['rules', 'delete from capture_rules', []],
    ['rule-counts', 'update projects set capture_rule_count = 0, capture_version = capture_version + 1', []],
    ['members', `delete from project_members where role <> 'owner' and user_id <> all ($1)`, [userIds]],
    ['invites', 'delete from project_invites', []],
    ['webhooks', 'delete from webhooks', []],
    ['checks', 'delete from availability_checks', []],
    ['alerts', 'delete from alert_rules', []],
    ['destinations', 'delete from slack_destinations', []],
    ['report-channels', `delete from weekly_report_channels where channel = 'slack'`, []],
  ] as const) {
    await culprit.database.query({ name: `test-room-${name}`, text }, parameters);
  }
}
