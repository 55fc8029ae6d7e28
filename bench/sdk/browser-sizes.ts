import { join } from 'node:path';
import { packedSdk } from '../../packages/sdk-test-hosts/packed-sdk.ts';
import { gzipped, measureSizes, minified } from '../../scripts/sdk/sizes.ts';
import type { Measured, Peer } from '../report/measured.ts';
import type { Peers } from './peers.ts';

const PEER = '@sentry/browser';
const KIB = 1024;

interface Comparison {
  goalKib: number;
  /** The import of the peer for the same features. */
  peerSource?: string;
}

/** The goals of docs/contract/clients.md 1.3. Other bundles are held to the limit that the build has for them. */
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '@culprit/browser': {
    goalKib: 14,
    peerSource: "export { init, captureException } from './@sentry/browser';",
  },
  '@culprit/browser/errors': {
    goalKib: 10,
    peerSource:
      "export { BrowserClient, captureException, defaultStackParser, getCurrentScope, makeFetchTransport } from './@sentry/browser';",
  },
  '  init and captureException of it': { goalKib: 13 },
  '@culprit/browser/script': { goalKib: 16.5 },
};

/** Bytes that a page loads, as they travel. */
export async function measureBrowserSizes(peers: Peers): Promise<Measured[]> {
  const { nodeModules } = await packedSdk();
  const measured: Measured[] = [];
  for (const { name, bytes, limitBytes } of await measureSizes(join(nodeModules, '@culprit/browser/dist'))) {
    const { goalKib, peerSource }: Comparison = COMPARISONS[name] ?? { goalKib: limitBytes / KIB };
    const row: Measured = {
      row: 'sdk',
      figure: `${name}, minified and packed`,
      unit: 'KiB',
      values: [bytes / KIB],
      floorValues: null,
      target: { kind: 'at_most', value: goalKib },
      details: {},
    };
    measured.push(peerSource === undefined ? row : { ...row, peer: await peerOf(peers, peerSource) });
  }
  return measured;
}

async function peerOf(peers: Peers, source: string): Promise<Peer> {
  if ('missing' in peers) return peers;
  const bytes = gzipped(await minified(peers.nodeModules, source));
  return { name: PEER, values: [bytes / KIB] };
}
