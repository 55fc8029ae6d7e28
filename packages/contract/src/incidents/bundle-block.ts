import Type, { type TProperties } from 'typebox';
import { Closed } from '../schemas/closed-object.ts';
import { Nullable } from '../schemas/nullable.ts';

/** A context block: every one carries its own layout version. */
export const Block = <Properties extends TProperties>(properties: Properties) =>
  Closed({ version: Type.Literal(1), ...properties });

export const NullableString = Nullable(Type.String());
export const NullableNumber = Nullable(Type.Number());
