import {
  Agent,
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http';

/**
 * Stands before several API processes as an operator's load balancer does: asks each whether it is ready, and hands
 * requests in turn to those that are, over connections it keeps. It repeats nothing.
 */
export interface LoadBalancer {
  url: string;
  add(apiUrl: string): void;
  /** Of a process that is gone. */
  remove(apiUrl: string): void;
  /** How many get requests at the moment. */
  readyCount(): number;
  close(): Promise<void>;
}

const CHECK_INTERVAL_MS = 50;
const CHECK_TIMEOUT_MS = 1000;

interface Backend {
  url: string;
  isReady: boolean;
}

export async function startLoadBalancer(): Promise<LoadBalancer> {
  const agent = new Agent({ keepAlive: true });
  let backends: Backend[] = [];
  let turn = 0;
  let isClosed = false;
  const server = createServer((request, response) => {
    const ready = backends.filter(({ isReady }) => isReady);
    turn += 1;
    const backend = ready[turn % ready.length];
    if (backend === undefined) response.writeHead(503).end();
    else pass(request, response, backend);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the load balancer has no port');

  function pass(request: IncomingMessage, response: ServerResponse, { url }: Backend): void {
    const { method, headers } = request;
    const onward = sendRequest(new URL(request.url ?? '/', url), { agent, method, headers }, (answer) => {
      // Each side keeps its connections by its own rules.
      const { connection: _, 'keep-alive': __, ...passedOn } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, passedOn);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    // Nobody knows whether it had an effect: no answer is the honest one.
    onward.on('error', () => response.destroy());
    request.on('error', () => onward.destroy());
    request.pipe(onward);
  }

  async function check(backend: Backend): Promise<void> {
    while (!isClosed && backends.includes(backend)) {
      try {
        const { status } = await fetch(`${backend.url}/ready`, {
          signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
        });
        backend.isReady = status === 200;
      } catch {
        backend.isReady = false;
      }
      await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
    }
  }

  return {
    url: `http://127.0.0.1:${address.port}`,
    add(apiUrl) {
      const backend = { url: apiUrl, isReady: false };
      backends = [...backends, backend];
      void check(backend);
    },
    remove(apiUrl) {
      backends = backends.filter(({ url }) => url !== apiUrl);
    },
    readyCount: () => backends.filter(({ isReady }) => isReady).length,
    async close() {
      isClosed = true;
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
