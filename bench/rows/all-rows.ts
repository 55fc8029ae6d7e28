import { disk } from './disk.ts';
import { durableAccept } from './durable-accept.ts';
import { endToEnd } from './end-to-end.ts';
import { incidentList } from './incident-list.ts';
import { latency } from './latency.ts';
import { memory } from './memory.ts';
import { overload } from './overload.ts';
import type { RowGroup } from './row-group.ts';
import { start } from './start.ts';
import { webhooks } from './webhooks.ts';

/** The benchmark in the order it runs. */
export const ALL_ROWS: readonly RowGroup[] = [
  start,
  ...durableAccept,
  ...endToEnd,
  latency,
  overload,
  webhooks,
  incidentList,
  memory,
  disk,
];
