import { PRIORITY_LEVELS } from '@culprit/contract/incidents/triage-words';
import { IS_RULED, PRIORITY_OF, PRIORITY_PLACES, raisedIncidents } from './priority-rules.ts';

/** A page of the incidents of a project, as SQL. */
interface PriorityPage {
  /** Each incident `i` must meet it. */
  condition: string;
  /** Columns of the page: `priority`, `last_seen_at` and `incident_id`. */
  selected: string;
  /** The place of `PRIORITY_PLACES` at which the page before ended. */
  cursor: string;
  limit: string;
  /** The priorities that fit each term about them. */
  levels: readonly (readonly number[])[];
}

const IN_ORDER = 'order by i.seen_step desc, i.last_seen_at desc, i.incident_id desc';
const URGENT = PRIORITY_LEVELS.indexOf('urgent');
const HIGH = PRIORITY_LEVELS.indexOf('high');
const NORMAL = PRIORITY_LEVELS.indexOf('normal');
const LOW = PRIORITY_LEVELS.indexOf('low');
const CRITICAL = PRIORITY_PLACES.indexOf('critical');

/**
 * Returns the query for the first incidents of project `v` by priority. No index has that order, because what makes a
 * level passes with time. So the few that may be urgent or high are found first, and each lower level is only read, in the
 * order of an index, where those before it leave room on the page.
 */
export function prioritiesInTurn({ condition, selected, cursor, limit, levels }: PriorityPage): string {
  const isWanted = (level: number, place = level) =>
    `${levels.every((each) => each.includes(level))} and (${cursor} is null or ${cursor} >= ${place})`;
  const incidents = `select ${selected} from incidents i where i.project_id = v.project_id`;
  // These comparisons let PostgreSQL expect many rows, of which it reads the first ones in order.
  const isCritical = `i.severity = 3 and ${IS_RULED}`;
  const isLevel = (level: number) =>
    level === LOW ? `${PRIORITY_OF} < ${NORMAL}` : `${PRIORITY_OF} < ${HIGH} and ${PRIORITY_OF} <> ${LOW}`;
  const lower = (level: number, found: readonly string[]) => `select * from (${incidents}
      and ${isWanted(level)} and ${found.map((name) => `(select count(*) from ${name})`).join(' + ')} < ${limit}
      and ${isLevel(level)} ${condition} ${IN_ORDER} limit ${limit}) i`;
  return `with critical as materialized (
        ${incidents} and ${isWanted(URGENT, CRITICAL)} and ${isCritical} ${condition} ${IN_ORDER} limit ${limit}
      ), raised as materialized (
        select ${selected} from (${raisedIncidents('project_id = v.project_id')} offset 0) r
        cross join lateral (select * from incidents n where n.incident_id = r.incident_id offset 0) i
        where i.project_id = v.project_id and not (${isCritical}) and ${PRIORITY_OF} >= ${HIGH} and (${isWanted(URGENT)} or ${isWanted(HIGH)}) ${condition}
        order by priority desc, i.last_seen_at desc, i.incident_id desc limit ${limit}
      ), normal as materialized (
        ${lower(NORMAL, ['critical', 'raised'])}
      ), low as materialized (
        ${lower(LOW, ['critical', 'raised', 'normal'])}
      )
      select * from critical union all select * from raised union all select * from normal union all select * from low
      order by priority desc, last_seen_at desc, incident_id desc limit ${limit}`;
}
