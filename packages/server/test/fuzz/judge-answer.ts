import { api } from '@culprit/contract/endpoints/api';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import { buildOpenApiDocument, type OpenApiNode } from '@culprit/contract/endpoints/openapi';
import { isProblemCode, PROBLEM_STATUS, type ProblemCode } from '@culprit/contract/endpoints/problems';
import { parseRequestTimestamp } from '@culprit/contract/schemas/timestamps';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { FuzzAnswer } from './send-draft.ts';

const HEAD_TOO_LONG = 431;

/**
 * What is wrong with an answer by the published OpenAPI document; null when nothing is.
 * @param endpoint the operation that method and path name; null when they name none
 */
export function faultIn(answer: FuzzAnswer, method: string, endpoint: Endpoint | null): string | null {
  if (answer.status === null) return `no answer: ${answer.ending}`;
  const { status, headers, text } = answer;
  // A head that is too long never becomes a request.
  if (status !== HEAD_TOO_LONG && headers.get('x-request-id') === undefined) return 'no request id';
  // Of HEAD everything but the body comes.
  if (method === 'HEAD') return status >= 500 ? 'a failure' : null;
  if (status >= 400) return problemFault(status, headers, text, endpoint);
  if (status === 304) return text === '' ? null : 'a body';
  if (status === 204 && method === 'OPTIONS') return null;
  if (endpoint === null) return 'a success of no operation';
  const operation = operationOf(endpoint);
  const declared = operation.responses[status];
  if (declared === undefined) return 'a status that is not documented';
  if (declared.content === undefined) return text === '' ? null : 'a body where none is documented';
  return bodyFault(endpoint, status, headers, text);
}

function problemFault(
  status: number,
  headers: ReadonlyMap<string, string>,
  text: string,
  endpoint: Endpoint | null,
): string | null {
  // Readiness has an answer of its own.
  if (endpoint !== null && Object.hasOwn(endpoint.responses, status)) {
    return bodyFault(endpoint, status, headers, text);
  }
  const code = /^\{"error":"([a-z_]+)"\}$/.exec(text)?.[1];
  if (code === undefined || !isProblemCode(code)) return 'an error of another form';
  if (headers.get('content-type') !== 'application/json; charset=utf-8') return 'an error that is no JSON';
  if (code === 'internal_error') return 'a failure';
  const isBrokenHttp = status === 431 && code === 'payload_too_large';
  if (PROBLEM_STATUS[code] !== status && !isBrokenHttp) return 'a code of another status';
  if (status === 401 && headers.get('www-authenticate') !== 'Bearer') return 'no WWW-Authenticate';
  if (status === 503 && !/^\d+$/.test(headers.get('retry-after') ?? '')) return 'no Retry-After';
  if (isBrokenHttp) return null;
  return isDocumented(code, endpoint) ? null : 'a code that is not documented';
}

/** Outside of every operation there are the unknown route, and a preflight of an origin that is not let in. */
function isDocumented(code: ProblemCode, endpoint: Endpoint | null): boolean {
  if (endpoint === null) return code === 'not_found' || code === 'origin_not_allowed';
  const reference = operationOf(endpoint).responses[PROBLEM_STATUS[code]]?.$ref ?? '';
  const { content } = document.components.responses[reference.replace('#/components/responses/', '')] ?? {};
  const codes = content?.['application/json']?.schema.properties?.error?.enum ?? [];
  return codes.includes(code);
}

function bodyFault(
  endpoint: Endpoint,
  status: number,
  headers: ReadonlyMap<string, string>,
  text: string,
): string | null {
  if (endpoint.isEventStream === true) {
    const isStream = headers.get('content-type') === 'text/event-stream' && text.startsWith('event: hello\n');
    return isStream ? null : 'a success that is no stream of events';
  }
  if (headers.get('content-type') !== 'application/json; charset=utf-8') return 'a success that is no JSON';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'a body that is broken';
  }
  const validate = validatorOf(endpoint, status);
  if (validate(value)) return null;
  const [error] = validate.errors ?? [];
  return `a body that its schema does not allow: ${error?.instancePath} ${error?.message} ${JSON.stringify(error?.params)}`;
}

interface DocumentedAnswer {
  $ref?: string;
  content?: Record<string, { schema: { properties?: { error?: { enum?: string[] } } } }>;
}

interface DocumentedOperation {
  responses: Record<number, DocumentedAnswer | undefined>;
}

/** As it is published: what cannot be written as JSON is not in it. */
const document: OpenApiNode & {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { responses: Record<string, DocumentedAnswer> };
} = JSON.parse(JSON.stringify(buildOpenApiDocument(api, { title: 'Culprit', version: '1.0.0' })));

// The document is more than a schema, so Ajv meets words it does not know in it.
const ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false });
formats.default(ajv);
ajv.addFormat('date-time', (text: string) => parseRequestTimestamp(text) !== null);
ajv.addSchema(closed(document), 'openapi.json');
const validators = new Map<string, ValidateFunction>();

function validatorOf(endpoint: Endpoint, status: number): ValidateFunction {
  const path = documentedPath(endpoint).replaceAll('~', '~0').replaceAll('/', '~1');
  const place = `/paths/${path}/${endpoint.method.toLowerCase()}/responses/${status}/content/application~1json/schema`;
  const validator = validators.get(place) ?? ajv.compile({ $ref: `openapi.json#${encodeURI(place)}` });
  validators.set(place, validator);
  return validator;
}

function operationOf(endpoint: Endpoint): DocumentedOperation {
  const operation = document.paths[documentedPath(endpoint)]?.[endpoint.method.toLowerCase()];
  if (operation === undefined) throw new Error(`${endpoint.id} is not documented`);
  return operation;
}

function documentedPath({ path }: Endpoint): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/** A copy in which no object has a field that its schema does not name, unless it says that it may. */
function closed(value: unknown): object {
  return JSON.parse(JSON.stringify(value), (_key, item: unknown) => {
    if (typeof item !== 'object' || item === null || !('properties' in item)) return item;
    return 'additionalProperties' in item || 'patternProperties' in item
      ? item
      : { ...item, additionalProperties: false };
  });
}
