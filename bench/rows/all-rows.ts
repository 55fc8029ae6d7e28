import { agedDatabase } from './aged-database.ts';
import { agentAnswers } from './agent-answers.ts';
import { atRest } from './at-rest.ts';
import { bundles } from './bundles.ts';
import { cli } from './cli.ts';
import { dashboard } from './dashboard.ts';
import { disk } from './disk.ts';
import { foreign } from './foreign.ts';
import { grouping } from './grouping.ts';
import { incidentList } from './incident-list.ts';
import { intakeBesideMap } from './intake-beside-map.ts';
import { latency } from './latency.ts';
import { localFiles } from './local-files.ts';
import { maps } from './maps.ts';
import { mapsAtWork } from './maps-at-work.ts';
import { memory } from './memory.ts';
import { objectWrites } from './object-writes.ts';
import { overload } from './overload.ts';
import { ownership } from './ownership.ts';
import type { RowGroup } from './row-group.ts';
import { schedules } from './schedules.ts';
import { sdk } from './sdk.ts';
import { start } from './start.ts';
import { tags } from './tags.ts';
import { throughput } from './throughput.ts';
import { unusualBodies } from './unusual-bodies.ts';
import { webhooks } from './webhooks.ts';

/** The benchmark in the order it runs. */
export const ALL_ROWS: readonly RowGroup[] = [
  start,
  ...throughput,
  ...foreign,
  tags,
  agedDatabase,
  bundles,
  latency,
  overload,
  unusualBodies,
  webhooks,
  incidentList,
  dashboard,
  memory,
  atRest,
  disk,
  objectWrites,
  grouping,
  ownership,
  schedules,
  maps,
  mapsAtWork,
  intakeBesideMap,
  localFiles,
  agentAnswers,
  cli,
  sdk,
];
