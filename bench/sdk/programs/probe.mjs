import { CANDIDATE, ENDPOINT, processorMicros, startCandidate } from './candidate.mjs';

// Inactive probes, in a request.

const CALLS = 2_000_000;

const { probe, withRequest } = await startCandidate(CANDIDATE, ENDPOINT);

function nanosOf(call) {
  for (let index = 0; index < CALLS / 10; index += 1) call(index);
  const before = process.cpuUsage();
  for (let index = 0; index < CALLS; index += 1) call(index);
  return (processorMicros(before) * 1000) / CALLS;
}

withRequest({ method: 'GET', url: '/' }, () => {
  const value = () => 1;
  const heavy = { heavy: true };
  const figures = {
    heavyNs: nanosOf(() => probe('bench.heavy', value, heavy)),
    functionNs: nanosOf(() => probe('bench.function', value)),
    primitiveNs: nanosOf((index) => probe('bench.primitive', index)),
  };
  process.send(figures, () => process.exit());
});
