import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  commandLine,
  installLine,
  type PackageManager,
  type PackageSource,
  registryFiles,
  tarballPath,
} from '@culprit/contract/setup/install-lines';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { installHosts } from '../../../sdk-test-hosts/hosts.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { type EmptyApplication, emptyApplication } from '../support/empty-application.ts';
import { connect } from '../support/incident-client.ts';
import { handedOutBy, startWithPackages } from '../support/packages.ts';

/** docs/contract/packages.md 5.1, 5.2, 5.4: real package managers in empty folders, whose registry knows no name of ours. */

const TEST_MAX_MS = 180_000;
const PREPARE_MAX_MS = 300_000;

let culprit: TestCulprit;
let source: PackageSource;
let hosts: string;
let application: EmptyApplication;
beforeAll(async () => {
  hosts = await installHosts();
  culprit = await startWithPackages();
  const { version } = await handedOutBy(culprit);
  source = { baseUrl: culprit.url, version };
}, PREPARE_MAX_MS);
afterAll(() => culprit?.stop());
afterEach(() => application?.remove());

/** The line as its reader types it, with the package manager from the test hosts. */
function typed(line: string, program: string): string {
  return line.replace(/^\w+/, program);
}

/** An error of a program with the library becomes an incident. */
async function expectIncident(): Promise<void> {
  const client = await connect(culprit);
  const ended = await application.run(
    `${process.execPath} --import @culprit/node/register -e "throw new Error('Hello from Node')"`,
    {
      CULPRIT_PROJECT_TOKEN: client.project.projectToken,
      CULPRIT_ENDPOINT: culprit.url,
      NODE_ENV: 'production',
    },
  );
  expect(ended.code).toBe(1);
  expect(await client.only()).toMatchObject({ title: 'Error: Hello from Node' });
}

interface Manager {
  name: string;
  manager: PackageManager;
  /** The program, from the folder of the test hosts. */
  program: (hosts: string) => string;
  lockfile: string;
  /** Which of the registry's files it reads. */
  registryFile: string;
}

const MANAGERS: readonly Manager[] = [
  {
    name: 'npm',
    manager: 'npm',
    program: () => 'npm',
    lockfile: 'package-lock.json',
    registryFile: '.npmrc',
  },
  {
    name: 'pnpm',
    manager: 'pnpm',
    program: (modules) => join(modules, '.bin/pnpm'),
    lockfile: 'pnpm-lock.yaml',
    registryFile: '.npmrc',
  },
  {
    name: 'Yarn 1',
    manager: 'yarn',
    program: (modules) => join(modules, '.bin/yarn'),
    lockfile: 'yarn.lock',
    registryFile: '.npmrc',
  },
  {
    name: 'Bun',
    manager: 'bun',
    program: (modules) => join(modules, '@oven/bun-linux-x64-baseline/bin/bun'),
    lockfile: 'bun.lock',
    registryFile: 'bunfig.toml',
  },
];

describe.each(MANAGERS)('$name', { timeout: TEST_MAX_MS }, (each) => {
  const prepare = (): string => {
    application = emptyApplication();
    const program = each.program(hosts);
    // Where the registry has no build of it for this machine, docs/contract/packages.md 5 says so.
    if (each.name === 'Bun') expect(existsSync(program), 'Bun is not installed here').toBe(true);
    return program;
  };

  it('installs by address, and what is reported becomes an incident', async () => {
    const program = prepare();
    const line = installLine(source, ['node'], each.manager);
    const ended = await application.run(typed(line, program));
    expect(ended.code, ended.out).toBe(0);
    const lockfile = readFileSync(join(application.path, each.lockfile), 'utf8');
    expect(lockfile).toContain(tarballPath('node', source.version));
    await expectIncident();
  });

  it('installs by name once its file says where', async () => {
    const program = prepare();
    const { file, text } = registryFiles(culprit.url).find(
      ({ file: name }) => name === each.registryFile,
    ) ?? {
      file: '',
      text: '',
    };
    application.write(file, text);
    const ended = await application.run(
      typed(`${installLine(source, [], each.manager)} @culprit/node`, program),
    );
    expect(ended.code, ended.out).toBe(0);
    await expectIncident();
  });
});

describe('integrity', { timeout: TEST_MAX_MS }, () => {
  it('is the one of the header in the lockfile', async () => {
    application = emptyApplication();
    application.write('.npmrc', `@culprit:registry=${culprit.url}/npm/\n`);
    expect((await application.run('npm install @culprit/browser')).code).toBe(0);
    const answer = await fetch(`${culprit.url}/npm/@culprit%2fbrowser`);
    const packument: unknown = await answer.json();
    const { dist } = releaseOf(packument, source.version);
    expect(dist.tarball).toBe(`${culprit.url}${tarballPath('browser', source.version)}`);
    const lockfile: unknown = JSON.parse(readFileSync(join(application.path, 'package-lock.json'), 'utf8'));
    const locked = isJsonObject(lockfile) && isJsonObject(lockfile.packages) ? lockfile.packages : {};
    expect(locked['node_modules/@culprit/browser']).toMatchObject({
      integrity: dist.integrity,
      resolved: dist.tarball,
    });
  });

  it('refuses a tarball of which one byte changed', async () => {
    application = emptyApplication();
    const changer = await startByteChanger(culprit.url);
    try {
      application.write('.npmrc', `@culprit:registry=${changer.url}/npm/\n`);
      const ended = await application.run('npm install @culprit/node');
      expect(ended.code).not.toBe(0);
      expect(ended.out).toMatch(/EINTEGRITY/);
    } finally {
      changer.server.close();
    }
  });
});

describe('the command line', { timeout: TEST_MAX_MS }, () => {
  it('runs by npx, says the version of the packages, and asks no registry', async () => {
    application = emptyApplication();
    const ended = await application.run(commandLine(source, '--version'));
    expect(ended.code, ended.out).toBe(0);
    expect(ended.out).toContain(`culprit ${source.version} (node `);
  });

  it('answers an agent over standard input', async () => {
    application = emptyApplication();
    const { project } = await connect(culprit);
    const messages = [
      {
        ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    application.write('messages', `${messages.map((each) => JSON.stringify(each)).join('\n')}\n`);
    const ended = await application.run(`${commandLine(source, 'mcp')} < messages`, {
      CULPRIT_URL: culprit.url,
      CULPRIT_TOKEN: project.memberToken,
      PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
    });
    expect(ended.out).toContain('"name":"list_incidents"');
  });
});

interface Dist {
  tarball: string;
  integrity: string;
}

function releaseOf(packument: unknown, version: string): { dist: Dist } {
  const versions = isJsonObject(packument) && isJsonObject(packument.versions) ? packument.versions : {};
  const release = versions[version];
  const dist = isJsonObject(release) && isJsonObject(release.dist) ? release.dist : {};
  return { dist: { tarball: String(dist.tarball), integrity: String(dist.integrity) } };
}

/** Stands between a package manager and the service, and changes one byte of a file in each tarball. */
async function startByteChanger(to: string): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(`${to}${request.url}`);
    const content = Buffer.from(await answer.arrayBuffer());
    if (request.url?.endsWith('.tgz') === true) {
      const files = gunzipSync(content);
      files.write('l', files.indexOf('License'));
      response.end(gzipSync(files));
      return;
    }
    const url = `http://${request.headers.host}`;
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(content.toString().replaceAll(to, url));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, server };
}
