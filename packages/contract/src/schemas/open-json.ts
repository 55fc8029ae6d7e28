import Type from 'typebox';

/** Any JSON value. Used where the application, not the contract, decides the value. */
export type OpenJson = null | boolean | number | string | OpenJson[] | OpenJsonMap;

/** A JSON object with keys the contract does not name. */
export interface OpenJsonMap {
  [key: string]: OpenJson;
}

/** Schema of any JSON value. */
export const OpenValue = Type.Unsafe<OpenJson>({ description: 'Any JSON value' });

/** Schema of a JSON object with keys of the application. */
export const OpenMap = Type.Unsafe<OpenJsonMap>({
  type: 'object',
  additionalProperties: true,
  description: 'Keys and values as the application sent them, redacted and bounded',
});
