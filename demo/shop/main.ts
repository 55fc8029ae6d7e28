import type { Server } from 'node:http';
import { close, flush, getDiagnostics, init } from '@culprit/node';
import { type Route, shopRoutes } from './routes.ts';
import type { ShopSettings } from './shop-process.ts';
import { startShopServer } from './shop-server.ts';

/** The shop's process. It gets its settings from the process that started it, and ends together with that. */

process.on('disconnect', () => process.exit(0));
process.once('message', (settings: ShopSettings) => void run(settings));

async function run(settings: ShopSettings): Promise<void> {
  init({
    token: settings.projectToken,
    endpoint: settings.baseUrl,
    service: 'shop-api',
    environment: 'production',
    release: settings.release,
    git: { commit: settings.commit, branch: 'main' },
    requestBodies: 'failures',
  });
  process.once('SIGTERM', () => void close().finally(() => process.exit(0)));
  const server = await listen(shopRoutes(settings), settings);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.on('message', (word) => {
    if (word === 'flush') void flush().then(() => process.send?.({ counts: getDiagnostics() }));
  });
  process.send?.({ port });
}

/** On the wanted port, so that addresses look the same in every run; on any other one when it may be. */
async function listen(routes: readonly Route[], { port, isPortFixed }: ShopSettings): Promise<Server> {
  try {
    return await startShopServer(routes, port);
  } catch (error) {
    if (isPortFixed) throw error;
    return await startShopServer(routes, 0);
  }
}
