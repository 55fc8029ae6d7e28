import type { CheckMethod } from '@culprit/contract/monitor/availability-checks';

/** The values of the form of a check. */
export interface CheckValues {
  name: string;
  url: string;
  method: CheckMethod;
  statusMin: number;
  statusMax: number;
  timeoutMs: number;
  intervalSeconds: number;
  failureThreshold: number;
  recoveryThreshold: number;
  environment: string;
  service: string;
}
