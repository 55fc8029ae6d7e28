import { measureBrowserSizes } from '../sdk/browser-sizes.ts';
import { measurePageToIncident } from '../sdk/page-to-incident.ts';
import { installPeers } from '../sdk/peers.ts';
import { preparePrograms } from '../sdk/programs.ts';
import {
  measureCaptures,
  measureProbes,
  measureRequests,
  measureStart,
  measureStorm,
} from '../sdk/server-figures.ts';
import { startSink } from '../sdk/sink.ts';
import type { RowGroup } from './row-group.ts';

/** The cost of the client libraries, beside others that do the same (docs/contract/clients.md 1.3). */
export const sdk: RowGroup = {
  rows: ['sdk'],
  async measure(context) {
    context.progress('sdk, installing what is measured');
    const peers = installPeers();
    const sink = await startSink();
    const programs = await preparePrograms(peers, sink.url);
    const bench = { context, peers, programs, sink };
    try {
      return [
        ...(await measureStart(bench)),
        ...(await measureRequests(bench)),
        ...(await measureCaptures(bench)),
        ...(await measureProbes(bench)),
        ...(await measureStorm(bench)),
        ...(await measureBrowserSizes(peers)),
        ...(await measurePageToIncident(context)),
      ];
    } finally {
      await programs.remove();
      await sink.stop();
    }
  },
};
