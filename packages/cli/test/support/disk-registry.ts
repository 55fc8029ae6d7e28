import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { installHosts } from '../../../sdk-test-hosts/hosts.ts';

/** A registry of packages for package managers: what the test hosts have installed, and nothing of ours. */
export interface DiskRegistry {
  url: string;
  /** Refuses everything from now on, or no longer. */
  setBroken(isBroken: boolean): void;
  close(): Promise<void>;
}

interface Release {
  manifest: Record<string, unknown>;
  /** Where its tarball is; made when it is first wanted. */
  tarball: () => string;
}

export async function startDiskRegistry(): Promise<DiskRegistry> {
  const packages = new Map<string, Map<string, Release>>();
  const packed = mkdtempSync(join(tmpdir(), 'culprit-registry-'));
  addAll(packages, await installHosts(), packed);
  let isBroken = false;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://registry');
    const [name = '', file] = decodeURIComponent(url.pathname.slice(1)).split('/-/');
    const releases = packages.get(name);
    if (isBroken || releases === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
      return;
    }
    const release = file === undefined ? undefined : releases.get(file.replace(/\.tgz$/, ''));
    if (release !== undefined) {
      response.end(readFileSync(release.tarball()));
      return;
    }
    const versions = [...releases].map(([version, { manifest, tarball }]) => {
      const bytes = readFileSync(tarball());
      const dist = {
        tarball: `http://${request.headers.host}/${name}/-/${version}.tgz`,
        shasum: createHash('sha1').update(bytes).digest('hex'),
        integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
      };
      return [version, { ...manifest, dist }] as const;
    });
    const latest = versions[0]?.[0];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    setBroken(now) {
      isBroken = now;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(packed, { recursive: true, force: true });
    },
  };
}

/** Every package of a `node_modules`, with those inside of packages behind their own. */
function addAll(packages: Map<string, Map<string, Release>>, modules: string, packed: string): void {
  const folders = readdirSync(modules).flatMap((name) =>
    name.startsWith('@')
      ? readdirSync(join(modules, name)).map((inner) => join(modules, name, inner))
      : name.startsWith('.')
        ? []
        : [join(modules, name)],
  );
  for (const folder of folders) {
    if (!existsSync(join(folder, 'package.json'))) continue;
    let tarball: string | null = null;
    add(packages, folder, () => {
      tarball ??= pack(folder, packed);
      return tarball;
    });
  }
  for (const folder of folders) {
    if (existsSync(join(folder, 'node_modules'))) addAll(packages, join(folder, 'node_modules'), packed);
  }
}

function add(packages: Map<string, Map<string, Release>>, folder: string, tarball: () => string): void {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!isJsonObject(manifest)) return;
  const { name, version } = manifest;
  if (typeof name !== 'string' || typeof version !== 'string') return;
  const releases = packages.get(name) ?? new Map<string, Release>();
  if (!releases.has(version)) releases.set(version, { manifest, tarball });
  packages.set(name, releases);
}

/** The files of a package as registries serve them, in a folder of the name that all package managers expect. */
function pack(folder: string, packed: string): string {
  const staging = mkdtempSync(join(packed, 'package-'));
  mkdirSync(join(staging, 'package'));
  cpSync(folder, join(staging, 'package'), {
    recursive: true,
    filter: (source) => !source.slice(folder.length).startsWith('/node_modules'),
  });
  const tarball = `${staging}.tgz`;
  execFileSync('tar', ['-czf', tarball, '-C', staging, 'package']);
  return tarball;
}
