import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { filesBelow } from '../sdk/files-below.ts';

/** The folder that package managers expect at the top of a tarball. */
const TOP = 'package';
const BLOCK_BYTES = 512;
const NAME_BYTES_MAX = 100;
const PREFIX_BYTES_MAX = 155;
/** The time that npm gives to everything that it packs: 1985-10-26T08:15:00Z. */
const PACKED_AT_S = 499_162_500;

/** The manifest of a package in its packed form. */
type Manifest = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly version: string;
};

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Packs a folder under the name that npm would give to it. Equal files give equal bytes. @returns its path */
export function packFolder(folder: string, into: string): string {
  const manifest = readManifest(folder);
  const path = join(into, `${manifest.name.slice(1).replace('/', '-')}-${manifest.version}.tgz`);
  writeFileSync(path, tarball(folder, programsOf(manifest)));
  return path;
}

function programsOf({ bin }: Manifest): ReadonlySet<string> {
  return new Set(typeof bin === 'object' && bin !== null ? Object.values(bin) : []);
}

/** Entries in order of their names, without times, owners and modes of this machine. */
function tarball(folder: string, programs: ReadonlySet<string>): Buffer {
  const parts = filesBelow(folder).flatMap((file) => {
    const content = readFileSync(join(folder, file));
    const padding = Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES);
    return [header(`${TOP}/${file}`, content.length, programs.has(file) ? 0o755 : 0o644), content, padding];
  });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK_BYTES)]), { level: 9 });
}

/** The header of a file by POSIX.1-1988 (ustar). */
function header(path: string, size: number, mode: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  const [prefix, name] = splitPath(path);
  const number = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(name, 0);
  block.write(number(mode, 7), 100);
  block.write(number(0, 7), 108);
  block.write(number(0, 7), 116);
  block.write(number(size, 11), 124);
  block.write(number(PACKED_AT_S, 11), 136);
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function splitPath(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= NAME_BYTES_MAX) return ['', path];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(name) <= NAME_BYTES_MAX && at <= PREFIX_BYTES_MAX) return [prefix, name];
  }
  throw new Error(`${path} is too long for a tarball`);
}
