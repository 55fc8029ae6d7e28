import { chmodSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@culprit/contract/endpoints/client';
import { listMemberTokens } from '@culprit/contract/workspace/tokens';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { ensurePackages } from '../../../server/test/support/packages.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { AGENT_HOSTS, hostFile } from '../../src/agents/agent-hosts.ts';
import { VERSION } from '../../src/version.ts';
import { builtCli, type CliHome, createCliHome } from '../support/built-cli.ts';
import { signIn } from '../support/signed-in.ts';

/** `culprit mcp config` (docs/contract/command-line.md 5.1). */
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';
const PREPARE_MAX_MS = 180_000;

let culprit: TestCulprit;
let ARGS: string[];
let ENTRY: { command: string; args: string[] };
let home: CliHome;
beforeAll(async () => {
  await ensurePackages();
  culprit = await shareCulprit();
  ARGS = ['-y', `${culprit.url}/npm/@culprit/cli/-/cli-${VERSION}.tgz`, 'mcp'];
  ENTRY = { command: 'npx', args: ARGS };
}, PREPARE_MAX_MS);
beforeEach(async () => {
  home = await createCliHome();
});
afterEach(() => home.remove());

const run = (args: readonly string[]) => home.run(args, { environment: { CULPRIT_URL: culprit.url } });
const write = (client: string, ...more: string[]) =>
  run(['mcp', 'config', '--client', client, '--write', '--yes', ...more]);

describe('culprit mcp config', () => {
  it('prints the entry of each client and writes nothing', async () => {
    for (const client of AGENT_HOSTS) {
      const { code, out, err } = await run(['mcp', 'config', '--client', client]);
      expect(code).toBe(0);
      const { path, key, format } = fileOf(client);
      expect(err).toContain(path);
      expect(err).toContain(`${culprit.url}/mcp`);
      if (format === 'json') expect(JSON.parse(out)[key].culprit).toMatchObject(ENTRY);
      else expect(out).toBe(`[mcp_servers.culprit]\ncommand = "npx"\nargs = ["-y", "${ARGS[1]}", "mcp"]\n`);
      expect(() => statSync(path)).toThrow();
    }
  });

  it('names the program that runs where no server hands one out, and never a package', async () => {
    const { code, out } = await home.run(['mcp', 'config', '--client', 'cursor', '--url', NOWHERE]);
    expect(code).toBe(0);
    const { command, args } = JSON.parse(out).mcpServers.culprit;
    expect([command, args]).toEqual([process.execPath, [await builtCli(), 'mcp']]);
  });

  it('takes flags behind its own name, and those of mcp only before it', async () => {
    const { out } = await run([
      'mcp',
      'config',
      '--client',
      'cursor',
      '--project',
      'shop',
      '--profile',
      'work',
    ]);
    expect(JSON.parse(out).mcpServers.culprit.args.slice(-5)).toEqual([
      'mcp',
      '--profile',
      'work',
      '--project',
      'shop',
    ]);
    expect((await run(['mcp', 'config', '--client', 'cursor', '--allow-writes'])).code).toBe(2);
    expect((await run(['mcp', 'config'])).code).toBe(2);
    expect((await run(['mcp', 'config', '--client', 'emacs'])).code).toBe(2);
  });

  it('adds the entry to what is there, once, and keeps the file as it was otherwise', async () => {
    const before = { other: 1, mcpServers: { files: { command: 'x', env: { KEY: 'secret-of-another' } } } };
    home.write('.cursor/mcp.json', `${JSON.stringify(before, null, '\t')}\n`);
    chmodSync(join(home.path, '.cursor/mcp.json'), 0o640);
    const { code, err } = await write('cursor');
    expect([code, err]).toEqual([0, expect.stringContaining('is modified')]);
    expect(err).toContain('+');
    expect(err).not.toContain('secret-of-another');
    const after = { ...before, mcpServers: { ...before.mcpServers, culprit: ENTRY } };
    expect(home.read('.cursor/mcp.json')).toBe(`${JSON.stringify(after, null, '\t')}\n`);
    expect(statSync(join(home.path, '.cursor/mcp.json')).mode & 0o777).toBe(0o640);
    expect((await write('cursor')).err).toContain('It is already there.');
    expect(home.read('.cursor/mcp.json')).toBe(`${JSON.stringify(after, null, '\t')}\n`);
  });

  it('writes a table of TOML behind what is there, and never a second one', async () => {
    home.write('.codex/config.toml', 'model = "x"\n\n[mcp_servers.files]\ncommand = "y"');
    expect((await write('codex')).code).toBe(0);
    const text = home.read('.codex/config.toml');
    expect(text).toMatch(
      /^model = "x"\n\n\[mcp_servers\.files\]\ncommand = "y"\n\n\[mcp_servers\.culprit\]\n/,
    );
    expect((await write('codex')).err).toContain('It is already there.');
    expect(await write('codex', '--project', 'shop')).toMatchObject({
      code: 2,
      err: expect.stringContaining('has another table'),
    });
    expect(home.read('.codex/config.toml')).toBe(text);
  });

  it('leaves a file alone that it cannot read, and one whose owner is not asked', async () => {
    home.write('.vscode/mcp.json', '{ // mine\n  "servers": {} }');
    expect(await write('vscode')).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not plain JSON'),
    });
    expect(home.read('.vscode/mcp.json')).toBe('{ // mine\n  "servers": {} }');
    expect((await run(['mcp', 'config', '--client', 'gemini', '--write'])).code).toBe(2);
    expect(() => home.read('.gemini/settings.json')).toThrow();
  });

  it('writes through a symbolic link to the file that it means', async () => {
    mkdirSync(join(home.path, 'dotfiles'));
    home.write('dotfiles/mcp.json', '{}\n');
    symlinkSync(join(home.path, 'dotfiles/mcp.json'), join(home.path, '.mcp.json'));
    expect((await write('claude-code')).code).toBe(0);
    expect(JSON.parse(home.read('dotfiles/mcp.json'))).toEqual({ mcpServers: { culprit: ENTRY } });
  });

  it('makes a token that can only read, of which nothing is in the file', async () => {
    const signedIn = await signIn(culprit);
    const { code, out, err } = await signedIn.home.run([
      ...['mcp', 'config', '--client', 'claude-code', '--write', '--yes', '--read-token', '--json'],
    ]);
    expect([code, err]).toEqual([0, expect.stringContaining('can only read')]);
    expect(JSON.parse(out)).toMatchObject({ client: 'claude-code', change: 'created' });
    const { args } = JSON.parse(signedIn.home.read('.mcp.json')).mcpServers.culprit;
    const [, profile] = args.slice(ARGS.length);
    expect(args).toEqual([...ARGS, '--profile', profile]);
    expect(signedIn.home.read('.mcp.json')).not.toContain('svc_');
    const api = createClient({ baseUrl: culprit.url, token: signedIn.project.memberToken });
    const listed = await api.call(listMemberTokens, {});
    expect(listed.ok && listed.body.tokens.map(({ access }) => access).sort()).toEqual(['full', 'read']);
    // The profile that was there stays the one of every other command, and the agent's cannot change anything.
    expect((await signedIn.home.run(['whoami'])).code).toBe(0);
    const created = await signedIn.home.run(['tokens', 'create', '--label', 'x', '--profile', profile]);
    expect(created.code).toBe(5);
    signedIn.home.remove();
  });
});

function fileOf(client: (typeof AGENT_HOSTS)[number]) {
  return hostFile(client, {
    directory: home.path,
    environment: { HOME: home.path },
    platform: process.platform,
  });
}
