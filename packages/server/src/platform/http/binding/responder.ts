import { Readable } from 'node:stream';
import type { Endpoint, Schema } from '@culprit/contract/endpoints/endpoint';
import type { FastifyReply } from 'fastify';
import type { Static, TObject } from 'typebox';
import { compressAnswer, isCompressible } from '../server/compress-answer.ts';
import { EventStream } from '../server/event-stream.ts';
import { JSON_TYPE } from '../server/http-server.ts';
import { entityTag, matchesEntityTag } from './entity-tag.ts';
import { RawJson } from './raw-json.ts';
import { compileResponseFilter, type ResponseFilter } from './response-filter.ts';
import { lazyValidator, type Validator } from './schema-validator.ts';

const EVENT_STREAM_TYPE = 'text/event-stream';

/** A result of any endpoint. */
interface Answer {
  status: number;
  headers?: Readonly<Record<string, string | readonly string[]>>;
  body?: unknown;
}

/**
 * The content of an endpoint's only success: the value of its body's only field, or else the body; anything if it has no
 * body. Status and field follow from the endpoint.
 */
export type ContentOf<E extends Endpoint> = ContentOfAnswer<E['responses'][keyof E['responses'] & number]>;

type ContentOfAnswer<S> = S extends TObject
  ? [OnlyKey<Static<S>>] extends [never]
    ? Static<S>
    : Static<S>[OnlyKey<Static<S>>]
  : S extends Schema
    ? Static<S>
    : unknown;

/** The key of a type with one key, else `never`. */
type OnlyKey<T, Key extends keyof T = keyof T> = Key extends keyof T
  ? [keyof T] extends [Key]
    ? Key
    : never
  : never;

/** Returns the function that makes the answer of an endpoint from the content of its only success. */
export function answerOf({ id, responses }: Endpoint): (content: unknown) => Answer {
  const [[status, schema] = [], ...others] = Object.entries(responses);
  if (schema === undefined || others.length > 0) throw new Error(`endpoint ${id} has not exactly one answer`);
  const [key, ...otherKeys] = schema === 'empty' ? [] : Object.keys(schemaFields(schema));
  const isWrapped = key !== undefined && otherKeys.length === 0;
  return (content) => ({ status: Number(status), body: isWrapped ? { [key]: content } : content });
}

/** The fields of a schema of one object; none for others, such as unions. */
function schemaFields(schema: Schema): object {
  return 'properties' in schema && typeof schema.properties === 'object' ? (schema.properties ?? {}) : {};
}

interface Shape {
  filter: ResponseFilter;
  isValid: Validator;
}

interface ResponderOptions {
  /** Stored bytes may be answered. */
  allowsRaw: boolean;
  /** Every answer is checked against its whole schema. */
  verifies: boolean;
  /** Answers have an `ETag`, and 304 means that the client has the answer already. */
  isTagged: boolean;
}

/** Answers a result through the filter of its status. A status the endpoint does not declare is a bug. */
export function compileResponder(
  endpoint: Endpoint,
  options: ResponderOptions,
): (reply: FastifyReply, result: Answer) => Promise<FastifyReply> {
  const compresses = !options.isTagged && isCompressible(endpoint);
  const answers = new Map<number, Shape | 'empty'>();
  for (const [status, schema] of Object.entries(endpoint.responses)) {
    answers.set(
      Number(status),
      schema === 'empty'
        ? 'empty'
        : {
            filter: compileResponseFilter(schema),
            isValid: options.verifies ? lazyValidator(schema) : () => true,
          },
    );
  }

  /** The bytes to send; made before the reply is touched, so that a failure here leaves no header behind. */
  function payloadOf(answer: Shape, body: unknown): Buffer | Readable | string {
    if (body instanceof EventStream) {
      if (endpoint.isEventStream !== true) throw new Error(`${endpoint.id} must not answer a stream`);
      return Readable.from(body.events, { objectMode: false });
    }
    if (body instanceof RawJson) {
      if (!options.allowsRaw) throw new Error(`${endpoint.id} must not answer stored bytes`);
      const { content } = body;
      return Buffer.isBuffer(content) ? content : Readable.from(content, { objectMode: false });
    }
    const filtered = answer.filter(body);
    if (!answer.isValid(filtered)) throw new Error(`the answer of ${endpoint.id} does not fit its schema`);
    return JSON.stringify(filtered);
  }

  return async (reply, result) => {
    const answer = answers.get(result.status);
    if (answer === undefined) throw new Error(`${endpoint.id} does not declare status ${result.status}`);
    const payload = answer === 'empty' ? undefined : payloadOf(answer, result.body);
    const tag = options.isTagged && typeof payload === 'string' ? entityTag(payload) : null;
    // A tag names the exact bytes, so a tagged answer is not compressed.
    const compressed =
      compresses && !(payload instanceof Readable) && payload !== undefined
        ? await compressAnswer(payload, reply.request.headers['accept-encoding'])
        : null;
    const isKnown = tag !== null && matchesEntityTag(reply.request.headers['if-none-match'], tag);
    reply.code(isKnown ? 304 : result.status);
    if (tag !== null) reply.header('etag', tag);
    if (payload !== undefined && !isKnown) {
      reply.header('content-type', endpoint.isEventStream === true ? EVENT_STREAM_TYPE : JSON_TYPE);
    }
    if (payload instanceof Readable && result.body instanceof RawJson) {
      const { exchange } = reply.request;
      exchange.answerBytes = result.body.keptBytes;
      exchange.isAnswerWork = Symbol.asyncIterator in result.body.content;
    }
    for (const [name, value] of Object.entries(result.headers ?? {})) {
      reply.header(name, typeof value === 'string' ? value : [...value]);
    }
    if (compressed !== null) {
      addVary(reply, 'accept-encoding');
      return reply.header('content-encoding', compressed.encoding).send(compressed.bytes);
    }
    return reply.send(isKnown ? undefined : payload);
  };
}

function addVary(reply: FastifyReply, name: string): void {
  const known = reply.getHeader('vary');
  reply.header('vary', known === undefined ? name : `${String(known)}, ${name}`);
}
