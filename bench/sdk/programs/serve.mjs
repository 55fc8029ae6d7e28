import { CANDIDATE, ENDPOINT, processorMicros, startCandidate } from './candidate.mjs';

// A bare server whose requests succeed. It reports its processor time on request.

await startCandidate(CANDIDATE, ENDPOINT);
const { createServer } = await import('node:http');
const server = createServer((_request, response) => response.end('ok'));
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', () => process.send({ processorMicros: processorMicros() }));
