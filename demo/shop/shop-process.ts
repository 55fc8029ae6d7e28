import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Delivery } from '../capture/event-sender.ts';
import type { ServerCaptureOptions } from '../capture/server-capture.ts';
import type { ShopOptions } from './routes.ts';

/** What a shop process is started with. */
export interface ShopSettings extends ServerCaptureOptions, Omit<ShopOptions, 'capture'> {
  port: number;
  /** Whether another port will not do. */
  isPortFixed: boolean;
}

/** A running shop of one release. */
export interface ShopProcess {
  /** Such as `http://localhost:4810`. */
  origin: string;
  port: number;
  /** Lets its capture send what waits; resolves to what became of all events of this process. */
  flush(): Promise<Delivery>;
  stop(): Promise<void>;
}

/** Starts the shop in a process of its own and waits until it listens. */
export async function startShop(settings: ShopSettings): Promise<ShopProcess> {
  const child = fork(fileURLToPath(new URL('main.ts', import.meta.url)), { execArgv: [] });
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
        'delivery' in message ? readDelivery(message.delivery) : null,
      );
      child.send('flush');
      return await delivery;
    },
    async stop() {
      child.kill();
      await ended;
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

function readDelivery(value: unknown): Delivery {
  if (typeof value !== 'object' || value === null || !('accepted' in value) || !('problems' in value)) {
    throw new Error('the shop did not say what became of its events');
  }
  const problems: unknown[] = Array.isArray(value.problems) ? value.problems : [];
  return { accepted: Number(value.accepted), problems: problems.map(String) };
}
