import { readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';

/** A server of the files of a folder, with a page for an entry. */
interface StaticSite {
  origin: string;
  close: () => void;
}

export async function serveFolder(
  folder: string,
  entry: string,
  isModule: boolean,
  head = '',
): Promise<StaticSite> {
  const page = `<!doctype html><title>shop</title>${head}<script ${isModule ? 'type="module" ' : ''}src="/${entry}"></script>`;
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const file = join(folder, path);
    if (path === '/') response.setHeader('content-type', 'text/html').end(page);
    else if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) {
      response.setHeader('content-type', /js$/.test(path) ? 'text/javascript' : 'application/json');
      response.end(readFileSync(file));
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
