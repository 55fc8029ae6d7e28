import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;
const WAIT_MAX_MS = 5 * 60_000;
/** A lock gets its pid immediately; one without is left over after this time. */
const WITHOUT_PID_MAX_MS = 5_000;

/** Does work that several test processes ask for, in one of them; the others wait and find it done. */
export async function once(
  lock: string,
  isDone: () => boolean,
  work: () => void | Promise<void>,
): Promise<void> {
  const deadline = Date.now() + WAIT_MAX_MS;
  let withoutPidSince: number | null = null;
  mkdirSync(dirname(lock), { recursive: true });
  while (!isDone()) {
    if (acquired(lock)) {
      try {
        if (!isDone()) await work();
      } finally {
        rmSync(lock, { recursive: true, force: true });
      }
      return;
    }
    const pid = readPid(lock);
    withoutPidSince = pid === null ? (withoutPidSince ?? Date.now()) : null;
    const isLeftOver =
      pid === null ? Date.now() - (withoutPidSince ?? Date.now()) > WITHOUT_PID_MAX_MS : !isAlive(pid);
    if (isLeftOver) rmSync(lock, { recursive: true, force: true });
    if (Date.now() > deadline) throw new Error(`${lock} was not released`);
    await delay(POLL_MS);
  }
}

function acquired(lock: string): boolean {
  try {
    mkdirSync(lock);
  } catch {
    return false;
  }
  writeFileSync(join(lock, 'pid'), String(process.pid));
  return true;
}

function readPid(lock: string): number | null {
  try {
    const pid = Number(readFileSync(join(lock, 'pid'), 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
