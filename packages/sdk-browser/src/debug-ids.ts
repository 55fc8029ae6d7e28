import { innermostFile } from '../../sdk-core/src/steps.ts';

const MAX_IDS = 20;
const files = new Map<string, string>();

/**
 * Debug ids of the files in a stack, by the globals that bundlers fill with one stack text for each file:
 * docs/contract/clients.md 14.
 */
export function debugIdsOf(stack: string): Record<string, string> | undefined {
  const found = new Map<string, string>();
  for (const name of ['_debugIds', '_sentryDebugIds']) {
    const ids: unknown = Reflect.get(globalThis, name);
    for (const [text, id] of Object.entries(Object(ids))) {
      const file = files.get(text) ?? innermostFile(text) ?? '';
      files.set(text, file);
      if (
        found.size < MAX_IDS &&
        file &&
        typeof id === 'string' &&
        !found.has(file) &&
        stack.includes(file)
      ) {
        found.set(file, id);
      }
    }
  }
  return found.size ? Object.fromEntries(found) : undefined;
}
