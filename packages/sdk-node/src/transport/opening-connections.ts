import type { ClientRequest } from 'node:http';

const CHECK_MS = 100;
/** Node's names of a connection and a look-up of a name that are under way. */
const OPENING = new Set(['ConnectWrap', 'TCPConnectWrap', 'GetAddrInfoReqWrap']);

/**
 * Own requests whose connection is not open yet. Node keeps a process alive for them although their sockets are
 * unreferenced, so an address that does not answer would hold a process that has ended its work.
 */
export interface OpeningConnections {
  watch(request: ClientRequest): void;
  /** Called when nothing else keeps the process alive. */
  onAlone(run: () => void): void;
  /** Abandons all of them. */
  abandon(): void;
}

/** No connections. Time passes only while one is being opened. */
export function createOpeningConnections(): OpeningConnections {
  const opening = new Set<ClientRequest>();
  let isArmed = false;
  let tell = () => {};

  function check(): void {
    isArmed = false;
    if (opening.size === 0) return;
    const keeping = process.getActiveResourcesInfo();
    // More than the own ones: the host opens connections too.
    if (keeping.length <= opening.size && keeping.every((name) => OPENING.has(name))) tell();
    arm();
  }

  function arm(): void {
    if (isArmed) return;
    isArmed = true;
    setTimeout(check, CHECK_MS).unref();
  }

  return {
    watch(request) {
      request.on('socket', (socket) => {
        if (!socket.connecting) return;
        opening.add(request);
        arm();
        socket.once('connect', () => opening.delete(request));
      });
      request.once('close', () => opening.delete(request));
    },
    onAlone(run) {
      tell = run;
    },
    abandon() {
      for (const request of opening) {
        request.destroy(Object.assign(new Error('the process ends'), { code: 'ETIMEDOUT' }));
      }
      opening.clear();
    },
  };
}
