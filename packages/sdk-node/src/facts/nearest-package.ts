import { readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** The facts that the library reads from the package.json of the host. */
export interface PackageFacts {
  name: string | null;
  version: string | null;
}

const MAX_LEVELS = 32;
/** Versions that scaffolding tools write and that are not maintained. */
const UNSET_VERSIONS = new Set(['0.0.0', '1.0.0']);

/** The nearest package.json at or above the entry file, or above the working directory for tools in node_modules. */
export function readNearestPackage(entry: string | undefined, cwd: string): PackageFacts {
  const isTool = entry === undefined || entry.includes(`${sep}node_modules${sep}`);
  let folder = isTool ? cwd : dirname(entry);
  for (let level = 0; level < MAX_LEVELS; level++) {
    const facts = readPackage(join(folder, 'package.json'));
    if (facts !== undefined) return facts;
    const parent = dirname(folder);
    if (parent === folder) break;
    folder = parent;
  }
  return { name: null, version: null };
}

function readPackage(path: string): PackageFacts | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof content !== 'object' || content === null) return undefined;
    return { name: textOf(content, 'name'), version: versionOf(textOf(content, 'version')) };
  } catch {
    return undefined;
  }
}

function versionOf(version: string | null): string | null {
  return version === null || UNSET_VERSIONS.has(version) ? null : version;
}

function textOf(content: object, key: string): string | null {
  const value: unknown = Reflect.get(content, key);
  return typeof value === 'string' && value !== '' ? value.slice(0, 200) : null;
}
