import { WEBHOOK_EVENTS } from '../alerts/webhook-events.ts';
import { WEBHOOK_HEADERS, webhookEvents } from '../alerts/webhook-payloads.ts';
import { eventExamples } from '../events/event-examples.ts';
import { postEvents } from '../events/events.ts';
import {
  type Auth,
  type Endpoint,
  groupOf,
  problemsOf,
  REPEAT_KEY_HEADER,
  REPEAT_KEY_PATTERN,
  type Schema,
} from './endpoint.ts';
import { endpointExamples } from './endpoint-examples.ts';
import { PROBLEM_STATUS, type ProblemCode } from './problems.ts';

/** A JSON object with its keys in the order they are written. */
export interface OpenApiNode {
  [key: string]: unknown;
}

export interface OpenApiOptions {
  title: string;
  version: string;
  /** Base address without `/v1`; relative to the document when absent. */
  serverUrl?: string;
}

/**
 * The OpenAPI 3.1 document of the endpoints. Equal input gives byte-equal JSON. Schemas with a `title` become named
 * components; two different schemas with one title are an error.
 */
export function buildOpenApiDocument(endpoints: readonly Endpoint[], options: OpenApiOptions): OpenApiNode {
  const components: Components = new Map();
  const problems: Problems = new Map();
  const paths = buildPaths(endpoints, components, problems);
  const webhooks = buildWebhooks(components);
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: options.version,
      description: DESCRIPTION,
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: options.serverUrl ?? '/' }],
    tags: [...new Set(endpoints.map(groupOf))].map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      responses: byName(problems),
      schemas: byName(new Map([...components].map(([name, { schema }]) => [name, schema]))),
    },
  };
}

function byName(entries: ReadonlyMap<string, unknown>): OpenApiNode {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const DESCRIPTION = `Errors are \`{ "error": "<code>" }\`. Unknown fields and query parameters are refused. Lists are paged by \`cursor\`.

Third-party clients send to addresses that are not listed here, because their protocols define them: libraries of Sentry to \`POST /api/<number>/envelope/\` and \`/api/<number>/store/\`, with the key of a DSN (\`GET /v1/projects/{id}/dsn-keys\`) in \`X-Sentry-Auth\`, in the query as \`sentry_key\`, or as \`dsn\` in the first line of an envelope. They answer \`200 {"id": "<event_id>"}\` once the events are durable, and list what not to send in \`X-Sentry-Rate-Limits\`; errors there are \`{ "error": "<code>", "detail": "<sentence>" }\`.`;

const SECURITY_SCHEMES = {
  memberToken: { type: 'http', scheme: 'bearer', description: 'A member token, `svc_mem_…`' },
  projectToken: { type: 'http', scheme: 'bearer', description: 'A project token, `svc_proj_…`' },
  browserSession: {
    type: 'apiKey',
    in: 'cookie',
    name: 'svc_session',
    description: 'A browser session. Calls that change something also need the header `X-CSRF-Token`.',
  },
};

const SECURITY: Record<Auth, OpenApiNode[]> = {
  public: [],
  member: [{ memberToken: [] }, { browserSession: [] }],
  project_token: [{ projectToken: [] }],
  session: [{ browserSession: [] }],
};

type Components = Map<string, { text: string; schema: unknown }>;
/** The failure responses by name: many operations fail in the same ways. */
type Problems = Map<string, OpenApiNode>;

function buildPaths(endpoints: readonly Endpoint[], components: Components, problems: Problems): OpenApiNode {
  const paths: OpenApiNode = {};
  const seen = new Set<string>();
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    for (const key of [`${endpoint.method} ${path}`, endpoint.id]) {
      if (seen.has(key)) throw new Error(`two endpoints are called ${key}`);
      seen.add(key);
    }
    const operations = (paths[path] ?? {}) as OpenApiNode;
    operations[endpoint.method.toLowerCase()] = buildOperation(endpoint, components, problems);
    paths[path] = operations;
  }
  return paths;
}

function buildOperation(endpoint: Endpoint, components: Components, problems: Problems): OpenApiNode {
  const operation: OpenApiNode = {
    operationId: endpoint.id,
    tags: [groupOf(endpoint)],
    summary: endpoint.summary,
    security: SECURITY[endpoint.auth],
  };
  if (endpoint.conditions !== undefined) operation.description = endpoint.conditions.join(' ');
  if (endpoint.role !== undefined) operation['x-role'] = endpoint.role;
  const parameters = [
    ...buildParameters('path', endpoint.params, components),
    ...buildParameters('query', endpoint.query, components),
    ...(endpoint.isRepeatable === true ? [REPEAT_KEY] : []),
  ];
  if (parameters.length > 0) operation.parameters = parameters;
  if (endpoint.body === 'bytes') {
    operation.requestBody = {
      required: true,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    };
  } else if (endpoint.body !== undefined && endpoint.body !== 'none') {
    operation.requestBody = {
      required: endpoint.isBodyOptional !== true,
      content: {
        'application/json': { schema: hoist(endpoint.body, components), ...bodyExamples(endpoint) },
      },
    };
  }
  operation.responses = buildResponses(endpoint, components, problems);
  return operation;
}

function bodyExamples(endpoint: Endpoint): OpenApiNode {
  if (endpoint.id === postEvents.id) {
    const examples = Object.entries(eventExamples).map(([type, event]) => [
      type,
      { value: { events: [event] } },
    ]);
    return { examples: Object.fromEntries(examples) };
  }
  const body = endpointExamples.get(endpoint.id)?.body;
  return body === undefined ? {} : { example: body };
}

function answerExample(endpoint: Endpoint, status: number): OpenApiNode {
  const example = endpointExamples.get(endpoint.id);
  return example?.status === status ? { example: example.answer } : {};
}

/** Returns the requests of this service to the addresses of webhooks, by the name of the event. */
function buildWebhooks(components: Components): OpenApiNode {
  return Object.fromEntries(
    WEBHOOK_EVENTS.map((name) => {
      const { summary, payload, example } = webhookEvents[name];
      const post = {
        summary,
        security: [],
        parameters: Object.entries(WEBHOOK_HEADERS).map(([header, description]) => ({
          name: header,
          in: 'header',
          required: true,
          description,
          schema: { type: 'string' },
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: hoist(payload, components), example } },
        },
        responses: {
          '2XX': {
            description: 'Received. After any other response, including a redirect, the delivery is retried.',
          },
        },
      };
      return [name, { post }];
    }),
  );
}

const REPEAT_KEY: OpenApiNode = {
  name: REPEAT_KEY_HEADER,
  in: 'header',
  required: false,
  description: 'A repeat with the same key answers the record that the first request created',
  schema: { type: 'string', pattern: REPEAT_KEY_PATTERN },
};

function buildParameters(
  place: 'path' | 'query',
  schema: Endpoint['params'],
  components: Components,
): OpenApiNode[] {
  if (schema === undefined) return [];
  const required: readonly string[] = schema.required ?? [];
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = hoist(property, components) as OpenApiNode;
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function buildResponses(endpoint: Endpoint, components: Components, problems: Problems): OpenApiNode {
  // Integer-like keys of an object are iterated in rising order, whatever the order of insertion.
  const responses: OpenApiNode = {};
  for (const [status, schema] of Object.entries(endpoint.responses)) {
    responses[status] =
      schema === 'empty'
        ? { description: 'No body' }
        : {
            description: Number(status) < 300 ? 'Success' : 'Failure',
            content: {
              [endpoint.isEventStream === true ? 'text/event-stream' : 'application/json']: {
                schema: hoist(schema, components),
                ...answerExample(endpoint, Number(status)),
              },
            },
          };
  }
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of problemsOf(endpoint)) {
    byStatus.set(PROBLEM_STATUS[code], [...(byStatus.get(PROBLEM_STATUS[code]) ?? []), code]);
  }
  for (const [status, codes] of byStatus) {
    if (responses[status] !== undefined) continue;
    const name = problemName(codes);
    problems.set(name, buildProblem(status, codes));
    responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return responses;
}

/** `InvalidQueryOrInvalidCursor` of `invalid_query` and `invalid_cursor`. */
function problemName(codes: readonly ProblemCode[]): string {
  return codes.map((code) => code.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase())).join('Or');
}

/** The header of the one failure whose code alone does not show what to change. */
const PROBLEM_HEADER = {
  description:
    'With `invalid_payload`: the place and the reason in English, a JSON pointer and words. Not meant for programs.',
  schema: { type: 'string', maxLength: 500 },
  example: '/name: must have at least 1 characters',
};

function buildProblem(status: number, codes: readonly ProblemCode[]): OpenApiNode {
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    ...(status === 401 ? { headers: { 'WWW-Authenticate': { schema: { const: 'Bearer' } } } } : {}),
    ...(status === 429 || status === 503
      ? { headers: { 'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 0 } } } }
      : {}),
    ...(codes.includes('invalid_payload') ? { headers: { 'X-Service-Problem': PROBLEM_HEADER } } : {}),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['error'],
          properties: { error: { type: 'string', enum: codes } },
          additionalProperties: false,
        },
        example: { error: codes[0] },
      },
    },
  };
}

/** Keywords whose values are data, not schemas. */
const DATA_KEYWORDS = new Set(['examples', 'example', 'default', 'const', 'enum', 'required']);
const COMPONENT_NAME = /^[A-Z][A-Za-z0-9]*$/;

/** A copy of the schema in which every titled schema is a reference to a component. */
function hoist(schema: Schema | Endpoint['params'], components: Components): unknown {
  return hoistValue(schema, components);
}

function hoistValue(value: unknown, components: Components): unknown {
  if (Array.isArray(value)) return value.map((item) => hoistValue(item, components));
  if (typeof value !== 'object' || value === null) return value;
  const copy: OpenApiNode = {};
  for (const [key, item] of Object.entries(value)) {
    copy[key] = DATA_KEYWORDS.has(key) ? item : hoistValue(item, components);
  }
  const { title } = copy;
  if (typeof title !== 'string' || !COMPONENT_NAME.test(title)) return copy;
  const text = JSON.stringify(copy);
  const known = components.get(title);
  if (known === undefined) components.set(title, { text, schema: copy });
  else if (known.text !== text) throw new Error(`two different schemas have the title ${title}`);
  return { $ref: `#/components/schemas/${title}` };
}
