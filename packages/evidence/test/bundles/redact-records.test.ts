import { describe, expect, it } from 'vitest';
import { redactValue } from '../../src/bundles/evidence/redact-evidence.ts';

const SECRET = 'S3sam9open';

/** docs/contract/clients.md 10.1 */
describe('an object that names a secret apart from its value', () => {
  it.each([
    [{ ParameterKey: 'DbPassword', ParameterValue: SECRET }],
    [{ value: SECRET, header: 'authorization' }],
    [{ label: 'Password', value: SECRET }],
    [{ id: 'csrf_token', content: SECRET }],
    [{ kind: 'Secret', data: { 'tls.key': SECRET } }],
  ])('%j loses it', (object) => {
    expect(JSON.stringify(redactValue(object))).not.toContain(SECRET);
  });

  it.each([
    [{ ParameterKey: 'Color', ParameterValue: SECRET }],
    [{ label: 'Color', value: SECRET }],
    [{ kind: 'ConfigMap', data: { a: SECRET } }],
  ])('%j keeps a value that is none', (object) => {
    expect(redactValue(object)).toEqual(object);
  });
});
