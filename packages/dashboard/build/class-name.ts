import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const HASH_CHARACTERS = 3;
const fileOf = new Map<string, string>();

/**
 * The class that a name of a CSS module becomes. It depends on the file alone, so that a changed line of style changes no
 * script, and is the same on every machine.
 * @throws where two files give the same class: one of them wants another name
 */
export function className(name: string, path: string): string {
  const file = relative(ROOT, path.replace(/\?.*$/, '')).replaceAll('\\', '/');
  const hash = createHash('sha256').update(file).digest('base64url').replace(/[-_]/g, '');
  const made = `${name}_${hash.slice(0, HASH_CHARACTERS)}`;
  const other = fileOf.get(made) ?? file;
  if (other !== file) throw new Error(`The class ${name} of ${file} is called as that of ${other}.`);
  fileOf.set(made, file);
  return made;
}
