import type { IncidentTag } from './incident-tags.ts';

const PECULIAR_MAX = 3;
const PECULIAR_SHARE_MIN = 0.8;
const PECULIAR_COUNT_MIN = 20;
/** Kinds of events, of which every incident has one. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['trust', 'level', 'handled']);

/** A value that nearly all signals of an incident have, and few of others. */
export interface PeculiarTag {
  key: string;
  value: string;
  count: number;
  share: number;
  elsewhere: number;
}

/**
 * Returns the peculiar tags of an incident: values with a share of four fifths here and of at most half of that
 * elsewhere.
 */
export function peculiarTags(tags: readonly IncidentTag[]): PeculiarTag[] {
  return tags
    .flatMap(({ key, top }) =>
      SAYS_NOTHING.has(key)
        ? []
        : top.flatMap(({ value, count, share, elsewhere }) =>
            elsewhere !== null &&
            count >= PECULIAR_COUNT_MIN &&
            share >= PECULIAR_SHARE_MIN &&
            elsewhere <= share / 2 &&
            value !== '…other'
              ? [{ key, value, count, share, elsewhere }]
              : [],
          ),
    )
    .toSorted((a, b) => a.elsewhere - b.elsewhere || b.share - a.share)
    .slice(0, PECULIAR_MAX);
}
