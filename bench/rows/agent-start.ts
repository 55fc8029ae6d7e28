import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildCli } from '../../scripts/cli/build.ts';
import type { Measured } from '../report/measured.ts';
import type { BenchContext } from './row-group.ts';

const STARTS = 9;
/** docs/contract/command-line.md 1.3. */
const MS_MAX = 350;

/**
 * Measures the time from the start of the built `culprit mcp` until an agent has the list of tools, beside an empty
 * script of the same Node started right before it.
 */
export async function agentStart(context: BenchContext, row: string): Promise<Measured> {
  context.progress(`${row}, start of culprit mcp`);
  const folder = join(context.directory, 'mcp');
  await buildCli(folder);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const environment = { PATH: process.env.PATH ?? '', HOME: folder };
  const floorValues: number[] = [];
  const values: number[] = [];
  for (let start = 0; start < context.scaled(STARTS) + 1; start += 1) {
    const startedAt = performance.now();
    spawnSync(process.execPath, ['-e', '0'], { env: environment });
    const floorMs = performance.now() - startedAt;
    const ms = await msUntilTools(join(folder, 'dist/main.js'), environment);
    // The first start of each reads its files from the disk.
    if (start === 0) continue;
    floorValues.push(floorMs);
    values.push(ms);
  }
  return {
    row,
    figure: 'culprit mcp until it answers tools/list',
    unit: 'ms',
    values,
    floorValues,
    target: { kind: 'at_most', value: MS_MAX },
    details: {},
  };
}

/** Behaves like a client: it sends the second request when the first is answered. */
async function msUntilTools(main: string, environment: Readonly<Record<string, string>>): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [main, 'mcp'], {
    env: environment,
    cwd: environment.HOME,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const send = (message: object) =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const clientInfo = { name: 'bench', version: '1.0.0' };
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  let ms: number | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    if (ms !== null) continue;
    if (line.includes('"protocolVersion"')) {
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/list' });
    } else if (line.includes('"tools"')) {
      ms = performance.now() - startedAt;
      child.stdin.end();
    }
  }
  await ended;
  if (ms === null) throw new Error('culprit mcp ended without a list of tools');
  return ms;
}
