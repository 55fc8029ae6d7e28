import Type, { type TNull, type TSchema, type TUnion } from 'typebox';

/** A value or null: absent values of the API are null, not left out (docs/contract/account.md 0). */
export function Nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}
