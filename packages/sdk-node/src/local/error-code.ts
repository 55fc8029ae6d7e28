/** The code that an error of Node carries, such as `ENOSPC`; `UNKNOWN` where there is none. */
export function errorCode(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : 'UNKNOWN';
}
