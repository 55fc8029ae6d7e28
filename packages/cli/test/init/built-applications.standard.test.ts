import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  folderBelowHosts,
  HOSTS_ROOT,
  type HostFolder,
  installHosts,
} from '../../../sdk-test-hosts/hosts.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { reservePort } from '../../../server/test/support/reserved-port.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { environmentOf } from '../support/built-cli.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

/** `culprit init` in applications that a framework builds: Next.js and Vite (C-20). */

const INSTALL_MAX_MS = 300_000;
const TEST_MAX_MS = 240_000;
const START_MAX_MS = 120_000;
const VITE = join(import.meta.dirname, '../../../../node_modules/vite');

let culprit: TestCulprit;
let signedIn: SignedIn;
let modules: string;
const folders: HostFolder[] = [];
const children: ChildProcess[] = [];
beforeAll(async () => {
  culprit = await shareCulprit();
  signedIn = await signIn(culprit);
  modules = await installHosts();
}, INSTALL_MAX_MS);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) await folder.remove();
  signedIn.home.remove();
});

/** An application with the client libraries installed and named, as package managers leave it. */
async function application(name: string, more: Record<string, string>): Promise<HostFolder> {
  const folder = await folderBelowHosts();
  folders.push(folder);
  const dependencies = { '@culprit/browser': '0.1.0', '@culprit/node': '0.1.0', ...more };
  folder.write('package.json', JSON.stringify({ name, version: '1.0.0', type: 'module', dependencies }));
  return folder;
}

async function init({ path }: HostFolder, args: readonly string[]) {
  return await signedIn.home.run(['init', path, ...args]);
}

/** Starts a program of a package, and waits until it answers. */
async function serve(folder: HostFolder, program: string, args: readonly string[], port: number) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder.path,
    env: { ...environmentOf(signedIn.home.path), NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const origin = `http://127.0.0.1:${port}`;
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`it ended: ${said}`);
    await fetch(origin).catch((error: unknown) => {
      throw new Error(`it does not answer: ${said}`, { cause: error });
    });
  }, START_MAX_MS);
  return {
    origin,
    stop: async () => {
      const ended = once(child, 'close');
      child.kill();
      await ended;
    },
  };
}

async function incidentWith(text: string): Promise<void> {
  await eventually(async () => {
    const { out } = await signedIn.home.run(['incidents', 'list', '--search', text, '--json']);
    expect(out).toContain(text);
  }, START_MAX_MS);
}

describe('init of an application of Next.js', () => {
  // Without an environment, what runs for development alone writes to files.
  it('makes the file that starts capture, and a failing route becomes an incident', {
    timeout: TEST_MAX_MS,
  }, async () => {
    const folder = await application('next-shop', { next: '16.4.5', react: '19.3.1', 'react-dom': '19.3.1' });
    folder.write(
      'app/layout.js',
      'export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n',
    );
    folder.write('app/page.js', 'export default () => <p>open</p>;\n');
    folder.write(
      'app/fail/route.js',
      "export const dynamic = 'force-dynamic';\nexport function GET() { throw new TypeError('no tea in stock'); }\n",
    );
    folder.write(
      'next.config.mjs',
      `export default ${JSON.stringify({ turbopack: { root: HOSTS_ROOT } })};\n`,
    );
    const shown = await init(folder, ['--framework', 'next', '--dry-run']);
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('+++ b/instrumentation.js') });
    const { code, out, err } = await init(folder, [
      '--framework',
      'next',
      '--yes',
      '--json',
      '-e',
      'staging',
    ]);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(JSON.parse(out)).toMatchObject({
      service: 'next-shop',
      installed: [],
      visible_ms: expect.any(Number),
    });
    const port = await reservePort();
    const program = join(modules, 'next/dist/bin/next');
    const running = await serve(folder, program, ['dev', '--port', String(port)], port);
    expect((await fetch(`${running.origin}/fail`)).status).toBe(500);
    await incidentWith('no tea in stock');
    await running.stop();
    const again = await init(folder, ['--framework', 'next', '--yes', '-e', 'staging']);
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining('Nothing was changed.') });
  });
});

describe('init of an application of Vite', () => {
  it('binds the token to the origin of its pages, and a failing page becomes an incident', {
    timeout: TEST_MAX_MS,
  }, async () => {
    const folder = await application('vite-shop', { vite: '^7.0.0' });
    symlinkSync(VITE, join(folder.path, 'node_modules/vite'));
    folder.write(
      'index.html',
      '<!doctype html><title>Shop</title><script type="module" src="/src/main.js"></script>\n',
    );
    folder.write('src/main.js', "setTimeout(() => { throw new RangeError('no cups left'); }, 100);\n");
    const port = await reservePort();
    const pages = ['--allowed-origin', `http://127.0.0.1:${port}`];
    const unnamed = await init(folder, ['--framework', 'vite', '--yes']);
    expect(unnamed).toMatchObject({ code: 2, err: expect.stringContaining('--allowed-origin') });
    const shown = await init(folder, ['--framework', 'vite', '--dry-run', ...pages]);
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining("+import './culprit.js';") });
    const { code, err } = await init(folder, ['--framework', 'vite', '--yes', ...pages]);
    expect({ code, err }).toMatchObject({ code: 0 });
    const running = await serve(
      folder,
      join(VITE, 'bin/vite.js'),
      ['--host', '127.0.0.1', '--port', String(port), '--strictPort'],
      port,
    );
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(running.origin);
      await incidentWith('no cups left');
    } finally {
      await browser.close();
      await running.stop();
    }
    const again = await init(folder, ['--framework', 'vite', '--yes', ...pages]);
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining('Nothing was changed.') });
  });
});
