import { v7 } from 'uuid';

/** Prefixes of ids on the wire; all other kinds are bare UUIDs (docs/contract/incidents.md 0). */
export type IdPrefix = 'proj' | 'inc' | 'bun' | 'evt' | 'tok' | 'act' | 'whk' | 'del' | 'alt';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A new time-ordered UUID, as the database keeps it. */
export function newUuid(): string {
  return v7();
}

/** The form of an id outside: `inc_<uuid>`. */
export function prefixedId(prefix: IdPrefix, uuid: string): string {
  return `${prefix}_${uuid}`;
}

/** The UUID of a prefixed or bare id; null when it can name nothing (ids are opaque, so this is no error). */
export function parseId(prefixes: readonly IdPrefix[], text: string): string | null {
  const prefix = prefixes.find((candidate) => text.startsWith(`${candidate}_`));
  const rest = (prefix === undefined ? text : text.slice(prefix.length + 1)).toLowerCase();
  return UUID.test(rest) ? rest : null;
}
