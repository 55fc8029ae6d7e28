import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import { writeBundle } from '../../src/bundles/document/bundle-bytes.ts';
import { canonicalJson } from '../../src/bundles/document/canonical-json.ts';
import { evidenceOf, exception } from './build-evidence.ts';

describe('canonicalJson', () => {
  it.each([
    [{ b: 1, a: [3, { d: null, c: true }] }, '{"a":[3,{"c":true,"d":null}],"b":1}'],
    // By code unit, not by code point: the surrogates of the emoji come before U+FF5E.
    [
      { '～': 1, '🦊': 2, a: 3, Z: 4, é: 5, '10': 6, '9': 7 },
      '{"10":6,"9":7,"Z":4,"a":3,"é":5,"🦊":2,"～":1}',
    ],
    [[1.0, 1e21, 1e-7, -0, 0.1, 100], '[1,1e+21,1e-7,0,0.1,100]'],
    ['a"\\\n\u0001\u2028/', '"a\\"\\\\\\n\\u0001\u2028/"'],
    ['\ud800', '"\\ud800"'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [[undefined, Number.NaN], '[null,null]'],
    [{}, '{}'],
    [[], '[]'],
  ])('writes %j as %s', (value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  it('keeps a key named __proto__', () => {
    expect(canonicalJson(JSON.parse('{"z":1,"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1},"z":1}');
  });

  it('reads back as the same value, whatever order its keys had', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, member] of Object.entries(value).reverse()) copy[key] = reversed(member);
  return copy;
}

describe('the content hash', () => {
  const document = assembleBundle(evidenceOf(exception()));

  it('is SHA-256 of everything but the metadata', () => {
    const { metadata: _metadata, ...content } = document;
    const expected = createHash('sha256').update(canonicalJson(content)).digest('hex');
    expect(writeBundle(document).contentSha256.toString('hex')).toBe(expected);
  });

  it('does not move when only the metadata does, and moves with anything else', () => {
    const later = { ...document.metadata, generation_number: 9, updated_at: '2027-01-01T00:00:00.000Z' };
    expect(writeBundle({ ...document, metadata: later }).contentSha256).toEqual(
      writeBundle(document).contentSha256,
    );
    const raised = { ...document, impact: { ...document.impact, affected_users_estimate: 3 } };
    expect(writeBundle(raised).contentSha256).not.toEqual(writeBundle(document).contentSha256);
  });

  it('the stored bytes are canonical UTF-8', () => {
    expect(writeBundle(document).bytes.toString('utf8')).toBe(canonicalJson(document));
  });
});
