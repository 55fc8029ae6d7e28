import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';

/** The services around the shop. All of them are in trouble. */
export interface Neighbours {
  paymentsUrl: string;
  stockUrl: string;
  ratesUrl: string;
  reviewsUrl: string;
  stop(): void;
}

export async function startNeighbours(): Promise<Neighbours> {
  const servers: Server[] = [];
  async function start(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    server.listen(0, 'localhost');
    await once(server, 'listening');
    const address = server.address();
    return `http://localhost:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }
  return {
    paymentsUrl: await start(breakConnection),
    stockUrl: await start(answerNever),
    ratesUrl: await start(answerWithPage),
    reviewsUrl: await start(serveWidget),
    stop() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

const breakConnection: RequestListener = (request) => {
  request.resume();
  request.on('end', () => request.socket.resetAndDestroy());
};

/** Slower than anybody waits. */
const answerNever: RequestListener = (request) => {
  request.resume();
};

const answerWithPage: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end('<html><body>We are down for maintenance.</body></html>');
};

/** Without the header that would let the page see errors of the script. */
const serveWidget: RequestListener = async (_request, response) => {
  const script = await readFile(new URL('./page/reviews-widget.js', import.meta.url), 'utf8');
  response.writeHead(200, { 'content-type': 'text/javascript' });
  response.end(script);
};
