// Proves 36.
import { api } from '@culprit/contract/endpoints/api';
import { type Endpoint, problemsOf } from '@culprit/contract/endpoints/endpoint';
import { PROBLEM_STATUS } from '@culprit/contract/endpoints/problems';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { countRows } from '../support/count-rows.ts';
import { eventually } from '../support/eventually.ts';
import type { CallerStage } from './callers.ts';
import { type IdPlace, idAt, idPlaces, kindOf, NO_REFERENCES, otherIdFields, withId } from './id-places.ts';
import { type OperationRequest, type RawAnswer, sendOperation } from './operation-request.ts';
import { operationRequests } from './operation-requests.ts';
import { openTheatre, type Theatre } from './stage.ts';
import type { Actor, Tenant } from './tenant.ts';

/**
 * docs/contract/reliability.md test 36: every id in path, query and body of every operation is replaced by one of
 * another tenant, one that nobody has, one of another kind and one that is none. The first three cannot be told apart,
 * byte by byte.
 */

const ENDPOINTS = api.filter((endpoint) => idPlaces(endpoint).length > 0);
/** Where an id is the only proof there is, nobody is a stranger. */
const FOR_PEOPLE = ENDPOINTS.filter(({ auth }) => auth !== 'public');

let theatre: Theatre;
let stage: CallerStage;
/** Own ids of every kind, and the request of each operation that they stand in. */
const own = new Map<string, OperationRequest>();
const foreign = new Map<string, OperationRequest>();
/** An own id of each kind. */
const ownIds = new Map<string, string>();
/** What the other tenant's owner sees before anybody tries anything. */
let foreignBefore: string[];
beforeAll(async () => {
  theatre = await openTheatre();
  stage = await theatre.newStage();
  for (const endpoint of ENDPOINTS) {
    own.set(endpoint.id, await requestOf(endpoint, stage.tenant));
    foreign.set(endpoint.id, await requestOf(endpoint, stage.foreign));
    for (const place of idPlaces(endpoint))
      ownIds.set(kindOf(endpoint, place), idAt(requestIn(own, endpoint), place));
  }
  await theatre.culprit.drain();
  await eventually(async () => {
    const waiting = await countRows(theatre.culprit, 'webhook_deliveries where next_attempt_at is not null');
    if (waiting > 0) throw new Error(`${waiting} deliveries wait`);
  });
  foreignBefore = await readAll(stage.foreign);
});
afterAll(() => theatre?.stop());

async function requestOf(endpoint: Endpoint, tenant: Tenant): Promise<OperationRequest> {
  const make = operationRequests[endpoint.id];
  if (make === undefined) throw new Error(`no request is made up for ${endpoint.id}`);
  return await make({ ...stage, tenant }, tenant.owner);
}

function requestIn(requests: ReadonlyMap<string, OperationRequest>, endpoint: Endpoint): OperationRequest {
  const request = requests.get(endpoint.id);
  if (request === undefined) throw new Error(`no request of ${endpoint.id}`);
  return request;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

function withUuid(id: string, uuid: string): string {
  return id.replace(UUID, uuid);
}

/** Ids that name nothing, in forms that name something elsewhere. */
function unknownIds(id: string): string[] {
  return [
    withUuid(id, newUuid()),
    withUuid(id, crypto.randomUUID()),
    withUuid(id, '00000000-0000-0000-0000-000000000000'),
    newUuid(),
    `${id}0`,
    `x_${id}`,
    `${id}_${id}`,
    'x',
    '-',
    '_',
    'null',
    '__proto__',
    'a'.repeat(128),
  ].filter((unknown) => unknown.length <= 128);
}

/** Own ids of all other kinds, one of each: unchanged, bare, and with the prefix of the right kind. */
function idsOfOtherKinds(endpoint: Endpoint, place: IdPlace, id: string): string[] {
  const kind = kindOf(endpoint, place);
  const others = [...ownIds].flatMap(([other, ownId]) => (other === kind ? [] : ownId));
  const { organizationId, owner } = stage.tenant;
  const all = [...others, organizationId, ...(kind === 'member' ? [] : [owner.userId])];
  const uuids = all.flatMap((other) => UUID.exec(other) ?? []);
  return [...new Set([...all, ...uuids, ...uuids.map((uuid) => withUuid(id, uuid))])];
}

/** What is no id at all; in a path some of it is escaped, and would mean something if it were read twice. */
function malformedIds(place: IdPlace): string[] {
  const texts = ['a b', 'a.b', 'a/b', "a'--", 'a"b', 'ü', 'a'.repeat(129), '../x', 'a\u0000b', ' a', 'a\n'];
  return place.part === 'params'
    ? [...texts.map(encodeURIComponent), '%00', '%2e%2e%2fx', '%252e', '%ff', '%'].filter((text) =>
        text.includes('%'),
      )
    : texts;
}

async function ask(endpoint: Endpoint, request: OperationRequest, actor: Actor): Promise<RawAnswer> {
  const presented = endpoint.auth === 'public' ? {} : { authorization: `Bearer ${actor.memberToken}` };
  return await sendOperation(stage.culprit.url, endpoint, request, presented);
}

/** All of an answer but what differs from request to request by itself. */
function bytesOf({ status, headers, text }: RawAnswer): string {
  const kept = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
  return `${status}\n${kept.map(([name, value]) => `${name}: ${value}\n`).join('')}\n${text}`;
}

function codeOf({ text }: RawAnswer): unknown {
  const body: unknown = JSON.parse(text);
  return isJsonObject(body) ? body.error : undefined;
}

/** What tells the moment at which it is asked for. */
const TELLING_THE_MOMENT = ['listLifecycle', 'streamChanges', 'tailEvents'];

/** Everything a tenant's owner can read, but for what changes by itself: times of use, and states of new installs. */
async function readAll(tenant: Tenant): Promise<string[]> {
  const texts: string[] = [];
  const steadyOnes = api.filter(
    ({ method, auth, id }) => method === 'GET' && auth === 'member' && !TELLING_THE_MOMENT.includes(id),
  );
  for (const endpoint of steadyOnes) {
    const known = (tenant === stage.foreign ? foreign : own).get(endpoint.id);
    const { text } = await ask(endpoint, known ?? (await requestOf(endpoint, tenant)), tenant.owner);
    const steady = text
      .replaceAll(/"last_used_at":"[^"]*"/g, '"last_used_at":"then"')
      .replaceAll(/([?&]state=)[^&"]*/g, '$1new');
    texts.push(`${endpoint.id} ${steady}`);
  }
  return texts;
}

const named = (endpoints: readonly Endpoint[]) =>
  endpoints.map((endpoint): [string, Endpoint] => [`${endpoint.method} ${endpoint.path}`, endpoint]);

describe('ids in requests', () => {
  it('are found in path, query and body by the schemas, and every other field with such a name is known', () => {
    const kinds = new Set(
      ENDPOINTS.flatMap((endpoint) => idPlaces(endpoint).map((place) => kindOf(endpoint, place))),
    );
    expect([...kinds].sort()).toEqual([
      'activation',
      'alert',
      'availability_check',
      'capture_rule',
      'delivery',
      'fix',
      'heartbeat',
      'improvement',
      'incident',
      'invite',
      'link',
      'member',
      'note',
      'project',
      'regrouping',
      'release',
      'request',
      'service',
      'slack_destination',
      'source_map',
      'team',
      'token of member',
      'token of projects',
      'tracker',
      'upload',
      'view',
      'webhook',
      'weekly_report_channel',
    ]);
    const parts = new Set(ENDPOINTS.flatMap((endpoint) => idPlaces(endpoint).map(({ part }) => part)));
    expect([...parts].sort()).toEqual(['body', 'params', 'query']);
    expect(api.flatMap(otherIdFields).sort()).toEqual([...NO_REFERENCES].sort());
  });

  it.each(named(ENDPOINTS))(
    '%s refuses what is no id, with the code of its place',
    async (_name, endpoint) => {
      const request = requestIn(own, endpoint);
      const wrong: string[] = [];
      for (const place of idPlaces(endpoint)) {
        for (const id of malformedIds(place)) {
          const answer = await ask(endpoint, withId(request, place, id), stage.tenant.owner);
          const isRight =
            answer.status === PROBLEM_STATUS[place.malformed] && codeOf(answer) === place.malformed;
          if (!isRight) wrong.push(`${place.name} ${id}: ${answer.status} ${answer.text}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  it.each(named(FOR_PEOPLE))(
    '%s tells nobody whether an id is of another tenant, of another kind or of nobody',
    async (_name, endpoint) => {
      const request = requestIn(own, endpoint);
      for (const role of ['owner', 'admin', 'member'] as const) {
        for (const place of idPlaces(endpoint)) {
          const id = idAt(request, place);
          const foreignId = idAt(requestIn(foreign, endpoint), place);
          // Roles share the query for the record, so one role tries the ids of every other kind.
          const others = idsOfOtherKinds(endpoint, place, id);
          const candidates = [
            foreignId,
            UUID.exec(foreignId)?.[0] ?? '',
            ...(role === 'owner'
              ? [...unknownIds(id), ...others]
              : [withUuid(id, newUuid()), ...others.slice(-1)]),
          ];
          const answers = new Map<string, string[]>();
          for (const candidate of candidates) {
            const answer = await ask(endpoint, withId(request, place, candidate), stage.tenant[role]);
            const bytes = bytesOf(answer);
            answers.set(bytes, [...(answers.get(bytes) ?? []), candidate]);
            if (answers.size > 1) break;
          }
          expect([role, place.name, [...answers].slice(1)]).toEqual([role, place.name, []]);
          const [bytes = ''] = answers.keys();
          const code = /"error":"(\w+)"/.exec(bytes)?.[1];
          // Who may not do it is told so before the ids beside that of the record are looked at.
          const isRefused = endpoint.role !== undefined && role !== 'owner' && code === 'forbidden';
          expect([role, place.name, bytes.slice(0, 3), code]).toEqual([
            role,
            place.name,
            isRefused ? '403' : '404',
            isRefused ? 'forbidden' : expect.stringMatching(/_not_found$/),
          ]);
          expect(problemsOf(endpoint)).toContain(code);
        }
      }
    },
  );

  it.each(named(FOR_PEOPLE.filter((endpoint) => idPlaces(endpoint).length > 1)))(
    '%s looks at the outer of two ids before it looks at the inner',
    async (_name, endpoint) => {
      const mine = requestIn(own, endpoint);
      const theirs = requestIn(foreign, endpoint);
      const [outer, inner] = idPlaces(endpoint);
      if (outer === undefined || inner === undefined) throw new Error('no two ids');
      const nobodys = withId(mine, outer, withUuid(idAt(mine, outer), newUuid()));
      const requests = [
        nobodys,
        withId(nobodys, inner, newUuid()),
        withId(nobodys, inner, idAt(theirs, inner)),
        // What is theirs where it belongs, and what is ours where it does not.
        theirs,
        withId(mine, outer, idAt(theirs, outer)),
        withId(theirs, inner, newUuid()),
      ];
      const answers = new Set<string>();
      for (const request of requests) answers.add(bytesOf(await ask(endpoint, request, stage.tenant.owner)));
      expect([...answers]).toEqual([expect.stringMatching(/^404\n(?:.*\n)*\{"error":"\w+_not_found"\}$/)]);
    },
  );

  it.each(['resolveIncidents', 'reopenIncidents'])(
    "%s changes none of its incidents when one of them is not the caller's",
    async (id) => {
      const endpoint = api.find((each) => each.id === id);
      if (endpoint === undefined) throw new Error('no endpoint');
      const { owner } = stage.tenant;
      const ownId = (await stage.tenant.incident()).incidentId;
      const foreignId = (await stage.foreign.incident()).incidentId;
      const before = await readAll(stage.tenant);
      const answers = new Set<string>();
      for (const other of [foreignId, `inc_${newUuid()}`, 'x']) {
        for (const ids of [
          [ownId, other],
          [other, ownId],
          [ownId, ownId, other],
        ]) {
          answers.add(bytesOf(await ask(endpoint, { body: { incident_ids: ids } }, owner)));
        }
      }
      expect([...answers]).toEqual([expect.stringContaining('{"error":"incident_not_found"}')]);
      expect(await readAll(stage.tenant)).toEqual(before);
    },
  );

  it('nothing of the other tenant was changed by any of this', async () => {
    for (const endpoint of FOR_PEOPLE) {
      const theirs = requestIn(foreign, endpoint);
      const { status } = await ask(endpoint, theirs, stage.tenant.owner);
      expect([endpoint.id, status]).toEqual([endpoint.id, 404]);
    }
    expect(await readAll(stage.foreign)).toEqual(foreignBefore);
  });
});
