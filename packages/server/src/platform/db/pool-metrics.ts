import { gauge } from '../metrics/metric-kinds.ts';

/** Connections of one pool right now, and callers that wait for one. */
interface PoolCounts {
  used: number;
  idle: number;
  waiting: number;
}

const pools = new Map<() => PoolCounts, string>();

/**
 * Shows a pool in the metrics until the returned function is called.
 * @param name its application name; pools of one name are added up
 */
export function showPool(name: string, count: () => PoolCounts): () => void {
  pools.set(count, name);
  return () => void pools.delete(count);
}

// Each sets itself when it is read: one that another sets would show the reading before.
gauge({
  name: 'culprit_database_pool_waiting',
  help: 'Callers that wait for a database connection.',
  labelNames: ['pool'],
  collect() {
    this.reset();
    for (const [count, pool] of pools) this.inc({ pool }, count().waiting);
  },
});

gauge({
  name: 'culprit_database_pool_connections',
  help: 'Database connections that are open.',
  labelNames: ['pool', 'state'],
  collect() {
    this.reset();
    for (const [count, pool] of pools) {
      const { used, idle } = count();
      this.inc({ pool, state: 'used' }, used);
      this.inc({ pool, state: 'idle' }, idle);
    }
  },
});
