import { readFile } from 'node:fs/promises';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';

const CONTRACT = `${sep}packages${sep}contract${sep}src${sep}`;
/** Matches a file that builds schemas; a file that only names their types is left unchanged. */
const BUILDS_SCHEMAS =
  /^import (?!type )[^;]*from '(?:typebox|\.\/(?:nullable|page-schemas|timestamp-schemas)\.ts)'/m;

/**
 * Answers imports of the contract with what a browser needs of it: of each endpoint the id, method, path and role, and
 * the plain constants. The schemas, which weigh more than the rest of the dashboard's own code, stay behind.
 */
export function browserContract(): Plugin {
  return {
    name: 'culprit-browser-contract',
    enforce: 'pre',
    async load(id) {
      const path = id.split('?', 1)[0] ?? '';
      if (!path.includes(CONTRACT)) return null;
      const source = await readFile(path, 'utf8');
      if (!BUILDS_SCHEMAS.test(source)) return null;
      this.addWatchFile(path);
      const names: Record<string, unknown> = await import(pathToFileURL(path).href);
      const lines = Object.entries(names).flatMap(([name, value]) => {
        const plain = plainForm(value);
        return plain === undefined ? [] : [`export const ${name} = ${JSON.stringify(plain)};`];
      });
      return { code: lines.join('\n'), moduleSideEffects: false };
    },
  };
}

/** Returns the form of an exported value that is sent to the browser; undefined for functions and schemas. */
function plainForm(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  if ('method' in value && 'path' in value && 'id' in value) {
    const { id, method, path } = value;
    return { id, method, path, ...('role' in value ? { role: value.role } : {}) };
  }
  return isPlain(value) ? value : undefined;
}

/** Lists and maps of constants; a schema carries marks that JSON has no form for. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol' || value === undefined) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (value instanceof RegExp || value instanceof Map || value instanceof Set) return false;
  const names = Object.getOwnPropertyNames(value);
  return !names.some((name) => name.startsWith('~')) && Object.values(value).every(isPlain);
}
