import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface FloorServer {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/** Starts the floor in its own process, writing into a file of the given directory. */
export async function startFloorServer(directory: string): Promise<FloorServer> {
  const path = join(directory, 'floor.log');
  const child = fork(fileURLToPath(new URL('./floor-process.ts', import.meta.url)), [path]);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port));
    child.once('exit', () => reject(new Error('the floor server ended')));
  });
  return {
    port,
    pid: child.pid ?? 0,
    async stop() {
      child.disconnect();
      await exited;
      rmSync(path, { force: true });
    },
  };
}
