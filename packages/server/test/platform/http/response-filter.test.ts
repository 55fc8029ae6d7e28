import { DebugBundle } from '@culprit/contract/incidents/bundle';
import { getIncidentBundle } from '@culprit/contract/incidents/incident-bundle';
import { Nullable } from '@culprit/contract/schemas/nullable';
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { compileResponseFilter } from '../../../src/platform/http/binding/response-filter.ts';

const closed = { additionalProperties: false };
const Owner = Type.Object({ id: Type.String() }, closed);

describe('a response filter', () => {
  it('leaves out what the schema does not name, whether it is closed or silent about other fields', () => {
    const value = { id: 'a', secret: 1, __proto__: { inherited: 1 } };
    expect(compileResponseFilter(Owner)(value)).toEqual({ id: 'a' });
    expect(compileResponseFilter(Type.Object({ id: Type.String() }))(value)).toEqual({ id: 'a' });
  });

  it('does so below null unions, arrays, records and tagged unions', () => {
    const schema = Type.Object({
      owner: Nullable(Owner),
      list: Type.Array(Nullable(Owner)),
      map: Type.Record(Type.String(), Owner),
      tagged: Type.Union([
        Type.Object({ kind: Type.Literal('a'), a: Type.Integer() }, closed),
        Type.Object({ kind: Type.Literal('b'), b: Type.Integer() }, closed),
      ]),
    });
    const owner = { id: 'x', secret: 1 };
    const value = {
      owner,
      list: [owner, null],
      map: { k: owner },
      tagged: { kind: 'b', b: 1, a: 2 },
      secret: 1,
    };
    expect(compileResponseFilter(schema)(value)).toEqual({
      owner: { id: 'x' },
      list: [{ id: 'x' }, null],
      map: { k: { id: 'x' } },
      tagged: { kind: 'b', b: 1 },
    });
  });

  it('copies open values whole, keys named __proto__ among them', () => {
    const schema = Type.Object({
      any: Type.Unsafe({}),
      map: Type.Unsafe({ type: 'object', additionalProperties: true }),
    });
    const text = '{"any":[{"x":1}],"map":{"__proto__":{"y":1},"constructor":2}}';
    expect(JSON.stringify(compileResponseFilter(schema)(JSON.parse(text)))).toBe(text);
    const both = Type.Object({ owner: Owner }, { additionalProperties: true });
    expect(compileResponseFilter(both)({ owner: { id: 'a', secret: 1 }, more: { b: 1 } })).toEqual({
      owner: { id: 'a' },
      more: { b: 1 },
    });
    const records = compileResponseFilter(Type.Record(Type.String(), Type.Integer()));
    expect(JSON.stringify(records(JSON.parse('{"__proto__":1,"a":2}')))).toBe('{"__proto__":1,"a":2}');
  });

  it('keeps an optional field that is there and leaves out one that is undefined', () => {
    const filter = compileResponseFilter(
      Type.Object({ a: Type.Optional(Type.String()), b: Type.Optional(Type.String()) }),
    );
    expect(JSON.stringify(filter({ a: 'x', b: undefined }))).toBe('{"a":"x"}');
  });

  it.each([
    [{}, 'the missing field', '/id is missing'],
    [{ id: 5 }, 'a wrong type', '/id is no string'],
    [{ id: null }, 'null', '/id is no string'],
    [[], 'an array', 'the body is no object'],
    [null, 'null for the whole', 'the body is no object'],
    ['x', 'text', 'the body is no object'],
  ])('fails on %j: %s', (value, _title, message) => {
    expect(() => compileResponseFilter(Owner)(value)).toThrow(message);
  });

  it('names the place of a misfit and never the value', () => {
    const filter = compileResponseFilter(
      Type.Object({ list: Type.Array(Type.Object({ n: Type.Integer() })) }),
    );
    expect(() => filter({ list: [{ n: 'canary' }] })).toThrow(/\/list\/\*\/n is no integer$/);
    expect(() => filter({ list: [{ n: Number.NaN }] })).toThrow(/is no integer/);
    expect(() => compileResponseFilter(Nullable(Owner))({ secret: 'canary' })).toThrow(
      /the body fits no branch/,
    );
  });

  it('takes a schema of several types', () => {
    const filter = compileResponseFilter(Type.Unsafe({ type: ['string', 'null'] }));
    expect([filter('a'), filter(null)]).toEqual(['a', null]);
    expect(() => filter(1)).toThrow('is no string or null');
  });

  it('refuses schemas it would not understand, when the endpoint is bound', () => {
    expect(() => compileResponseFilter(Type.Unsafe({ allOf: [{ type: 'object' }] }))).toThrow(
      'cannot use allOf',
    );
  });

  it('understands the largest schema of the contract', () => {
    expect(() => compileResponseFilter(DebugBundle)).not.toThrow();
    const filter = compileResponseFilter(getIncidentBundle.responses[200]);
    expect(filter({ status: 'failed', reason: 'evidence_expired', secret: 1 })).toEqual({
      status: 'failed',
      reason: 'evidence_expired',
    });
  });
});
