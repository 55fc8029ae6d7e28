import type { Fix } from '@culprit/contract/incidents/incident-fixes';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { FIX_WAIT_DAYS } from '@culprit/contract/incidents/triage-words';

const NAME_CHARS_MAX = 48;
const DAY_MS = 86_400_000;

/** Returns the fix that was proposed or deployed last, with words that its name follows; null without fixes. */
export function fixToShow(
  { status, regressed_at: regressedAt }: Pick<Incident, 'status' | 'regressed_at'>,
  fixes: readonly Fix[],
  nowMs: number,
): { words: string; fix: Fix } | null {
  const timeOf = ({ created_at: createdAt, deployed_at: deployedAt }: Fix) => deployedAt ?? createdAt;
  const fix = fixes.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))[0];
  if (fix === undefined) return null;
  const waits = fix.resolves && fix.deployed_at === null;
  if (waits && status !== 'resolved' && nowMs - Date.parse(fix.created_at) < FIX_WAIT_DAYS * DAY_MS)
    return { words: 'Fix waits for its deployment:', fix };
  if (waits) return { words: 'Fix proposed:', fix };
  if (status === 'resolved') return { words: 'Fixed by', fix };
  const isBefore = status === 'regressed' && regressedAt !== null && timeOf(fix) < regressedAt;
  return { words: isBefore ? 'Came back after the fix' : 'Fix proposed:', fix };
}

/** Returns host and path of an address, the end of the path where it is long. */
export function fixName(url: string): string {
  const { host, pathname } = new URL(url);
  const name = `${host}${pathname}`;
  return name.length <= NAME_CHARS_MAX ? name : `…${name.slice(1 - NAME_CHARS_MAX)}`;
}
