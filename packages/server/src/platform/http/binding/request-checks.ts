import type { IncomingHttpHeaders } from 'node:http';
import { type Endpoint, pathIdProblem, pathParameterNames } from '@culprit/contract/endpoints/endpoint';
import type { ProblemCode } from '@culprit/contract/endpoints/problems';
import { queryFault } from './invalid-query.ts';
import { isNoBody, parseJsonBody } from './json-body.ts';
import { isJsonMediaType } from './media-type.ts';
import { invalidPayload, parameterFault, payloadFault } from './payload-fault.ts';
import { Problem } from './problem.ts';
import { parseQuery } from './query-string.ts';
import { type FaultFinder, lazyFaultFinder, lazyValidator, type Validator } from './schema-validator.ts';

/** Steps 5 and 6: path ids, query, body. Each throws its problem. */
interface RequestChecks {
  params(params: unknown): unknown;
  query(text: string): unknown;
  body(bytes: Buffer | null, headers: IncomingHttpHeaders, contentType: string | undefined): unknown;
}

/** The checks of an endpoint; a path and parameters that do not belong together are an error. */
export function createRequestChecks(endpoint: Endpoint): RequestChecks {
  const pathParameters = pathParameterChecks(endpoint);
  const findQueryFault: FaultFinder =
    endpoint.query === undefined ? () => null : lazyFaultFinder(endpoint.query);
  const { body: bodySchema } = endpoint;
  const findFault: FaultFinder =
    bodySchema === undefined || bodySchema === 'none' || bodySchema === 'bytes'
      ? () => []
      : lazyFaultFinder(bodySchema);

  return {
    params(params) {
      const values: Record<string, unknown> = {};
      for (const { name, isValid, problem } of pathParameters) {
        const value = ownValue(params, name);
        // A schema of any text lets a NUL through, which PostgreSQL refuses.
        if (!isValid(value) || String(value).includes('\0'))
          throw new Problem(problem, { reason: queryFault(name, 'does not have the required form') });
        values[name] = value;
      }
      return values;
    },

    query(text) {
      const query = parseQuery(text, endpoint.query, endpoint.ignoresUnknownQuery === true);
      const faults = findQueryFault(query);
      if (faults !== null) throw new Problem('invalid_query', { reason: parameterFault(faults) });
      return query;
    },

    body(bytes, headers, contentType) {
      if (bytes === null) return undefined;
      // Decoded as it came.
      if (bodySchema === 'bytes') return bytes;
      if (bytes.length > 0 && !isIdentity(headers['content-encoding'])) {
        throw invalidPayload('', 'must not be compressed');
      }
      if (bodySchema === 'none') {
        if (!isNoBody(bytes)) throw invalidPayload('', 'must be empty, as this endpoint takes none');
        return undefined;
      }
      if (endpoint.isBodyOptional === true && isNoBody(bytes)) return {};
      if (!isJsonMediaType(contentType))
        throw invalidPayload('', 'must have the Content-Type application/json');
      const body = parseJsonBody(bytes);
      if (!body.ok) throw invalidPayload(body.pointer, body.fault);
      const faults = findFault(body.value);
      if (faults !== null) throw new Problem('invalid_payload', { reason: payloadFault(faults) });
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
