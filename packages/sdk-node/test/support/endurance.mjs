// Programs that run long: a server that fails for one request in ten, and a loop that does nothing but fail.
// Started with --expose-gc by `endurance.long.ts`.
import http from 'node:http';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { captureException, close, flush, getDiagnostics, init, probe, setTag, setUser } from '@culprit/node';

const MEGABYTE = 1_048_576;
const [, , kind, count] = process.argv;
const total = Number(count);
const heapMb = () => {
  for (let pass = 0; pass < 3; pass++) globalThis.gc();
  return process.memoryUsage().heapUsed / MEGABYTE;
};

init();
while (getDiagnostics().policyPreset === null) await delay(10);
const figures = kind === 'requests' ? await serve() : await storm();
await close(30_000);
console.log(JSON.stringify({ ...figures, ...getDiagnostics() }));

async function serve() {
  const server = http.createServer((request, response) => {
    const number = Number(request.url.slice(1));
    setUser({ id: number });
    setTag('number', number);
    probe('number', { number });
    console.log(`request ${number}`);
    if (number % 10 === 0) captureException(new Error('one in ten'));
    response.statusCode = number % 10 === 0 ? 500 : 200;
    response.end();
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 20 });
  const ask = (number) =>
    new Promise((done, fail) => {
      http
        .get({ port, path: `/${number}`, agent }, (response) => response.resume().on('end', done))
        .on('error', fail);
    });
  const log = process.stdout.write;
  process.stdout.write = () => true;
  const askMany = async (from, to) => {
    for (let number = from; number < to; number += 20)
      await Promise.all(Array.from({ length: 20 }, (_, index) => ask(number + index)));
  };
  // What is loaded once, and what the engine compiles, is not what leaks.
  await askMany(0, 5_000);
  await flush();
  await delay(1_000);
  const before = heapMb();
  await askMany(5_000, 5_000 + total);
  await flush();
  await delay(1_000);
  const grownMb = heapMb() - before;
  process.stdout.write = log;
  agent.destroy();
  server.close();
  server.closeAllConnections();
  return { grownMb };
}

async function storm() {
  const failure = (number) => (number % 2 === 0 ? new Error('the same') : new TypeError(`order ${number}`));
  captureException(new Error('first'));
  await flush();
  const idle = heapMb();
  let peakMb = 0;
  for (let number = 1; number < total; number++) {
    captureException(failure(number));
    if (number % 1_000 === 0) await turn();
    if (number % 100_000 === 0) peakMb = Math.max(peakMb, heapMb() - idle);
  }
  return { peakMb };
}
