import { DebugBundle } from '@culprit/contract/incidents/bundle';
import { parseRequestTimestamp } from '@culprit/contract/schemas/timestamps';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
ajv.addFormat('date-time', (text: string) => parseRequestTimestamp(text) !== null);
const validate = ajv.compile(DebugBundle);

/** Fails with every place where a value is no debug bundle of the published schema. */
export function expectDebugBundle(value: unknown): void {
  validate(value);
  expect(validate.errors ?? []).toEqual([]);
}
