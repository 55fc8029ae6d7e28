import { RELEASE_CHARS_MAX } from '@culprit/contract/releases/map-limits';
import { usageError } from '../../cli-error.ts';
import { variable } from '../../config/folders.ts';
import type { Context } from '../../context.ts';
import type { Input } from '../../input.ts';
import { visibleLine } from '../../output/visible-text.ts';
import type { FolderResult } from '../../source-maps/inject-folder.ts';

const NAMED_MAX = 3;

/** The release of a build: of the flag, else of the environment. */
export function releaseOf({ environment }: Context, input: Input): string | null {
  const release = (input.text('release') ?? variable(environment, 'CULPRIT_RELEASE'))?.trim() ?? null;
  if (release !== null && (release === '' || release.length > RELEASE_CHARS_MAX)) {
    throw usageError(`A release has 1 to ${RELEASE_CHARS_MAX} characters.`);
  }
  return release;
}

/** Returns the message for builds in which no script has a map. */
export function nothingWords(roots: readonly string[]): string {
  return `There is no JavaScript file with a map below ${roots.join(', ')}. Was the build run with source maps?`;
}

/** Returns the skipped files, by reason, for people. */
export function skippedLines(skipped: FolderResult['skipped']): string[] {
  const byReason = Map.groupBy(skipped, ({ why }) => why);
  return [...byReason].map(([why, files]) => {
    const named = files.slice(0, NAMED_MAX).map(({ path }) => path);
    const more = files.length > NAMED_MAX ? ` and ${files.length - NAMED_MAX} more` : '';
    return visibleLine(`skipped  ${named.join(', ')}${more}: ${why}`);
  });
}
