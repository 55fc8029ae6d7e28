import type { ErrorObject } from 'ajv';
import { Problem } from './problem.ts';

/** Cuts what a client sent as the name of a field, and what is said about it. */
const POINTER_LENGTH_MAX = 200;
const WORDS_LENGTH_MAX = 200;

/**
 * Describes the fault of a body and its place, from the validator's errors: a JSON pointer and words, in ASCII, such as
 * `/matcher/name: must be a string`. It repeats only names from the body, never values.
 */
export function payloadFault(errors: readonly ErrorObject[]): string {
  const found = errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'oneOf');
  // If a value can have several forms, the one that fits furthest is most likely the intended one.
  const depth = Math.max(...found.map(({ instancePath }) => depthOf(instancePath)), 0);
  const deepest = found.filter(({ instancePath }) => depthOf(instancePath) === depth);
  const [first] = deepest;
  if (first === undefined) return faultAt('', 'has none of the allowed forms');
  const path = deepest.filter(({ instancePath }) => instancePath === first.instancePath);
  const allowed = path.flatMap((error) => allowedBy(error) ?? []);
  if (allowed.length === path.length) {
    return faultAt(first.instancePath, `must be ${[...new Set(allowed)].join(' or ')}`);
  }
  const error = path.find((each) => allowedBy(each) === null) ?? first;
  return faultAt(pointerOf(error), wordsOf(error));
}

/** The same for the parameters of a query, which have names in place of pointers. */
export function parameterFault(errors: readonly ErrorObject[]): string {
  return payloadFault(errors).replace(/^\//, '');
}

/** The refusal of a body for what no schema can say: the place, as a JSON pointer, and what is wrong there. */
export function invalidPayload(pointer: string, words: string): Problem {
  return new Problem('invalid_payload', { reason: faultAt(pointer, words) });
}

/** The place and the words of a fault; an empty pointer is the body itself. */
export function faultAt(pointer: string, words: string): string {
  const place = pointer === '' ? 'the body' : safePointer(pointer);
  return `${place}: ${words.slice(0, WORDS_LENGTH_MAX)}`;
}

function depthOf(instancePath: string): number {
  return instancePath.split('/').length;
}

/** In words, what a value of the simple kinds may be; null for other conditions. */
function allowedBy({ keyword, params }: ErrorObject): string | null {
  if (keyword === 'type') {
    const types: unknown = params.type;
    return (Array.isArray(types) ? types : [types])
      .map((type) => TYPES.get(type) ?? 'another type')
      .join(' or ');
  }
  if (keyword === 'const') return literal(params.allowedValue);
  if (keyword !== 'enum') return null;
  const values: unknown = params.allowedValues;
  return Array.isArray(values) ? values.map(literal).join(' or ') : null;
}

const TYPES = new Map<unknown, string>([
  ['string', 'a string'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['null', 'null'],
]);

/** Values of our own schemas, which are ASCII. */
function literal(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}

function pointerOf({ keyword, instancePath, params }: ErrorObject): string {
  if (keyword === 'required') return `${instancePath}/${escapeName(params.missingProperty)}`;
  if (keyword === 'additionalProperties') return `${instancePath}/${escapeName(params.additionalProperty)}`;
  return instancePath;
}

/** The pattern of names and labels, which are trimmed. */
const NOT_BLANK = '\\S';

function wordsOf({ keyword, params }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'additionalProperties':
      return 'is not a known field';
    case 'minLength':
      return `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'minItems':
      return `must have at least ${params.limit} items`;
    case 'maxItems':
      return `must have at most ${params.limit} items`;
    case 'minProperties':
      return `must have at least ${params.limit} fields`;
    case 'maxProperties':
      return `must have at most ${params.limit} fields`;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `must be ${params.comparison} ${params.limit}`;
    case 'multipleOf':
      return `must be a multiple of ${params.multipleOf}`;
    case 'uniqueItems':
      return 'must not have equal items';
    case 'pattern':
      return params.pattern === NOT_BLANK
        ? 'must have a character besides white space'
        : 'does not have the required form';
    case 'format':
      return `must have the format ${params.format}`;
    default:
      return 'does not have the required form';
  }
}

/** The JSON pointer of names from the body inwards (RFC 6901). */
export function pointerTo(names: readonly string[]): string {
  return names.map((name) => `/${escapeName(name)}`).join('');
}

function escapeName(name: unknown): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Everything but plain characters is written as bytes in percent, as in an address (RFC 6901, 6). */
function safePointer(pointer: string): string {
  const cut = pointer.length > POINTER_LENGTH_MAX ? `${pointer.slice(0, POINTER_LENGTH_MAX)}...` : pointer;
  return encodeURI(cut.toWellFormed()).slice(0, POINTER_LENGTH_MAX * 3);
}
