import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Delivery, deliveryOf, readCounts } from '../service/delivery.ts';
import type { ShopOptions } from './routes.ts';

/** The settings of a shop process. */
export interface ShopSettings extends ShopOptions {
  /** The address of Culprit, without the `/v1`. */
  baseUrl: string;
  projectToken: string;
  commit: string;
  port: number;
  /** True if another port will not do. */
  isPortFixed: boolean;
}

/** A running shop of one release. */
export interface ShopProcess {
  /** Such as `http://localhost:4810`. */
  origin: string;
  port: number;
  /** Lets its library send what waits; resolves to what became of all events of this process. */
  flush(): Promise<Delivery>;
  stop(): Promise<void>;
}

/** Starts the shop in a separate process and waits until it listens. */
export async function startShop(settings: ShopSettings): Promise<ShopProcess> {
  // The folder in which the library keeps what must outlive the process.
  const directory = await mkdtemp(join(tmpdir(), 'culprit-demo-shop-'));
  const child = fork(fileURLToPath(new URL('main.ts', import.meta.url)), {
    cwd: directory,
    execArgv: ['--disable-sigusr1'],
  });
  const ended = once(child, 'exit');
  child.send(settings);
  const port = await nextMessage(child, ended, (message) =>
    'port' in message ? Number(message.port) : null,
  );
  return {
    origin: `http://localhost:${port}`,
    port,
    async flush() {
      const delivery = nextMessage(child, ended, (message) =>
        'counts' in message ? deliveryOf(readCounts(message.counts)) : null,
      );
      child.send('flush');
      return await delivery;
    },
    async stop() {
      child.kill();
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The next message that `read` understands. @throws Error when the process ends before */
async function nextMessage<Read>(
  child: ChildProcess,
  ended: Promise<unknown>,
  read: (message: object) => Read | null,
): Promise<Read> {
  for (;;) {
    const first = await Promise.race([once(child, 'message'), ended.then(() => null)]);
    if (first === null) throw new Error('the shop ended unexpectedly');
    const [message]: unknown[] = first;
    const value = typeof message === 'object' && message !== null ? read(message) : null;
    if (value !== null) return value;
  }
}
