import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Files that `culprit init` writes to; the first that names a variable wins. */
const FILES = ['.env.local', '.env'];
const FILE_MAX_BYTES = 65_536;
const LINE = /^\s*(?:export\s+)?(CULPRIT_[A-Z_]{1,60})\s*=\s*(.*?)\s*$/;

/**
 * The library's own variables in the files of a folder. No other variable is read: those of the application are its
 * own matter.
 */
export function readOwnVariables(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of FILES.flatMap((name) => linesOf(join(folder, name)))) {
    const [, name, text = ''] = LINE.exec(line) ?? [];
    if (name === undefined) continue;
    const quoted = /^(['"])(.*)\1/.exec(text);
    found[name] ??= quoted?.[2] ?? text.replace(/\s+#.*$/, '');
  }
  return found;
}

const READ = /^(?:CULPRIT_[A-Z_]{1,60}|NODE_ENV|OTEL_SERVICE_NAME)$/;

/**
 * Variables that PM2 sets in a process of a cluster. It hands them over as one text, and sets each only after Node has
 * loaded what `--import` names.
 */
export function readClusterVariables(text: string | undefined): [name: string, value: string][] {
  if (text === undefined) return [];
  try {
    const given: unknown = JSON.parse(text);
    const found = Object.entries(Object(given)).filter(([name]) => READ.test(name));
    return found.map(([name, value]) => [name, String(value)]);
  } catch {
    return [];
  }
}

function linesOf(path: string): string[] {
  try {
    if (statSync(path).size > FILE_MAX_BYTES) return [];
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}
