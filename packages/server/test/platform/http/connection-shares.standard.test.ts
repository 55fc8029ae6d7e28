// Proves 23.
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpServerOptions } from '../../../src/platform/http/server/http-server.ts';
import { type SampleServer, startSampleServer } from './sample-api.ts';

const LIVE = 'GET /live HTTP/1.1\r\nHost: x\r\n\r\n';
/** A request that stays under way: its body never ends. */
const SLOW =
  'POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: x\r\nContent-Length: 1000\r\n\r\nsome bytes';

describe('connections', () => {
  let sample: SampleServer | null = null;
  const sockets: Socket[] = [];

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.length = 0;
    await sample?.close();
    sample = null;
  });

  async function start(
    connectionsMax: number,
    options: Partial<HttpServerOptions> = {},
  ): Promise<SampleServer> {
    sample = await startSampleServer({ limits: { connectionsMax }, ...options });
    return sample;
  }

  /** Sends a request; tells whether the connection was refused, once it is answered or closed. */
  function open(request: string, localAddress = '127.0.0.1'): Promise<Socket | null> {
    const socket = connect({ port: sample?.port ?? 0, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => {});
    return new Promise((resolve) => {
      socket.once('data', () => resolve(socket));
      socket.once('close', () => resolve(null));
      socket.write(request);
    });
  }

  /** Opens connections with requests that stay under way and gives how many are left once the server has decided. */
  async function openSlow(count: number, localAddress: string): Promise<number> {
    const opened = Array.from({ length: count }, () => {
      const socket = connect({ port: sample?.port ?? 0, host: '127.0.0.1', localAddress });
      sockets.push(socket);
      socket.on('error', () => {});
      socket.write(SLOW);
      return socket;
    });
    const bytes = () => sample?.server.load.ingestion.bytesInFlight ?? 0;
    await expect
      .poll(() => bytes() / 10 + opened.filter((socket) => socket.destroyed).length, { timeout: 10_000 })
      .toBe(count);
    return bytes() / 10;
  }

  it('that are idle make way for new ones of the same address, the oldest first', async () => {
    await start(64);
    const idle: (Socket | null)[] = [];
    for (let index = 0; index < 70; index += 1) idle.push(await open(LIVE));
    expect(idle).not.toContain(null);
    await expect.poll(() => idle.filter((socket) => socket?.destroyed === true).length).toBe(22);
    expect(idle.slice(22).every((socket) => socket?.destroyed === false)).toBe(true);
  });

  it('that are idle make way for new ones, 4,200 of one address for every new client', async () => {
    await start(4096);
    for (let opened = 0; opened < 4200; opened += 100) {
      await Promise.all(Array.from({ length: 100 }, () => open(LIVE, '127.0.0.2')));
    }
    for (let index = 0; index < 20; index += 1) {
      expect(await open(LIVE)).not.toBeNull();
      expect(await open(LIVE, '127.0.0.2')).not.toBeNull();
    }
  }, 60_000);

  it('with a request under way are not closed, and leave those of other addresses a quarter', async () => {
    await start(64);
    expect(await openSlow(80, '127.0.0.2')).toBe(48);
    for (let index = 0; index < 30; index += 1) expect(await open(LIVE)).not.toBeNull();
    expect(sample?.server.load.ingestion.bytesInFlight).toBe(480);
  });

  it('of an address that has its share in use are refused', async () => {
    await start(64);
    await openSlow(48, '127.0.0.2');
    expect(await open(LIVE, '127.0.0.2')).toBeNull();
    sockets[0]?.destroy();
    await expect.poll(() => open(LIVE, '127.0.0.2')).not.toBeNull();
  });

  it('of a trusted proxy have no share, for they are those of many clients', async () => {
    await start(64, { trustedProxies: ['127.0.0.0/30'] });
    expect(await openSlow(80, '127.0.0.2')).toBe(64);
  });

  it('beyond the limit close the idle ones of the address that has most', async () => {
    await start(64, { trustedProxies: ['127.0.0.2'] });
    const idle: (Socket | null)[] = [];
    for (let index = 0; index < 40; index += 1) idle.push(await open(LIVE, '127.0.0.2'));
    const few = await open(LIVE, '127.0.0.3');
    expect(await openSlow(30, '127.0.0.2')).toBe(30);
    await expect.poll(() => idle.filter((socket) => socket?.destroyed === true).length).toBe(7);
    expect(few?.destroyed).toBe(false);
  });
});
