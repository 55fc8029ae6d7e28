import { WEBHOOK_EVENTS } from '@culprit/contract/alerts/webhook-events';
import { WEBHOOK_HEADERS, webhookEvents } from '@culprit/contract/alerts/webhook-payloads';
import { api } from '@culprit/contract/endpoints/api';
import { defineEndpoint, problemsOf } from '@culprit/contract/endpoints/endpoint';
import { buildOpenApiDocument } from '@culprit/contract/endpoints/openapi';
import { isProblemCode, PROBLEM_STATUS, type ProblemCode } from '@culprit/contract/endpoints/problems';
import { Ajv2020 } from 'ajv/dist/2020.js';
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { compileResponseFilter } from '../../src/platform/http/binding/response-filter.ts';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';

interface Operation {
  operationId: string;
  security: unknown[];
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  responses: Record<string, Answer & { $ref?: string }>;
}

interface Answer {
  headers?: object;
  content?: Record<string, { schema: unknown }>;
}

const document = JSON.parse(
  JSON.stringify(buildOpenApiDocument(api, { title: 'Culprit', version: '1.0.0' })),
);
const operations: { path: string; method: string; operation: Operation }[] = Object.entries<
  Record<string, Operation>
>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Every value of a key, anywhere in the document. */
function valuesOf(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [
    ...(name === key ? [item] : []),
    ...valuesOf(item, key),
  ]);
}

describe('the OpenAPI document', () => {
  it('has one operation per endpoint, each with a name of its own', () => {
    expect(operations).toHaveLength(api.length);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(api.length);
    for (const { id, method, path } of api) {
      const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()];
      expect(operation.operationId).toBe(id);
    }
  });

  it('declares exactly the parameters of each path', () => {
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(declared.map(({ name }) => name)).toEqual(inPath);
      expect(declared.every(({ required }) => required)).toBe(true);
    }
  });

  it('resolves every reference and security scheme, and names every component it has', () => {
    const references = valuesOf(document, '$ref').map(String);
    const { schemas, responses } = document.components;
    expect(schemas).toHaveProperty('Incident');
    const addresses = Object.entries<object>({ responses, schemas }).flatMap(([kind, components]) => {
      const names = Object.keys(components);
      expect(names).toEqual([...names].sort());
      return names.map((name) => `#/components/${kind}/${name}`);
    });
    expect(new Set(references)).toEqual(new Set(addresses));
    const schemes = operations.flatMap(({ operation }) =>
      operation.security.flatMap((entry) => Object.keys(entry ?? {})),
    );
    for (const scheme of schemes) expect(document.components.securitySchemes).toHaveProperty(scheme);
  });

  it('enumerates the codes of every failure under their status, with the headers they come with', () => {
    for (const { id, path, method } of api) {
      const { responses }: Operation = document.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()];
      const listed = Object.entries(responses).flatMap(([status, answer]) => {
        const name = answer.$ref?.replace('#/components/responses/', '');
        const { content, headers }: Answer =
          name === undefined ? answer : document.components.responses[name];
        const codes = valuesOf(content, 'error').flatMap((error) => valuesOf(error, 'enum').flat());
        if (codes.length > 0 && status === '401') expect(headers).toHaveProperty('WWW-Authenticate');
        if (codes.length > 0 && status === '503') expect(headers).toHaveProperty('Retry-After');
        return codes.map((code) => [Number(status), code]);
      });
      const endpoint = api.find((candidate) => candidate.id === id);
      const expected =
        endpoint === undefined ? [] : problemsOf(endpoint).map((code) => [PROBLEM_STATUS[code], code]);
      expect(listed).toEqual(expected);
    }
  });

  it('describes what webhooks receive: every event with its headers and its body', () => {
    expect(Object.keys(document.webhooks)).toEqual([...WEBHOOK_EVENTS]);
    for (const name of WEBHOOK_EVENTS) {
      const { post } = document.webhooks[name];
      expect(post.parameters.map((header: { name: string }) => header.name)).toEqual(
        Object.keys(WEBHOOK_HEADERS),
      );
      const { schema, example } = post.requestBody.content['application/json'];
      const component = document.components.schemas[schema.$ref.split('/').at(-1)];
      expect([component.properties.event?.const, component.properties.event_type?.const]).toContain(name);
      expect(compileValidator(webhookEvents[name].payload)(example)).toBe(true);
    }
    const spike = document.components.schemas.IncidentSpikeDetectedEvent;
    expect(spike.properties).toHaveProperty('previous_deploy_version');
    expect(spike.required).not.toContain('previous_deploy_version');
    expect(spike.required).not.toContain('deployed_at');
  });

  it('is the same text every time', () => {
    const again = JSON.stringify(buildOpenApiDocument(api, { title: 'Culprit', version: '1.0.0' }));
    expect(again).toBe(JSON.stringify(document));
  });

  it('refuses two schemas with one title, two endpoints with one name or address', () => {
    const endpoint = (id: string, path: string, size: number) =>
      defineEndpoint({
        id,
        method: 'GET',
        path,
        summary: 's',
        auth: 'public',
        responses: { 200: Type.Object({ a: Type.String({ maxLength: size }) }, { title: 'Same' }) },
        errors: [],
      });
    const build =
      (...endpoints: ReturnType<typeof endpoint>[]) =>
      () =>
        buildOpenApiDocument(endpoints, { title: 't', version: '1' });
    expect(build(endpoint('a', '/a', 1), endpoint('b', '/b', 1))).not.toThrow();
    expect(build(endpoint('a', '/a', 1), endpoint('b', '/b', 2))).toThrow('title Same');
    expect(build(endpoint('a', '/a', 1), endpoint('a', '/b', 1))).toThrow('called a');
    expect(build(endpoint('a', '/a', 1), endpoint('b', '/a', 1))).toThrow('called GET /a');
  });
});

describe('the endpoints', () => {
  it('list no error that follows from credential, scope and schemas', () => {
    const implied = api.flatMap((endpoint) => {
      const derived = problemsOf({ ...endpoint, errors: [] });
      return (endpoint.errors ?? [])
        .filter((code) => derived.includes(code))
        .map((code) => [endpoint.id, code]);
    });
    expect(implied).toEqual([]);
  });

  it.each(api.map((endpoint) => [endpoint.id, endpoint] as const))(
    '%s has sound schemas',
    (_id, endpoint) => {
      const { params, query, body, responses } = endpoint;
      for (const schema of [params, query, body]) {
        if (schema === undefined || schema === 'none' || schema === 'bytes') continue;
        // The batch schema is for readers: its requirements stand apart from their properties, and nothing validates
        // by it.
        if (endpoint.id === 'postEvents')
          expect(() => new Ajv2020({ strict: false }).compile(schema)).not.toThrow();
        else expect(() => compileValidator(schema)).not.toThrow();
        expect(schema).toHaveProperty('additionalProperties', false);
      }
      for (const [status, schema] of Object.entries(responses)) {
        expect(Number(status)).toBeGreaterThanOrEqual(200);
        if (schema === 'empty') continue;
        expect(() => compileValidator(schema)).not.toThrow();
        expect(() => compileResponseFilter(schema)).not.toThrow();
      }
      expect(endpoint.summary).toMatch(/^[A-Z][^.]*$/);
      expect((body !== undefined) === (endpoint.method !== 'GET')).toBe(true);
    },
  );

  it('answer an unknown id of each kind with its own code', () => {
    const codes = (id: string): ProblemCode[] => {
      const endpoint = api.find((candidate) => candidate.id === id);
      return endpoint === undefined ? [] : problemsOf(endpoint);
    };
    expect(codes('getIncident')).toEqual([
      'invalid_incident_id',
      'invalid_query',
      'invalid_member_token',
      'shared_access_suspended',
      'incident_not_found',
      'internal_error',
      'request_timeout',
      'service_unavailable',
    ]);
    expect(codes('resolveIncidents')).toContain('invalid_csrf_token');
    expect(codes('postEvents')).not.toContain('invalid_csrf_token');
    expect(codes('getLive')).toEqual(['invalid_query']);
  });
});

describe('the error table', () => {
  it('has the number of codes of each status that the contract lists', () => {
    const counts = new Map<number, number>();
    for (const status of Object.values(PROBLEM_STATUS)) counts.set(status, (counts.get(status) ?? 0) + 1);
    expect(Object.fromEntries(counts)).toEqual(EXPECTED_COUNTS);
  });

  it('knows its own words only', () => {
    expect(isProblemCode('invalid_query')).toBe(true);
    for (const word of ['constructor', '__proto__', 'toString', '', 'Invalid_query'])
      expect(isProblemCode(word)).toBe(false);
  });
});

/** Counted in docs/contract/account.md section 9. */
const EXPECTED_COUNTS = {
  400: 33,
  401: 4,
  403: 8,
  404: 38,
  409: 42,
  410: 1,
  413: 1,
  429: 2,
  500: 1,
  502: 2,
  503: 10,
};
