import Type, { type TObjectOptions, type TProperties } from 'typebox';

/** Returns the schema of an object that has no other properties than these. */
export const Closed = <Properties extends TProperties>(
  properties: Properties,
  options: TObjectOptions = {},
) => Type.Object(properties, { additionalProperties: false, ...options });

/** The same with a name in the OpenAPI document. */
export const Named = <Properties extends TProperties>(title: string, properties: Properties) =>
  Closed(properties, { title });
