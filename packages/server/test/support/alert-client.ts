import * as contract from '@culprit/contract/alerts/alerts';
import { type AnswerParts, createClient } from '@culprit/contract/endpoints/client';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { parseId } from '../../src/platform/ids.ts';
import { countRows, readNumber } from './count-rows.ts';
import type { TestCulprit, TestProject } from './culprit.ts';
import { eventually } from './eventually.ts';
import { expectOk } from './expect-ok.ts';

/** What the database says of one delivery of an alert: people see it only in the export of their account. */
export interface AlertDelivery {
  alert_id: string;
  dedupe_key: string;
  notification_key: string;
  message_id: string;
  status: 'pending' | 'retrying' | 'delivered' | 'failed';
  attempt_count: number;
  last_error: string | null;
  last_response_code: number | null;
}

/** What a member does with the alert rules of one project, over HTTP, and what becomes of them. */
export interface AlertClient {
  /** A rule of the project; throws unless it is made. A new incident, to a webhook, unless said otherwise. */
  create(body: JsonObject): Promise<contract.Alert>;
  update(alertId: string, body: JsonObject): Promise<contract.Alert>;
  delete(alertId: string): Promise<void>;
  /** In the order in which they were made; of one rule if given. */
  deliveries(alertId?: string): Promise<AlertDelivery[]>;
  /** Waits until the project's ledger rows are evaluated, and returns the deliveries. */
  evaluated(alertId?: string): Promise<AlertDelivery[]>;
  /** Waits for deliveries that are as described, in order. */
  reached(expected: Partial<AlertDelivery>[], alertId?: string): Promise<AlertDelivery[]>;
  /** Of the organization's allowance. */
  used(): Promise<number>;
}

export function alertClient(
  culprit: TestCulprit,
  project: Pick<TestProject, 'projectId' | 'memberToken'>,
): AlertClient {
  const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
  const projectId = parseId(['proj'], project.projectId);

  async function deliveries(alertId?: string): Promise<AlertDelivery[]> {
    return await culprit.database.query<AlertDelivery>(
      {
        name: 'test-alert-deliveries',
        text: `select 'alt_' || d.alert_id as alert_id, d.dedupe_key, d.notification_key, d.message_id,
            case when d.dropped_at is null then m.status else 'failed' end as status, m.attempt_count,
            case when d.dropped_at is null then m.last_error else 'alert_disabled' end as last_error,
            m.last_response_code
          from alert_deliveries d join alert_messages m using (message_id)
          where d.project_id = $1 and ($2::text is null or d.alert_id = $2::uuid)
          order by d.alert_delivery_id`,
      },
      [projectId, alertId?.replace('alt_', '') ?? null],
    );
  }

  return {
    async create(alert) {
      const body = { project_id: project.projectId, condition_type: 'new_incident', ...alert };
      return alertOf(await api.send(contract.createAlert, { body }));
    },
    async update(id, body) {
      return alertOf(await api.send(contract.updateAlert, { params: { id }, body }));
    },
    async delete(id) {
      expectOk(await api.call(contract.deleteAlert, { params: { id } }));
    },
    deliveries,
    async evaluated(alertId) {
      await eventually(async () => {
        const waiting = await countRows(
          culprit,
          `jobs where fairness_key = $1 and lane in ('events', 'alerts')`,
          [projectId],
        );
        if (waiting > 0) throw new Error(`${waiting} jobs wait`);
      });
      return await deliveries(alertId);
    },
    async reached(expected, alertId) {
      return await eventually(async () => {
        const found = await deliveries(alertId);
        const isAsExpected =
          found.length === expected.length &&
          found.every((delivery, n) =>
            Object.entries(expected[n] ?? {}).every(([key, value]) => Reflect.get(delivery, key) === value),
          );
        if (!isAsExpected) throw new Error(`not yet: ${JSON.stringify(found)}`);
        return found;
      });
    },
    async used() {
      return await readNumber(
        culprit,
        'coalesce(sum(used), 0)',
        `usage_counters where meter = 'monthly_alert_deliveries'
          and organization_id = (select organization_id from projects where project_id = $1)`,
        [projectId],
      );
    },
  };
}

/** Bodies come from the tables of tests, so neither they nor the answer are typed. */
function alertOf(answer: AnswerParts): contract.Alert {
  const body = expectOk(answer);
  const alert = isJsonObject(body) ? body.alert : undefined;
  if (!isAlert(alert)) throw new Error(`answered ${JSON.stringify(body)}`);
  return alert;
}

function isAlert(value: unknown): value is contract.Alert {
  return isJsonObject(value) && typeof value.alert_id === 'string';
}
