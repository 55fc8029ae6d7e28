import { once } from 'node:events';
import { Agent, get } from 'node:http';

const CONNECTIONS = 16;

/** Sends requests to a server of this machine, each connection one after the other. */
export async function sendRequests(port: number, count: number, path = '/'): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let left = count;
  async function connection(): Promise<void> {
    while (left > 0) {
      left -= 1;
      const call = get({ port, host: '127.0.0.1', path, agent });
      const [response] = await once(call, 'response');
      response.resume();
      await once(response, 'end');
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  agent.destroy();
}
