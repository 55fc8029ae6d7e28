import { registeredIds } from '../../sdk-core/src/build-facts.ts';
import { innermostFile } from '../../sdk-core/src/repeats/steps.ts';

const MAX_IDS = 20;

/** The files of the last captured stack with their debug ids, for `getDiagnostics`. */
export let lastDebugIds: Record<string, string | null> = {};

/** Debug ids of the files in a stack: docs/contract/clients.md 14. */
export function debugIdsOf(stack: string): Record<string, string | null> | undefined {
  const ids = registeredIds(innermostFile);
  const files = new Map<string, string | null>();
  for (const line of stack.split('\n')) {
    const file = innermostFile(line);
    if (file) files.set(file, ids.get(file) ?? null);
  }
  lastDebugIds = Object.fromEntries(files);
  const found = [...files].filter(([, id]) => id).slice(0, MAX_IDS);
  return found[0] && Object.fromEntries(found);
}
