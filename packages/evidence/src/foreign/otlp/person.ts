import type { JsonObject } from '../../events/envelope/json.ts';
import { textOf } from './attribute-values.ts';

/** The names of the user in attributes; the first one with content counts, and the event intake hashes it. */
const USER_NAMES = ['user.id', 'enduser.id', 'user.email', 'user.name'];
const ID_CHARS_MAX = 512;

export function userOf(...sources: readonly JsonObject[]): JsonObject | undefined {
  for (const attributes of sources) {
    const id = textOf(attributes, USER_NAMES, ID_CHARS_MAX);
    if (id !== null) return { id };
  }
  return undefined;
}

/** Attributes that say who a person is or where one is: nothing of them is kept but the hash of the id. */
const PERSONAL = /^(?:user|enduser|client|geo)\.|^http\.client_ip$/;

export function isPersonal(name: string): boolean {
  return PERSONAL.test(name);
}
