import type { IncomingHttpHeaders } from 'node:http';
import { type Endpoint, pathIdProblem, pathParameterNames } from '@culprit/contract/endpoint';
import type { ProblemCode } from '@culprit/contract/problems';
import { isNoBody, parseJsonBody } from './json-body.ts';
import { isJsonMediaType } from './media-type.ts';
import { Problem } from './problem.ts';
import { parseQuery } from './query-string.ts';
import { lazyValidator, type Validator } from './schema-validator.ts';

/** Steps 5 and 6: path ids, query, body. Each throws its problem. */
export interface RequestChecks {
  params(params: unknown): unknown;
  query(text: string): unknown;
  body(bytes: Buffer | null, headers: IncomingHttpHeaders, contentType: string | undefined): unknown;
}

/** The checks of an endpoint; a path and parameters that do not belong together are an error. */
export function createRequestChecks(endpoint: Endpoint): RequestChecks {
  const pathParameters = pathParameterChecks(endpoint);
  const isQueryValid = endpoint.query === undefined ? () => true : lazyValidator(endpoint.query);
  const { body: bodySchema } = endpoint;
  const isBodyValid: Validator =
    bodySchema === undefined || bodySchema === 'none' ? () => false : lazyValidator(bodySchema);

  return {
    params(params) {
      const values: Record<string, unknown> = {};
      for (const { name, isValid, problem } of pathParameters) {
        const value = ownValue(params, name);
        if (!isValid(value)) throw new Problem(problem);
        values[name] = value;
      }
      return values;
    },

    query(text) {
      const query = parseQuery(text, endpoint.query, endpoint.ignoresUnknownQuery === true);
      if (query === null || !isQueryValid(query)) throw new Problem('invalid_query');
      return query;
    },

    body(bytes, headers, contentType) {
      if (bytes === null) return undefined;
      if (bytes.length > 0 && !isIdentity(headers['content-encoding'])) throw new Problem('invalid_payload');
      if (bodySchema === 'none') {
        if (!isNoBody(bytes)) throw new Problem('invalid_payload');
        return undefined;
      }
      if (endpoint.isBodyOptional === true && isNoBody(bytes)) return {};
      const body = isJsonMediaType(contentType) ? parseJsonBody(bytes) : null;
      if (body === null || !body.ok || !isBodyValid(body.value)) throw new Problem('invalid_payload');
      return body.value;
    },
  };
}

function pathParameterChecks(
  endpoint: Endpoint,
): { name: string; isValid: Validator; problem: ProblemCode }[] {
  const names = pathParameterNames(endpoint.path);
  const declared = Object.keys(endpoint.params?.properties ?? {});
  if (names.length !== declared.length || !names.every((name) => declared.includes(name))) {
    throw new Error(`the parameters of ${endpoint.id} are not those of its path`);
  }
  return names.map((name) => ({
    name,
    isValid: lazyValidator(endpoint.params?.properties[name] ?? {}),
    problem: pathIdProblem(endpoint, name),
  }));
}

function ownValue(params: unknown, name: string): unknown {
  return typeof params === 'object' && params !== null && Object.hasOwn(params, name)
    ? Reflect.get(params, name)
    : undefined;
}

function isIdentity(contentEncoding: string | undefined): boolean {
  return contentEncoding === undefined || ['', 'identity'].includes(contentEncoding.trim().toLowerCase());
}
