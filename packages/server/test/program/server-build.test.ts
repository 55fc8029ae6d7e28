import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** Which files `npm start` runs as the server, in a copy of the scripts beside sources of a line. */

const ROOT = join(import.meta.dirname, '../../../..');
/** Stands for the real one, which needs the packages: the folder, and a line for each time that it was asked. */
const BUILDER = `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
const [folder = ''] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
writeFileSync(folder + '/main.js', '');
appendFileSync('built', folder + '\\n');
`;
const ASK = `import { serverProgram } from './scripts/server-build.mjs';
console.log(JSON.stringify(await serverProgram()));`;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'culprit-build-'));
  await cp(join(ROOT, 'scripts'), join(directory, 'scripts'), { recursive: true });
  await mkdir(join(directory, 'packages/server/src'), { recursive: true });
  await writeSource('1');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function writeSource(text: string): Promise<void> {
  await writeFile(join(directory, 'packages/server/src/main.ts'), text);
}

async function ask(): Promise<{ program: { main: string; isBuilt: boolean }; said: string }> {
  const args = ['--input-type=module', '--eval', ASK];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: directory });
  const { main, isBuilt }: Record<string, unknown> = JSON.parse(stdout);
  return { program: { main: String(main), isBuilt: isBuilt === true }, said: stderr };
}

describe('the server that npm start runs', () => {
  it('is its sources where it cannot be built, which is said with the reason', async () => {
    const { program, said } = await ask();
    expect(program).toEqual({ main: join(directory, 'packages/server/src/main.ts'), isBuilt: false });
    expect(said).toContain('The server could not be built; its sources run instead.');
    expect(said).toContain("Cannot find package 'rolldown'");
    await expect(readdir(join(directory, 'packages/server/dist'))).rejects.toThrow('ENOENT');
  });

  it('is built once for the same sources, and again when one changed; the newest eight stay', async () => {
    await writeFile(join(directory, 'scripts/build-server.ts'), BUILDER);
    const first = await ask();
    expect(first.program.isBuilt).toBe(true);
    expect(first.said).toMatch(/^Server built in \d+\.\d s\.\n$/);
    expect(await ask()).toEqual({ program: first.program, said: '' });
    let newest = first;
    for (let version = 2; version <= 10; version += 1) {
      await writeSource(String(version));
      newest = await ask();
      expect(newest.said).not.toBe('');
    }
    const builds = (await readdir(join(directory, 'packages/server/dist'))).map((name) =>
      join(directory, 'packages/server/dist', name, 'main.js'),
    );
    expect(builds).toHaveLength(8);
    expect(builds).toContain(newest.program.main);
    expect(builds).not.toContain(first.program.main);
  });
});
