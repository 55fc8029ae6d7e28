import { expect, it } from 'vitest';
import * as edge from '../src/edge/index.ts';
import * as edgeNext from '../src/edge/next.ts';
import * as node from '../src/index.ts';
import * as next from '../src/next.ts';

it('offers the same names outside of Node, where they run the host and capture nothing', async () => {
  expect(Object.keys(edge).sort()).toEqual(Object.keys(node).sort());
  const codes: string[] = [];
  const onDiagnostic = ({ code }: { code: string }) => codes.push(code);
  expect([edge.init({ onDiagnostic }), edge.init({ onDiagnostic })]).toEqual([false, false]);
  expect(codes).toEqual(['runtime_unsupported']);
  expect(edge.captureException(new Error('x'))).toBeNull();
  expect(edge.withScope(() => 1)).toBe(1);
  expect(await edge.withJob('job', () => 2)).toBe(2);
});

it('builds a route of the relay outside of Node, which answers that nothing was delivered', async () => {
  expect(Object.keys(edgeNext).sort()).toEqual(Object.keys(next).sort());
  const request = new Request('https://app.example.com/culprit/browser', { method: 'POST', body: '{}' });
  for (const answer of [edgeNext.POST, edgeNext.GET, edgeNext.OPTIONS, edgeNext.relay({ path: '/x' })]) {
    const response = await answer(request);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: 'relay_delivery_failed', accepted: 0 });
  }
  expect(edgeNext.onRequestError(new Error('x'), {}, {})).toBeUndefined();
});
