// Proves 37.

import { policyOf } from '@culprit/contract/capture/policy';
import { api } from '@culprit/contract/endpoints/api';
import { isJsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import type { CallerStage } from './callers.ts';
import {
  EVERY_CONTROL,
  jsonOf,
  NESTED_RULE,
  named,
  type ProjectRole,
  type RoleClient,
  roleClient,
  valuesAt,
} from './role-client.ts';
import { openTheatre, type Theatre } from './stage.ts';

/** docs/contract/reliability.md test 37, first half: what answers show to each role. */

const ROLES: readonly ProjectRole[] = ['owner', 'admin', 'member'];

let theatre: Theatre;
let stage: CallerStage;
let client: RoleClient;
beforeAll(async () => {
  theatre = await openTheatre();
  stage = await theatre.newStage();
  client = roleClient(stage);
  await fillProject();
});
afterAll(() => theatre?.stop());

/** Something in every list, made by the owner, so that there is something to hide. */
async function fillProject(): Promise<void> {
  const { tenant } = stage;
  const { incidentId, eventId } = await tenant.incident();
  const params = { id: tenant.project.projectId };
  await client.call('updateCapturePolicy', { params, body: { ...EVERY_CONTROL, preset: 'minimal' } });
  await client.call('createCaptureRule', {
    params,
    body: { ...NESTED_RULE, created_from_incident_id: incidentId, created_from_event_id: eventId },
  });
  for (const id of ['createSuggestedCaptureRule', 'activateProbe', 'testWebhook', 'createProjectToken']) {
    await client.call(id, await client.request(id));
  }
}

/** Paths of every object schema that takes keys it does not name. */
function openObjects(schema: unknown, path = ''): string[] {
  if (Array.isArray(schema)) return schema.flatMap((each) => openObjects(each, path));
  if (!isJsonObject(schema)) return [];
  const isOpen = schema.type === 'object' && schema.additionalProperties !== false;
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  return [
    ...(isOpen ? [path] : []),
    ...properties.flatMap(([name, each]) => openObjects(each, `${path}.${name}`)),
    ...openObjects(schema.items ?? null, `${path}[]`),
    ...openObjects(schema.anyOf ?? null, path),
  ];
}

/** Paths at which two answers differ; items of lists by their place. */
function differences(a: JsonValue, b: JsonValue, path = ''): string[] {
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    return a.flatMap((item, index) => differences(item, b[index] ?? null, `${path}[]`));
  }
  if (isJsonObject(a) && isJsonObject(b)) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
      differences(a[key] ?? null, b[key] ?? null, path === '' ? key : `${path}.${key}`),
    );
  }
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [path];
}

describe('what answers show', () => {
  it('is named by schemas that take no other key, but for what applications send and for exports', () => {
    const open = api.flatMap(({ id, responses }) =>
      Object.values(responses).flatMap((schema) => openObjects(schema).map((path) => `${id}${path}`)),
    );
    // The names of a query are the asker's own; their values are masked. A probe captures what its application names, and
    // headers are named by the service itself.
    const known =
      /^(?:testAvailabilityTarget\.result\.checked_url_query|listProbeResults\.results\[\]\.data|getWebhookDelivery\.headers|getIncidentEvent|getIncidentBundle|getIncidentReproduction|getImprovementBundle|exportAccount)\b/;
    expect(open.filter((path) => !known.test(path))).toEqual([]);
  });

  // A stream has an end of its own, and its test.
  const answering = api.filter(
    ({ id, isEventStream }) => id !== 'deleteAccount' && id !== 'logOut' && isEventStream !== true,
  );

  it.each(named(answering))(
    '%s shows each role what its schema names, and nothing that is kept secret',
    async (_name, endpoint) => {
      const policy = policyOf(endpoint);
      const roles =
        'owner' in policy ? ROLES.filter((role) => typeof policy[role] === 'number') : ROLES.slice(0, 1);
      for (const role of roles) {
        const answer = await client.send(endpoint, await client.request(endpoint.id, role), role);
        const schema = endpoint.responses[answer.status];
        expect([endpoint.id, role, answer.text, schema !== undefined]).toEqual([
          endpoint.id,
          role,
          answer.text,
          true,
        ]);
        if (schema === undefined || schema === 'empty') {
          expect(answer.text).toBe('');
          continue;
        }
        expect([role, fits(schema, jsonOf(answer))]).toEqual([role, true]);
        const names = secretNames(jsonOf(answer)).filter(
          (name) => !(SHOWN_SECRETS[endpoint.id] ?? []).includes(name),
        );
        expect([role, names]).toEqual([role, []]);
      }
    },
  );

  it.each(
    named(
      api.filter(
        ({ method, auth, id, scope }) =>
          method === 'GET' &&
          auth === 'member' &&
          // No role in a project makes anybody an operator.
          scope?.of !== 'installation' &&
          !DIFFERENT_EACH_TIME.includes(id),
      ),
    ),
  )(
    '%s shows a member and an admin what it shows the owner, but for what is theirs to know',
    async (_name, endpoint) => {
      const policy = policyOf(endpoint);
      if (!('owner' in policy)) throw new Error('not for people');
      const asked = await client.request(endpoint.id);
      const full = await client.call(endpoint.id, asked, 'owner');
      for (const role of ['admin', 'member'] as const) {
        if (typeof policy[role] !== 'number') continue;
        const shown = await client.call(endpoint.id, asked, role);
        const expected = DIFFERENCES[endpoint.id]?.[role] ?? [];
        expect([role, [...new Set(differences(full, shown))].sort()]).toEqual([role, [...expected].sort()]);
      }
    },
  );

  it('a member is shown the capture settings as a preview: nothing of how they came about', async () => {
    const policy = await client.call('getCapturePolicy', await client.request('getCapturePolicy'), 'member');
    const rules = await client.call('listCaptureRules', await client.request('listCaptureRules'), 'member');
    expect([valuesAt(policy, 'access_mode'), valuesAt(rules, 'access_mode')]).toEqual([
      ['preview'],
      ['preview'],
    ]);
    for (const control of Object.keys(EVERY_CONTROL)) {
      expect([control, valuesAt(policy, `overrides.${control}`)]).toEqual([control, [null]]);
    }
    for (const field of ['created_by_user_id', 'created_from_incident_id', 'created_from_event_id']) {
      expect([field, new Set(valuesAt(rules, `capture_rules[].${field}`))]).toEqual([field, new Set([null])]);
    }
    const full = await client.call('listCaptureRules', await client.request('listCaptureRules'), 'admin');
    const { owner, admin } = stage.tenant;
    for (const author of valuesAt(full, 'capture_rules[].created_by_user_id')) {
      expect([owner.userId, admin.userId]).toContain(author);
    }
    const { incidentId, eventId } = await stage.tenant.incident();
    expect(valuesAt(full, 'capture_rules[].created_from_incident_id')).toContain(incidentId);
    expect(valuesAt(full, 'capture_rules[].created_from_event_id')).toContain(eventId);
  });
});

/** What is the caller's own, and what is different for each call: the moment of a cursor, and attempts under way. */
const DIFFERENT_EACH_TIME = [
  ...['listMemberTokens', 'listProjects', 'getBilling', 'getPersonalSettings'],
  ...['listLifecycle', 'streamChanges', 'getWebhookDelivery'],
];

const PLACE_IN_PROJECT = ['project.effective_role', 'project.relationship', 'project.sharing_state'];
const RULE_PROVENANCE = ['created_by_user_id', 'created_from_event_id', 'created_from_incident_id'].map(
  (name) => `capture_rules[].${name}`,
);

/** What differs from the owner's answer (docs/contract/ingestion.md 4.5, 5.4; docs/contract/incidents.md 7.2). */
const DIFFERENCES: Readonly<Record<string, { admin?: readonly string[]; member?: readonly string[] }>> = {
  getProject: { admin: PLACE_IN_PROJECT, member: PLACE_IN_PROJECT },
  getCapturePolicy: {
    member: ['access_mode', ...Object.keys(EVERY_CONTROL).map((name) => `overrides.${name}`)],
  },
  listCaptureRules: { member: ['access_mode', ...RULE_PROVENANCE] },
  getImprovementSettings: { member: ['access_mode'] },
  // Who has the address can report runs.
  listHeartbeats: { member: ['heartbeats[].ping_url'] },
  getHeartbeat: { member: ['heartbeat.ping_url'] },
  listPeople: { admin: ['people[].is_me'], member: ['people[].is_me'] },
  // Its state is another one for each call.
  getSlackInstallUrl: { admin: ['install_url'], member: ['install_url'] },
};

/** Where a secret is meant to be shown: once, to whom it is for. */
const SHOWN_SECRETS: Readonly<Record<string, readonly string[]>> = {
  confirmEmailChange: ['csrf_token'],
  createProjectToken: ['plaintext'],
  createMemberToken: ['plaintext'],
  rotateProjectToken: ['plaintext'],
  rotateMemberToken: ['plaintext'],
  createWebhook: ['signing_secret'],
  rotateWebhookSecret: ['signing_secret'],
  claimDeviceRequest: ['plaintext'],
  claimCliSignIn: ['plaintext'],
  createTrackerHook: ['secret'],
  exchangeGithubToken: ['plaintext'],
  activateProbe: ['trigger_token', 'compat_trigger_token'],
  // Checks trigger tokens, and opens nothing.
  getSdkConfig: ['trigger_token_key'],
  verifySignInCode: ['csrf_token'],
  getSession: ['csrf_token'],
};

const SECRET_NAME =
  /hash|secret|sealed|password|plaintext|csrf|cookie|otp|trigger_token|token_key|user_key|verifier/;

/** Keys of an answer, at any depth, that sound like a secret. Evidence of incidents has keys of applications. */
function secretNames(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(secretNames);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => [
    ...(SECRET_NAME.test(name) && each !== '[REDACTED]' ? [name] : []),
    ...secretNames(each),
  ]);
}

const validators = new Map<TSchema, (value: unknown) => boolean>();

function fits(schema: TSchema, value: JsonValue): boolean {
  const validator = validators.get(schema) ?? compileValidator(schema);
  validators.set(schema, validator);
  return validator(value);
}
