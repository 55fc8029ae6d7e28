import { CANDIDATE, ENDPOINT, processorMicros, startCandidate } from './candidate.mjs';

// A server that captures an exception of a different kind in each request, and measures the calls.

const SUPPRESSED = 20_000;

const library = await startCandidate(CANDIDATE, ENDPOINT);
const { createServer } = await import('node:http');
const calls = [];
let suppressedMicros = null;

function failure(number) {
  const error = new Error(`order ${number} was refused`);
  // Each call has another kind, because repetitions are suppressed.
  error.name = `Refusal${number}`;
  return error;
}

function deep(levels, number) {
  return levels === 0 ? failure(number) : deep(levels - 1, number);
}

function measureSuppressed() {
  const same = () => Array.from({ length: SUPPRESSED }, () => new RangeError('the same again'));
  for (const error of same()) library.captureException(error);
  const errors = same();
  const before = process.cpuUsage();
  for (const error of errors) library.captureException(error);
  suppressedMicros = processorMicros(before) / SUPPRESSED;
}

const server = createServer((request, response) => {
  if (request.url === '/suppressed') measureSuppressed();
  else {
    const error = deep(10, calls.length);
    const before = process.cpuUsage();
    library.captureException(error);
    calls.push(processorMicros(before));
  }
  response.statusCode = 500;
  response.end();
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', () => process.send({ calls, suppressedMicros }));
