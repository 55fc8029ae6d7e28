import { ID_KIND_KEYWORD } from '@culprit/contract/schemas/identifiers';
import { parseRequestTimestamp } from '@culprit/contract/schemas/timestamps';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { TSchema } from 'typebox';

/** Returns true if a value has the form of a schema. */
export type Validator = (value: unknown) => boolean;

/** Compiles a schema of the contract. Nothing is coerced, filled in or removed; a schema Ajv finds odd is an error. */
export function compileValidator(schema: TSchema): Validator {
  const validate = ajv.compile(schema);
  return (value) => validate(value);
}

/** Returns the validator's errors for a value; null for a value that has the form of the schema. */
export type FaultFinder = (value: unknown) => readonly ErrorObject[] | null;

/** Compiles a schema, when the first value comes, to one that also says what is wrong. */
export function lazyFaultFinder(schema: TSchema): FaultFinder {
  let validate: ValidateFunction | null = null;
  return (value) => {
    validate ??= ajv.compile(schema);
    return validate(value) ? null : (validate.errors ?? []);
  };
}

/** The same without reasons, compiled when the first value comes: few of all endpoints are ever called in one process. */
export function lazyValidator(schema: TSchema): Validator {
  let isValid: Validator | null = null;
  return (value) => {
    isValid ??= compileValidator(schema);
    return isValid(value);
  };
}

const ajv = new Ajv2020({
  strict: true,
  allErrors: false,
  allowUnionTypes: true,
  keywords: [ID_KIND_KEYWORD],
  // Half of the time of a first request; V8 optimizes what is called often.
  code: { optimize: false },
});
formats.default(ajv);
// Ours refuses what the usual pattern lets through (a space for the T, a leap second).
ajv.addFormat('date-time', (text: string) => parseRequestTimestamp(text) !== null);
