import Type, { type TProperties } from 'typebox';

/**
 * Returns the schema of an object that has no other properties than these; with a title it has a name in the OpenAPI
 * document.
 */
export const Closed = <Properties extends TProperties>(properties: Properties, title?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(title === undefined ? {} : { title }) });
