import { join } from 'node:path';
import { isObject, readIfThere } from '../config/json-file.ts';
import type { ApplicationFolder } from './application.ts';
import type { FileEdit } from './setup-file.ts';

/** The source with an edit; null where it has no place for it. */
export function withEdit(source: string, { places }: FileEdit): string | null {
  const place = places.find(({ find }) => find.test(source));
  return place === undefined ? null : source.replace(place.find, place.put);
}

/** Whether the application has a version for which an edit is meant. */
export function isWanted({ directory, manifest }: ApplicationFolder, { below }: FileEdit): boolean {
  if (below === null) return true;
  const installed = readIfThere(join(directory, 'node_modules', below.package, 'package.json'));
  const parts = [manifest?.dependencies, manifest?.devDependencies];
  const asked = parts.map((part) => (isObject(part) ? part[below.package] : undefined)).find(Boolean);
  const found = installed === null ? asked : Reflect.get(Object(JSON.parse(installed)), 'version');
  const version = numbersOf(typeof found === 'string' ? found : '');
  const limit = numbersOf(below.version);
  const at = limit.findIndex((number, index) => number !== (version[index] ?? 0));
  return at >= 0 && (version[at] ?? 0) < (limit[at] ?? 0);
}

/** The first version that a text names, such as the range `^4.21.0`. */
function numbersOf(text: string): number[] {
  const [, major = '0', minor = '0', patch = '0'] = /(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(text) ?? [];
  return [major, minor, patch].map(Number);
}
