import { attempt } from './attempt.ts';
import type { ScopeData } from './options.ts';

const TAGS_MAX = 50;
const TAG_CHARS_MAX = 200;

/**
 * Merges several scopes, the later ones winning key by key, into context keys of an event (docs/contract/clients.md
 * 2.3). Only the id of a user is sent. Not cleaned yet.
 */
export function mergeScopes(scopes: readonly (ScopeData | null | undefined)[]): { [key: string]: unknown } {
  const merged: { [key: string]: unknown } = {};
  const tags: { [key: string]: unknown } = {};
  for (const scope of scopes) {
    // A value of the host may throw when it is read; the rest is kept.
    attempt(() => {
      const { user, context } = Object(scope);
      if (user !== undefined) merged.user = user && { id: idText(user.id) };
      Object.assign(tags, scope?.tags);
      Object.assign(merged, context);
    });
  }
  const kept = Object.entries(tags).slice(0, TAGS_MAX);
  if (kept[0]) {
    merged.tags = Object.fromEntries(
      kept.map(([name, tag]) => [name, attempt(() => String(tag).slice(0, TAG_CHARS_MAX)) ?? '[Unreadable]']),
    );
  }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value != null));
}

/** Ids of databases are objects that say what they are as a text, as those of Mongo. */
function idText(id: unknown): string | null {
  return attempt(() => String(id ?? '').replace(/^\[object .*/, '')) || null;
}
